import { isObject } from '../jsonrpc/codec.ts';
import { invalidParams } from '../jsonrpc/errors.ts';
import type { RpcError } from '../jsonrpc/errors.ts';
import { fromBase64, toBase64 } from './base64.ts';

export interface RequestStateOptions {
  /**
   * Secrets of 32 bytes: the first seals, all of them open, so that a key is rotated by putting a new one in front.
   * Without them each process makes one of its own: a retry must then reach the same process, and a restart loses
   * the questions that are open.
   */
  keys?: readonly Uint8Array[];
  /** Milliseconds that a client may take to answer. 10 minutes. */
  ttlMs?: number;
  /** Longest state that is sealed or opened, in characters. 64 KiB. */
  maxLength?: number;
}

/** Seals what a request must remember between its rounds, and opens it again. */
export interface RequestStateSealer {
  /** `bound` is everything that the state belongs to; it is not carried, and must be the same when it is opened. */
  seal(state: object, bound: string): Promise<string>;
  /** Throws an `RpcError` `-32602` for anything that was not sealed here, for this, and in time. */
  open(token: unknown, bound: string): Promise<Record<string, unknown>>;
}

const ivBytes = 12;

/**
 * 2026-07-28 basic/patterns/mrtr#server-requirements: `requestState` is input that an attacker controls. AES-GCM
 * keeps it secret and whole; what it belongs to (principal, method, parameters) is authenticated beside it.
 */
export function requestStateSealer({ keys, ttlMs = 600_000, maxLength = 65_536 }: RequestStateOptions = {}): RequestStateSealer {
  // Imported at the first use: the random key of a process that never asks is never made.
  let imported: Promise<CryptoKey[]> | undefined;
  const ready = (): Promise<CryptoKey[]> => imported ??= importKeys(keys);

  return {
    async seal(state, bound) {
      const [key] = await ready();
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
      const plain = bytesOf(JSON.stringify({ ...state, expires: Date.now() + ttlMs }));
      const sealed = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData: bytesOf(bound) }, key as CryptoKey, plain,
      );
      // Twelve bytes end where a group of Base64 ends.
      const token = toToken(iv) + toToken(new Uint8Array(sealed));
      if (token.length > maxLength) {
        throw new RangeError(`the answers so far take ${token.length} characters of requestState; the limit is ${maxLength}`);
      }
      return token;
    },
    async open(token, bound) {
      if (typeof token !== 'string') throw refused('must be a string');
      if (token.length > maxLength) throw refused(`is over the limit of ${maxLength} characters`);
      const bytes = fromToken(token);
      if (bytes === undefined || bytes.length <= ivBytes) throw refused('was not made here');
      const iv = bytes.subarray(0, ivBytes);
      for (const key of await ready()) {
        let plain: ArrayBuffer;
        try {
          plain = await crypto.subtle.decrypt(
            { name: 'AES-GCM', iv, additionalData: bytesOf(bound) }, key, bytes.subarray(ivBytes),
          );
        } catch {
          continue;
        }
        const state: unknown = JSON.parse(new TextDecoder().decode(plain));
        if (!isObject(state) || !(Number(state['expires']) > Date.now())) throw refused('has expired');
        return state;
      }
      throw refused('does not belong to this request');
    },
  };
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function importKeys(given: readonly Uint8Array[] | undefined): Promise<CryptoKey[]> {
  if (typeof crypto === 'undefined' || !crypto.subtle) {
    throw new Error('this runtime has no crypto.subtle, which questions to a 2026-07-28 client need');
  }
  const keys = given ?? [crypto.getRandomValues(new Uint8Array(32))];
  return Promise.all(keys.map((key) => {
    if (key.length !== 32) throw new RangeError(`a key of requestState has 32 bytes, not ${key.length}`);
    return crypto.subtle.importKey('raw', new Uint8Array(key), 'AES-GCM', false, ['encrypt', 'decrypt']);
  }));
}

const refused = (why: string): RpcError => invalidParams(`requestState ${why}`);

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

/** Base64 for URLs (RFC 4648, section 5), without padding: a token may end up in a header or a log. */
const toToken = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

function fromToken(token: string): Uint8Array<ArrayBuffer> | undefined {
  // The alphabet first: white space and the other alphabet's characters would be other spellings of one value.
  if (/[^\w-]/.test(token)) return undefined;
  try {
    const bytes = fromBase64(token.replaceAll('-', '+').replaceAll('_', '/'));
    // And no changed bit in what the last group of characters leaves over.
    return token.endsWith(toToken(bytes.subarray(bytes.length - (bytes.length % 3 || 3)))) ? bytes : undefined;
  } catch {
    return undefined;
  }
}
