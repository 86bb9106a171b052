import { McpServer } from 'barewire/server';
import { memoryTransport } from 'barewire/memory';
import { compile, formats } from 'barewire/schema';
import { TaskClient } from 'barewire/tasks';
import { localActions, openTab, PageHost, Tasks } from '../../src/host/index.ts';
import type { PageHostOptions, Tab } from '../../src/host/index.ts';
import type { ActionName, HostMessage, News, ParamsOf, QuestionView, Reply, ResultOf, Welcome, WireEntry } from '../../src/messages.ts';

/** The test context, for cleanup. */
export interface Ending {
  after(run: () => void | Promise<void>): void;
}

/** A connection to a host: `hear` gets each text of the host. */
export type PageLine = (hear: (text: string) => void) => Tab;

/** A page without a browser: it sends actions, records messages, and waits for them. */
export class TestPage {
  readonly heard: HostMessage[] = [];
  readonly #tab: Tab;
  readonly #waits: { fits: (message: HostMessage) => boolean; resolve: (message: HostMessage) => void }[] = [];
  #id = 0;

  /** `to`: a host in this process, or a connection to one. */
  constructor(to: PageHost | PageLine, name: string = 'test') {
    const line: PageLine = to instanceof PageHost ? (hear) => openTab(to, name, hear, localActions) : to;
    this.#tab = line((text) => {
      const message = JSON.parse(text) as HostMessage;
      this.heard.push(message);
      for (const one of this.#waits.filter(({ fits }) => fits(message))) {
        this.#waits.splice(this.#waits.indexOf(one), 1);
        one.resolve(message);
      }
    });
  }

  get welcome(): Welcome {
    return this.heard[0] as Welcome;
  }

  /** The first matching message, received already or in future. */
  seen<T extends HostMessage['type']>(type: T, fits: (message: Extract<HostMessage, { type: T }>) => boolean = () => true): Promise<Extract<HostMessage, { type: T }>> {
    const both = (message: HostMessage): boolean => message.type === type && fits(message as Extract<HostMessage, { type: T }>);
    const before = this.heard.find(both);
    return (before ? Promise.resolve(before) : new Promise<HostMessage>((resolve) => this.#waits.push({ fits: both, resolve }))) as Promise<Extract<HostMessage, { type: T }>>;
  }

  /** Sends an action. Returns its id, for cancellation, and its reply. */
  begin<N extends ActionName>(name: N, params: ParamsOf<N>): { readonly id: number; readonly reply: Promise<Reply> } {
    const id = ++this.#id;
    const reply = this.seen('reply', (message) => message.id === id);
    this.#tab.receive(JSON.stringify({ type: 'action', id, name, params }));
    return { id, reply };
  }

  /** Sends an action and returns its result. Rejects with its failure. */
  async ask<N extends ActionName>(name: N, params: ParamsOf<N>): Promise<ResultOf<N>> {
    const reply = await this.begin(name, params).reply;
    if (!reply.ok) throw Object.assign(new Error(reply.error.message), { code: reply.error.code, data: reply.error.data });
    return reply.result as ResultOf<N>;
  }

  cancel(id: number): void {
    this.#tab.receive(JSON.stringify({ type: 'cancel', id }));
  }

  async question<K extends QuestionView['kind']>(kind: K, nth: number = 0): Promise<Extract<QuestionView, { kind: K }>> {
    const before = this.heard.filter((message) => message.type === 'question' && message.question.kind === kind).slice(nth);
    const [found = await this.seen('question', ({ question }) => question.kind === kind && !this.#isOld(question.id, kind, nth))] = before;
    return (found as Extract<News, { type: 'question' }>).question as Extract<QuestionView, { kind: K }>;
  }

  #isOld(id: string, kind: string, nth: number): boolean {
    const all = this.heard.filter((message) => message.type === 'question' && message.question.kind === kind) as Extract<News, { type: 'question' }>[];
    return all.findIndex(({ question }) => question.id === id) < nth;
  }

  /** All wire entries received so far. */
  get wire(): WireEntry[] {
    return this.heard.flatMap((message) => (message.type === 'wire' ? message.entries : []));
  }

  close(): void {
    this.#tab.close();
  }
}

/** A host with in-memory servers. */
export function hostOf(t: Ending, servers: Readonly<Record<string, McpServer>>, options: Partial<PageHostOptions> = {}): PageHost {
  const host = new PageHost({
    carrier: 'local', version: '0.0.0',
    servers: Object.fromEntries(Object.keys(servers).map((name) => [name, { command: name }])),
    compile: (schema) => compile(schema, { formats }),
    client: (info, given) => new TaskClient(info, given),
    tasks: (onChange, onRemoved) => new Tasks(onChange, onRemoved),
    open: (name, _config, { trace }) => {
      const server = servers[name];
      if (!server) throw new Error(`there is no program ${name}`);
      return memoryTransport(server, { trace });
    },
    ...options,
  });
  t.after(() => host.close());
  return host;
}

/** A server with a tool of each kind. */
export function sampleServer(name: string = 'sample'): McpServer {
  const server = new McpServer({ name, version: '1.0.0' }, { instructions: 'Be kind.' });
  server.tool('add', {
    input: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] },
    output: { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] },
    annotations: { readOnlyHint: true },
  }, ({ a, b }) => ({ sum: a + b }));
  server.tool('ask', {}, async (_args, ctx) => {
    const form = await ctx.elicit('Who are you?', { name: { type: 'string', minLength: 2 }, mail: { type: 'string', format: 'email' } });
    return form.action === 'accept' ? `Hello ${form.content.name}` : form.action;
  });
  server.tool('sample', {}, async (_args, ctx) => {
    const { content, model } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'One?' } }], maxTokens: 10 });
    return `${model}: ${!Array.isArray(content) && content.type === 'text' ? content.text : ''}`;
  });
  server.tool('wait', {}, (_args, ctx) => new Promise((_resolve, reject) => {
    ctx.progress(1, 4, 'waiting');
    ctx.signal.addEventListener('abort', () => reject(new Error('stopped')));
  }));
  server.tool('fail', {}, () => {
    throw new Error('no');
  });
  server.resource('note://one', { name: 'one' }, () => 'text of one');
  server.prompt('greet', { arguments: { who: { complete: (typed: string) => ['anna', 'bert'].filter((one) => one.startsWith(typed)) } } }, ({ who }) => `Greet ${who}`);
  return server;
}
