import { isObject } from '../../../jsonrpc/internal-exports.ts';
import { elicitation, samplingTools, urlElicitation } from '../../../protocol/internal-exports.ts';
import { give, textResult } from '../hidden-server.ts';
import type { Play, Scene } from '../scene.ts';
import type { SeenMembers, Received } from '../visit.ts';

// The legacy era: during a call, the server asks everything that a client may answer.

const form = {
  type: 'object',
  properties: { name: { type: 'string', title: 'Name', default: 'Ada' }, size: { type: 'integer', minimum: 1, maximum: 5, default: 2 } },
  required: ['name'],
};
const hello = [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }];
const tool = { name: 'look', description: 'Looks', inputSchema: { type: 'object' } };

export const questions: Scene = {
  name: 'a server that asks during a call',
  rules: [
    'ping-1', 'roots-2', 'roots-4', 'roots-14', 'roots-18', 'elicitation-2', 'elicitation-10', 'elicitation-11', 'elicitation-15', 'sampling-2', 'sampling-6', 'sampling-7',
    'schema-3', 'sampling-21', 'roots-15', 'elicitation-25', 'schema-7', 'base-59', 'base-31', 'base-32', 'base-33', 'base-69', 'base-70', 'base-71', 'lifecycle-5',
  ],
  suits: ({ era, place }, way) => era === 'legacy' && (way === 'pipe' || place > 0),
  answer(play, message) {
    if (message.method !== 'tools/call') return false;
    if (play.notes.has('asked')) return rootsAgain(play, message);
    play.notes.set('asked', true);
    void askAll(play, message).then(() => give(play, message, textResult('asked')));
    return true;
  },
};

const errorOf = (message: Received | undefined): SeenMembers | undefined => (isObject(message?.json) && isObject(message.json['error']) ? message.json['error'] : undefined);
const resultOf = (message: Received | undefined): SeenMembers | undefined => (isObject(message?.json) && isObject(message.json['result']) ? message.json['result'] : undefined);

const pingId = 7_001;

/** 2025-11-25 client/roots#root-list-changes: if the list differs from the first one, the client must have announced a change. */
function rootsAgain(play: Play, call: Received): boolean {
  const { visit, notes } = play;
  const before = notes.get('roots');
  const capability = visit.declared['roots'];
  if (typeof before !== 'string' || notes.has('again') || !isObject(capability) || capability['listChanged'] !== true) return false;
  notes.set('again', true);
  void visit.ask('roots/list', undefined, call).then((answer) => {
    const list = resultOf(answer)?.['roots'];
    const told = visit.messages.some(({ method }) => method === 'notifications/roots/list_changed');
    if (told) visit.check('roots-15', true, 'notifications/roots/list_changed', answer ?? '');
    else if (answer && JSON.stringify(list) !== before) visit.check('roots-15', false, 'notifications/roots/list_changed before a list that differs', answer);
    give(play, call, textResult('asked'));
  });
  return true;
}

async function askAll(play: Play, call: Received): Promise<void> {
  const { visit } = play;
  // A numeric id must come back as a number.
  const pinged = await visit.askText(JSON.stringify({ jsonrpc: '2.0', id: pingId, method: 'ping' }), pingId, 'ping', call);
  const pong = resultOf(pinged);
  visit.check('ping-1', pong !== undefined && Object.keys(pong).every((key) => key === '_meta'), 'an empty result', pinged ?? 'no answer to ping');
  await roots(play, call);
  if (elicitation(visit.revision)) await elicit(play, call);
  await sample(play, call);
}

/**
 * Reports a client that uses a capability without declaring it. If it has declared no such capability at all, `initialize` lacks its
 * capabilities: 2025-11-25 basic/lifecycle#initialization.
 */
function undeclared({ visit }: Play, rule: string, expected: string, answer: Received): void {
  visit.check(rule, false, expected, answer);
  if (!['roots', 'elicitation', 'sampling'].some((name) => isObject(visit.declared[name]))) visit.check('lifecycle-5', false, 'the capabilities of the client in initialize', answer);
}

async function roots(play: Play, call: Received): Promise<void> {
  const { visit, notes } = play;
  const declared = isObject(visit.declared['roots']);
  const answer = await visit.ask('roots/list', undefined, call);
  const result = resultOf(answer);
  if (!declared) {
    const some = Array.isArray(result?.['roots']) && result['roots'].length > 0;
    // An empty list, or a result that refuses, does not use the capability.
    if (answer && result && !some) visit.dispute('roots-2', 'the capability roots from a client that answers roots/list', answer);
    else if (answer && some) undeclared(play, 'roots-2', 'the capability roots from a client that answers roots/list', answer);
    else visit.check('roots-2', true, 'the capability roots from a client that answers roots/list', answer ?? 'no answer');
    if (answer && !result) visit.check('roots-4', errorOf(answer)?.['code'] === -32601, 'error -32601 to roots/list at a client without roots', answer);
    return;
  }
  if (!result || !answer) return;
  visit.check('roots-2', true, 'the capability roots', answer);
  const list = Array.isArray(result['roots']) ? result['roots'] : [];
  notes.set('roots', JSON.stringify(list));
  for (const root of list) {
    const uri = isObject(root) ? root['uri'] : undefined;
    visit.check('roots-14', typeof uri === 'string' && /^file:\/\//i.test(uri), 'a root whose uri begins with file://', answer);
    if (typeof uri === 'string') visit.check('roots-18', !/(?:^|\/)(?:\.|%2e){2}(?:\/|$)/i.test(uri), 'a root whose uri has no steps upward', answer);
  }
}

async function elicit(play: Play, call: Received): Promise<void> {
  const { visit } = play;
  const { declared } = visit;
  const capability = declared['elicitation'];
  const answer = await visit.ask('elicitation/create', { message: 'Who are you?', requestedSchema: form }, call);
  const result = resultOf(answer);
  if (!isObject(capability)) {
    if (answer && result && result['action'] !== 'accept') visit.dispute('elicitation-2', 'the capability elicitation from a client that answers elicitation/create', answer);
    else if (answer && result) undeclared(play, 'elicitation-2', 'the capability elicitation from a client that answers elicitation/create', answer);
    else visit.check('elicitation-2', true, 'the capability elicitation from a client that answers elicitation/create', answer ?? 'no answer');
    return;
  }
  const forms = 'form' in capability || Object.keys(capability).length === 0;
  if (answer && forms) {
    visit.check('elicitation-2', true, 'the capability elicitation', answer);
    if (urlElicitation(visit.revision)) visit.check('elicitation-10', result !== undefined && ['accept', 'decline', 'cancel'].includes(String(result['action'])), 'an action for an elicitation without a mode', answer);
    if (result?.['action'] === 'accept') visit.check('elicitation-15', fits(result['content']), 'content that fits the schema of the form', answer);
  }
  if (urlElicitation(visit.revision)) {
    const unknown = await visit.ask('elicitation/create', { mode: 'hidden', message: 'Who are you?', requestedSchema: form }, call);
    if (unknown) visit.check('elicitation-11', errorOf(unknown)?.['code'] === -32602, 'error -32602 to an elicitation of the mode hidden, which is not declared', unknown);
  }
  if (urlElicitation(visit.revision) && 'url' in capability && visit.url !== undefined) {
    // 2025-11-25 client/elicitation#safe-url-handling: only a person may open this page.
    const url = new URL('/hidden/page', visit.url).href;
    const said = await visit.ask('elicitation/create', { mode: 'url', message: 'Look here', url, elicitationId: 'e-2' }, call);
    const early = visit.requests.find(({ path }) => path === '/hidden/page');
    // A program that simulates the person may open it after accepting.
    if (said && early && resultOf(said)?.['action'] === 'accept') visit.dispute('elicitation-25', 'no request for the URL of an elicitation by the client itself', early);
    else if (said) visit.check('elicitation-25', early === undefined, 'no request for the URL of an elicitation by the client itself', early ?? said);
  }
  if (urlElicitation(visit.revision) && !('url' in capability)) {
    const url = await visit.ask('elicitation/create', { mode: 'url', message: 'Look here', url: 'http://127.0.0.1:9/', elicitationId: 'e-1' }, call);
    if (url) visit.check('elicitation-11', errorOf(url)?.['code'] === -32602, 'error -32602 to an elicitation of the mode url, which is not declared', url);
  }
}

/** Whether content fits the form above. */
function fits(content: unknown): boolean {
  if (!isObject(content) || typeof content['name'] !== 'string') return false;
  const { size } = content;
  return size === undefined || (typeof size === 'number' && Number.isInteger(size) && size >= 1 && size <= 5);
}

async function sample(play: Play, call: Received): Promise<void> {
  const { visit } = play;
  const capability = visit.declared['sampling'];
  const answer = await visit.ask('sampling/createMessage', { messages: hello, maxTokens: 20 }, call);
  const result = resultOf(answer);
  if (!isObject(capability)) {
    if (answer && result) undeclared(play, 'sampling-2', 'the capability sampling from a client that answers sampling/createMessage', answer);
    else visit.check('sampling-2', true, 'the capability sampling from a client that answers sampling/createMessage', answer ?? 'no answer');
    return;
  }
  if (answer && result) visit.check('sampling-2', true, 'the capability sampling', answer);
  if (!samplingTools(visit.revision)) return;
  const withTools = await visit.ask('sampling/createMessage', { messages: hello, maxTokens: 20, tools: [tool] }, call);
  if (!isObject(capability['tools'])) {
    visit.check(['schema-3', 'sampling-21'], errorOf(withTools) !== undefined, 'an error to sampling with tools, which the client has not declared', withTools ?? 'no answer');
    return;
  }
  if (withTools) visit.check('sampling-21', true, 'the capability sampling.tools', withTools);
  const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'u-1', name: 'look', input: {} }] };
  const lacks = await visit.ask('sampling/createMessage', { messages: [...hello, use, ...hello], maxTokens: 20, tools: [tool] }, call);
  if (lacks) visit.check('sampling-6', errorOf(lacks)?.['code'] === -32602, 'error -32602 to a tool use without its result', lacks);
  const mixed = { role: 'user', content: [{ type: 'tool_result', toolUseId: 'u-1', content: [{ type: 'text', text: 'seen' }] }, { type: 'text', text: 'and' }] };
  const mixes = await visit.ask('sampling/createMessage', { messages: [...hello, use, mixed], maxTokens: 20, tools: [tool] }, call);
  if (mixes) visit.check('sampling-7', errorOf(mixes)?.['code'] === -32602, 'error -32602 to tool results mixed with other content', mixes);
}
