import type { TaskStore } from '../../src/tasks/store.ts';

/** The moment of a process's death: the number of its write, and whether that write reached the store. */
export interface Doom {
  readonly write: number;
  readonly reached: boolean;
}

/** The store of a process that is killed at one of its writes: later operations never happen. */
export function doomed(store: TaskStore, { write, reached }: Doom): { store: TaskStore; died: Promise<void> } {
  let writes = 0;
  let die = (): void => {};
  const died = new Promise<void>((resolve) => (die = resolve));
  const dead = (): boolean => writes >= write;
  const never = <T>(): Promise<T> => new Promise(() => {});
  async function writing<T>(make: () => Promise<T>): Promise<T> {
    if (dead()) return never();
    if (++writes < write) return make();
    if (reached) await make();
    die();
    return never();
  }
  const reading = <T>(make: () => Promise<T>): Promise<T> => (dead() ? never() : make());
  return {
    died,
    store: {
      durable: store.durable,
      create: (task) => writing(() => store.create(task)),
      load: (id) => reading(() => store.load(id)),
      lease: (id, ms) => writing(() => store.lease(id, ms)),
      renew: (lease, ms) => reading(() => store.renew(lease, ms)),
      append: (lease, after, records) => writing(() => store.append(lease, after, records)),
      release: (lease, after, records, waiting) => writing(() => store.release(lease, after, records, waiting)),
      answer: (id, answers) => writing(() => store.answer(id, answers)),
      end: (id, end, lease) => writing(() => store.end(id, end, lease)),
      due: (limit) => reading(() => store.due(limit)),
      list: (owner, after, limit) => reading(() => store.list(owner, after, limit)),
      count: (owner) => reading(() => store.count(owner)),
      expire: (now) => reading(() => store.expire(now)),
      watch: () => () => {},
      close: async () => {},
    },
  };
}
