import { createHash, randomUUID } from 'node:crypto';
import { checkOptions } from 'barewire/jsonrpc';
import { within } from 'barewire/fleet';
import { LeaseLost, placeOf, Watchers } from 'barewire/tasks';
import type { Lease, LeasedTask, StoredTask, TaskChange, TaskStore } from 'barewire/tasks';
import type { createClient } from 'redis';
import * as scripts from './scripts.ts';

export { redisEngine } from './fleet/engine.ts';
export type { RedisEngine, RedisEngineOptions } from './fleet/engine.ts';
export type { RedisConnection, RedisSubscriber } from './fleet/redis.ts';

/** A client of `redis`, connected. */
export type RedisClient = Pick<ReturnType<typeof createClient>, 'eval' | 'evalSha' | 'zCard' | 'zRangeByLex'> & {
  duplicate(): {
    connect(): Promise<unknown>;
    on(event: 'error', listener: (error: Error) => void): unknown;
    subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
    close(): Promise<unknown> | void;
  };
};

export interface RedisStoreOptions {
  /** Prefix of the names of all keys. `barewire:tasks:`. */
  readonly prefix?: string;
  /** Milliseconds in which Redis must answer. A slower operation rejects; it may have succeeded. 5,000. */
  readonly answerMs?: number;
  /** Called with errors that no caller gets, such as those of the listening connection. Default: they are ignored. */
  readonly onError?: (error: Error) => void;
}

/**
 * Stores tasks in Redis, for any number of machines. Acknowledged writes are as durable as Redis is configured: fully with
 * `appendfsync always`. Not for a cluster: the keys of one task are in several slots. Rejects with a TypeError for an unknown or
 * malformed option.
 *
 * @param client connected; the store does not close it. It opens one more connection, for notifications of changes.
 */
export async function redisStore(client: RedisClient, options: RedisStoreOptions = {}): Promise<TaskStore> {
  checkOptions('redisStore: options', options, { prefix: 'string', answerMs: 0, onError: 'function' });
  const { prefix = 'barewire:tasks:', answerMs = 5000, onError = () => {} } = options;
  const watchers = new Watchers();
  /** This process's name in its messages: local watchers are notified by the reply already. */
  const own = `${prefix}by:${randomUUID()}`;
  const listening = client.duplicate();
  listening.on('error', onError);
  await listening.connect();
  await listening.subscribe(`${prefix}changes`, (message) => {
    const [change, id, by] = message.split(' ');
    if (id !== undefined && by !== own) watchers.tell(id, change as TaskChange);
  });

  const digests = new Map<string, string>();

  /** By its digest: Redis needs the text only once. */
  async function run(script: string, ...args: readonly (string | number)[]): Promise<unknown> {
    let digest = digests.get(script);
    if (digest === undefined) digests.set(script, digest = createHash('sha1').update(script).digest('hex'));
    const given = { keys: [prefix, own], arguments: args.map(String) };
    try {
      return await within(answerMs, client.evalSha(digest, given));
    } catch (error) {
      // The server does not know the script: a new server, or a flush. Nothing has run.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return within(answerMs, client.eval(script, given));
    }
  }

  /** Throws if a script returned a reason. */
  async function write(
    lease: Lease, change: TaskChange | undefined, script: string, ...args: readonly (string | number)[]
  ): Promise<void> {
    const why = await run(script, lease.id, lease.fence, ...args);
    if (typeof why === 'string') throw new LeaseLost(lease, why);
    if (change) watchers.tell(lease.id, change);
  }

  return {
    durable: true,
    async create(task) {
      const { id, owner, createdAt, expiresAt, head } = task;
      const made = await run(scripts.create, id, owner, createdAt, expiresAt ?? '', head, placeOf(task));
      if (made !== 1) throw new Error(`the task ${id} exists`);
      watchers.tell(id, 'due');
    },
    async load(id) {
      return readTask(id, await run(scripts.load, id))?.task;
    },
    async lease(id, ms): Promise<LeasedTask | undefined> {
      const found = readTask(id, await run(scripts.lease, id, ms));
      return found && { lease: { id, fence: found.fence }, task: found.task };
    },
    renew: (lease, ms) => write(lease, undefined, scripts.renew, ms),
    append: (lease, after, records) => write(lease, 'written', scripts.append, after, ...records),
    release: (lease, after, records, waiting) =>
      write(
        lease, waiting.length > 0 ? 'written' : 'due', scripts.release,
        after, JSON.stringify(waiting), waiting.length, ...waiting, ...records,
      ),
    async answer(id, answers) {
      return await run(scripts.answer, id, ...[...answers].flat()) as string[];
    },
    async end(id, end, lease) {
      if (lease) await write(lease, 'ended', scripts.endHeld, end);
      else {
        if (await run(scripts.end, id, end) !== 1) return false;
        watchers.tell(id, 'ended');
      }
      return true;
    },
    due: async (limit) => await run(scripts.due, '', limit) as string[],
    async list(owner, after, limit) {
      const from = after === undefined ? '-' : `(${after}`;
      const limited = { LIMIT: { offset: 0, count: limit } };
      const places = await within(answerMs, client.zRangeByLex(`${prefix}o:${owner}`, from, '+', limited));
      return places.map((place) => ({ id: place.slice(16), place }));
    },
    count: (owner) => within(answerMs, client.zCard(owner === undefined ? `${prefix}all` : `${prefix}o:${owner}`)),
    expire: async (now) => await run(scripts.expire, '', now) as string[],
    watch: watchers.watch,
    async close() {
      watchers.clear();
      try {
        await listening.close();
      } catch {
        // It was closed already: a client closes itself if it must not reconnect.
      }
    },
  };
}

/** Name-value pairs, as a script returns a hash. */
function pairs(flat: unknown): Map<string, string> {
  const list = flat as string[];
  const map = new Map<string, string>();
  for (let i = 0; i + 1 < list.length; i += 2) map.set(list[i] as string, list[i + 1] as string);
  return map;
}

function readTask(id: string, found: unknown): { task: StoredTask; fence: number } | undefined {
  if (!Array.isArray(found)) return undefined;
  const [fields, records, answers] = found as [unknown, string[], unknown];
  const task = pairs(fields);
  const text = (name: string): string => task.get(name) ?? '';
  const waiting = task.get('waiting');
  return {
    fence: Number(text('fence')),
    task: {
      id,
      owner: text('owner'),
      createdAt: Number(text('createdAt')),
      expiresAt: text('expiresAt') === '' ? null : Number(text('expiresAt')),
      head: text('head'),
      records,
      answers: pairs(answers),
      waiting: waiting === undefined ? undefined : JSON.parse(waiting) as string[],
      end: task.get('end'),
    },
  };
}
