import type { Key } from '../jwk.ts';

/**
 * Stores tokens, client IDs and pending logins: texts by key. Several processes may share a store, so values change only
 * by compare-and-swap.
 *
 * The texts contain credentials: nobody but the user may be able to read the store.
 */
export interface AuthorizationStore {
  /** The current text of this key. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets the text to `next`, or removes it (undefined), if the present text is `expected` (undefined: no text). Resolves
   * with true if it was. Atomic for all processes that share the store.
   */
  update(key: string, expected: string | undefined, next: string | undefined): Promise<boolean>;
  /**
   * Present if the store can hold `CryptoKey` objects, as IndexedDB can: DPoP keys are then stored here and are not
   * extractable. Otherwise they are stored in the texts, as JWK.
   */
  readonly keys?: KeyStore | undefined;
}

/** Holds private keys that cannot be exported. */
export interface KeyStore {
  /** The key with this name; undefined if it is not stored. */
  get(id: string): Promise<StoredKey | undefined>;
  /** Stores a key, replacing an earlier one. */
  put(id: string, key: StoredKey): Promise<void>;
  /** Removes a key. */
  delete(id: string): Promise<void>;
}

/** A private key, with its public half as a JWK. */
export interface StoredKey {
  readonly privateKey: Key;
  readonly jwk: Readonly<Record<string, string>>;
}

/** A store that lives as long as the process. */
export function memoryStore(): AuthorizationStore {
  const texts = new Map<string, string>();
  const keys = new Map<string, StoredKey>();
  return {
    get: async (key) => texts.get(key),
    async update(key, expected, next) {
      if (texts.get(key) !== expected) return false;
      if (next === undefined) texts.delete(key);
      else texts.set(key, next);
      return true;
    },
    keys: {
      get: async (id) => keys.get(id),
      async put(id, key) { keys.set(id, key); },
      async delete(id) { keys.delete(id); },
    },
  };
}

/** Changes a text by compare-and-swap, and retries if another process was faster. `change` may be called several times. */
export async function swap(
  store: AuthorizationStore, key: string, change: (text: string | undefined) => string | undefined,
): Promise<void> {
  for (;;) {
    const text = await store.get(key);
    const next = change(text);
    if (next === text || await store.update(key, text, next)) return;
  }
}

/** A stored text as a JSON object; undefined if it is not one. */
export function parseStored(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}
