import { classify, decode } from '../../src/jsonrpc/message.ts';
import type { ServerCore } from '../../src/server/server-core.ts';
import type { Auth } from '../../src/transport/auth.ts';
import { inbox } from '../transcripts/play.ts';

export type Bag = Record<string, unknown>;

export interface Answer {
  readonly id: string | number | null;
  readonly result?: Bag;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A request or notification from the server. */
export interface Said {
  readonly id?: number;
  readonly method: string;
  readonly params?: Bag;
}

export interface PeerOptions {
  readonly auth?: Auth;
  /** The legacy revision of the handshake; undefined: no handshake. */
  readonly revision?: string;
  readonly capabilities?: Bag;
  readonly version?: string;
}

/** A client that consists of messages only. */
export interface Peer {
  send(message: unknown): void;
  /** Sends a text unchanged. */
  text(text: string): void;
  /** Sends a request; resolves with its response. */
  request(method: string, params?: Bag, id?: string | number): Promise<Answer>;
  /** Sends a modern request, with the metadata and the members of a retry; resolves with its response. */
  modern(method: string, params?: Bag, capabilities?: Bag): Promise<Answer>;
  call(name: string, args?: Bag): Promise<Answer>;
  /** Calls a tool. Questions from the server fail at once, because nobody answers them. */
  callUnasked(name: string, args?: Bag): Promise<Answer>;
  /** The server's next message: a request, a notification, or a response that no call here waits for. */
  next(): Promise<Said>;
  /** All unread messages, after those in transit have arrived. */
  rest(): Promise<Said[]>;
  answer(question: Said, result: unknown): void;
  /** Changes the client's credentials, as each HTTP request may have other ones. */
  shows(auth: Auth | undefined): void;
  close(): void;
}

export const everything: Bag = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };

export function modernMeta(capabilities: Bag = everything, version: string = '2026-07-28'): Bag {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

export async function connect(server: ServerCore, options: PeerOptions = {}): Promise<Peer> {
  const { put, next } = inbox();
  const waiting = new Map<unknown, (answer: Answer) => void>();
  let queued = 0;
  let unasked: ((error: Error) => void) | undefined;
  const receive = (text: string | undefined): void => {
    if (text === undefined) return;
    const message = JSON.parse(text) as Answer & { method?: string };
    const waiter = message.method === undefined ? waiting.get(message.id) : undefined;
    if (waiter) {
      waiting.delete(message.id);
      return waiter(message);
    }
    unasked?.(new Error(`the server asks what it should not: ${text}`));
    queued++;
    put(text);
  };
  const served = { modern: true, sole: true, auth: options.auth };
  const peer = server.connect({ send: receive, answer: receive }, served);
  const { capabilities = everything, version = '1' } = options;
  let lastId = 0;

  const self: Peer = {
    send: (message) => peer.receive(classify(message)),
    text: (text) => peer.receive(decode(text)),
    request(method, params, id = ++lastId) {
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        self.text(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      });
    },
    modern: (method, params, declared = capabilities) =>
      self.request(method, { ...params, _meta: modernMeta(declared) }),
    call: (name, args) => self.request('tools/call', { name, ...args && { arguments: args } }),
    callUnasked(name, args) {
      return new Promise<Answer>((resolve, reject) => {
        unasked = reject;
        self.call(name, args).then(resolve, reject);
      }).finally(() => (unasked = undefined));
    },
    async next() {
      const text = await next();
      queued--;
      return JSON.parse(text) as Said;
    },
    async rest() {
      await new Promise((resolve) => setImmediate(resolve));
      const said: Said[] = [];
      while (queued > 0) said.push(await self.next());
      return said;
    },
    answer: (question, result) => self.send({ jsonrpc: '2.0', id: question.id, result }),
    shows(auth) {
      served.auth = auth;
    },
    close: () => peer.close(),
  };
  if (options.revision !== undefined) {
    await self.request('initialize', {
      protocolVersion: options.revision, capabilities, clientInfo: { name: 'test', version },
    }, 'handshake');
    self.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  return self;
}

/** The text of a tool's result, with a prefix if it failed. */
export function textOf({ result, error }: Answer): string {
  if (error) return `error ${error.code}: ${error.message}`;
  const content = (result?.['content'] ?? []) as { text?: string }[];
  return `${result?.['isError'] ? 'failed: ' : ''}${content.map(({ text }) => text).join('|')}`;
}

/** The questions of an `input_required` result, by key. */
export function asked({ result }: Answer): Record<string, { method: string; params: Bag }> {
  return (result?.['inputRequests'] ?? {}) as Record<string, { method: string; params: Bag }>;
}

export const accept = (content: Bag): Bag => ({ action: 'accept', content });

/** A promise that is resolved from outside. */
export function later<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
