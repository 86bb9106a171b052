import { waitingClock } from '../../mock-clock.ts';
// A scripted sender: shows the requests and headers of the client's transport, and how it treats each answer. It has no socket.
import type { Decoded, RequestId } from '../../../src/jsonrpc/message.ts';
import { findRevision, revisions } from '../../../src/protocol/revisions.ts';
import type { HttpTransportOptions } from '../../../src/transport/http/client/options.ts';
import type { HttpAnswer, HttpSend, HttpSender } from '../../../src/transport/http/client/sender.ts';
import { clientTransport } from '../../../src/transport/http/client/transport.ts';
import type { ClientTransport, Outgoing } from '../../../src/transport/client-port.ts';

/** An answer whose body the test writes. */
export class ScriptedAnswer implements HttpAnswer {
  readonly status: number;
  cancelled = false;
  /** The number of chunks that the transport has taken. */
  taken = 0;
  readonly #fields: Record<string, string>;
  readonly #items: (string | { error?: unknown })[] = [];
  #wake: (() => void) | undefined;

  constructor(status: number, fields: Record<string, string> = {}) {
    this.status = status;
    this.#fields = fields;
  }

  write(text: string): this {
    this.#items.push(text);
    this.#wake?.();
    return this;
  }

  end(): this {
    this.#items.push({});
    this.#wake?.();
    return this;
  }

  break(error: unknown): this {
    this.#items.push({ error });
    this.#wake?.();
    return this;
  }

  header(name: string): string | undefined {
    return this.#fields[name];
  }

  fields(): Iterable<readonly [name: string, value: unknown]> {
    return Object.entries(this.#fields);
  }

  async read(onChunk: (chunk: Uint8Array) => Promise<void> | void): Promise<void> {
    for (;;) {
      if (this.cancelled) return;
      const item = this.#items.shift();
      if (typeof item === 'string') {
        await onChunk(new TextEncoder().encode(item));
        this.taken++;
      } else if (item === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if ('error' in item) throw item.error;
      else return;
    }
  }

  cancel(): void {
    this.cancelled = true;
    this.#wake?.();
  }
}

export const empty = (status: number, fields?: Record<string, string>): ScriptedAnswer => new ScriptedAnswer(status, fields).end();
export const json = (text: string, status = 200, fields: Record<string, string> = {}): ScriptedAnswer =>
  new ScriptedAnswer(status, { 'content-type': 'application/json', ...fields }).write(text).end();
export const stream = (text = ''): ScriptedAnswer => new ScriptedAnswer(200, { 'content-type': 'text/event-stream' }).write(text);
export const result = (id: RequestId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`;
export const failure = (id: RequestId | null, code: number): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":${code},"message":"no"}}`;

export interface ScriptedClient {
  readonly transport: ClientTransport;
  readonly sent: HttpSend[];
  /** Requested waits: those of reconnections end at once, the others when they are aborted. */
  readonly waits: number[];
  /** A line for each event that the receiver has got. */
  readonly told: string[];
  readonly failures: [RequestId, Error][];
  readonly messages: Decoded[];
  send(message: Outgoing, text?: string): void;
  settled(): Promise<void>;
}

/** Returns the answer to each request. If it throws, the request has no answer. */
export type Script = (request: HttpSend, number: number) => HttpAnswer | Promise<HttpAnswer>;

export const lingerMs = 1_000_001;
const others = { lingerMs, endpointMs: 1_000_002, closeMs: 1_000_003, listenMs: 1_000_004 };

export async function scripted(script: Script, options: HttpTransportOptions = {}, more: Partial<HttpSender> = {}): Promise<ScriptedClient> {
  const sent: HttpSend[] = [];
  const waits: number[] = [];
  const told: string[] = [];
  const failures: [RequestId, Error][] = [];
  const messages: Decoded[] = [];
  const transport = clientTransport('http://there.test/mcp', {
    clock: waitingClock((ms) => {
      waits.push(ms);
      return ms > 1_000_000 ? new Promise(() => {}) : Promise.resolve();
    }),
    random: () => 1,
    ...options,
    limits: { ...others, ...options.limits },
  }, {
    async send(request) {
      sent.push(request);
      return script(request, sent.length);
    },
    ...more,
  });
  await transport.open({
    message(decoded) {
      messages.push(decoded);
      told.push(decoded.kind);
    },
    failed(id, error) {
      failures.push([id, error]);
      told.push(`failed ${id}: ${error.message}`);
    },
    closed: (why) => void told.push(`closed: ${why}`),
    error: (error) => void told.push(`error: ${error.message}`),
  });
  return {
    transport, sent, waits, told, failures, messages,
    send: (message, text = JSON.stringify({ jsonrpc: '2.0', ...message })) => transport.send(text, message),
    async settled() {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** Reports to the transport that the handshake agreed on a version. */
export function agreed({ transport }: ScriptedClient, version: string): void {
  const revision = findRevision(revisions, version);
  if (revision === undefined) throw new Error(`no revision ${version}`);
  transport.agreed?.(revision);
}
