/**
 * Stores data that outlives the host: pins and grants. Values are JSON. The application passes a store; on Node, `fileStore` of
 * `barewire/host/node` keeps them in a folder of the user.
 */
export interface HostStore {
  /** The stored value; undefined: none. */
  get(key: string): Promise<unknown>;
  /** Stores a value and replaces the one before it. */
  set(key: string, value: unknown): Promise<void>;
}

/**
 * A store that several processes share. With `get` and `set` only, of two processes that change the grants at once, one undoes what the
 * other has done, such as a revocation.
 */
export interface SharedStore extends HostStore {
  /** Stores what `change` makes of the present value, while no other process changes it. */
  update(key: string, change: (value: unknown) => unknown): Promise<void>;
}

/** Changes a value, by `update` if the store has it. */
export async function updateValue(store: HostStore, key: string, change: (value: unknown) => unknown): Promise<void> {
  await (isShared(store) ? store.update(key, change) : store.set(key, change(await store.get(key))));
}

const isShared = (store: HostStore): store is SharedStore => 'update' in store;

/** Keeps everything in memory: pins and grants end with the process. */
export function memoryStore(): HostStore {
  const values = new Map<string, string>();
  return {
    async get(key) {
      const text = values.get(key);
      return text === undefined ? undefined : JSON.parse(text) as unknown;
    },
    async set(key, value) {
      values.set(key, JSON.stringify(value));
    },
  };
}
