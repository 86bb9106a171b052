import { systemClock } from '../bounds/clock.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import { modernMeta, PlainConversation } from '../judge/plain-conversation.ts';
import type { Arrival, ReceivedAnswer } from '../judge/plain-conversation.ts';
import { transportCarrier } from '../judge/transport-carrier.ts';
import { version } from '../judge/version.ts';
import type { Revision } from '../protocol/index.ts';
import type { ClientTransport, Trace } from '../transport/internal-exports.ts';
import { finding } from './finding.ts';
import type { AskedBy, Finding, FindingCode } from './finding.ts';

/** The number of lines that are not messages and are kept. */
const maxStray = 10;

const client = { name: 'barewire-doctor', version } as const;

/** A conversation in which the doctor makes findings. */
export class Conversation extends PlainConversation {
  /** Lines that are not messages, unchanged. */
  readonly stray: string[] = [];
  readonly #number: number;

  /** `number`: of the conversations of one examination, from 1. `startMs`: milliseconds to wait for the very first answer. */
  constructor(number: number, open: (trace: Trace) => ClientTransport, timeoutMs: number, startMs: number) {
    super({
      carry: (events) => transportCarrier(open, systemClock, events), clock: systemClock, answerMs: timeoutMs, startMs,
      // The server may send requests; they are answered, so that it does not wait.
      question: (method) => (method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'The doctor answers no questions' } }),
    });
    this.#number = number;
  }

  /** Sends a request, a modern one if `modern` names a revision. Never rejects. */
  ask(method: string, params: Record<string, unknown> = {}, modern?: string): Promise<ReceivedAnswer> {
    const id = this.nextId();
    const whole = modern === undefined ? params : { ...params, _meta: modernMeta(modern, client, {}) };
    return this.askText({ id, method, params: whole, text: JSON.stringify({ jsonrpc: '2.0', id, method, params: whole }) });
  }

  /** The request that was sent last. */
  get lastAsked(): AskedBy {
    return { conversation: this.#number, id: this.asked.length };
  }

  /** Makes a finding about the request that was sent last. */
  finding(code: FindingCode, what: string, own: Partial<Omit<Finding, 'code' | 'what'>> = {}): Finding {
    return finding(code, what, { request: this.lastAsked, ...own });
  }

  notify(method: string): void {
    void this.post(JSON.stringify({ jsonrpc: '2.0', method }), {}, { method });
  }

  /** Tells the transport the agreed revision, which some transports send in headers. */
  agreed(revision: Revision): void {
    this.carrier.agreed?.(revision);
  }

  protected override arrived({ text, json }: Arrival): void {
    if (this.stray.length < maxStray && !(isObject(json) && json['jsonrpc'] === '2.0')) this.stray.push(text);
  }
}

/** The `initialize` parameters of a legacy client. */
export const initializeParams = (protocolVersion: string): Record<string, unknown> => ({ protocolVersion, capabilities: {}, clientInfo: client });
