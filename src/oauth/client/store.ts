import type { Key } from '../jwk.ts';

/**
 * Keeps tokens, client IDs and pending logins: texts by key. Several processes may share a store, so a value changes
 * only by compare-and-swap.
 *
 * The texts hold credentials: a store must let nobody but the user read them.
 */
export interface AuthorizationStore {
  /** The current text of this key. */
  get(key: string): Promise<string | undefined>;
  /**
   * Sets the text to `next`, or removes it (undefined), but only if it is `expected` (undefined: there is no text).
   * Resolves with whether it was. Atomic for all processes that share the store.
   */
  update(key: string, expected: string | undefined, next: string | undefined): Promise<boolean>;
  /**
   * Present if the store can hold `CryptoKey` objects, as IndexedDB can: DPoP keys are then not extractable, and are
   * kept here. Without it they are kept in the texts, as JWK.
   */
  readonly keys?: KeyStore | undefined;
}

/** Holds private keys that cannot be exported. */
export interface KeyStore {
  /** The key of this name; undefined if the name has none. */
  get(id: string): Promise<StoredKey | undefined>;
  /** Keeps a key and replaces the one before it. */
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

/**
 * Reads a text, changes it and writes it; retries if another process was faster. `change` may be called several
 * times.
 */
export async function swap(
  store: AuthorizationStore, key: string, change: (text: string | undefined) => string | undefined,
): Promise<void> {
  for (;;) {
    const text = await store.get(key);
    const next = change(text);
    if (next === text || await store.update(key, text, next)) return;
  }
}

/** A text of the store as the JSON object that it holds; undefined if it does not hold one. */
export function parseStored(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}
