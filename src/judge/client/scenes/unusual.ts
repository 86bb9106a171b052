import { isObject } from '../../../jsonrpc/internal-exports.ts';
import { serverInfoKey } from '../../../protocol/internal-exports.ts';
import { addTool, give, hiddenInfo } from '../hidden-server.ts';
import type { HiddenRequest } from '../port.ts';
import type { Play, Scene } from '../scene.ts';
import type { Received } from '../visit.ts';
import { wentOn } from './plain.ts';

// Rare messages of a server, and the client's reaction.

const calls = ({ usual }: Play): boolean => usual.has('tools/call');

export const unknowns: Scene = {
  name: 'an unknown notification, and a request of a modern server', rules: ['base-62', 'base-3'],
  suits: ({ place }) => place >= 3,
  answer(play, message) {
    const { visit, notes } = play;
    if (message.method !== 'tools/list' || notes.has('said')) return false;
    notes.set('said', message.place);
    visit.say({ method: 'notifications/hidden/unknown', params: { hidden: true } }, message);
    if (visit.modern) visit.say({ id: 'hidden-request', method: 'ping' }, message);
    visit.clock.after(150, () => play.serve(message));
    return true;
  },
  after({ visit, notes }) {
    const said = notes.get('said');
    if (typeof said !== 'number' || visit.messages.length <= said + 1) return;
    const responses = visit.messages.filter(({ place, method }) => place > said && method === undefined);
    const [loose] = responses.filter(({ json, id }) => isObject(json) && id !== 'hidden-request' && !visit.question(id));
    visit.check('base-62', loose === undefined, 'no response to a notification', loose ?? 'the client went on');
    // A response to the request was judged when it came.
    if (visit.modern && responses.length === 0) visit.check('base-3', true, 'no response to a request of a modern server', 'the client went on');
  },
};

const odd = { ...addTool, name: 'odd_tool', description: 'Is listed in a result of an unknown type' };

/** 2026-07-28 basic/index#resulttype. */
export const unknownType: Scene = {
  name: 'a list in a result of an unknown type', rules: ['base-73'], suits: ({ era }) => era === 'modern',
  answer({ visit }, message) {
    if (message.method !== 'tools/list') return false;
    visit.reply(message, { result: { resultType: 'hidden/unknown', tools: [odd], ttlMs: 0, cacheScope: 'private', _meta: { [serverInfoKey]: hiddenInfo } } });
    return true;
  },
  after(play) {
    const { visit } = play;
    if (!calls(play) || !visit.messages.some(({ method, answered }) => method === 'tools/list' && answered)) return;
    const used = visit.messages.find(({ method, params }) => method === 'tools/call' && params['name'] === 'odd_tool');
    visit.check('base-73', used === undefined, 'no use of a result of the type hidden/unknown', used ?? 'the client did not use it');
  },
};

export const noType: Scene = {
  name: 'a list in a result without a type', rules: ['base-74'], suits: ({ era }) => era === 'modern',
  answer({ visit }, message) {
    if (message.method !== 'tools/list') return false;
    visit.reply(message, { result: { tools: [odd], ttlMs: 0, cacheScope: 'private', _meta: { [serverInfoKey]: hiddenInfo } } });
    return true;
  },
  after(play) {
    const { visit } = play;
    const [list] = visit.messages.filter(({ method, answered }) => method === 'tools/list' && answered);
    if (!calls(play) || !list) return;
    const used = visit.messages.find(({ method, params }) => method === 'tools/call' && params['name'] === 'odd_tool');
    visit.check('base-74', used !== undefined, 'the result used: one without a resultType is complete', used ?? `the client did not use it (${visit.ended ?? 'it still runs'})`);
  },
};

const notes = ['first', 'second', 'third'].map((name) => ({ uri: `hidden://${name}`, name, mimeType: 'text/plain' }));

/** 2026-07-28 server/utilities/caching: a cached result is only for the same method and parameters. */
export const longCache: Scene = {
  name: 'results that may be kept for a minute', rules: ['caching-1'], suits: ({ era }) => era === 'modern',
  offer: () => ({ resources: notes }),
  answer(play, message) {
    const { method, params } = message;
    const kept = { ttlMs: 60_000, cacheScope: 'private' };
    if (method === 'resources/list') give(play, message, { resources: notes, ...kept });
    else if (method === 'prompts/list') give(play, message, { prompts: play.offer.prompts, ...kept });
    else if (method === 'tools/list') give(play, message, { tools: play.offer.tools, ...kept });
    else if (method === 'resources/read') give(play, message, { contents: [{ uri: params['uri'], mimeType: 'text/plain', text: `the note ${String(params['uri'])}` }], ...kept });
    else return false;
    return true;
  },
  after(play) {
    const { visit } = play;
    const read = new Set(visit.messages.filter(({ method }) => method === 'resources/read').map(({ params }) => params['uri']));
    if (read.size === 0 || !wentOn(play)) return;
    if (read.size === notes.length) visit.check('caching-1', true, 'a request for each resource', [...read].join(', '));
    // The program may want only one.
    else visit.dispute('caching-1', `resources/read of ${notes.map(({ uri }) => uri).join(', ')}`, `resources/read of ${[...read].join(', ')}`);
  },
};

/** 2026-07-28 basic/transports/streamable-http: a broken stream is not resumed. */
export const lostCall: Scene = {
  name: 'a modern stream that is cut before its answer', rules: ['changelog-1'], suits: ({ era }, way) => era === 'modern' && way === 'http',
  answer({ visit, notes: kept }, message) {
    const { http } = message;
    if (message.method !== 'tools/call' || !http || kept.has('cut')) return false;
    kept.set('cut', message);
    const stream = visit.stream(http);
    // With an id, as in earlier revisions.
    stream.write('id: hidden-lost\ndata:\n\n');
    visit.clock.after(50, () => stream.cut());
    return true;
  },
  after({ visit, notes: kept }) {
    const cut = kept.get('cut') as Received | undefined;
    if (!cut) return;
    const resumed = visit.requests.find(({ headers }) => headers['last-event-id'] !== undefined);
    const same = visit.messages.find(({ place, id, method }) => place > cut.place && method === 'tools/call' && id === cut.id);
    const wrong: HiddenRequest | Received | undefined = resumed ?? same;
    visit.check('changelog-1', wrong === undefined, 'no resumption, and no second request of the same id', wrong ?? 'the client took the call for lost');
  },
};

/** 2026-07-28 basic/index#json-schema-usage: references to the network. */
export const references: Scene = {
  name: 'a schema that refers to the network', rules: ['base-63'], suits: ({ place }, way) => way === 'http' && place >= 4,
  answer(play, message) {
    const { visit } = play;
    if (message.method !== 'tools/list' || visit.url === undefined) return false;
    const $ref = new URL('/hidden/schema.json', visit.url).href;
    give(play, message, { tools: [{ ...addTool, outputSchema: { type: 'object', properties: { sum: { $ref } } } }, { ...addTool, name: 'second_tool', inputSchema: { type: 'object', properties: { a: { $ref } } } }] });
    return true;
  },
  after({ visit }) {
    if (!visit.messages.some(({ method, answered }) => method === 'tools/list' && answered)) return;
    const fetched = visit.requests.find(({ path }) => path === '/hidden/schema.json');
    visit.check('base-63', fetched === undefined, 'no request for a $ref to the network', fetched ?? 'the client fetched nothing');
  },
};

/** 2024-11-05 basic/transports#http-with-sse. */
export const httpSse: Scene = {
  name: 'a server over HTTP+SSE', first: true, rules: ['transports-15'], suits: ({ place }, way) => way === 'http' && place === 0,
  answerHttp({ visit, notes: kept }, request) {
    const [path] = request.path.split('?');
    if (request.method === 'GET' && path === '/mcp') {
      const stream = visit.stream(request);
      stream.write('event: endpoint\ndata: /hidden/messages?at=1\n\n');
      visit.over(stream, request);
      kept.set('open', true);
      return true;
    }
    if (request.method !== 'POST') return false;
    if (path !== '/hidden/messages') {
      if (kept.has('open')) visit.check('transports-15', false, 'messages at /hidden/messages, which the event endpoint names', request);
      visit.respond(request, 405, { allow: 'GET' });
      return true;
    }
    visit.check('transports-15', true, 'a message at the endpoint', request);
    visit.respond(request, 202);
    visit.posted(request.body);
    return true;
  },
};
