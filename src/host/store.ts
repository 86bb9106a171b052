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
