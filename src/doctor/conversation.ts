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

/** The most lines that are kept of those that are not messages. */
const maxStray = 10;

const client = { name: 'barewire-doctor', version } as const;

/** A conversation with a server that produces findings. */
export class Conversation extends PlainConversation {
  /** Lines that are not messages, unchanged. */
  readonly stray: string[] = [];
  /** The id of an answer to no request, such as "1" to the request 1. */
  foreignId: unknown;
  readonly #number: number;

  /** `number`: its position among the conversations of one examination, from 1. `startMs`: milliseconds to wait for the first answer. */
  constructor(number: number, open: (trace: Trace) => ClientTransport, timeoutMs: number, startMs: number) {
    super({
      carry: (events) => transportCarrier(open, systemClock, events), clock: systemClock, answerMs: timeoutMs, startMs,
      // Requests from the server get an answer, so that it does not wait.
      question: (method) => (method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'The doctor does not answer questions' } }),
    });
    this.#number = number;
  }

  /** Sends a request, in the modern era if `modern` names a revision. Never rejects. */
  ask(method: string, params: Record<string, unknown> = {}, modern?: string): Promise<ReceivedAnswer> {
    const id = this.nextId();
    const whole = modern === undefined ? params : { ...params, _meta: modernMeta(modern, client, {}) };
    return this.askText({ id, method, params: whole, text: JSON.stringify({ jsonrpc: '2.0', id, method, params: whole }) });
  }

  /** The request that was sent last. */
  get lastAsked(): AskedBy {
    return { conversation: this.#number, id: this.asked.length };
  }

  /** Makes a finding about the last request. */
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

  protected override arrived({ text, json, answers }: Arrival): void {
    if (!answers && isObject(json) && !('method' in json)) this.foreignId ??= json['id'];
    if (this.stray.length < maxStray && !(isObject(json) && json['jsonrpc'] === '2.0')) this.stray.push(text);
  }
}

/** The `initialize` parameters of a legacy client. */
export const initializeParams = (protocolVersion: string): Record<string, unknown> => ({ protocolVersion, capabilities: {}, clientInfo: client });
