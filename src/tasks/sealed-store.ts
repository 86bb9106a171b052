import { aesGcm, keyBytes } from '../server/internal-exports.ts';
import type { AesGcm } from '../server/internal-exports.ts';
import { fromBase64Url, toBase64 } from '../jsonrpc/internal-exports.ts';
import type { LeasedTask, StoredTask, TaskStore } from './store.ts';

type SealedPlace = readonly (string | number)[];

/**
 * Returns a store that encrypts arguments, steps, answers and results with AES-256-GCM before `store` gets them. Each
 * is bound to its task and its place there, and the arguments to the task's owner, so that a writer to the store cannot
 * give a task to another owner. The task's id, its owner, its times and the keys of questions stay in clear text. The
 * removal of data from a task (its end, its last records) is not detected. Long function: one object with a method for
 * each call of a store.
 *
 * @param keys secrets of 32 bytes: the first encrypts, all of them decrypt. Throws a RangeError for an empty list and
 *   for other lengths.
 */
export function sealedStore(store: TaskStore, keys: readonly Uint8Array[]): TaskStore {
  if (keys.length === 0) throw new RangeError('a sealed store needs a key');
  for (const key of keys) {
    if (key.length !== keyBytes) throw new RangeError(`a key has ${keyBytes} bytes, not ${key.length}`);
  }
  let made: Promise<AesGcm[]> | undefined;
  const ciphers = (): Promise<AesGcm[]> => made ??= Promise.all(keys.map((key) => aesGcm(key)));

  // Places are encoded as JSON, because the key of a question may have any characters.
  async function seal(text: string, ...place: SealedPlace): Promise<string> {
    const [cipher] = await ciphers();
    return toBase64(await (cipher as AesGcm).seal(JSON.stringify(place), text), 'base64url');
  }

  async function open(sealed: string, ...place: SealedPlace): Promise<string> {
    const bytes = fromBase64Url(sealed);
    for (const cipher of bytes ? await ciphers() : []) {
      try {
        return await cipher.open(JSON.stringify(place), bytes as Uint8Array);
      } catch {
        continue;
      }
    }
    throw new Error(`task ${String(place[0])}: the stored text is sealed with another key, or moved`);
  }

  async function opened(task: StoredTask): Promise<StoredTask> {
    const { id, owner } = task;
    const [head, end, records, answers] = await Promise.all([
      open(task.head, id, 'head', owner),
      task.end === undefined ? undefined : open(task.end, id, 'end'),
      Promise.all(task.records.map((record, i) => open(record, id, 'record', i))),
      Promise.all(Array.from(task.answers, async ([key, answer]) => [key, await open(answer, id, 'answer', key)] as const)),
    ]);
    return { ...task, head, end, records, answers: new Map(answers) };
  }

  const sealAll = (id: string, after: number, records: readonly string[]): Promise<string[]> =>
    Promise.all(records.map((record, i) => seal(record, id, 'record', after + i)));

  return {
    durable: store.durable,
    create: async (task) => store.create({ ...task, head: await seal(task.head, task.id, 'head', task.owner) }),
    async load(id) {
      const task = await store.load(id);
      return task && opened(task);
    },
    async lease(id, ms): Promise<LeasedTask | undefined> {
      const found = await store.lease(id, ms);
      return found && { lease: found.lease, task: await opened(found.task) };
    },
    renew: (lease, ms) => store.renew(lease, ms),
    append: async (lease, after, records) => store.append(lease, after, await sealAll(lease.id, after, records)),
    release: async (lease, after, records, waiting) =>
      store.release(lease, after, await sealAll(lease.id, after, records), waiting),
    answer: async (id, answers) => store.answer(id, new Map(await Promise.all(
      Array.from(answers, async ([key, answer]) => [key, await seal(answer, id, 'answer', key)] as const),
    ))),
    end: async (id, end, lease) => store.end(id, await seal(end, id, 'end'), lease),
    due: (limit) => store.due(limit),
    list: (owner, after, limit) => store.list(owner, after, limit),
    count: (owner) => store.count(owner),
    expire: (now) => store.expire(now),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
  };
}
