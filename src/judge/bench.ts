import type { Clock } from '../bounds/clock.ts';
import type { Revision } from '../protocol/index.ts';
import { bounds } from './bounds.ts';
import { answerQuestion, fullCapabilities } from './answers.ts';
import { JudgedConversation, judgeInfo } from './conversation.ts';
import type { ReceivedAnswer, ConversationOptions, ConversationWatcher } from './conversation.ts';
import { http } from './http.ts';
import type { Ledger } from './ledger.ts';
import { sse } from './sse.ts';
import type { SseOpening } from './sse.ts';
import { transportCarrier } from './transport-carrier.ts';
import type { JudgedServer, JudgeOptions } from './options.ts';
import { survey } from './server/survey.ts';
import type { Survey } from './server/survey.ts';

/** Options of a further conversation. */
export interface OpeningOptions {
  /** The capabilities that the client declares. Default: all. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined;
  /** Answers the server's own requests. Default: `answerQuestion`. */
  readonly question?: ConversationOptions['question'] | undefined;
}

/** The workbench of a server's probes: opens conversations in any revision, and keeps shared facts about the server. */
export class Bench {
  readonly server: JudgedServer;
  readonly ledger: Ledger;
  readonly options: JudgeOptions;
  readonly clock: Clock;
  /** The kind of its conversations; HTTP+SSE counts as a pipe. */
  readonly kind: 'pipe' | 'http';
  /** Whether the address is used over HTTP+SSE. */
  readonly sse: boolean;
  /** The start of each HTTP+SSE stream. */
  readonly openings: SseOpening[] = [];
  /** The revisions that the server speaks, newest first; set after the server was opened. */
  spoken: readonly Revision[] = [];
  /** Versions that `server/discover` named. */
  readonly named: Set<string> = new Set();
  /** The answer to each opening `initialize`. */
  readonly offered: { readonly conversation: JudgedConversation; readonly answer: ReceivedAnswer }[] = [];
  readonly #watcher: ConversationWatcher;
  #main = new Map<string, Promise<JudgedConversation>>();
  #surveys = new Map<string, Promise<Survey>>();
  readonly #conversations: JudgedConversation[] = [];
  readonly #beside: Bench[] = [];
  #place = 0;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(server: JudgedServer, ledger: Ledger, options: JudgeOptions, clock: Clock, watcher: ConversationWatcher, overSse: boolean = false) {
    this.server = server;
    this.ledger = ledger;
    this.options = options;
    this.clock = clock;
    this.sse = overSse;
    this.kind = server.http && !overSse ? 'http' : 'pipe';
    this.#watcher = watcher;
  }

  /** Creates a bench for a probe that runs in parallel: separate conversations, shared facts about the server. `place`: from 1. */
  beside(place: number): Bench {
    const other = new Bench(this.server, this.ledger.at(place), this.options, this.clock, this.#watcher, this.sse);
    other.spoken = this.spoken;
    other.#main = this.#main;
    other.#surveys = this.#surveys;
    other.#place = place;
    this.#beside.push(other);
    return other;
  }

  /** Creates a conversation without opening it. */
  begun(revision: Revision, { capabilities = fullCapabilities(revision), question = answerQuestion }: OpeningOptions = {}): JudgedConversation {
    const { server, clock, options: { answerMs = 5_000, startMs = 60_000 } } = this;
    const conversation = new JudgedConversation({
      number: this.#place * placeStep + this.#conversations.filter((one) => one.revision === revision).length + 1, revision, capabilities, clock, ledger: this.ledger, watcher: this.#watcher, answerMs, startMs, question, stdio: server.open !== undefined,
      carry: (events) => {
        if (server.http && this.sse) return sse(server.http, clock, startMs, events, (opening) => this.openings.push(opening));
        if (server.http) return http(server.http, clock, startMs, events);
        if (server.open) return transportCarrier(server.open, clock, events);
        throw new TypeError('judgeServer: server has neither open nor http');
      },
    });
    this.#conversations.push(conversation);
    return conversation;
  }

  /** Opens a conversation and sends nothing. Rejects if the server cannot be reached. */
  async raw(revision: Revision, how?: OpeningOptions): Promise<JudgedConversation> {
    const conversation = this.begun(revision, how);
    await conversation.open();
    return conversation;
  }

  /** Opens a conversation and, in legacy revisions, does the handshake. */
  async fresh(revision: Revision, how: OpeningOptions = {}): Promise<JudgedConversation> {
    const conversation = await this.raw(revision, how);
    if (revision.era === 'legacy') await handshake(conversation);
    return conversation;
  }

  /** The conversation of a revision that all probes share. They must leave it usable. */
  main(revision: Revision): Promise<JudgedConversation> {
    let found = this.#main.get(revision.version);
    if (!found) this.#main.set(revision.version, found = this.fresh(revision));
    return found;
  }

  /** Milliseconds to wait for one call. */
  get callMs(): number {
    return this.options.quick ? bounds.quickCallMs : bounds.callMs;
  }

  /** Makes a conversation the shared one of its revision. */
  keep(conversation: JudgedConversation): void {
    this.#main.set(conversation.revision.version, Promise.resolve(conversation));
  }

  /** Surveys the server in this revision, once: its lists, and the results of its tools. */
  survey(revision: Revision): Promise<Survey> {
    let found = this.#surveys.get(revision.version);
    if (!found) this.#surveys.set(revision.version, found = this.main(revision).then((conversation) => survey(this, conversation)));
    return found;
  }

  /** Runs `work` as soon as fewer than `bounds.beside` of these are running. */
  async whenFree(work: () => Promise<void>): Promise<void> {
    if (this.#running < bounds.beside) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    await work();
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }

  /** Closes all conversations. */
  async close(): Promise<void> {
    await Promise.all([...this.#conversations, ...this.#beside].map((one) => one.close()));
  }
}

/** The distance between the conversation numbers of two probes, so that they are the same in each run. */
const placeStep = 100;

/** Sends `initialize` and, after a result, `notifications/initialized`. */
export async function handshake(conversation: JudgedConversation, version: string = conversation.revision.version): Promise<ReceivedAnswer> {
  const answer = await conversation.ask('initialize', { protocolVersion: version, capabilities: conversation.capabilities, clientInfo: judgeInfo });
  const session = answer.reply?.headers['mcp-session-id'];
  if (session !== undefined) conversation.session = session;
  if (answer.kind !== 'result') return answer;
  conversation.agreed = true;
  await conversation.tell('notifications/initialized');
  return answer;
}
