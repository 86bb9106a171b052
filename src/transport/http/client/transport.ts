import * as errorCodes from '../../../jsonrpc/error-codes.ts';
import { checkTimes } from '../../../jsonrpc/times.ts';
import * as columns from '../../../protocol/columns.ts';
import { modernErrors } from '../../../protocol/meta.ts';
import { HttpError, SessionExpired } from '../../port.ts';
import type { ClientTransport, Outgoing } from '../../port.ts';
import { isOk, mediaType, readBody, readText } from './body.ts';
import { Cancellation } from './cancellation.ts';
import { GetStream } from './get-stream.ts';
import { findHttpSse } from './http-sse.ts';
import { defaultHttpClientLimits, wait as realWait } from './options.ts';
import type { HttpTransportOptions } from './options.ts';
import { closedError, PostedRequests } from './posted-request.ts';
import type { HttpSession, PostedRequest } from './posted-request.ts';
import { requester } from './requester.ts';
import { delay, follow, isRefusal } from './resumption.ts';
import type { Resumption } from './resumption.ts';
import type { HttpAnswer, HttpSender } from './sender.ts';

// 2026-07-28 basic/transports/streamable-http#backward-compatibility:
// with an HTTP error, `-32601` says it too.
const saysModern = (code: number): boolean =>
  code === errorCodes.methodNotFound || modernErrors.includes(code);

/**
 * The client's side of Streamable HTTP over any sender: what is posted, and what becomes of each answer. `url` is
 * the MCP endpoint; a TypeError where it is none.
 */
export function clientTransport(
  url: string | URL, options: HttpTransportOptions, sends: HttpSender,
): ClientTransport {
  const base = new URL(url);
  if (!/^https?:$/.test(base.protocol)) throw new TypeError(`not an HTTP address: ${base}`);
  base.hash = '';
  const { trace, around, random = Math.random, wait = realWait } = options;
  const sender = around?.(sends) ?? sends;
  const limits = { ...defaultHttpClientLimits, ...options.limits };
  checkTimes(limits);
  const requests = new PostedRequests(trace, (cancellation) => abortAfter(limits.lingerMs, cancellation));
  const request = requester(base, options, requests, sender);
  let session: HttpSession | undefined;
  /** Where messages go once the server has turned out to be an HTTP+SSE one. */
  let endpoint: URL | undefined;

  const resumption: Resumption = {
    requests, limits, wait, random, checkSession,
    get: (posted, lastEventId) => {
      const own: Record<string, string> = { accept: 'text/event-stream' };
      if (lastEventId !== '') own['last-event-id'] = lastEventId;
      const answer = request.send('GET', base, posted, { own });
      return posted === listener.current ? answer.finally(() => listener.opened()) : answer;
    },
  };
  const listener = new GetStream(resumption);

  const listens = (): boolean =>
    endpoint === undefined && requests.agreed?.era === 'legacy' && columns.streamableHttp(requests.agreed);

  function abortAfter(ms: number, cancellation: Cancellation): void {
    wait(ms, cancellation.signal).then(() => cancellation.cancel());
  }

  async function post(posted: PostedRequest, text: string, message: Outgoing): Promise<void> {
    if (requests.closed) throw closedError();
    trace?.({ direction: 'sent', text, at: Date.now() });
    const old = endpoint !== undefined;
    const answer = await request.send('POST', endpoint ?? base, posted, { own: postHeaders, message, body: text });
    if (!isOk(answer)) return refused(posted, answer, text, message);
    if (message.method === 'initialize') {
      // 2025-11-25 basic/transports#session-management.
      const id = answer.header('mcp-session-id');
      posted.session = session = id === undefined ? undefined : { id, expired: false };
    }
    if (posted.id === undefined || old) {
      // A body that says nothing is read all the same, so that its connection can be used again.
      await readText(answer);
      if (message.method === 'notifications/initialized') {
        if (listens()) listener.open(session);
        else listener.opened();
      }
      return;
    }
    const type = mediaType(answer);
    if (type === 'text/event-stream') return follow(posted, resumption, answer);
    if (type !== 'application/json') {
      const what = `HTTP ${answer.status} with content type ${JSON.stringify(type)}`;
      throw new HttpError(answer.status, await readText(answer), what);
    }
    requests.deliver(requests.heard(await readBody(answer, limits.maxMessageBytes)), posted);
    if (requests.awaited(posted)) throw new HttpError(answer.status, '', 'the server answered another request');
  }

  /**
   * What somebody on the other side waits for is told again where the server, or the way to it, is away for a while: a
   * question without its answer holds up the call that asks it.
   */
  async function insist(posted: PostedRequest, most: number, go: () => Promise<void>): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        return await go();
      } catch (thrown) {
        if (isRefusal(thrown) || failures >= most || requests.closed) throw thrown;
        await wait(delay(failures, 0, undefined, resumption), posted.cancellation.signal);
      }
    }
  }

  /** An error status. A JSON-RPC error in the body is the answer; without one, the status is. */
  async function refused(
    posted: PostedRequest, answer: HttpAnswer, text: string, message: Outgoing,
  ): Promise<void> {
    const { status } = answer;
    const body = await readText(answer, limits.maxMessageBytes);
    checkSession(status, posted, body);
    const decoded = requests.heard(body);
    // 401 and 403 are about the HTTP request, whatever the body is.
    const error = status !== 401 && status !== 403 && decoded.kind === 'failure'
      && (decoded.message.id ?? posted.id) === posted.id && decoded.message.error;
    if (
      message.method === 'initialize' && endpoint === undefined
      && (status === 400 || status === 404 || status === 405)
      && !(error && saysModern(error.code)) && await fallBack()
    ) return post(posted, text, message);
    if (!error || posted.id === undefined) {
      throw new HttpError(status, body, undefined, (name) => answer.header(name));
    }
    requests.deliver(decoded, posted);
  }

  function checkSession(status: number, posted: PostedRequest, body: string): void {
    if (status !== 404 || posted.session === undefined) return;
    // Its id goes on being sent until there is another: without one, the next request would get a 400.
    posted.session.expired = true;
    throw new SessionExpired(body);
  }

  async function fallBack(): Promise<boolean> {
    const found = await findHttpSse({ base, requests, limits, request, wait });
    if (found) ({ endpoint, stream: listener.current } = found);
    return found !== undefined;
  }

  return {
    kind: 'http',
    context: request.context,

    async open(told) {
      requests.receiver = told;
    },

    send(text, message = {}) {
      const posted = requests.begin(message, session);
      if (requests.closed) {
        requests.end(posted);
        return requests.fail(posted, closedError());
      }
      if (posted.id === undefined) requests.tells();
      const first = message.method === 'notifications/initialized';
      const go = (): Promise<void> => post(posted, text, message);
      // Requests wait until the server knows that the handshake is over.
      const most = first ? initializedRepeats : limits.reconnectAttempts;
      const sent = repeatable.has(message.method) ? insist(posted, most, go) : listener.held && posted.id !== undefined ? listener.held.then(go) : go();
      if (first) listener.hold(sent);
      const end = (): void => {
        requests.end(posted);
        if (posted.id === undefined) requests.took();
      };
      sent.then(end, (thrown: unknown) => {
        if (first) listener.opened();
        requests.fail(posted, thrown);
        end();
      });
    },

    abandon: (id) => requests.abandon(id),

    agreed(revision) {
      requests.agreed = revision;
    },

    async reopen() {
      listener.close();
      requests.agreed = session = endpoint = undefined;
    },

    async close() {
      if (requests.closed) return;
      listener.opened();
      requests.close();
      if (session === undefined || session.expired) return sender.close?.();
      const cancellation = new Cancellation();
      abortAfter(limits.closeMs, cancellation);
      try {
        // 2025-11-25 basic/transports#session-management: a server may refuse this with 405.
        await readText(await request.send('DELETE', base, { session, cancellation }, { own: {} }));
      } catch {
        // The server will find the session idle.
      } finally {
        cancellation.cancel();
        sender.close?.();
      }
    },
  };
}

/** How often `notifications/initialized` is posted again to a server that answers 5xx or cannot be reached. */
const initializedRepeats = 2;

/** What says the same when it comes twice; `undefined` is an answer: the second one finds nobody who waits. */
const repeatable: ReadonlySet<string | undefined> = new Set([
  undefined, 'notifications/initialized', 'notifications/cancelled', 'notifications/roots/list_changed',
]);

const postHeaders: Readonly<Record<string, string>> = {
  accept: 'application/json, text/event-stream', 'content-type': 'application/json',
};
