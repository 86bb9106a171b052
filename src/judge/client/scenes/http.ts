import { ssePolling } from '../../../protocol/internal-exports.ts';
import { dressed, textResult } from '../hidden-server.ts';
import type { HiddenRequest } from '../port.ts';
import type { Play, Scene } from '../scene.ts';
import type { Received, Visit } from '../visit.ts';
import { wentOn } from './plain.ts';

// Streamable HTTP of the legacy eras: sessions, event streams, resumption.

const sessionOf = ({ seed, number }: Visit): string => `hidden-session-${seed}-${number}`;

export const session: Scene = {
  name: 'a server with sessions', rules: ['transports-31', 'transports-32'],
  suits: ({ era, place }, way) => way === 'http' && era === 'legacy' && place > 0,
  answer({ visit }, { method }) {
    if (method === 'initialize') visit.session = sessionOf(visit);
    return false;
  },
  after({ visit }) {
    if (visit.session === undefined || !visit.agreed || visit.ended === undefined || visit.messages.length < 3) return;
    const deleted = visit.requests.find(({ method, headers }) => method === 'DELETE' && headers['mcp-session-id'] === visit.session);
    visit.check('transports-31', deleted !== undefined, `DELETE with Mcp-Session-Id: ${visit.session} before the client ends`, deleted ?? `the client ended without it (${visit.ended})`);
  },
};

export const lostSession: Scene = {
  name: 'a server that ends a session', rules: ['transports-38'],
  suits: ({ place }, way) => way === 'http' && place >= 2 && place < 4,
  answer(play, message) {
    const { visit, notes } = play;
    const { method, http } = message;
    if (method === 'initialize' && http) {
      if (notes.has('lost') && !notes.has('again')) {
        notes.set('again', message);
        visit.check('transports-38', http.headers['mcp-session-id'] === undefined, 'initialize without a session id after the status 404', http);
      }
      visit.session = `${sessionOf(visit)}-${visit.requests.length}`;
      return false;
    }
    const old = http?.headers['mcp-session-id'];
    if (!http || message.id === undefined || method === undefined || old === undefined) return false;
    if (!notes.has('lost') || notes.get('lost') === old) {
      if (notes.has('told')) notes.set('stubborn', http);
      notes.set('lost', old);
      message.answered = true;
      // Respond late, so that requests sent at the same time arrive before the client knows of the 404.
      visit.clock.after(notes.has('told') ? 0 : 300, () => {
        notes.set('told', true);
        visit.respond(http, 404, { 'content-type': 'application/json' }, JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32600, message: 'Session not found' } }));
      });
      return true;
    }
    return false;
  },
  after({ visit, notes }) {
    if (!notes.has('lost') || notes.has('again')) return;
    const stubborn = notes.get('stubborn') as HiddenRequest | undefined;
    if (stubborn) visit.check('transports-38', false, 'a new initialize without a session id after the status 404', stubborn);
    // The sentence demands a new session, but a client that gives up does not need one.
    else visit.dispute('transports-38', 'a new initialize without a session id after the status 404', `the client gave up (${visit.ended ?? 'it says nothing more'})`);
  },
};

/** Opens the stream with unusual but legal lines: a comment, an event without data, CRLF. */
function streamed(play: Play, message: Received): boolean {
  const { visit } = play;
  if (!message.http || message.id === undefined || message.method === undefined || message.method === 'server/discover') return false;
  const stream = visit.open(message);
  if (!stream) return false;
  stream.write(': a comment\r\n\r\n');
  if (ssePolling(visit.revision)) stream.write(`id: s-${message.place}\r\ndata:\r\n\r\n`);
  return false;
}

export const streams: Scene = {
  name: 'answers in event streams', rules: ['streamable-http-42'],
  suits: ({ place }, way) => way === 'http' && place >= 1,
  answer: streamed,
  after(play) {
    const { visit } = play;
    if (visit.messages.length === 0) return;
    const on = wentOn(play);
    visit.check('streamable-http-42', on, 'the client to read answers in event streams, as it reads JSON', on ? 'it went on' : `it did not go on; ${visit.ended ?? 'it still ran'}`);
  },
};

const retryMs = 700;

export const resumed: Scene = {
  name: 'a stream that is cut before its answer', rules: ['transports-13', 'transports-26', 'transports-27'],
  suits: ({ place }, way) => way === 'http' && place === 3,
  answer({ visit, notes }, message) {
    const { http } = message;
    if (message.method !== 'tools/call' || !http || notes.has('cut')) return false;
    const stream = visit.stream(http);
    const id = `cut-${visit.seed}-${visit.number}`;
    stream.write(`id: ${id}\nretry: ${retryMs}\ndata:\n\n`);
    notes.set('id', id).set('call', message);
    visit.clock.after(50, () => {
      notes.set('cut', visit.clock.monotonic());
      stream.end();
    });
    return true;
  },
  answerHttp(play, request) {
    const { visit, notes } = play;
    const id = notes.get('id');
    const cut = notes.get('cut');
    if (request.method !== 'GET' || typeof id !== 'string' || typeof cut !== 'number') return false;
    const last = request.headers['last-event-id'];
    if (last === undefined) return false;
    const waited = visit.clock.monotonic() - cut;
    visit.check('transports-13', last === id, `GET with Last-Event-ID: ${id}`, request);
    visit.check(['transports-26'], waited >= retryMs - 20, `${retryMs} ms between the end of the stream and the new connection (retry: ${retryMs})`, `${Math.round(waited)} ms`);
    visit.check('transports-27', true, 'a new connection', request);
    notes.set('resumed', true);
    const call = notes.get('call') as Received;
    const stream = visit.stream(request);
    visit.event(stream, JSON.stringify({ jsonrpc: '2.0', id: call.id, result: dressed(visit.revision, 'tools/call', textResult('five, at last')) }), request, `${id}-2`);
    call.answered = true;
    stream.end();
    return true;
  },
  after({ visit, notes }) {
    if (!notes.has('cut') || notes.has('resumed')) return;
    // "If the client wishes to resume": the client may have given the request up.
    for (const rule of ['transports-13', 'transports-27']) visit.dispute(rule, `GET with Last-Event-ID: ${String(notes.get('id'))} after a stream that ended without the response`, `no such request (${visit.ended ?? 'the client waits'})`);
  },
};

/** 2025-03-26 basic/index#batching: a receiver must accept batches. */
export const batches: Scene = {
  name: 'a server that sends a batch', rules: ['base-19'],
  suits: ({ place }) => place === 1,
  answer(play, message) {
    const { visit, notes } = play;
    if (message.method !== 'tools/call' || notes.has('batch')) return false;
    notes.set('batch', true);
    const answer = { jsonrpc: '2.0', id: message.id, result: textResult('five') };
    const ping = { jsonrpc: '2.0', id: 'hidden-batch', method: 'ping' };
    const second = { jsonrpc: '2.0', id: 'hidden-batch-2', method: 'ping' };
    const told = visit.askText(JSON.stringify([ping, answer, second]), 'hidden-batch', 'ping', message);
    const last = visit.expect('hidden-batch-2', 'ping', JSON.stringify(second));
    message.answered = true;
    void Promise.all([told, last]).then(([one, two]) => {
      const pong = one && two;
      message.stream?.end();
      notes.set('ponged', pong !== undefined);
      if (pong === undefined) visit.check('base-19', false, 'an answer to each ping of a batch', one ? 'an answer to the first one' : 'no answer');
    });
    return true;
  },
  after(play) {
    if (play.notes.get('ponged') !== true) return;
    const on = wentOn(play);
    play.visit.check('base-19', on, 'the client to take the response, which is the second item of the batch', on ? 'it went on' : `it did not go on; ${play.visit.ended ?? 'it still waits'}`);
  },
};
