import { isObject } from '../../jsonrpc/codec.ts';
import { invalidParams } from '../../jsonrpc/errors.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import { aesGcm, keyBytes } from './aes-gcm.ts';
import type { AesGcm } from './aes-gcm.ts';
import { fromBase64Url, toBase64 } from '../../jsonrpc/base64.ts';

export interface RequestStateOptions {
  /**
   * Secrets of 32 bytes: the first seals, all of them open, so that a key is rotated by putting a new one in
   * front. Without them each process makes one of its own: a retry must then reach the same process, and a
   * restart loses the questions that are open.
   */
  keys?: readonly Uint8Array[];
  /** Milliseconds that a client may take to answer. 10 minutes. */
  ttlMs?: number;
  /** Longest state that is sealed or opened, in characters. 64 KiB. */
  maxLength?: number;
}

/** Seals what a request must remember between its rounds, and opens it again. */
export interface RequestStateSealer {
  /**
   * `bound` is everything that the state belongs to; it is not carried,
   * and must be the same when it is opened.
   */
  seal(state: object, bound: string): Promise<string>;
  /** Throws an `RpcError` `-32602` for anything that was not sealed here, for this, and in time. */
  open(token: unknown, bound: string): Promise<Record<string, unknown>>;
}

/**
 * 2026-07-28 basic/patterns/mrtr#server-requirements-basic-workflow: `requestState` is input that an attacker controls.
 * AES-GCM keeps it secret and whole; what it belongs to (principal, method, parameters)
 * is authenticated beside it.
 */
export function requestStateSealer(
  { keys, ttlMs = 600_000, maxLength = 65_536 }: RequestStateOptions = {},
): RequestStateSealer {
  // Made at the first use: the random key of a process that never asks is never made.
  let made: Promise<AesGcm[]> | undefined;
  const ciphers = (): Promise<AesGcm[]> => made ??= ciphersOf(keys);

  return {
    async seal(state, bound) {
      const [cipher] = await ciphers();
      const text = JSON.stringify({ ...state, expires: Date.now() + ttlMs });
      // Base64 for URLs, since a token may end up in a header or a log.
      const token = toBase64(await (cipher as AesGcm).seal(bound, text), 'base64url');
      if (token.length > maxLength) {
        throw new RangeError(
          `the answers so far take ${token.length} characters of requestState; the limit is ${maxLength}`,
        );
      }
      return token;
    },
    async open(token, bound) {
      if (typeof token !== 'string') throw refused('must be a string');
      if (token.length > maxLength) throw refused(`is over the limit of ${maxLength} characters`);
      const bytes = fromBase64Url(token);
      if (bytes === undefined) throw refused('was not made here');
      for (const cipher of await ciphers()) {
        let text: string;
        try {
          text = await cipher.open(bound, bytes);
        } catch {
          continue;
        }
        const state: unknown = JSON.parse(text);
        if (!isObject(state) || !(Number(state['expires']) > Date.now())) throw refused('has expired');
        return state;
      }
      throw refused('does not belong to this request');
    },
  };
}

function ciphersOf(given: readonly Uint8Array[] | undefined): Promise<AesGcm[]> {
  return Promise.all((given ?? [undefined]).map((key) => {
    if (key && key.length !== keyBytes) {
      throw new RangeError(`a key of requestState has ${keyBytes} bytes, not ${key.length}`);
    }
    return aesGcm(key);
  }));
}

const refused = (why: string): RpcError => invalidParams(`requestState ${why}`);
