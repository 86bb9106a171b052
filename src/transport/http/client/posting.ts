import { systemClock } from '../../../bounds/clock.ts';
import { methodNotFoundCode } from '../../../jsonrpc/errors.ts';
import * as revisionTable from '../../../protocol/revisions.ts';
import type { ClientCapabilities } from '../../../protocol/lifecycle.ts';
import { modernErrors } from '../../../protocol/meta.ts';
import { mayAsk } from '../../../protocol/methods.ts';
import { findRevision, revisions } from '../../../protocol/revisions.ts';
import { HttpError } from '../http-error.ts';
import type { Outgoing } from '../../client-port.ts';
import { isOk, mediaType, readBody, readText } from './body.ts';
import { Cancellation } from './sender.ts';
import { GetStream } from './get-stream.ts';
import { postHeaders } from './headers.ts';
import { beginHttpSse, findHttpSse, firstEvent } from './http-sse.ts';
import { defaultHttpClientLimits, wait } from './options.ts';
import type { HttpClientLimits, HttpTransportOptions } from './options.ts';
import { closedError, PostedRequests } from './posted-request.ts';
import type { PostedRequest } from './posted-request.ts';
import { requester } from './authorization.ts';
import type { HttpRequester } from './authorization.ts';
import { delay, follow, isRefusal } from './resumption.ts';
import type { ResumptionPort } from './resumption.ts';
import type { HttpAnswer, HttpSender } from './sender.ts';
import { checkSession, endSession, sessionOf } from './session.ts';
import type { HttpSession } from './session.ts';

// 2026-07-28 basic/transports/streamable-http#backward-compatibility:
// in a response with an HTTP error status, `-32601` also marks a modern server.
const saysModern = (code: number): boolean =>
  code === methodNotFoundCode || modernErrors.includes(code);

/** One posted message, and its HTTP request. */
interface SentPost {
  readonly text: string;
  readonly message: Outgoing;
  readonly posted: PostedRequest;
}

/** Posts the messages of a client to one MCP endpoint, and handles each response. */
export class ClientPosting {
  readonly requests: PostedRequests;
  readonly request: HttpRequester;
  readonly listener: GetStream;
  readonly #base: URL;
  readonly #limits: HttpClientLimits;
  readonly #trace: HttpTransportOptions['trace'];
  readonly #resumption: ResumptionPort;
  #session: HttpSession | undefined;
  /** Whether the client has declared that it answers questions. */
  #answersQuestions = false;
  /** The URL for POSTs, if the server uses HTTP+SSE. */
  #endpoint: URL | undefined;

  constructor(base: URL, options: HttpTransportOptions, sender: HttpSender) {
    const { trace, random = Math.random, clock = systemClock } = options;
    const limits = { ...defaultHttpClientLimits, ...options.limits };
    this.#base = base;
    this.#limits = limits;
    this.#trace = trace;
    this.requests = new PostedRequests(trace, clock, (cancellation) => this.#abortAfter(limits.lingerMs, cancellation));
    this.request = requester(base, options, this.requests, sender);
    this.#resumption = {
      requests: this.requests, limits, clock, wait: (ms, signal) => wait(clock, ms, signal), random, checkSession,
      get: (posted, lastEventId) => this.#get(posted, lastEventId),
    };
    this.listener = new GetStream(this.#resumption);
  }

  #get(posted: PostedRequest, lastEventId: string): Promise<HttpAnswer> {
    const own: Record<string, string> = { accept: 'text/event-stream' };
    if (lastEventId !== '') own['last-event-id'] = lastEventId;
    const answer = this.request.send('GET', this.#base, posted, { own });
    return posted === this.listener.current ? answer.finally(() => this.listener.opened()) : answer;
  }

  #abortAfter(ms: number, cancellation: Cancellation): void {
    this.#resumption.wait(ms, cancellation.signal).then(() => cancellation.cancel());
  }

  /** Posts a message. If that fails, its request fails. */
  send(text: string, message: Outgoing): void {
    const { requests, listener } = this;
    const posted = requests.begin(message, this.#session);
    if (requests.closed) {
      requests.end(posted);
      return requests.fail(posted, closedError());
    }
    if (posted.id === undefined) requests.tells();
    const first = message.method === 'notifications/initialized';
    const one: SentPost = { text, message, posted };
    const held = posted.id === undefined ? undefined : listener.held(mayAsk(message.method ?? ''));
    const sent = repeatable.has(message.method) ? this.#insist(one, first ? initializedRepeats : this.#limits.reconnectAttempts)
      // Requests wait until the server knows that the handshake is complete.
      : held ? held.then(() => this.#post(one)) : this.#post(one);
    if (message.method === 'initialize') this.#answersQuestions = declaresAnswers(message);
    if (first) listener.hold(sent, this.#answersQuestions);
    const end = (): void => {
      requests.end(posted);
      if (posted.id === undefined) requests.took();
    };
    sent.then(end, (thrown: unknown) => {
      if (first) listener.opened();
      requests.fail(posted, thrown);
      end();
    });
  }

  /**
   * Posts a message, and again if the server cannot be reached or fails for a while. Needed for the answer to a question:
   * without it, the server's call would wait.
   */
  async #insist(one: SentPost, most: number): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        return await this.#post(one);
      } catch (thrown) {
        if (isRefusal(thrown) || failures >= most || this.requests.closed) throw thrown;
        await this.#resumption.wait(delay(failures, 0, undefined, this.#resumption), one.posted.cancellation.signal);
      }
    }
  }

  async #post(one: SentPost): Promise<void> {
    const { text, message, posted } = one;
    if (this.requests.closed) throw closedError();
    // If the server has no HTTP+SSE, it may serve that revision over Streamable HTTP.
    if (this.#endpoint === undefined && offersHttpSse(message)) await this.#fallBack();
    this.#trace?.({ direction: 'sent', text, at: this.#resumption.clock.now() });
    const old = this.#endpoint !== undefined;
    const answer = await this.request.send('POST', this.#endpoint ?? this.#base, posted, { own: postHeaders, message, body: text });
    if (!isOk(answer)) return this.#refused(one, answer);
    if (message.method === 'initialize') posted.session = this.#session = sessionOf(answer);
    if (posted.id !== undefined && !old) return this.#answered(one, answer);
    // The body has no meaning, but is read so that its connection can be reused.
    await readText(answer);
    if (message.method !== 'notifications/initialized') return;
    const { agreed } = this.requests;
    if (!old && agreed?.era === 'legacy' && revisionTable.streamableHttp(agreed)) this.listener.open(this.#session);
    else this.listener.opened();
  }

  /** Handles the response to a JSON-RPC request: one message, or a stream of messages. */
  async #answered(one: SentPost, answer: HttpAnswer): Promise<void> {
    const { requests } = this;
    const { message, posted } = one;
    const { status } = answer;
    const type = mediaType(answer.header('content-type'));
    if (type === 'text/event-stream') {
      if (!opening.has(message.method)) return follow(posted, this.#resumption, answer);
      const { type: first, whole } = await firstEvent(answer);
      return first === 'endpoint' ? this.#takeHttpSse(one, whole) : follow(posted, this.#resumption, whole);
    }
    if (type !== 'application/json') {
      throw new HttpError(status, await readText(answer), `HTTP ${status} with content type ${JSON.stringify(type)}`);
    }
    requests.deliver(requests.heard(await readBody(answer, this.#limits.maxMessageBytes)), posted);
    if (requests.awaited(posted)) throw new HttpError(status, '', 'the server answered another request');
  }

  /** Handles an error status. A JSON-RPC error in the body is the answer; without one, the request fails with the status. */
  async #refused(one: SentPost, answer: HttpAnswer): Promise<void> {
    const { requests } = this;
    const { message, posted } = one;
    const { status } = answer;
    const body = await readText(answer, this.#limits.maxMessageBytes);
    checkSession(status, posted, body);
    const decoded = requests.heard(body);
    // 401 and 403 are about the HTTP request, whatever the body says.
    const error = status !== 401 && status !== 403 && decoded.kind === 'failure'
      && (decoded.message.id ?? posted.id) === posted.id && decoded.message.error;
    if (
      message.method === 'initialize' && this.#endpoint === undefined && !offersHttpSse(message)
      && (status === 400 || status === 404 || status === 405)
      && !(error && saysModern(error.code)) && await this.#fallBack()
    ) return this.#post(one);
    if (!error || posted.id === undefined) {
      throw new HttpError(status, body, undefined, (name) => answer.header(name));
    }
    requests.deliver(decoded, posted);
  }

  // ---- HTTP+SSE

  /** Looks for HTTP+SSE (2024-11-05) at the same address. Returns whether the server has it. */
  async #fallBack(): Promise<boolean> {
    return this.#settle(await findHttpSse(this.#base, this.#resumption));
  }

  #settle(found: Awaited<ReturnType<typeof findHttpSse>>): boolean {
    if (found) ({ endpoint: this.#endpoint, stream: this.listener.current } = found);
    return found !== undefined;
  }

  /**
   * The server has answered a POST like a GET, with the stream of HTTP+SSE. That stream is kept: some servers have room for
   * only one (@mastra/mcp 0.14), and close the second stream when the first one closes.
   */
  async #takeHttpSse(one: SentPost, answer: HttpAnswer): Promise<void> {
    const stream = this.requests.detach(one.posted);
    if (!this.#settle(await beginHttpSse(this.#base, stream, () => answer, this.#resumption))) {
      throw new HttpError(answer.status, '', 'the HTTP+SSE stream has no valid endpoint');
    }
    if (one.message.method === 'initialize') return this.#post(one);
    // A server of 2024-11-05 does not handle the `server/discover` probe.
    throw new HttpError(answer.status, '', 'the server speaks HTTP+SSE (2024-11-05)');
  }

  // ---- the end

  /** Forgets the session and the URL for POSTs. */
  forget(): void {
    this.listener.close();
    this.requests.agreed = this.#session = this.#endpoint = undefined;
  }

  /** Ends all requests, and then the session, for at most `closeMs`. */
  async close(): Promise<void> {
    const session = this.#session;
    this.listener.opened();
    this.requests.close();
    if (session === undefined || session.expired) return;
    const cancellation = new Cancellation();
    this.#abortAfter(this.#limits.closeMs, cancellation);
    try {
      await endSession(this.request, this.#base, { session, cancellation });
    } catch {
      // The server will end the idle session itself.
    } finally {
      cancellation.cancel();
    }
  }
}

/** The methods that may begin a connection. The response tells which transport the server uses. */
const opening: ReadonlySet<string | undefined> = new Set(['server/discover', 'initialize']);

/** Whether the capabilities in `initialize` allow the server to ask questions. */
function declaresAnswers({ params }: Outgoing): boolean {
  const { elicitation, sampling, roots } = (params?.['capabilities'] ?? {}) as ClientCapabilities;
  return Boolean(elicitation ?? sampling ?? roots);
}

/** Whether `initialize` offers a revision without Streamable HTTP: the client supports no other, or remembers this one. */
function offersHttpSse({ method, params }: Outgoing): boolean {
  const revision = method === 'initialize' ? findRevision(revisions, params?.['protocolVersion']) : undefined;
  return revision !== undefined && !revisionTable.streamableHttp(revision);
}

/** How often `notifications/initialized` is posted again if the server answers 429 or 5xx or cannot be reached. */
const initializedRepeats = 2;

/** Messages that are safe to repeat. `undefined` is an answer: the server ignores the second one. */
const repeatable: ReadonlySet<string | undefined> = new Set([
  undefined, 'notifications/initialized', 'notifications/cancelled', 'notifications/roots/list_changed',
]);
