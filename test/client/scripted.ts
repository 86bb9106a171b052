import assert from 'node:assert/strict';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import type { RequestId } from '../../src/jsonrpc/message.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import type { Revision } from '../../src/protocol/revisions.ts';
import { MirroredToolHeaders } from '../../src/transport/http/client/tool-headers.ts';
import type { ClientReceiver, ClientTransport, Outgoing } from '../../src/transport/client-port.ts';

export interface Sent {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string };
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Answers one request with a result, an `RpcFault`, an Error (reported by the transport), or undefined for no answer. */
export type Script = (sent: Sent, wire: Scripted) => object | Error | undefined;

export class RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;

  constructor(code: number, message: string = 'no', data?: unknown) {
    this.code = code;
    this.message = message;
    this.data = data;
  }
}

/** A transport with a function as its server. It records everything; every delivery is asynchronous. */
export class Scripted implements ClientTransport {
  readonly kind: 'pipe' | 'http';
  readonly sent: Sent[] = [];
  readonly abandoned: RequestId[] = [];
  readonly revisions: Revision[] = [];
  readonly toolHeaders: ClientTransport['toolHeaders'];
  reopened = 0;
  closed = 0;
  receiver!: ClientReceiver;
  /** Delays the end of a reopening. */
  reopening: Promise<void> = Promise.resolve();
  readonly #script: Script;
  #waiting: { matches: (sent: Sent) => boolean; resolve: (sent: Sent) => void }[] = [];

  constructor(kind: 'pipe' | 'http', script: Script) {
    this.kind = kind;
    this.toolHeaders = kind === 'http' ? (warn) => new MirroredToolHeaders(warn) : undefined;
    this.#script = script;
  }

  async open(receiver: ClientReceiver): Promise<void> {
    this.receiver = receiver;
  }

  send(text: string, outgoing?: Outgoing): void {
    const sent: Sent = { ...(JSON.parse(text) as Sent), headers: outgoing?.headers };
    if (sent.method !== undefined) assert.equal(outgoing?.method, sent.method);
    this.sent.push(sent);
    this.#waiting = this.#waiting.filter(({ matches, resolve }) => !matches(sent) || resolve(sent));
    if (sent.method === undefined || sent.id === undefined) return;
    const { id } = sent;
    queueMicrotask(() => {
      const answer = this.#script(sent, this);
      if (answer !== undefined) this.answer(id, answer);
    });
  }

  answer(id: RequestId, answer: object): void {
    if (answer instanceof Error) this.receiver.failed(id, answer);
    else if (answer instanceof RpcFault) this.push({ id, error: { ...answer } });
    else this.push({ id, result: answer });
  }

  /** Delivers a message from the server. */
  push(message: object): void {
    this.receiver.message(decode(JSON.stringify({ jsonrpc: '2.0', ...message })));
  }

  /** Delivers a request of the server; resolves with the client's response. */
  ask(id: RequestId, method: string, params?: object): Promise<Sent> {
    const answered = this.until((sent) => sent.method === undefined && sent.id === id);
    this.push({ id, method, params });
    return answered;
  }

  /** Resolves with the next message sent by the client that matches. */
  until(matches: string | ((sent: Sent) => boolean)): Promise<Sent> {
    const test = typeof matches === 'string' ? (sent: Sent): boolean => sent.method === matches : matches;
    return new Promise((resolve) => {
      this.#waiting.push({ matches: test, resolve });
    });
  }

  methods(): (string | undefined)[] {
    return this.sent.map(({ method }) => method);
  }

  abandon(id: RequestId): void {
    this.abandoned.push(id);
  }

  agreed(revision: Revision): void {
    this.revisions.push(revision);
  }

  async reopen(): Promise<void> {
    this.reopened++;
    await this.reopening;
  }

  async close(): Promise<void> {
    this.closed++;
  }
}

export const everything = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
};

const serverInfo = { name: 'scripted', version: '1' };

/** A server of the legacy era; `script` answers all except the handshake. */
export function legacy(
  script: Script = nothing,
  version: string = '2025-11-25',
  capabilities: object = everything,
): Script {
  return (sent, wire) => {
    if (sent.method === 'initialize') {
      return { protocolVersion: version, capabilities, serverInfo, instructions: 'Ask.' };
    }
    if (sent.method === 'server/discover') return new RpcFault(-32601);
    return script(sent, wire);
  };
}

/** An empty result for every method. */
const nothing: Script = () => ({ content: [], contents: [], messages: [], completion: { values: [] } });

/** A server of the modern era. */
export function modern(
  script: Script = nothing,
  capabilities: object = everything,
  versions: string[] = ['2026-07-28'],
): Script {
  return (sent, wire) => {
    if (sent.method === 'initialize') return new RpcFault(-32601, 'Method not found');
    if (sent.method === 'server/discover') {
      return {
        resultType: 'complete', supportedVersions: versions, capabilities, instructions: 'Ask.',
        ttlMs: 0, cacheScope: 'public',
        _meta: { [metaKeys.serverInfo]: serverInfo },
      };
    }
    return script(sent, wire);
  };
}

/** A client connected to a scripted server. */
export async function connectScripted(script: Script, options: ClientOptions = {}): Promise<{ client: McpClient; wire: Scripted }> {
  const wire = new Scripted('pipe', script);
  const client = new McpClient({ name: 'tester', version: '1' }, options);
  await client.connect(wire);
  return { client, wire };
}
