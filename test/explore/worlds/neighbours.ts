import { McpServer } from '../../../src/server/index.ts';
import { createEndpoint } from '../../../src/transport/http/server/endpoint.ts';
import type { Endpoint } from '../../../src/transport/http/server/endpoint.ts';
import { ScriptedRequest } from '../../transport/http/scripted-request.ts';
import { calm, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { checkEvents, checkOrder, EventStream } from '../event-stream.ts';
import type { Said } from '../event-stream.ts';
import { nothingHeld, ownOnly } from '../invariants.ts';

const names = ['ann', 'bob'] as const;
type Name = typeof names[number];

/** Limits of the events of both clients together. */
const most = { cuts: 1, cancels: 1, ends: 1, thefts: 1 };

/** A client with a session, whose call asks a question. Both sessions use the same ids for requests and questions. */
class Neighbour {
  readonly name: Name;
  readonly #endpoint: Endpoint;
  readonly #settle: () => Promise<void>;
  #session: Readonly<Record<string, string>> = {};
  call: EventStream = new EventStream('no call', new ScriptedRequest({}));
  /** GETs with an event id of the other client. */
  readonly thefts: EventStream[] = [];
  cancelled = false;
  ended = false;
  #answered = false;

  constructor(name: Name, endpoint: Endpoint, settle: () => Promise<void>) {
    this.name = name;
    this.#endpoint = endpoint;
    this.#settle = settle;
  }

  ask(sent: { method?: string; headers?: Readonly<Record<string, string>>; body?: object }): ScriptedRequest {
    const request = new ScriptedRequest({ ...sent, headers: { ...this.#session, ...sent.headers } });
    this.#endpoint.handle(request);
    return request;
  }

  async begin(): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: this.name, version: '1' } };
    const opened = this.ask({ body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
    await this.#settle();
    this.#session = { 'mcp-session-id': String(opened.fields?.['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
    this.ask({ body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    await this.#settle();
    this.call = new EventStream(`the call of ${this.name}`, this.ask({
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: { who: `of ${this.name}` }, _meta: { progressToken: 't' } } },
    }));
    await this.#settle();
  }

  /** The question that this client has read. */
  get question(): Said | undefined {
    return this.call.messages.map((text) => JSON.parse(text) as Said).find(({ method }) => method === 'elicitation/create');
  }

  /**
   * Whether the client has read its answer. The other client's event id may also name this client's own stream, which a theft then resumes.
   */
  get isAnswered(): boolean {
    return [this.call, ...this.thefts].some(({ messages }) => messages.some((text) => (JSON.parse(text) as Said).result !== undefined));
  }

  steps(other: Neighbour, counts: Record<keyof typeof most, number>): Step[] {
    const { name, call, question } = this;
    const steps: Step[] = [];
    const add = (what: string, touches: readonly string[], act: () => void, optional = false): void =>
      void steps.push({ name: `${name} ${what}`, touches: [name, ...touches], ...optional && { optional }, run: () => (act(), this.#settle()) });
    if (this.ended) return steps;
    if (question && !this.#answered) {
      add('answers', [], () => {
        this.#answered = true;
        this.ask({ body: { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { by: `of ${name}` } } } });
      });
    }
    if (call.isOpen && counts.cuts < most.cuts) add('is cut', ['cuts'], () => (counts.cuts++, call.cut(0)));
    if (!call.connected && call.lastId !== undefined) add('comes back', [], () => call.goOn(this.ask({ method: 'GET', headers: { 'last-event-id': call.lastId ?? '' } })));
    const { lastId } = other.call;
    if (counts.thefts < most.thefts && lastId !== undefined) {
      add(`asks for the events of ${other.name}`, [other.name, 'thefts'], () => {
        counts.thefts++;
        this.thefts.push(new EventStream(`the GET of ${name}`, this.ask({ method: 'GET', headers: { 'last-event-id': lastId } })));
      }, true);
    }
    if (counts.cancels < most.cancels && !this.isAnswered) {
      add('cancels', ['cancels'], () => {
        counts.cancels++;
        this.cancelled = true;
        this.ask({ body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } });
      }, true);
    }
    if (counts.ends < most.ends) add('ends its session', ['ends'], () => (counts.ends++, this.ended = true, this.ask({ method: 'DELETE' })), true);
    return steps;
  }

  check(): void {
    for (const one of [this.call, ...this.thefts]) checkEvents([one]);
    checkOrder(this.call, ['1,question,2,answer', '1,question,cancelled'], ({ id, method, params }) =>
      method === 'elicitation/create' ? 'question' : method === 'notifications/progress' ? `${params?.progress}` : method === 'notifications/cancelled' ? 'cancelled' : id === 1 ? 'answer' : `${method}`);
    ownOnly(`of ${this.name}`, [...this.call.messages, ...this.thefts.flatMap(({ messages }) => messages)], names.map((name) => `of ${name}`));
  }

  /** Checks the end of a run, when no step is left. */
  end(): void {
    if (!this.cancelled && !this.ended && !this.isAnswered) throw new Error(`${this.name} never gets its answer`);
    if (this.cancelled && !this.ended && this.call.isOpen) throw new Error(`the stream of ${this.name} stays open though its call was cancelled`);
  }
}

/**
 * Two HTTP sessions of one endpoint, with streams that are cut and resumed, questions, a cancellation, an end, and event ids of the other
 * session.
 */
async function make(): Promise<World> {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const errors: string[] = [];
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock, onError: (error) => errors.push((error as Error).message) });
  server.tool('ask', { input: { type: 'object', properties: { who: { type: 'string' } } } }, async ({ who }, ctx) => {
    ctx.progress(1, 3, `begun ${who}`);
    const { content } = await ctx.elicit(`Go on ${who}?`, { by: { type: 'string' } });
    ctx.progress(2, 3, `asked ${who}`);
    return `${who}, answered ${content?.['by']}`;
  });
  const endpoint = createEndpoint(server, { limits: { keepAliveMs: 0 }, onError: (error) => errors.push(error.message) });
  const neighbours = names.map((name) => new Neighbour(name, endpoint, settle));
  for (const one of neighbours) await one.begin();
  const [ann, bob] = neighbours as [Neighbour, Neighbour];
  const counts = { cuts: 0, cancels: 0, ends: 0, thefts: 0 };

  return {
    steps: () => [...ann.steps(bob, counts), ...bob.steps(ann, counts)],
    check: () => neighbours.forEach((one) => one.check()),
    async finish() {
      for (const one of neighbours) one.end();
      void endpoint.close({ drainMs: 0 });
      await settle();
      for (const { name, call, thefts } of neighbours) for (const one of [call, ...thefts]) if (one.isOpen) throw new Error(`a stream of ${name} is open after the end`);
      // The session sweep runs one last time.
      clock.tick(clock.now() + 3_600_000);
      await settle();
      nothingHeld({ clocks: [clock] });
      return JSON.stringify([neighbours.map(({ cancelled, ended, isAnswered, thefts }) => [cancelled, ended, isAnswered, thefts.map(({ request }) => request.status)]), errors.length]);
    },
  };
}

export const neighbours: Kind = { name: 'neighbours', what: 'two HTTP sessions with the same ids: questions, streams that are cut and resumed, a cancellation, an end, an event id of the other', make };
