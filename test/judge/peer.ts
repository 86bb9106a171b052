import { setMaxListeners } from 'node:events';
import type { Clock } from '../../src/bounds/clock.ts';
import type { JudgedServer } from '../../src/judge/index.ts';
import { isObject } from '../../src/jsonrpc/internal-exports.ts';
import { capabilitiesKey, encodeHeaderValue, mirroredParameter, mirroredParameters, mirroredValue, serverInfoKey, subscriptionKey, versionKey } from '../../src/protocol/internal-exports.ts';
import type { ClientTransport, Trace } from '../../src/transport/internal-exports.ts';
import { PeerTasks } from './peer-tasks.ts';
import { peerTools } from './peer-tools.ts';
import type { PeerTool } from './peer-tools.ts';

// A server for the probes of the judge, in this process and without a clock of its own: it keeps the rules of each revision, and an edit of one
// of its answers makes it break one.

export type Bag = Readonly<Record<string, unknown>>;

/** What the server does about one message. */
export interface Said {
  readonly result?: unknown;
  readonly error?: unknown;
  /** Messages, or texts, that it sends before the response and after it. */
  readonly before?: readonly (object | string)[] | undefined;
  readonly after?: readonly (object | string)[] | undefined;
  /** Milliseconds until then. */
  readonly ms?: number | undefined;
  /** Whether it never answers. */
  readonly silent?: boolean | undefined;
  /** A text instead of the response. */
  readonly text?: string | undefined;
  /** Another id than that of the request. */
  readonly id?: unknown;
  /** A question to the client, and what follows on its answer. */
  readonly question?: { readonly method: string; readonly params?: Bag | undefined } | undefined;
  readonly then?: ((answer: Bag) => Said) | undefined;
  /** Over HTTP. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether it is an event stream; one that asks or says more is one in any case. Texts are then events in whole. */
  readonly stream?: boolean | undefined;
  /** Whether the stream stays open. */
  readonly open?: boolean | undefined;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

/** One message of the judge. */
export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: Bag;
  readonly meta: Bag;
  /** Over HTTP, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly modern: boolean;
  readonly version: string;
  /** The capabilities of the client. */
  readonly declared: Bag;
  readonly connection: PeerConnection;
}

/** Changes of what a server says, by method; `notify` for any notification, `text` for what is not a request, `GET`, `DELETE`, `POST` for HTTP. */
export type PeerEdits = Readonly<Record<string, (said: Said, call: Call) => Said>>;

export interface PeerOptions {
  /** Newest first. */
  readonly versions: readonly string[];
  readonly clock: Clock;
  readonly tools?: readonly string[];
  readonly capabilities?: Bag | undefined;
  readonly resources?: readonly Bag[] | undefined;
  readonly templates?: readonly Bag[] | undefined;
  readonly prompts?: readonly Bag[] | undefined;
  readonly sessions?: boolean | undefined;
  /** Whether it speaks HTTP+SSE: 2024-11-05 basic/transports#http-with-sse. */
  readonly sse?: boolean | undefined;
  /** Items of one page. Default: all. */
  readonly pageSize?: number | undefined;
  /** Milliseconds that it takes to end. */
  readonly endMs?: number | undefined;
  readonly edits?: PeerEdits | undefined;
  /** Sees each message of the judge. */
  readonly heard?: ((call: Call) => void) | undefined;
}

export interface PeerConnection {
  version: string;
  declared: Bag;
  /** Whether notifications/initialized has come. */
  ready: boolean;
  /** Ids of calls that were cancelled. */
  readonly cancelled: Set<unknown>;
  /** Sends a message that belongs to no request. */
  say(message: object | string): void;
}

export const bag = (value: unknown): Bag => (isObject(value) ? value : {});
const failure = (code: number, message: string, data?: unknown): Said => ({ error: { code, message, ...data !== undefined && { data } } });
const modernVersion = '2026-07-28';

export class Peer {
  readonly options: PeerOptions;
  readonly tasks: PeerTasks;
  readonly tools: readonly PeerTool[];
  readonly #waiting = new Map<unknown, (answer: Bag) => void>();
  #questions = 0;
  #sessions = 0;

  constructor(options: PeerOptions) {
    this.options = options;
    this.tools = (options.tools ?? ['add']).map((name) => peerTools[name] ?? { name, inputSchema: { type: 'object' }, run: () => ({ result: { content: [] } }) });
    this.tasks = new PeerTasks(options.clock);
  }

  server(way: 'pipe' | 'http', url = 'http://127.0.0.1/mcp'): JudgedServer {
    return way === 'pipe' ? { name: 'peer', open: (trace) => this.#pipe(trace) } : { name: 'peer', http: { url, fetch: (to, init) => Promise.race([this.#fetch(new URL(String(to)), init ?? {}), aborted(init?.signal ?? undefined)]) } };
  }

  #pipe(trace: Trace): ClientTransport {
    const { clock, endMs = 0 } = this.options;
    const say = (message: object | string): void => trace({ direction: 'received', text: textOf(message), at: clock.now() });
    const connection = this.#connection(say);
    return {
      kind: 'pipe',
      async open() {},
      send: (text) => {
        trace({ direction: 'sent', text, at: clock.now() });
        queueMicrotask(() => this.#take(connection, text, {}, (said, call) => this.#deliver(said, call, say)));
      },
      close: () => new Promise((resolve) => void (endMs > 0 ? clock.after(endMs, resolve) : resolve())),
    };
  }

  #connection(say: (message: object | string) => void): PeerConnection {
    return { version: '', declared: {}, ready: false, cancelled: new Set(), say };
  }

  /** Sends what is said, over a pipe or on one stream. `end` follows the last message. */
  #deliver(said: Said, call: Call, say: (message: object | string) => void, end: () => void = () => {}): void {
    const go = (): void => {
      for (const one of said.before ?? []) say(one);
      if (said.question) return this.#ask(said.question, say, (answer) => this.#deliver(said.then?.(answer) ?? {}, call, say, end));
      if (said.silent) return;
      if (!call.connection.cancelled.has(call.id)) {
        if (said.text !== undefined) say(said.text);
        else if ('result' in said || 'error' in said) say(responseOf(said, call));
      }
      for (const one of said.after ?? []) say(one);
      if (!said.open) end();
    };
    if (said.ms === undefined) go();
    else this.options.clock.after(said.ms, go);
  }

  #ask({ method, params }: NonNullable<Said['question']>, say: (message: object | string) => void, then: (answer: Bag) => void): void {
    const id = `question-${++this.#questions}`;
    this.#waiting.set(id, then);
    say({ jsonrpc: '2.0', id, method, ...params && { params } });
  }

  /** Understands one text of the judge. */
  #take(connection: PeerConnection, text: string, headers: Readonly<Record<string, string>>, deliver: (said: Said, call: Call) => void): void {
    let json: unknown;
    try {
      if (text.includes('\ufffd')) throw new SyntaxError('not UTF-8');
      json = JSON.parse(text);
    } catch {
      return deliver(this.#edited('text', this.#call(connection, {}, text, headers), { ...failure(-32700, 'not JSON'), id: null, status: 400 }), this.#call(connection, {}, text, headers));
    }
    const items: readonly unknown[] = Array.isArray(json) ? json : [json];
    for (const item of items) this.#one(connection, bag(item), text, headers, deliver);
  }

  #call(connection: PeerConnection, { id, method, params }: Bag, text: string, headers: Readonly<Record<string, string>>): Call {
    const meta = bag(bag(params)['_meta']);
    const modern = meta[versionKey] !== undefined;
    const declared = modern ? bag(meta[capabilitiesKey]) : method === 'initialize' ? bag(bag(params)['capabilities']) : connection.declared;
    return { id, method: String(method), params: bag(params), meta, headers, text, modern, version: modern ? String(meta[versionKey]) : connection.version, declared, connection };
  }

  #one(connection: PeerConnection, message: Bag, text: string, headers: Readonly<Record<string, string>>, deliver: (said: Said, call: Call) => void): void {
    const { id, method, params } = message;
    const call = this.#call(connection, message, text, headers);
    if (method === undefined && this.#waiting.has(id)) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
      return deliver({ status: 202 }, call);
    }
    if (typeof method === 'string') this.options.heard?.(call);
    if (method !== undefined && typeof method !== 'string') return deliver(this.#edited('text', call, { ...failure(-32600, 'no method'), status: 400 }), call);
    if (method === undefined) return deliver(this.#edited('text', call, 'result' in message || 'error' in message ? { status: 202 } : { ...failure(-32600, 'no method'), id: null, status: 400 }), call);
    if (method === 'notifications/initialized') connection.ready = true;
    if (method === 'notifications/cancelled') connection.cancelled.add(bag(params)['requestId']);
    if (id === undefined) return deliver(this.#edited('notify', call, { status: 202 }), call);
    deliver(this.#edited(method, call, this.#status(call, this.#checked(call))), call);
  }

  #edited(name: string, call: Call, said: Said): Said {
    return (this.options.edits?.[name] ?? this.options.edits?.['any'])?.(said, call) ?? said;
  }

  /** 2026-07-28 basic/transports/streamable-http: errors have a status. */
  #status({ modern }: Call, said: Said): Said {
    const { code } = bag(said.error);
    if (!modern || typeof code !== 'number' || said.status !== undefined) return said;
    return { ...said, status: code === -32601 ? 404 : code <= -32020 && code >= -32099 || code === -32602 && said.status === 400 ? 400 : 200 };
  }

  /** Checks what each revision demands of a request, then answers it. */
  #checked(call: Call): Said {
    const { modern, meta, headers, method, version } = call;
    const { versions } = this.options;
    if (method === 'initialize' || !modern) return this.#legacy(call);
    if (!versions.includes(modernVersion)) return failure(-32601, 'no such method');
    if (version !== modernVersion && !('mcp-method' in headers && headers['mcp-protocol-version'] !== version)) return failure(-32022, 'no such version', { supported: versions, requested: version });
    if ('accept' in headers) {
      const fault = this.#headerFault(call);
      if (fault !== undefined) return failure(-32020, fault);
    }
    if (!isObject(meta[capabilitiesKey])) return { ...failure(-32602, 'no capabilities'), status: 400 };
    if (meta['io.modelcontextprotocol/logLevel'] === 'judge') return failure(-32602, 'no such level');
    const said = this.#serve(call);
    if (!isObject(said.result)) return said;
    const cached = method === 'server/discover' || method.endsWith('/list') || method === 'resources/read';
    const result = { resultType: 'complete', ...cached && { ttlMs: 0, cacheScope: 'private' }, ...said.result, _meta: { [serverInfoKey]: { name: 'peer', version: '1' } } };
    return { ...said, result, ...said.stream && { headers: { 'x-accel-buffering': 'no', ...said.headers } } };
  }

  #legacy(call: Call): Said {
    const { headers, connection } = call;
    if ('accept' in headers && call.method !== 'initialize') {
      const version = headers['mcp-protocol-version'];
      if (version !== undefined && !this.options.versions.includes(version)) return { ...failure(-32600, 'no such version'), status: 400 };
      if (this.options.sessions) {
        const session = headers['mcp-session-id'];
        if (session === undefined) return { ...failure(-32600, 'no session'), status: 400 };
        if (!connection.version) return { ...failure(-32600, 'no such session'), status: 404 };
      }
    }
    return this.#serve(call);
  }

  #headerFault({ headers, method, params, version }: Call): string | undefined {
    const decoded = (text: string | undefined): string | undefined => {
      const [, inner] = /^=\?base64\?(.*)\?=$/.exec(text ?? '') ?? [];
      if (inner === undefined) return text !== undefined && /^[\x20-\x7e]*$/.test(text) ? text : undefined;
      return /^[A-Za-z0-9+/]*={0,2}$/.test(inner) ? new TextDecoder().decode(Uint8Array.from(atob(inner), (one) => one.charCodeAt(0))) : undefined;
    };
    if (headers['mcp-protocol-version'] !== version) return 'the version differs';
    if (headers['mcp-method'] !== method) return 'the method differs';
    const key = mirroredParameter(method);
    if (key !== undefined && decoded(headers['mcp-name']) !== params[key]) return 'the name differs';
    const tool = method === 'tools/call' ? this.tools.find(({ name }) => name === params['name']) : undefined;
    const found = mirroredParameters(tool?.inputSchema);
    for (const [header, path] of 'headers' in found ? found.headers : []) {
      const value = mirroredValue(params['arguments'], path);
      const came = decoded(headers[header.toLowerCase()]);
      const field = bag(bag(bag(tool?.inputSchema)['properties'])[path[0] ?? '']);
      const same = field['type'] === 'integer' && came !== undefined ? Number(came) === Number(value) : came === value;
      if (value === undefined ? headers[header.toLowerCase()] !== undefined : !same || encodeHeaderValue(value) !== headers[header.toLowerCase()] && came !== value && field['type'] !== 'integer') return `${header} differs`;
    }
    return undefined;
  }

  #capabilities(version: string): Bag {
    return this.options.capabilities ?? {
      tools: {}, resources: {}, prompts: {}, logging: {}, ...version > '2025-03-01' && { completions: {} },
      ...version === '2025-11-25' && { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    };
  }

  #page(name: string, items: readonly unknown[], cursor: unknown): Said {
    const { pageSize } = this.options;
    if (pageSize === undefined) return cursor === undefined ? { result: { [name]: items } } : failure(-32602, 'no such cursor');
    const from = cursor === undefined ? 0 : Number(/^page-(\d+)$/.exec(String(cursor))?.[1] ?? Number.NaN);
    if (Number.isNaN(from)) return failure(-32602, 'no such cursor');
    return { result: { [name]: items.slice(from, from + pageSize), ...from + pageSize < items.length && { nextCursor: `page-${from + pageSize}` } } };
  }

  #serve(call: Call): Said {
    const { method, params, connection, modern } = call;
    const { versions, resources = [{ uri: 'peer://note', name: 'note' }], templates = [{ uriTemplate: 'peer://items/{id}', name: 'items' }], prompts = [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] } = this.options;
    const legacy = versions.filter((one) => one !== modernVersion);
    const has = (name: string): boolean => this.#capabilities(modern ? modernVersion : connection.version)[name] !== undefined;
    const list = (name: string, items: readonly unknown[], capability = name): Said => (has(capability) ? this.#page(name, items, params['cursor']) : failure(-32601, 'no such method'));
    switch (modern && (method === 'ping' || method.startsWith('tasks/')) ? '' : method) {
      case 'initialize': {
        if (legacy.length === 0) return { ...failure(-32022, 'no such version', { supported: versions }), status: 400 };
        const asked = String(params['protocolVersion']);
        connection.version = legacy.includes(asked) ? asked : legacy[0] ?? '';
        connection.declared = bag(params['capabilities']);
        return { result: { protocolVersion: connection.version, capabilities: this.#capabilities(connection.version), serverInfo: { name: 'peer', version: '1' } } };
      }
      case 'server/discover': return modern ? { result: { supportedVersions: versions, capabilities: this.#capabilities(modernVersion) } } : failure(-32601, 'no such method');
      case 'ping': return { result: {} };
      case 'tools/list': return list('tools', this.tools.map(({ run: _, ...one }) => ({ annotations: { readOnlyHint: true }, ...one })));
      case 'resources/list': return list('resources', resources);
      case 'resources/templates/list': return list('resourceTemplates', templates, 'resources');
      case 'prompts/list': return list('prompts', prompts);
      case 'tools/call': return this.#called(call);
      case 'resources/read': return resources.some(({ uri }) => uri === params['uri']) ? { result: { contents: [{ uri: params['uri'], text: 'text' }] } } : failure(modern ? -32602 : -32002, 'no such resource');
      case 'prompts/get': return this.#prompt(prompts, params);
      case 'completion/complete': return has('completions') ? completed(params, prompts) : failure(-32601, 'no such method');
      case 'logging/setLevel': return params['level'] === 'judge' ? failure(-32602, 'no such level') : { result: {} };
      case 'subscriptions/listen': return modern ? { before: [{ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications: params['notifications'], _meta: { [subscriptionKey]: call.id } } }], silent: true } : failure(-32601, 'no such method');
      case 'tasks/get': case 'tasks/result': case 'tasks/cancel': case 'tasks/list': return bag(this.#capabilities(connection.version)['tasks'])['requests'] === undefined ? failure(-32601, 'no such method') : this.tasks.serve(method, params, this.options.pageSize);
      default: return failure(-32601, 'no such method');
    }
  }

  #called(call: Call): Said {
    const { params } = call;
    const tool = this.tools.find(({ name }) => name === params['name']);
    if (!tool) return failure(-32602, 'no such tool');
    const given = bag(params['arguments']);
    const schema = bag(tool.inputSchema);
    for (const name of Array.isArray(schema['required']) ? schema['required'] : []) if (given[String(name)] === undefined) return failure(-32602, `${String(name)} is missing`);
    for (const [name, field] of Object.entries(bag(schema['properties']))) if (isObject(given[name]) && bag(field)['type'] !== 'object') return failure(-32602, `${name} is an object`);
    const support = bag(bag(tool)['execution'])['taskSupport'];
    const takes = isObject(bag(bag(bag(this.#capabilities(call.connection.version)['tasks'])['requests'])['tools'])['call']) && !call.modern;
    if (takes && params['task'] !== undefined && support !== undefined) return this.tasks.begin(tool, call);
    if (takes && support === 'required') return failure(-32601, 'it must be a task');
    return tool.run(given, call);
  }

  #prompt(prompts: readonly Bag[], { name, arguments: given }: Bag): Said {
    const prompt = prompts.find((one) => one['name'] === name);
    if (!prompt) return failure(-32602, 'no such prompt');
    const wanted = Array.isArray(prompt['arguments']) ? prompt['arguments'].map(bag) : [];
    const bad = wanted.find((one) => (one['required'] === true && bag(given)[String(one['name'])] === undefined) || typeof (bag(given)[String(one['name'])] ?? '') !== 'string');
    return bad ? failure(-32602, 'a wrong argument') : { result: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] } };
  }

  async #fetch(url: URL, { method = 'GET', headers: given, body }: RequestInit): Promise<Response> {
    const headers = Object.fromEntries(new Headers(given));
    const text = typeof body === 'string' ? body : body instanceof Uint8Array ? new TextDecoder('utf-8').decode(body) : '';
    const session = headers['mcp-session-id'];
    const known = this.#connections.get(this.options.sessions ? session ?? '' : 'only');
    const connection = known ?? this.#connection(() => {});
    const other = { ...this.#call(connection, {}, text, headers), method, params: { path: url.pathname } };
    if (this.options.sse) return this.#overSse(method, text, other);
    if (method !== 'POST') {
      this.options.heard?.(other);
      if (method === 'DELETE' && session !== undefined && known) {
        this.#connections.delete(session);
        return this.#answer(this.#edited('DELETE', other, { status: 200 }), other);
      }
      return this.#answer(this.#edited(method, other, { status: method === 'GET' && url.pathname !== '/mcp' ? 404 : 405, headers: { allow: 'POST' } }), other);
    }
    if (headers['origin'] !== undefined) return this.#answer(this.#edited('origin', other, { status: 403, body: 'no' }), other);
    const edit = this.options.edits?.['POST'];
    return new Promise((resolve, reject) => {
      let first = true;
      if (!this.options.sessions && !known) this.#connections.set('only', connection);
      this.#take(connection, text, headers, (said, call) => {
        const fresh = call.method === 'initialize' && this.options.sessions && 'result' in said ? `session-${(++this.#sessions * 7919).toString(36).padStart(4, 'z')}-${['qwertyuiop', 'asdfghjkl', 'zxcvbnm'][this.#sessions % 3]}` : undefined;
        if (fresh !== undefined) this.#connections.set(fresh, connection);
        const whole = { ...said, ...fresh !== undefined && { headers: { 'mcp-session-id': fresh, ...said.headers } } };
        if (!first) return;
        first = false;
        this.#answer(edit?.(whole, call) ?? whole, call).then(resolve, reject);
      });
    });
  }

  /** A stream brings every message of the server; messages of the client go to the address in its first event. */
  #overSse(method: string, text: string, other: Call): Response | Promise<Response> {
    const path = other.params['path'];
    if (method === 'GET') {
      const id = ++this.#sessions;
      const encoder = new TextEncoder();
      return this.#answer(this.#edited('GET', other, { status: 200 }), other).then((plain) => (plain.status !== 200 ? plain : new Response(new ReadableStream({
        start: (control) => {
          control.enqueue(encoder.encode(`event: endpoint\r\ndata: /messages/${id}\r\n\r\n`));
          this.#connections.set(`/messages/${id}`, this.#connection((message) => {
            try {
              control.enqueue(encoder.encode(`event: message\ndata: ${textOf(message)}\n\n`));
            } catch {
              // The judge has left.
            }
          }));
        },
      }), { headers: { 'content-type': 'text/event-stream' } })));
    }
    const connection = this.#connections.get(String(path));
    if (!connection) return this.#answer({ status: 405 }, other);
    queueMicrotask(() => this.#take(connection, text, {}, (said, call) => this.#deliver(said, call, connection.say)));
    return this.#answer(this.#edited('POST', other, { status: 202 }), other);
  }

  readonly #connections = new Map<string, PeerConnection>();

  async #answer(said: Said, call: Call): Promise<Response> {
    const { status = 200, headers = {}, body } = said;
    const streams = said.stream || said.before !== undefined || said.after !== undefined || said.question !== undefined || said.open;
    if (streams) return new Response(this.#stream(said, call), { status, headers: { 'content-type': 'text/event-stream', ...headers } });
    if (said.ms !== undefined) await new Promise<void>((resolve) => void this.options.clock.after(said.ms ?? 0, resolve));
    if (said.silent) await new Promise<void>(() => {});
    if (body !== undefined) return new Response(body, { status, headers });
    if (said.text === undefined && !('result' in said) && !('error' in said)) return new Response(null, { status, headers });
    return new Response(said.text ?? textOf(responseOf(said, call)), { status, headers: { 'content-type': 'application/json', ...headers } });
  }

  #stream(said: Said, call: Call): ReadableStream<Uint8Array<ArrayBuffer>> {
    const encoder = new TextEncoder();
    return new ReadableStream({
      start: (control) => {
        const say = (message: object | string): void => {
          try {
            control.enqueue(encoder.encode(typeof message === 'string' ? message : `event: message\ndata: ${JSON.stringify(message)}\n\n`));
          } catch {
            // The judge has left.
          }
        };
        this.#deliver(said, call, say, () => control.close());
      },
    });
  }
}

/** Rejects when the judge gives the request up. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  // All requests of HTTP+SSE have one signal.
  if (signal) setMaxListeners(0, signal);
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
}

const textOf = (message: object | string): string => (typeof message === 'string' ? message : JSON.stringify(message));
const responseOf = (said: Said, { id }: Call): object => ({ jsonrpc: '2.0', id: 'id' in said ? said.id : id, ...'result' in said && { result: said.result }, ...'error' in said && { error: said.error } });

function completed({ ref, argument }: Bag, prompts: readonly Bag[]): Said {
  const { type, name } = bag(ref);
  if (type === 'ref/prompt' && !prompts.some((one) => one['name'] === name)) return failure(-32602, 'no such prompt');
  const { name: of, value } = bag(argument);
  return typeof of === 'string' && typeof value === 'string' ? { result: { completion: { values: ['one'] } } } : failure(-32602, 'a wrong argument');
}
