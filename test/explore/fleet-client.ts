import { ScriptedRequest } from '../transport/http/scripted-request.ts';
import { checkEvents, checkOrder, EventStream } from './event-stream.ts';
import type { Said } from './event-stream.ts';

/** Sends a request to a process. */
export type Reach = (at: string, request: ScriptedRequest) => void;

/** A legacy client of a fleet. The explorer chooses the process for each of its requests. */
export class FleetClient {
  readonly gets: EventStream[] = [];
  /** The POSTs that answered the call's question. */
  readonly answers: { readonly at: string; readonly post: ScriptedRequest; lost: boolean }[] = [];
  call: EventStream = new EventStream('the call', new ScriptedRequest({}));
  #session: Record<string, string> = {};
  readonly #reach: Reach;

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  ask(at: string, sent: { method?: string; headers?: Record<string, string>; body?: object }): ScriptedRequest {
    const request = new ScriptedRequest({ ...sent, headers: { ...this.#session, ...sent.headers } });
    this.#reach(at, request);
    return request;
  }

  /** Opens a session. `settle` runs the steps that this needs. */
  async open(at: string, settle: () => Promise<void>): Promise<void> {
    const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'c', version: '1' } };
    const opened = this.ask(at, { body: { jsonrpc: '2.0', id: 0, method: 'initialize', params } });
    await settle();
    this.#session = { 'mcp-session-id': String(opened.fields?.['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
    this.ask(at, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    await settle();
  }

  /** Calls the tool `work`. */
  begin(at: string): void {
    const params = { name: 'work', _meta: { progressToken: 't' } };
    this.call = new EventStream('the call', this.ask(at, { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } }), at);
  }

  listen(at: string): void {
    this.gets.push(new EventStream(`GET ${this.gets.length + 1}`, this.ask(at, { method: 'GET' }), at));
  }

  /** Resumes a stream. A stream without a known event id is opened anew. */
  resume(one: EventStream, at: string): void {
    if (one.connected) one.cut(0);
    one.goOn(this.ask(at, { method: 'GET', headers: one.lastId === undefined ? {} : { 'last-event-id': one.lastId } }), at);
  }

  answer(at: string): void {
    const post = this.ask(at, { body: { jsonrpc: '2.0', id: this.question?.id, result: { action: 'accept', content: { sure: true } } } });
    this.answers.push({ at, post, lost: false });
  }

  /** Ends the connections to a process that has died. */
  lose(at: string): void {
    for (const one of this.streams) if (one.connected && one.at === at) one.cut(0);
    for (const one of this.answers) if (one.at === at && one.post.status === undefined) one.lost = true;
  }

  get streams(): EventStream[] {
    return [this.call, ...this.gets];
  }

  /** The number of messages received on GET streams. */
  get heard(): number {
    return this.gets.reduce((sum, { messages }) => sum + messages.length, 0);
  }

  get said(): Said[] {
    return this.call.messages.map((text) => JSON.parse(text) as Said);
  }

  /** The responses to the call that the client has read. */
  get results(): Said[] {
    return this.said.filter(({ id, method }) => id === 1 && method === undefined);
  }

  /** The question that the client has read and has still to answer. */
  get question(): Said | undefined {
    const { said } = this;
    const taken = this.answers.some(({ lost, post: { status } }) => !lost && (status === undefined || status === 202 || status === 400));
    const over = said.some(({ id, method }) => method === 'notifications/cancelled' || (id === 1 && method === undefined));
    return taken || over ? undefined : said.find(({ method }) => method === 'elicitation/create');
  }

  /** True if the client can resume the call's stream and still needs its answer. */
  get mayResume(): boolean {
    const { call } = this;
    return this.results.length === 0 && !call.isOpen && !call.waits && call.lastId !== undefined && !this.refused;
  }

  /** True if the server refused to resume the call's stream. */
  get refused(): boolean {
    const { status } = this.call.request;
    return this.call.connected && status !== undefined && status >= 400 && status < 500;
  }

  /**
   * `kept`: the engine has refused nothing, so the store has each event. Otherwise, if a process dies, a question that is not in the store
   * cannot be cancelled. And an event that the engine stored but reported as refused was sent without an id, and comes again.
   */
  check(kept: boolean): void {
    checkEvents(this.streams);
    if (kept) checkOrder(this.call, orders, wordOf);
    else checkOrder(this.call, [...orders, '1,question,error', '1,question,2,error'], wordOf, true);
    for (const one of this.gets) {
      for (const text of one.messages) if (!text.includes('list_changed')) throw new Error(`${one.name} carries ${text}`);
    }
    for (const { post } of this.answers) if (post.answers > 1) throw new Error('the POST of an answer was answered twice');
  }
}

/** The possible contents of the call's stream. Its process may die at any time. */
const orders = ['1,question,2,answer', 'error', '1,error', '1,question,cancelled,error', '1,question,2,cancelled,error'];

/** A word for a message of the call's stream. */
function wordOf({ id, method, params, error }: Said): string {
  if (method === undefined) return id !== 1 ? `an answer to ${id}` : error ? 'error' : 'answer';
  if (method === 'notifications/progress') return String(params?.progress);
  return method === 'elicitation/create' ? 'question' : method.replace('notifications/', '');
}
