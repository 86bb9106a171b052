import { systemClock } from '../bounds/clock.ts';
import { decode } from '../jsonrpc/index.ts';
import type { Message, RequestId } from '../jsonrpc/index.ts';
import { capabilitiesKey, clientInfoKey, versionKey } from '../protocol/door.ts';
import type { ClientTransport, Trace } from '../transport/door.ts';
import { finding } from './finding.ts';
import type { AskedBy, Finding, FindingCode } from './finding.ts';
import { version } from './version.ts';

/** The outcome of a request. */
export type RequestOutcome =
  | { readonly kind: 'result'; readonly result: unknown; readonly ms: number }
  | { readonly kind: 'error'; readonly code: unknown; readonly message: unknown; readonly data: unknown; readonly ms: number }
  /** The transport could not deliver it, or the server left. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** No answer came in time. */
  | { readonly kind: 'silent' };

/** The number of lines that are not messages and are kept. */
const maxStray = 10;

const client = { name: 'barewire-doctor', version } as const;

/** A client that sends only what it is told to send, and shows what a real client hides. It uses one transport once. */
export class Conversation {
  /** Lines that are not messages, unchanged. */
  readonly stray: string[] = [];
  /** Why the other side has gone; undefined: it is connected. */
  gone: string | undefined;
  readonly #number: number;
  readonly #transport: ClientTransport;
  readonly #timeoutMs: number;
  readonly #startMs: number;
  /** Whether any message has arrived. */
  #heard = false;
  readonly #waiting = new Map<RequestId, (outcome: RequestOutcome) => void>();
  #ids = 0;
  #closed: Promise<void> | undefined;

  /** `number`: of the conversations of one examination, from 1. `startMs`: milliseconds to wait for the very first answer. */
  constructor(number: number, open: (trace: Trace) => ClientTransport, timeoutMs: number, startMs: number) {
    this.#number = number;
    this.#timeoutMs = timeoutMs;
    this.#startMs = startMs;
    this.#transport = open(({ direction, text }) => {
      if (direction !== 'received' || this.stray.length >= maxStray) return;
      const decoded = decode(text);
      if (decoded.kind === 'refusal' && decoded.id === null) this.stray.push(text);
    });
  }

  get overHttp(): boolean {
    return this.#transport.kind === 'http';
  }

  /** Rejects if the transport cannot be opened. */
  async open(): Promise<void> {
    await this.#transport.open({
      message: (decoded) => {
        this.#heard = true;
        if (decoded.kind === 'success') return this.#settle(decoded.message.id, (ms) => ({ kind: 'result', result: decoded.message.result, ms }));
        if (decoded.kind === 'failure') {
          const { id, error: { code, message, data } } = decoded.message;
          if (id != null) this.#settle(id, (ms) => ({ kind: 'error', code, message, data, ms }));
          return;
        }
        // The server may send requests; answer them, so that it does not wait.
        if (decoded.kind !== 'request') return;
        const { id, method } = decoded.message;
        this.#send(method === 'ping' ? { jsonrpc: '2.0', id, result: {} } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'The doctor answers no questions' } });
      },
      failed: (id, error) => this.#settle(id, () => ({ kind: 'failed', error })),
      closed: (why) => {
        this.gone = why;
        for (const id of [...this.#waiting.keys()]) this.#settle(id, () => ({ kind: 'failed', error: new Error(why) }));
      },
      error() {},
    });
  }

  /** Sends a request, a modern one if `modern` names a revision. Never rejects. */
  ask(method: string, params: Record<string, unknown> = {}, modern?: string): Promise<RequestOutcome> {
    if (this.gone !== undefined) return Promise.resolve({ kind: 'failed', error: new Error(this.gone) });
    const id = ++this.#ids;
    const began = systemClock.monotonic();
    const whole = modern === undefined ? params : {
      ...params, _meta: { [versionKey]: modern, [clientInfoKey]: client, [capabilitiesKey]: {} },
    };
    return new Promise((resolve) => {
      const timer = systemClock.after(this.#heard || this.#ids > 1 ? this.#timeoutMs : this.#startMs, () => {
        this.#waiting.delete(id);
        this.#transport.abandon?.(id);
        resolve({ kind: 'silent' });
      });
      this.#waiting.set(id, (outcome) => {
        timer?.stop();
        resolve('ms' in outcome ? { ...outcome, ms: systemClock.monotonic() - began } : outcome);
      });
      this.#transport.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: whole }), { id, method, params: whole });
    });
  }

  /** The request that was sent last. */
  get asked(): AskedBy {
    return { conversation: this.#number, id: this.#ids };
  }

  /** Makes a finding about the request that was sent last. */
  finding(code: FindingCode, what: string, own: Partial<Omit<Finding, 'code' | 'what'>> = {}): Finding {
    return finding(code, what, { request: this.asked, ...own });
  }

  notify(method: string): void {
    this.#transport.send(JSON.stringify({ jsonrpc: '2.0', method }), { method });
  }

  /** Tells the transport the agreed revision, which some transports send in headers. */
  agreed(revision: Parameters<NonNullable<ClientTransport['agreed']>>[0]): void {
    this.#transport.agreed?.(revision);
  }

  /** Shuts the conversation down; resolves with the milliseconds that this took. */
  async close(): Promise<number> {
    const began = systemClock.monotonic();
    await (this.#closed ??= this.#transport.close());
    return systemClock.monotonic() - began;
  }

  #settle(id: RequestId, make: (ms: number) => RequestOutcome): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.(make(0));
  }

  #send(message: Message): void {
    this.#transport.send(JSON.stringify(message));
  }
}

/** The `initialize` parameters of a legacy client. */
export const initializeParams = (protocolVersion: string): Record<string, unknown> => ({ protocolVersion, capabilities: {}, clientInfo: client });
