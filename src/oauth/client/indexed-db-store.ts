import { need } from '../../jsonrpc/internal-exports.ts';
import { OAuthError } from '../errors.ts';
import type { AuthorizationStore, StoredKey } from './store.ts';

// The parts of IndexedDB that this file uses, so that these sources need no DOM types.
interface DatabaseRequest<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}
interface OpenRequest extends DatabaseRequest<Database> {
  onupgradeneeded: (() => void) | null;
}
interface Database {
  createObjectStore(name: string): unknown;
  transaction(name: string, mode: Mode): Transaction;
}
interface Transaction {
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
  objectStore(name: string): Objects;
}
interface Objects {
  get(key: string): DatabaseRequest<unknown>;
  put(value: unknown, key: string): unknown;
  delete(key: string): unknown;
}
type Mode = 'readonly' | 'readwrite';

/**
 * Stores tokens in a database of the page's origin, for all its tabs and workers. DPoP keys are stored there too, but are
 * not extractable: a script that reads the database can use a key while it runs, but cannot export it.
 *
 * Rejects with `OAuthError` (`store_unreadable`).
 *
 * @param name of the database
 */
export function indexedDbStore(name: string = 'barewire-oauth'): AuthorizationStore {
  let opened: Promise<Database> | undefined;

  /** Runs `work` in one transaction, and resolves with its result when the transaction is committed. */
  async function transact<T>(
    store: 'texts' | 'keys', mode: Mode, work: (objects: Objects, say: (value: T) => void) => void,
  ): Promise<T | undefined> {
    const database = await (opened ??= open(name));
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(store, mode);
      let said: T | undefined;
      transaction.oncomplete = () => resolve(said);
      transaction.onabort = () => reject(failed(name, transaction.error));
      work(transaction.objectStore(store), (value) => { said = value; });
    });
  }

  const read = (store: 'texts' | 'keys', key: string): Promise<unknown> => transact(store, 'readonly', (objects, say) => {
    const request = objects.get(key);
    request.onsuccess = () => say(request.result);
  });

  return {
    async get(key) {
      const text = await read('texts', key);
      return typeof text === 'string' ? text : undefined;
    },
    async update(key, expected, next) {
      return await transact<boolean>('texts', 'readwrite', (objects, say) => {
        const request = objects.get(key);
        // Reading and writing use one transaction, so that transactions of other tabs wait.
        request.onsuccess = () => {
          if (request.result !== expected) return say(false);
          if (next === undefined) objects.delete(key);
          else objects.put(next, key);
          say(true);
        };
      }) === true;
    },
    keys: {
      get: async (id) => await read('keys', id) as StoredKey | undefined,
      async put(id, key) {
        await transact('keys', 'readwrite', (objects) => { objects.put({ privateKey: key.privateKey, jwk: key.jwk }, id); });
      },
      async delete(id) {
        await transact('keys', 'readwrite', (objects) => { objects.delete(id); });
      },
    },
  };
}

function open(name: string): Promise<Database> {
  need('indexedDB', 'indexedDbStore');
  const { indexedDB } = globalThis as unknown as { indexedDB: { open(name: string, version: number): OpenRequest } };
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('texts');
      request.result.createObjectStore('keys');
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(failed(name, request.error));
  });
}

function failed(name: string, cause: unknown): OAuthError {
  return new OAuthError('store_unreadable', `the database ${name} cannot be read or written`, { cause });
}
