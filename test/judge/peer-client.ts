import { pause } from '../../src/bounds/clock.ts';
import type { Clock } from '../../src/bounds/clock.ts';
import { isObject } from '../../src/jsonrpc/internal-exports.ts';
import type { ClientEvents, ClientWay, HiddenRequest, JudgedClient, Leaving, StartOptions } from '../../src/judge/index.ts';
import { capabilitiesKey, clientInfoKey, versionKey } from '../../src/protocol/internal-exports.ts';
import { encodeHeaderValue, mirroredParameters, mirroredValue } from '../../src/protocol/internal-exports.ts';
import { bag } from './peer.ts';
import type { Bag } from './peer.ts';
import { loggedIn } from './peer-login.ts';
import type { LoginEdits } from './peer-login.ts';

// A client for the scenes of the judge, in this process: it uses what a server offers and keeps the rules; an edit makes it break one.

export interface ClientEdits {
  /** Changes a message before it is sent, by method; undefined drops it, a list sends each. `any` for all. */
  readonly sent?: Readonly<Record<string, (message: Bag) => Bag | readonly (Bag | string)[] | undefined>>;
  /** Answers to requests of the server, by method. */
  readonly answers?: Readonly<Record<string, (params: Bag, count: number, id: unknown) => Bag | undefined>>;
  /** Changes the headers of a request over HTTP; undefined leaves a header out. */
  readonly headers?: (headers: Readonly<Record<string, string>>, message: Bag, verb: string) => Readonly<Record<string, string | undefined>>;
  readonly login?: LoginEdits;
  readonly capabilities?: Bag;
  /** The methods that it uses, in order. Default: all. */
  readonly uses?: readonly string[];
  /** What it does besides. */
  readonly also?: (client: PeerClient) => Promise<unknown>;
  /** How it ends its server over a pipe. */
  readonly leaves?: readonly Leaving[];
  /** Whether it does not read further pages, does not resume streams, does not cancel, does not end, goes on with another version. */
  readonly onePage?: boolean;
  readonly resumes?: boolean;
  readonly cancels?: boolean;
  readonly stays?: boolean;
  readonly version?: string;
  readonly deletes?: boolean;
  readonly restarts?: boolean;
  /** Whether it speaks both eras, and asks for 2026-07-28 first. */
  readonly both?: boolean;
  /** Whether it begins with nothing. */
  readonly silent?: boolean;
  /** Opens the page of an elicitation by itself, and answers with this action. */
  readonly opens?: string;
  /** Answers requests whatever their form. */
  readonly lenient?: boolean;
  /** Refuses malformed requests, with this id. */
  readonly refuses?: null | undefined;
  /** Answers notifications/cancelled with this. */
  readonly answersTold?: Bag;
  /** Follows a redirect, with or without its token. */
  readonly follows?: 'with' | 'without';
  /** Tools that it leaves out. */
  readonly leavesOut?: (tool: Bag) => boolean;
  /** Whether it retries a call that asks. */
  readonly retries?: (params: Bag, result: Bag) => Bag | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** All that a client uses of a server, in order. */
const usual = ['tools', 'prompts', 'resources'] as const;
const answersOf: Readonly<Record<string, Bag>> = {
  'ping': { result: {} }, 'roots/list': { result: { roots: [{ uri: 'file:///work' }] } }, 'sampling/createMessage': { result: { role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello' } } },
};

export class PeerClient {
  version: string;
  modern: boolean;
  readonly way: ClientWay;
  readonly url: string;
  readonly clock: Clock;
  readonly edits: ClientEdits;
  readonly events: ClientEvents;
  readonly stays: boolean;
  token: string | undefined;
  session: string | undefined;
  #ids = 0;
  #requests = 0;
  #agreed = false;
  readonly #asked = new Map<string, number>();
  readonly #pending = new Map<unknown, (message: Bag | undefined) => void>();

  constructor(version: string, way: ClientWay, events: ClientEvents, { stays }: StartOptions, clock: Clock, edits: ClientEdits) {
    this.version = edits.version ?? version;
    this.modern = version === '2026-07-28';
    this.way = way;
    this.url = 'http://127.0.0.1:5/mcp';
    this.clock = clock;
    this.events = events;
    this.stays = stays;
    this.edits = edits;
  }

  get capabilities(): Bag {
    return this.edits.capabilities ?? { roots: {}, elicitation: { form: {}, url: {} }, sampling: { tools: {} } };
  }

  /** Connects, uses the server and leaves it. */
  async run(): Promise<string> {
    const offered = this.edits.silent ? {} : await this.#connect();
    if (offered) {
      for (const one of this.edits.uses ?? usual) if (offered[one] !== undefined) await this.#use(one);
      await this.edits.also?.(this);
    }
    if (this.edits.stays) await new Promise<void>(() => {});
    if (this.way === 'pipe') for (const how of this.edits.leaves ?? (this.stays ? ['input', 'signal', 'killed'] as const : ['input'] as const)) this.events.left(how);
    else if (this.session !== undefined && this.edits.deletes !== false) await this.http('DELETE', '/mcp', '', {});
    return 'it ended with code 0';
  }

  async #connect(): Promise<Bag | undefined> {
    if (this.edits.both) [this.version, this.modern] = ['2026-07-28', true];
    if (this.modern) {
      const found = bag((await this.ask('server/discover', {}))?.['result'])['capabilities'];
      if (found !== undefined || !this.edits.both) return bag(found);
      [this.version, this.modern] = ['2025-11-25', false];
    }
    this.#agreed = false;
    const answer = await this.ask('initialize', { protocolVersion: this.version, capabilities: this.capabilities, clientInfo: { name: 'peer', version: '1' } });
    const result = bag(answer?.['result']);
    if (result['protocolVersion'] !== this.version) return undefined;
    this.#agreed = true;
    await this.tell('notifications/initialized');
    return bag(result['capabilities']);
  }

  async #use(feature: string): Promise<void> {
    if (feature === 'tools') {
      for (const tool of await this.#list('tools/list', 'tools')) {
        if (this.edits.leavesOut?.(tool)) continue;
        const given = argumentsOf(bag(tool['inputSchema']));
        await this.call({ name: tool['name'], arguments: given, ...bag(tool['execution'])['taskSupport'] === 'required' && { task: {} } }, tool);
      }
    } else if (feature === 'prompts') {
      for (const { name, arguments: given } of await this.#list('prompts/list', 'prompts')) await this.ask('prompts/get', { name, arguments: Object.fromEntries((Array.isArray(given) ? given.map(bag) : []).map((one) => [String(one['name']), 'Ada'])) });
    } else {
      for (const { uri } of await this.#list('resources/list', 'resources')) await this.ask('resources/read', { uri });
      await this.#list('resources/templates/list', 'resourceTemplates');
    }
  }

  async #list(method: string, member: string): Promise<readonly Bag[]> {
    const items: Bag[] = [];
    for (let cursor: unknown, pages = 0; pages < 9; pages++) {
      const result = bag((await this.ask(method, cursor === undefined ? {} : { cursor }))?.['result']);
      if (this.modern && (result['resultType'] ?? 'complete') !== 'complete') return items;
      const found = result[member];
      items.push(...Array.isArray(found) ? found.map(bag) : []);
      cursor = result['nextCursor'];
      if (cursor === undefined || this.edits.onePage) break;
    }
    return items;
  }

  /** Calls a tool, and answers its questions or follows its task. */
  async call(params: Bag, tool: Bag = {}): Promise<void> {
    const headers = this.#mirrored(tool, params);
    let answer = await this.ask('tools/call', params, { timeoutMs: 3_000, headers });
    for (let round = 0; round < 4 && bag(answer?.['result'])['resultType'] === 'input_required'; round++) {
      const result = bag(answer?.['result']);
      const retry = this.edits.retries ? this.edits.retries(params, result) : this.#retry(result);
      if (!retry) return;
      answer = await this.ask('tools/call', { ...params, ...retry }, { timeoutMs: 3_000, headers });
    }
    const task = bag(bag(answer?.['result'])['task']);
    for (let polls = 0; typeof task['taskId'] === 'string' && polls < 4; polls++) await this.ask('tasks/get', { taskId: task['taskId'] });
    if (typeof task['taskId'] === 'string') await this.ask('tasks/result', { taskId: task['taskId'] });
  }

  #retry(result: Bag): Bag | undefined {
    const answers = Object.entries(bag(result['inputRequests'])).map(([key, one]) => [key, this.#answer(String(bag(one)['method']), bag(bag(one)['params']), key)] as const);
    if (answers.some(([, one]) => !one || !('result' in one))) return undefined;
    return { ...answers.length > 0 && { inputResponses: Object.fromEntries(answers.map(([key, one]) => [key, one?.['result']])) }, ...result['requestState'] !== undefined && { requestState: result['requestState'] } };
  }

  /** 2026-07-28 basic/transports/streamable-http: the headers that mirror arguments. */
  #mirrored(tool: Bag, params: Bag): Record<string, string> {
    const found = mirroredParameters(tool['inputSchema']);
    if (!this.modern || !('headers' in found)) return {};
    return Object.fromEntries([...found.headers].flatMap(([header, path]) => {
      const value = mirroredValue(params['arguments'], path);
      return value === undefined ? [] : [[header.toLowerCase(), encodeHeaderValue(value)]];
    }));
  }

  #answer(method: string, params: Bag, id: unknown): Bag | undefined {
    const count = (this.#asked.get(method) ?? 0) + 1;
    this.#asked.set(method, count);
    const edit = this.edits.answers?.[method] ?? this.edits.answers?.['any'];
    if (edit) return edit(params, count, id);
    if (method === 'elicitation/create') {
      const { mode = 'form' } = params;
      const declared = bag(this.capabilities['elicitation']);
      if (!isObject(this.capabilities['elicitation'])) return { error: { code: -32601, message: 'no such method' } };
      if (!(String(mode) in declared) && !(mode === 'form' && Object.keys(declared).length === 0)) return { error: { code: -32602, message: 'no such mode' } };
      return { result: mode === 'url' ? { action: 'decline' } : { action: 'accept', content: { name: 'Ada' } } };
    }
    if (method === 'roots/list' && !isObject(this.capabilities['roots'])) return { error: { code: -32601, message: 'no such method' } };
    if (method === 'sampling/createMessage') {
      const sampling = this.capabilities['sampling'];
      if (!isObject(sampling)) return { error: { code: -32601, message: 'no such method' } };
      const messages = Array.isArray(params['messages']) ? params['messages'].map(bag) : [];
      if (params['tools'] !== undefined && sampling['tools'] === undefined || messages.length > 1) return { error: { code: -32602, message: 'no' } };
    }
    return answersOf[method] ?? { error: { code: -32601, message: 'no such method' } };
  }

  async ask(method: string, params: Bag, { timeoutMs = 60_000, headers = {} }: { readonly timeoutMs?: number; readonly headers?: Readonly<Record<string, string>> } = {}): Promise<Bag | undefined> {
    const id = ++this.#ids;
    const whole = this.modern ? { ...params, _meta: { [versionKey]: this.version, [clientInfoKey]: { name: 'peer', version: '1' }, [capabilitiesKey]: this.capabilities, ...bag(params['_meta']) } } : params;
    const answer = new Promise<Bag | undefined>((resolve) => this.#pending.set(id, resolve));
    const timer = this.clock.after(timeoutMs, () => {
      const end = this.#pending.get(id);
      this.#pending.delete(id);
      if (this.edits.cancels !== false && !(this.modern && this.way === 'http')) void this.tell('notifications/cancelled', { requestId: id });
      end?.(undefined);
    });
    await this.send({ jsonrpc: '2.0', id, method, ...(this.modern || Object.keys(whole).length > 0) && { params: whole } }, headers);
    const came = await answer;
    timer?.stop();
    return came;
  }

  tell(method: string, params?: Bag): Promise<void> {
    return this.send({ jsonrpc: '2.0', method, ...params && { params } });
  }

  async send(message: Bag, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const method = String(message['method'] ?? '');
    const edit = this.edits.sent?.[method] ?? (method === '' ? undefined : this.edits.sent?.['any']);
    const edited = edit ? edit(message) : message;
    for (const one of edited === undefined ? [] : Array.isArray(edited) ? edited as readonly (Bag | string)[] : [edited as Bag]) {
      const text = typeof one === 'string' ? one : JSON.stringify(one);
      if (this.way === 'pipe') for (const line of text.split('\n')) queueMicrotask(() => this.events.line(line));
      else void this.#post(text, message, headers);
    }
  }

  /** Takes a text of the server. */
  take(text: string): void {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return;
    }
    for (const one of Array.isArray(json) ? json : [json]) this.#one(bag(one));
  }

  #one(message: Bag): void {
    const { id, method, params } = message;
    if (method === undefined) {
      const end = this.#pending.get(id);
      this.#pending.delete(id);
      return end?.(message);
    }
    if (typeof method !== 'string') return;
    if (method === 'notifications/cancelled' && this.edits.answersTold) return void this.send({ jsonrpc: '2.0', ...this.edits.answersTold });
    if (id === undefined || this.modern) return;
    if (!this.edits.lenient && (id === null || message['jsonrpc'] !== '2.0' || typeof id === 'number' && !Number.isInteger(id) || String(id).includes('\ufffd'))) {
      if ('refuses' in this.edits) void this.send({ jsonrpc: '2.0', ...this.edits.refuses === null && { id: null }, error: { code: -32600, message: 'no' } });
      return;
    }
    const { mode, url } = bag(params);
    if (mode === 'url' && this.edits.opens !== undefined) {
      const { pathname } = new URL(String(url));
      return void this.http('GET', pathname, '', {}).then(() => this.send({ jsonrpc: '2.0', id, result: { action: this.edits.opens } }));
    }
    const said = this.#answer(method, bag(params), id);
    if (said) void this.send({ jsonrpc: '2.0', id, ...said });
  }

  async #post(text: string, message: Bag, more: Readonly<Record<string, string>>): Promise<void> {
    const { method, params } = message;
    const name = method === 'resources/read' ? bag(params)['uri'] : method === 'tools/call' || method === 'prompts/get' ? bag(params)['name'] : undefined;
    const headers = {
      'content-type': 'application/json', accept: 'application/json, text/event-stream',
      ...this.#agreed && this.version > '2025-06' && { 'mcp-protocol-version': this.version },
      ...this.modern && { 'mcp-protocol-version': this.version, ...method !== undefined && { 'mcp-method': String(method) }, ...typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }, ...more },
    };
    const reply = await this.http('POST', '/mcp', text, headers, message);
    if (reply.status === 401 && this.edits.login?.never !== true && await loggedIn(this, reply)) return this.#post(text, message, more);
    if (reply.status === 404 && this.session !== undefined && method !== 'initialize') {
      this.session = undefined;
      if (this.edits.restarts === false || !await this.#connect()) return;
      return this.#post(text, message, more);
    }
    if (reply.status === 307 && this.edits.follows) {
      const { token } = this;
      if (this.edits.follows === 'without') this.token = undefined;
      await this.http('POST', '/mcp', text, headers, {}, 'localhost:5');
      this.token = token;
    }
    if (method === 'initialize') this.session = reply.headers['mcp-session-id'];
    if (reply.body !== '') this.take(reply.body);
    else if (reply.status >= 400) this.#pending.get(message['id'])?.(undefined);
  }

  /** Makes one HTTP request; resolves with the response, or at the end of a stream. */
  http(verb: string, path: string, body: string, given: Readonly<Record<string, string>>, message: Bag = {}, host = '127.0.0.1:5'): Promise<Reply> {
    const plain = { host, ...given, ...this.session !== undefined && path === '/mcp' && { 'mcp-session-id': this.session, ...verb === 'DELETE' && this.version > '2025-06' && { 'mcp-protocol-version': this.version } }, ...this.token !== undefined && path.startsWith('/mcp') && { authorization: `Bearer ${this.token}` } };
    const headers = Object.fromEntries(Object.entries(this.edits.headers?.(plain, message, verb) ?? plain).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
    return new Promise((resolve) => {
      let [rest, last, retry] = ['', undefined as string | undefined, 0];
      const end = (): void => {
        const waits = message['id'] !== undefined && this.#pending.has(message['id']);
        resolve({ status: 200, headers: {}, body: '' });
        if (!waits) return;
        if (last === undefined || this.modern || this.edits.resumes === false) return void (this.edits.resumes === false || this.modern ? this.#pending.get(message['id'])?.(undefined) : undefined);
        this.clock.after(retry, () => void this.http('GET', '/mcp', '', { accept: 'text/event-stream', 'mcp-protocol-version': this.version, 'last-event-id': last ?? '' }, message));
      };
      const request: HiddenRequest = {
        number: ++this.#requests, method: verb, path, headers, body, utf8: true,
        respond: (status, fields, text = '') => queueMicrotask(() => resolve({ status, headers: fields, body: text })),
        stream: () => ({
          write: (text) => {
            rest += text.replaceAll('\r\n', '\n');
            for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
              const event = rest.slice(0, at);
              rest = rest.slice(at + 2);
              last = /^id: (.*)$/m.exec(event)?.[1] ?? last;
              retry = Number(/^retry: (\d+)$/m.exec(event)?.[1] ?? retry);
              const [, data = ''] = /^data: (.*)$/m.exec(event) ?? [];
              if (/^event: endpoint$/m.test(event)) resolve({ status: 200, headers: {}, body: data });
              else if (data !== '') queueMicrotask(() => this.take(data));
            }
          },
          end: () => queueMicrotask(end), cut: () => queueMicrotask(end),
        }),
      };
      queueMicrotask(() => this.events.request(request));
    });
  }
}

function argumentsOf({ properties, required }: Bag): Record<string, unknown> {
  const fields = bag(properties);
  return Object.fromEntries((Array.isArray(required) ? required.map(String) : []).map((name) => {
    const field = bag(fields[name]);
    return [name, 'default' in field ? field['default'] : field['type'] === 'object' ? argumentsOf(field) : field['type'] === 'number' ? 2 : 'Ada'];
  }));
}

/** The client as the judge starts it. */
export function peerClient(version: string, ways: readonly ClientWay[], clock: Clock, edits: ClientEdits = {}, saw: (text: string) => void = () => {}): JudgedClient {
  return {
    name: 'peer', ways,
    async start(way, events, how) {
      const client = new PeerClient(version, way, events, how, clock, edits);
      return {
        // A program takes time to start.
        ended: pause(clock, 1).then(() => client.run()), url: way === 'http' ? client.url : undefined,
        write(text) {
          for (const line of text.split('\n').filter((one) => one !== '')) {
            saw(line);
            queueMicrotask(() => client.take(line));
          }
        },
        writeBytes: (bytes) => {
          const line = new TextDecoder().decode(bytes);
          saw(line);
          queueMicrotask(() => client.take(line));
        },
        async stop() {},
      };
    },
  };
}
