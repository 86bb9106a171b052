import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import type { Shape } from '../../bounds/options.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { invalidParams } from '../../jsonrpc/errors.ts';
import type { RpcError } from '../../jsonrpc/errors.ts';
import type { Request } from '../../jsonrpc/message.ts';
import type { Auth } from '../../transport/auth.ts';
import type { OpenQuestions } from '../../transport/server-port.ts';
import { aesGcm, keyBytes } from './aes-gcm.ts';
import type { AesGcm } from './aes-gcm.ts';
import { fromBase64Url, toBase64 } from '../../jsonrpc/base64.ts';

/**
 * Seals and opens texts: for a runtime without WebCrypto, or a key in a secure element. Clients can see and change the sealed text:
 * encrypt and authenticate it.
 */
export interface StateCipher {
  /**
   * Returns a string of letters, digits, `-` and `_` that contains `text` encrypted. It authenticates `bound` too, without
   * containing it. Its first 16 characters are random.
   */
  seal(bound: string, text: string): string | Promise<string>;
  /** Returns the text that was given to `seal` with this `bound`. Throws or rejects for anything else. */
  open(bound: string, sealed: string): string | Promise<string>;
}

/** How `requestState` is sealed, how long it is valid, and whether it opens only once. */
export interface RequestStateOptions {
  /**
   * Secrets of 32 bytes, or ciphers that replace the runtime's AES-256-GCM. The first one seals, all of them open. If several
   * processes share them, a key is rotated in three phases, each rolled out everywhere before the next: `[old, new]`, `[new, old]`,
   * and after `ttlMs` `[new]`. Without keys each process makes its own: a retry must then reach the same process, and a restart
   * loses the open questions.
   */
  keys?: readonly (Uint8Array | StateCipher)[];
  /** Milliseconds that a client may take to answer. Default: 10 minutes. */
  ttlMs?: number;
  /** The longest state that is sealed or opened, in characters. Default: 64 KiB. */
  maxLength?: number;
  /**
   * Whether a state opens only once. If not, a client that sends the same answers twice repeats the work after the question, as
   * often as it likes within `ttlMs`. If so, a retry after a lost response is refused, and the call must start again. `true`
   * remembers the last 10,000 in this process; several processes need a shared store. Default: false.
   */
  singleUse?: boolean | SpentStates | undefined;
}

/** For `checkOptions`. */
export const requestStateShape: Shape<RequestStateOptions> = {
  keys: 'list', ttlMs: 'number', maxLength: 'number', singleUse: 'boolean or object',
};

/** Remembers which states were opened. Several processes share one, such as a table with a unique key. */
export interface SpentStates {
  /**
   * Records that the state with this id (16 characters) was opened. Returns false, or a promise of it, if it was opened before, or
   * if that cannot be ruled out. The record may be deleted after `expiresAt`, in milliseconds since the epoch.
   */
  spend(id: string, expiresAt: number): boolean | Promise<boolean>;
}

/** How many states are remembered by `singleUse: true`. */
const maxSpent = 10_000;

/**
 * A store in the memory of this process. When it is full it forgets the state that expires first, and from then on refuses every
 * state that expires no later: rather refuse an unused state than open one twice.
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

/** How many states are remembered. Beyond it the oldest is forgotten: a closing server does not wait for it. */
const maxStates = 1_000;

/** Makes the record of a server's questions to clients. A state is identified by its first characters, which are random. */
export function openQuestions(now: () => number): OpenQuestions & {
  asked: boolean;
  /** A sealed state was sent to a client, which may return it until it expires. */
  sent(state: string, expiresAt: number): void;
  /** A client has returned it. */
  returned(state: string): void;
} {
  const states = new Map<string, number>();
  // Two parts, since V8 copies a part below 13 characters, and a longer part would keep the whole state in memory.
  const idOf = (state: string): string => state.slice(0, 8) + state.slice(8, 16);
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
      states.set(idOf(state), expiresAt);
      if (states.size > maxStates) states.delete(states.keys().next().value as string);
    },
    returned(state) {
      if (!states.delete(idOf(state))) return;
      for (const told of waiting) told();
      waiting = [];
    },
  };
}

/** Seals the data that a request keeps between its rounds, and opens it again. */
export interface RequestStateSealer {
  /** `bound` is the data that the state belongs to. The token does not contain it, so it must be the same when it is opened. */
  seal(state: object, bound: string): Promise<string>;
  /** Throws an `RpcError` `-32602` if the token was not sealed with these keys and this `bound`, or has expired. */
  open(token: unknown, bound: string): Promise<Record<string, unknown>>;
}

/** The data that the state of a request belongs to. Parameters are sorted, since a client may send them in another order. */
export function boundTo({ method, params }: Request, auth: Auth | undefined): string {
  const { _meta, inputResponses, requestState, ...own } = params ?? {};
  const { principal = null, clientId } = auth ?? {};
  // 2026-07-28 client/elicitation#security-considerations: the user, and the client if the credentials name it. Without a client
  // the text is as in older versions of barewire, whose states can still be opened.
  return `${JSON.stringify([principal, ...clientId === undefined ? [] : [clientId], method]).slice(0, -1)},${canonical(own)}]`;
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value) || typeof value['toJSON'] === 'function') return JSON.stringify(value) ?? 'null';
  return `{${Object.keys(value).sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

/**
 * 2026-07-28 basic/patterns/mrtr#server-requirements-basic-workflow: `requestState` is input that an attacker controls. AES-GCM
 * encrypts and authenticates it, together with the data it belongs to (principal, method, parameters).
 */
export function requestStateSealer(
  { keys, ttlMs = 600_000, maxLength = 65_536, singleUse = false }: RequestStateOptions = {},
  questions?: Pick<ReturnType<typeof openQuestions>, 'sent' | 'returned'>,
  clock: Clock = systemClock,
): RequestStateSealer {
  const spent = singleUse === true ? spentStates(maxSpent, clock) : singleUse || undefined;
  // Created at the first use: a process that never asks needs no random key.
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
        // The first 12 bytes are random for each state: 16 characters of the token.
        if (spent && !await spent.spend(token.slice(0, 16), expires)) throw refused('was used before');
        questions?.returned(token);
        return state;
      }
      throw refused('does not belong to this request');
    },
  };
}

/** A `StateCipher` whose `seal` may return bytes too. */
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
