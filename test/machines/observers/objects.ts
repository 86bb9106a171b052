import { Link } from '../../../src/client/lifecycle.ts';
import { Cancelled, InboundRequest } from '../../../src/jsonrpc/inbound-request.ts';
import { ConnectedClient } from '../../../src/server/connected-client.ts';
import { Subscriptions } from '../../../src/server/modern/subscriptions.ts';
import { Session } from '../../../src/transport/http/server/session.ts';
import { SseStream } from '../../../src/transport/http/server/sse-stream.ts';
import type { Trace } from '../trace.ts';
import { watchField, watchMethod } from '../watch.ts';
import type { Undo } from '../watch.ts';

/** Observes the state field in the lifecycles of both roles. */
export function watchLifecycles(trace: Trace): Undo[] {
  return [
    watchField(ConnectedClient, 'state', (client, before, after) => before !== undefined && trace.move('server-lifecycle', client, after)),
    // A link outlives its connections; each connection starts a new machine.
    watchField(Link, 'state', (link, before, after) => {
      if (before === undefined || after === 'new') machines.set(link, {});
      else trace.move('client-lifecycle', machines.get(link), after);
    }),
  ];
}

/** The machine of a link's current connection. */
const machines = new WeakMap<Link, object>();

/** The event for each reason of a session's end, as its handlers get it. */
const ends: Readonly<Record<string, string>> = {
  'the client ended the session': 'delete',
  'the session was idle for too long': 'lapse',
  'the session was evicted for a new one': 'evict',
  'the server is closing': 'shutdown',
};

const sessionState = ({ ended, connections }: Session): string => (ended ? 'ended' : connections > 0 ? 'connected' : 'idle');

/** Observes HTTP sessions. */
export function watchSessions(trace: Trace): Undo[] {
  return [
    watchMethod(Session, 'connected', (session, next) => {
      next();
      trace.see('session', session, 'connect', sessionState(session));
    }),
    watchMethod(Session, 'disconnected', (session, next) => {
      next();
      trace.see('session', session, session.connections > 0 ? 'disconnect' : 'leave', sessionState(session));
    }),
    watchMethod(Session, 'close', (session, next, why) => {
      // Its streams end within the call, so record the end first.
      trace.see('session', session, ends[why] ?? why, 'ended');
      next(why);
    }),
  ];
}

/** Observes the streams of sessions. */
export function watchStreams(trace: Trace): Undo[] {
  /** Streams that are ending: their carriers end with them. */
  const finishing = new WeakSet<SseStream>();
  const shown = (stream: SseStream): string => (stream.live ? 'attached' : 'waiting');
  return [
    watchMethod(SseStream, 'attach', (stream, next, request, attachment) => {
      next(request, attachment);
      trace.see('stream', stream, 'attach', shown(stream));
    }),
    watchMethod(SseStream, 'detach', (stream, next) => {
      const { live } = stream;
      next();
      if (live && !finishing.has(stream)) trace.see('stream', stream, 'detach', shown(stream));
    }),
    watchMethod(SseStream, 'write', (stream, next, text) => {
      next(text);
      trace.see('stream', stream, 'write', shown(stream));
    }),
    watchMethod(SseStream, 'finish', (stream, next) => {
      finishing.add(stream);
      next();
      trace.see('stream', stream, 'finish', stream.live ? 'attached' : 'over');
    }),
  ];
}

/** Observes subscriptions of 2026-07-28. */
export function watchSubscriptions(trace: Trace): Undo[] {
  const open = new WeakSet<InboundRequest>();
  const name = 'subscription';
  return [
    watchMethod(Subscriptions, 'listen', (_subscriptions, next, exchange) => {
      const { inbound } = exchange;
      open.add(inbound);
      inbound.signal.addEventListener('abort', () => trace.see(name, inbound, inbound.signal.reason instanceof Cancelled ? 'cancel' : 'close'));
      try {
        return next(exchange);
      } catch (error) {
        trace.see(name, inbound, 'refuse');
        throw error;
      }
    }),
    watchMethod(InboundRequest, 'send', (inbound, next, text, message) => {
      const { settled } = inbound;
      next(text, message);
      if (!open.has(inbound) || settled) return;
      const { method } = JSON.parse(text) as { method: string };
      const event = method === 'notifications/subscriptions/acknowledged' ? 'acknowledge' : method === 'notifications/cancelled' ? 'end' : 'notify';
      trace.see(name, inbound, event);
    }),
  ];
}
