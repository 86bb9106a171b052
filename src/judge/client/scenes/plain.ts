import { addTool, echoTool, give, hiddenInfo, refuse } from '../hidden-server.ts';
import { revisions } from '../../../protocol/index.ts';
import { bounds } from '../../bounds.ts';
import type { Play, Scene } from '../scene.ts';
import type { SeenMembers, Received, Visit } from '../visit.ts';
import { isRequest } from '../watch-messages.ts';

// Scenes of the handshake, of lists, and of messages that a client must ignore.

/** The methods of all messages from the client. */
export const methodsOf = (visit: Visit): Set<string> => new Set(visit.messages.flatMap(({ method }) => (method === undefined ? [] : [method])));

/** The tools that the client has called. */
export const toolsOf = (visit: Visit): Set<string> => new Set(visit.messages.flatMap(({ method, params: { name } }) => (method === 'tools/call' && typeof name === 'string' ? [name] : [])));

/** Whether the client sent all methods that it sent to the plain server, except optional ones. */
export const wentOn = ({ visit, usual }: Play): boolean => [...usual].every((method) => methodsOf(visit).has(method) || optional.has(method));

/** Methods that may be missing in one run. */
const optional = new Set(['notifications/cancelled', 'notifications/progress', 'ping', 'server/discover']);

export const plain: Scene = {
  name: 'a plain server', first: true,
  rules: [
    'lifecycle-5', 'lifecycle-6', 'lifecycle-7', 'lifecycle-8', 'lifecycle-9', 'lifecycle-10', 'lifecycle-25', 'lifecycle-15', 'lifecycle-20', 'transports-10', 'transports-3',
    'base-7', 'base-8', 'base-10', 'base-13', 'base-17', 'base-59', 'base-60', 'base-61', 'base-65', 'base-66', 'base-67', 'base-68', 'stdio-1', 'stdio-3',
    'streamable-http-6', 'streamable-http-8', 'streamable-http-15', 'streamable-http-19', 'streamable-http-36', 'streamable-http-41', 'streamable-http-43',
    'streamable-http-58', 'progress-8', 'progress-9', 'elicitation-1', 'versioning-4',
    'base-1', 'base-2', 'lifecycle-14', 'lifecycle-21', 'streamable-http-40', 'tasks-12', 'transports-23',
  ],
  suits: ({ place }, way) => way === 'pipe' || place > 0,
  answer(play, message) {
    const { visit } = play;
    // Delay the answer to `initialize`, to detect a client that does not wait for it, and the answer to `prompts/list`, so that other
    // requests are in flight at the same time.
    const { method = '' } = message;
    if (!(method === 'initialize' && !visit.modern) && method !== 'prompts/list' || play.notes.has(method)) return false;
    play.notes.set(method, true);
    visit.clock.after(60, () => play.serve(message));
    return true;
  },
  after({ visit }) {
    const handshake = visit.messages.find(({ method, params }) => method === 'initialize' && params['protocolVersion'] === visit.revision.version);
    const asked = visit.messages.find(({ method }) => method === 'initialize')?.params['protocolVersion'];
    if (typeof asked === 'string' && !revisions.some(({ version }) => version === asked)) visit.dispute('lifecycle-21', 'a version that exists', JSON.stringify(asked));
    if (handshake && visit.agreed) {
      const later = visit.messages.find(({ place, method }) => place > handshake.place && method !== undefined && method !== 'notifications/cancelled');
      visit.check('lifecycle-21', later !== undefined, `that the client goes on in ${visit.revision.version}, which it asked for and got`, later ?? handshake);
    }
    const [first] = visit.leavings;
    if (visit.way === 'pipe' && first !== undefined && visit.messages.length > 0) {
      visit.check('lifecycle-15', first === 'input', 'the input of the server closed before any signal', first === 'signal' ? 'SIGTERM while the input was open' : 'the server was killed while its input was open');
    }
  },
};

export const onlyTools: Scene = {
  name: 'a server that has only tools', rules: ['lifecycle-13', 'tasks-12'],
  suits: ({ era }) => era === 'legacy',
  // Without the capability of the server the taskSupport of a tool counts for nothing. 2025-11-25 basic/utilities/tasks#tool-level-negotiation.
  offer: ({ place }) => ({
    capabilities: { tools: {} }, resources: [], prompts: [], templates: [],
    ...place === 3 && { tools: [addTool, { ...echoTool, execution: { taskSupport: 'optional' } }, { ...addTool, name: 'add_task', execution: { taskSupport: 'required' } }] },
  }),
  after({ visit }) {
    const wants: Readonly<Record<string, string>> = { resources: 'resources', prompts: 'prompts', logging: 'logging', completion: 'completions' };
    for (const message of visit.messages) {
      const capability = wants[message.method?.split('/')[0] ?? ''];
      if (capability !== undefined && visit.agreed && message.id !== undefined) {
        visit.check('lifecycle-13', false, `no ${message.method}: the server has not declared ${capability}`, message);
      } else if (message.method === 'tools/list') visit.check('lifecycle-13', true, 'what the server has declared', message);
    }
  },
};

const unknownVersion = '2999-01-01';

export const otherVersion: Scene = {
  name: 'a server of an unknown revision', rules: ['lifecycle-18'],
  suits: ({ place }) => place === 3,
  answer({ visit, offer, notes }, message) {
    if (message.method !== 'initialize') return false;
    notes.set('at', message.place);
    visit.reply(message, { result: { protocolVersion: unknownVersion, capabilities: offer.capabilities, serverInfo: hiddenInfo } });
    return true;
  },
  after({ visit, notes }) {
    const at = notes.get('at');
    if (typeof at !== 'number') return;
    const later = visit.messages.find(({ place, method }) => place > at && method !== undefined && method !== 'initialize' && method !== 'server/discover');
    visit.check('lifecycle-18', later === undefined, `no further message: the server has answered with ${unknownVersion}`, later ?? 'the client left');
  },
};

/** The page of a list for a cursor: its items, and the next cursor. Undefined: the cursor is unknown. */
function pageOf(play: Play, message: Received): { items: readonly SeenMembers[]; next: string | undefined } | undefined {
  const cursor = message.params['cursor'];
  const [first, second, third] = cursorsOf(play, message.method ?? '');
  const all = itemsOf(message.method ?? '');
  if (cursor === undefined || cursor === null) return { items: all.slice(0, 1), next: first };
  if (cursor === first) return { items: all.slice(1, 3), next: second };
  if (cursor === second) return { items: all.slice(3, 4), next: third };
  return cursor === third && third !== undefined ? { items: all.slice(4), next: undefined } : undefined;
}

/** Cursors that survive only if the client treats them as opaque. The empty one is a cursor since 2026-07-28. */
function cursorsOf({ visit }: Play, method: string): readonly [string, string, string | undefined] {
  return [`${method}#2 säule="/+%20 `, `eyJwYWdlIjozfQ==:${method}`, visit.modern ? '' : undefined];
}

function itemsOf(method: string): SeenMembers[] {
  const names = ['one', 'two', 'three', 'four', 'five'];
  // The plain server has these two tools on one page. Here each is the first item of a page.
  if (method === 'tools/list') return [addTool, echoTool, ...names.slice(2).map((name) => ({ ...echoTool, name: `${name}_tool` }))];
  if (method === 'prompts/list') return names.map((name) => ({ name }));
  if (method === 'resources/list') return names.map((name) => ({ uri: `hidden://${name}`, name }));
  return names.map((name) => ({ uriTemplate: `hidden://${name}/{x}`, name }));
}

const paged = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']);

export const pages: Scene = {
  name: 'lists in pages', rules: ['pagination-2', 'pagination-4', 'pagination-5', 'pagination-6', 'pagination-8', 'prompts-12'],
  suits: ({ place }) => place >= 3,
  answer(play, message) {
    if (!paged.has(message.method ?? '') || message.id === undefined) return false;
    const { visit } = play;
    const page = pageOf(play, message);
    const cursor = message.params['cursor'];
    if (typeof cursor === 'string') visit.check('pagination-2', page !== undefined, 'a cursor as the server gave it for this list', message);
    if (!page) {
      refuse(play, message, -32602, 'Invalid cursor');
      return true;
    }
    const member = message.method === 'resources/templates/list' ? 'resourceTemplates' : message.method?.split('/')[0] ?? '';
    give(play, message, { [member]: page.items, ...page.next !== undefined && { nextCursor: page.next } });
    return true;
  },
  after(play) {
    const { visit } = play;
    onePage(play);
    for (const method of paged) {
      const asked = visit.messages.filter((one) => one.method === method && one.id !== undefined);
      const cursors = asked.map(({ params }) => params['cursor']);
      const [first, second, third] = cursorsOf(play, method);
      if (asked.length === 0) continue;
      if (!cursors.includes(first)) {
        if (method === 'prompts/list') visit.dispute('prompts-12', 'prompts/list with the cursor of the first page', `${asked.length} requests of prompts/list, and no cursor`);
        visit.dispute('pagination-4', `${method} with the cursor of the first page`, `${asked.length} requests of ${method}, and no cursor`);
        continue;
      }
      visit.check('pagination-4', true, 'lists in pages', method);
      if (cursors.includes(second)) visit.check('pagination-8', true, 'pages of 1, 2 and 1', method);
      else visit.dispute('pagination-8', `${method} with the second cursor`, 'the client stopped after the second page');
      if (third !== undefined && cursors.includes(second)) {
        visit.check('pagination-6', cursors.includes(third), `${method} with the cursor ""`, `the client stopped at a page whose nextCursor is ""`);
      }
      if (method === 'prompts/list') visit.check('prompts-12', true, 'all pages', method);
      const last = asked.find(({ params }) => params['cursor'] === (third ?? second));
      const next = last && visit.messages.slice(last.place + 1).find(isRequest);
      // The client may have started a new list, which looks the same.
      if (next?.method === method) visit.dispute('pagination-5', `no request of ${method} right after its last page`, next);
      else if (last) visit.check('pagination-5', true, 'no further page', method);
    }
  },
};

/** The plain server has the same two tools on one page. A program that calls them here must call them there. */
function onePage({ visit, usual, called }: Play): void {
  const here = toolsOf(visit);
  if (!usual.has('tools/list') || !here.has('add_numbers')) return;
  const [call = ''] = visit.messages.filter(({ method }) => method === 'tools/call');
  if (called.size > 0) visit.check('pagination-4', true, 'lists with and without pages', call);
  else visit.dispute('pagination-4', 'a call of add_numbers also where it is listed on a page without nextCursor', call);
  if (!here.has('echo') || !called.has('add_numbers')) return;
  if (called.has('echo')) visit.check('pagination-8', true, 'both tools of a page', call);
  else visit.dispute('pagination-8', 'a call of echo also where it is the second tool of a page', call);
}

export const stray: Scene = {
  name: 'messages that a client must ignore', rules: ['cancellation-13', 'cancellation-14', 'cancellation-15', 'elicitation-5', 'ping-1', 'cancellation-22'],
  suits: ({ place }, way) => place === 3 || (place === 2 && way === 'pipe'),
  answer(play, message) {
    if (message.method !== 'tools/list' || play.notes.has('said')) return false;
    play.notes.set('said', true);
    void saySome(play, message);
    return true;
  },
  after(play) {
    const { visit, notes } = play;
    if (!notes.has('told')) return;
    const on = wentOn(play);
    const came = on ? 'the client went on' : `the client did not go on; ${visit.ended ?? 'it still ran'}`;
    for (const id of ['cancellation-13', 'cancellation-14', 'cancellation-15', 'cancellation-22', 'elicitation-5']) {
      if (on) visit.check(id, true, 'the client to go on', came);
      // It is unknown which of the stray messages stopped it.
      else visit.dispute(id, 'the client to go on after messages that are not for it', came);
    }
  },
};

async function saySome(play: Play, list: Received): Promise<void> {
  const { visit } = play;
  const pinged = await visit.ask('ping', undefined, list);
  const result = pinged?.json && typeof pinged.json === 'object' && 'result' in pinged.json ? pinged.json.result : undefined;
  const empty = typeof result === 'object' && result !== null && Object.keys(result).every((key) => key === '_meta');
  visit.check('ping-1', empty, 'an empty result', pinged ?? 'no answer to ping');
  for (const id of ['hidden-1', 'no-such-request']) visit.cancelled.add(id);
  play.notes.set('told', true);
  await cancelled(play, list, 'cancellation-13', { requestId: 'hidden-1', reason: 'a request that is finished' });
  await cancelled(play, list, 'cancellation-15', { requestId: 'no-such-request' });
  await cancelled(play, list, 'cancellation-14', { reason: 'no id' });
  if (visit.revision.place === 3) visit.say({ method: 'notifications/elicitation/complete', params: { elicitationId: 'no-such-elicitation' } }, list);
  play.serve(list);
}

/** Sends notifications/cancelled and a ping. Judges any message besides the answer to the ping. */
async function cancelled({ visit }: Play, list: Received, rule: string, params: SeenMembers): Promise<void> {
  const from = visit.messages.length;
  const loose = (): Received | undefined => visit.messages.slice(from).find(({ method, id, json }) => method === undefined && json !== undefined && (id === undefined || id === null || visit.cancelled.has(id)));
  // Errors without an id are judged here, not by the watcher.
  for (const id of [undefined, null]) visit.unjudged.add(id);
  const sent = { method: 'notifications/cancelled', params };
  visit.say(sent, list);
  await visit.ask('ping', undefined, list);
  await visit.until(() => loose() !== undefined, bounds.orderMs);
  const answer = loose();
  if (answer) visit.check(rule, false, 'no response to this notification', answer, JSON.stringify({ jsonrpc: '2.0', ...sent }));
  for (const id of [undefined, null]) visit.unjudged.delete(id);
}
