import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import type { Shape } from '../../bounds/options.ts';
import { isObject } from '../../jsonrpc/codec.ts';
import { invalidParams } from '../../jsonrpc/errors.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { OpenQuestions } from '../../transport/server-port.ts';
import { aesGcm, keyBytes } from './aes-gcm.ts';
import type { AesGcm } from './aes-gcm.ts';
import { fromBase64Url, toBase64 } from '../../jsonrpc/base64.ts';

/**
 * Seals and opens texts: for a runtime without WebCrypto, or where a secure element holds the key. Clients see and may change
 * what is sealed: encrypt and authenticate it.
 */
export interface StateCipher {
  /**
   * A text of the letters, digits, `-` and `_` that holds `text` encrypted, and authenticates `bound`, which it does not hold. Its first
   * 16 characters are random.
   */
  seal(bound: string, text: string): string | Promise<string>;
  /** The text that was given to `seal` with this `bound`. Throws or rejects for anything else. */
  open(bound: string, sealed: string): string | Promise<string>;
}

/** How `requestState` is sealed, how long it holds, and whether it opens once. */
export interface RequestStateOptions {
  /**
   * Secrets of 32 bytes, or functions that seal in place of the runtime's AES-256-GCM: the first seals, all of them open. Where several processes share them, a key is rotated
   * in three phases, each rolled out everywhere before the next: `[old, new]`, `[new, old]`, and after `ttlMs`
   * `[new]`. Without keys each process makes one of its own: a retry must then reach the same process, and a
   * restart loses the questions that are open.
   */
  keys?: readonly (Uint8Array | StateCipher)[];
  /** Milliseconds that a client may take to answer. 10 minutes. */
  ttlMs?: number;
  /** Longest state that is sealed or opened, in characters. 64 KiB. */
  maxLength?: number;
  /**
   * Whether a state opens once only. Without it, a client that sends the same answers twice has what follows the
   * question done twice, as often as it likes within `ttlMs`; with it, a retry whose answer was lost on the way is
   * refused and the call begins anew. `true` remembers the last 10,000 in this process; several processes need a
   * store that they share. Off.
   */
  singleUse?: boolean | SpentStates | undefined;
}

/** For `checkOptions`. */
export const requestStateShape: Shape<RequestStateOptions> = {
  keys: 'list', ttlMs: 'number', maxLength: 'number', singleUse: 'boolean or object',
};

/** Remembers which states were opened: what several processes share, such as a table with a unique key. */
export interface SpentStates {
  /**
   * Notes that the state with this id (16 characters) was opened. False, or a promise of it: it was opened
   * before, or that cannot be ruled out. Nothing needs to be remembered after `expiresAt`, in milliseconds since
   * the epoch.
   */
  spend(id: string, expiresAt: number): boolean | Promise<boolean>;
}

/** How many states are remembered by `singleUse: true`. */
const maxSpent = 10_000;

/**
 * A memory of this process. When it is full it forgets the state that expires first, and refuses from then on
 * whatever expires no later: it would rather refuse a state that was never opened than open one twice.
 */
export function spentStates(max: number = maxSpent, clock: Clock = systemClock): SpentStates {
  const spent = new Map<string, number>();
  let forgotten = -Infinity;
  return {
    spend(id, expiresAt) {
      if (spent.has(id) || expiresAt <= forgotten) return false;
      const now = clock.now();
      if (spent.size >= max) for (const [known, expired] of spent) if (expired <= now) spent.delete(known);
      if (spent.size >= max) {
        let [first, soonest] = [id, expiresAt];
        for (const [known, at] of spent) if (at < soonest) [first, soonest] = [known, at];
        forgotten = soonest;
        if (first === id) return false;
        spent.delete(first);
      }
      spent.set(id, expiresAt);
      return true;
    },
  };
}

/** How many states are remembered; of more the oldest are not waited for when the server closes. */
const maxStates = 1_000;

/** Makes the record of a server's questions to clients. A state is known by its first characters, which are random. */
export function openQuestions(now: () => number): OpenQuestions & {
  asked: boolean;
  /** A sealed state goes to a client, who may bring it back until it expires. */
  sent(state: string, expiresAt: number): void;
  /** A client has brought it back. */
  returned(state: string): void;
} {
  const states = new Map<string, number>();
  let waiting: (() => void)[] = [];
  return {
    asked: false,
    get open() {
      const at = now();
      for (const [id, expiresAt] of states) if (expiresAt <= at) states.delete(id);
      return states.size;
    },
    answered: () => new Promise<void>((resolve) => waiting.push(resolve)),
    sent(state, expiresAt) {
      this.asked = true;
      states.set(state.slice(0, 16), expiresAt);
      if (states.size > maxStates) states.delete(states.keys().next().value as string);
    },
    returned(state) {
      if (!states.delete(state.slice(0, 16))) return;
      for (const told of waiting) told();
      waiting = [];
    },
  };
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
  { keys, ttlMs = 600_000, maxLength = 65_536, singleUse = false }: RequestStateOptions = {},
  questions?: Pick<ReturnType<typeof openQuestions>, 'sent' | 'returned'>,
  clock: Clock = systemClock,
): RequestStateSealer {
  const spent = singleUse === true ? spentStates(maxSpent, clock) : singleUse || undefined;
  // Made at the first use: the random key of a process that never asks is never made.
  let made: Promise<Cipher[]> | undefined;

  return {
    async seal(state, bound) {
      const [cipher] = await (made ??= ciphersOf(keys));
      const expires = clock.now() + ttlMs;
      const text = JSON.stringify(Object.assign({}, state, { expires }));
      const sealed = await (cipher as Cipher).seal(bound, text);
      // Base64 for URLs, since a token may end up in a header or a log.
      const token = typeof sealed === 'string' ? sealed : toBase64(sealed, 'base64url');
      if (token.length > maxLength) {
        throw new RangeError(
          `the answers so far take ${token.length} characters of requestState; the limit is ${maxLength}`,
        );
      }
      questions?.sent(token, expires);
      return token;
    },
    async open(token, bound) {
      if (typeof token !== 'string') throw refused('must be a string');
      if (token.length > maxLength) throw refused(`is over the limit of ${maxLength} characters`);
      for (const cipher of await (made ??= ciphersOf(keys))) {
        let text: string;
        try {
          text = await cipher.open(bound, token);
        } catch {
          continue;
        }
        const state: unknown = JSON.parse(text);
        const expires = isObject(state) ? Number(state['expires']) : NaN;
        if (!isObject(state) || !(expires > clock.now())) throw refused('has expired');
        // The first 12 bytes are random for each sealing, and 16 characters of the token.
        if (spent && !await spent.spend(token.slice(0, 16), expires)) throw refused('was used before');
        questions?.returned(token);
        return state;
      }
      throw refused('does not belong to this request');
    },
  };
}

/** A cipher that opens what its tokens carry; what it seals may be bytes yet. */
interface Cipher extends Pick<StateCipher, 'open'> {
  seal(bound: string, text: string): ReturnType<AesGcm['seal'] | StateCipher['seal']>;
}

function ciphersOf(given: readonly (Uint8Array | StateCipher | undefined)[] = [undefined]): Promise<Cipher[]> {
  return Promise.all(given.map(async (key) => {
    if (key) {
      if ('seal' in key) return key;
      if (key.length !== keyBytes) throw new RangeError(`a key of requestState has ${keyBytes} bytes, not ${key.length}`);
    }
    const { seal, open } = await aesGcm(key);
    return { seal, open: (bound, token) => open(bound, fromBase64Url(token) ?? new Uint8Array()) };
  }));
}

const refused = (why: string): RpcError => invalidParams(`requestState ${why}`);
