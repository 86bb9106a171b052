import { isObject } from '../../../jsonrpc/internal-exports.ts';
import { dressed, give, isModern, textResult } from '../hidden-server.ts';
import { decodeHeader, needsEncoding } from '../headers.ts';
import type { HiddenRequest } from '../port.ts';
import { isRequest } from '../watch-messages.ts';
import { mirroredValue } from '../watch-http.ts';
import type { Play, Scene } from '../scene.ts';
import type { SeenMembers, Received, Visit } from '../visit.ts';

// 2026-07-28: questions in results, and headers that mirror the body.

const form = { type: 'object', properties: { name: { type: 'string', default: 'Ada' } }, required: ['name'] };

const ask = (message: string): SeenMembers => ({ method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: form } });
const sample: SeenMembers = { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }], maxTokens: 20 } };

/** By question: the capability that each request must declare, and its rule. */
const declaring: Readonly<Record<string, readonly [rule: string, capability: string]>> = {
  'first question': ['elicitation-3', 'elicitation'], second: ['elicitation-3', 'elicitation'], roots: ['roots-3', 'roots'], sample: ['sampling-3', 'sampling'],
};

/** The questions of one round for a client with these capabilities. */
function questionsFor(declared: SeenMembers, round: number): Record<string, SeenMembers> {
  const { elicitation, roots, sampling } = declared;
  if (round === 0 && isObject(elicitation) && ('form' in elicitation || Object.keys(elicitation).length === 0)) {
    return { 'first question': ask('Who are you?'), second: ask('And who else?') };
  }
  return {
    ...isObject(roots) && { roots: { method: 'roots/list' } },
    ...isObject(sampling) && { sample },
  };
}

/** A text that arrives unchanged only if the client treats it as opaque. */
const stateOf = (seed: number): string => `{"n": ${seed}} säule %20+/== "quoted" \\ ${seed}`;

interface Round {
  readonly call: Received;
  readonly state: string | undefined;
  readonly keys: readonly string[];
}

export const rounds: Scene = {
  name: 'a server that asks in results', rules: ['mrtr-2', 'mrtr-3', 'mrtr-4', 'mrtr-5', 'mrtr-6', 'mrtr-7', 'elicitation-3', 'roots-3', 'sampling-3'],
  suits: ({ era }) => era === 'modern',
  answer(play, message) {
    const { visit, notes } = play;
    if (message.method !== 'tools/call') {
      const carries = 'requestState' in message.params || 'inputResponses' in message.params;
      if (isRequest(message) && notes.has('round')) visit.check('mrtr-7', !carries, 'no requestState and no inputResponses in other requests', message);
      return false;
    }
    const last = notes.get('round') as Round | undefined;
    if (last && !notes.has('over') && sameCall(last.call, message)) retried(play, last, message);
    if (notes.has('over')) return false;
    const count = Number(notes.get('count') ?? 0);
    if (count === 2) {
      notes.set('over', true);
      give(play, message, textResult('answered'));
      return true;
    }
    const inputRequests = questionsFor(visit.declared, count);
    const keys = Object.keys(inputRequests);
    if (count === 1 && keys.length === 0) {
      notes.set('over', true);
      return false;
    }
    const state = count === 0 ? stateOf(visit.seed) : undefined;
    notes.set('count', count + 1).set('round', { call: message, state, keys } satisfies Round);
    visit.reply(message, { result: { ...dressed(visit.revision, 'tools/call', {}), resultType: 'input_required', ...keys.length > 0 && { inputRequests }, ...state !== undefined && { requestState: state } } });
    return true;
  },
};

const sameCall = (a: Received, b: Received): boolean => a.params['name'] === b.params['name'];

function retried({ visit }: Play, { call, state, keys }: Round, retry: Received): void {
  const { params } = retry;
  const responses = params['inputResponses'];
  // A program may make the same call again, which is not a retry.
  if (responses === undefined && !('requestState' in params)) {
    if (keys.length > 0 || state !== undefined) visit.dispute(state === undefined ? 'mrtr-3' : 'mrtr-4', 'a retry with what the result asked for', retry);
    return;
  }
  for (const key of keys) {
    const [rule, capability] = declaring[key] ?? [];
    if (rule !== undefined && capability !== undefined && isObject(responses) && key in responses) visit.check(rule, isObject(visit.declared[capability]), `the capability ${capability} in the request that answers`, retry);
  }
  visit.check('mrtr-6', retry.id !== call.id, 'a new id for the retry', retry);
  if (state === undefined) visit.check('mrtr-5', !('requestState' in params), 'no requestState in the retry: the result had none', retry);
  else visit.check(['mrtr-4', 'mrtr-2'], params['requestState'] === state, `requestState ${JSON.stringify(state)}`, retry);
  if (keys.length > 0) visit.check('mrtr-3', isObject(responses) && keys.every((key) => Object.hasOwn(responses, key)), `inputResponses to ${keys.join(' and ')}`, retry);
}

/** By capability: its rule, a question that only a client with the capability answers, and a test for an answer. */
const undeclared: readonly (readonly [capability: string, rule: string, question: SeenMembers, answers: (response: SeenMembers) => boolean])[] = [
  ['elicitation', 'elicitation-3', ask('Who are you?'), ({ action }) => action === 'accept'],
  ['roots', 'roots-3', { method: 'roots/list' }, ({ roots }) => Array.isArray(roots) && roots.length > 0],
  ['sampling', 'sampling-3', sample, ({ content }) => content !== undefined],
];

const undeclaredKey = 'not declared';
const mayBeAsked = new Set(['tools/call', 'prompts/get', 'resources/read']);

interface AskedUndeclared {
  readonly to: Received;
  readonly capability: string;
}

/** 2026-07-28 client/elicitation, client/roots, client/sampling: a sender answers only the questions that its request declares. */
export const notDeclared: Scene = {
  name: 'a server that asks for what a request does not declare', rules: undeclared.map(([, rule]) => rule), suits: ({ era }) => era === 'modern',
  answer({ visit, notes }, message) {
    if (!mayBeAsked.has(message.method ?? '') || !isModern(message)) return false;
    const { inputResponses } = message.params;
    if (inputResponses !== undefined) {
      judgeUndeclared(visit, message, inputResponses);
      return false;
    }
    // One question in each request, since a refused question ends the others.
    const next = undeclared.find(([capability]) => visit.declared[capability] === undefined && !notes.has(capability));
    if (!next) return false;
    const [capability, , question] = next;
    notes.set(capability, { to: message, capability } satisfies AskedUndeclared);
    visit.reply(message, { result: { ...dressed(visit.revision, message.method ?? '', {}), resultType: 'input_required', inputRequests: { [`${undeclaredKey}: ${capability}`]: question } } });
    return true;
  },
  after({ visit, notes }) {
    for (const [capability, rule] of undeclared) {
      const asked = notes.get(capability) as AskedUndeclared | undefined;
      if (asked) visit.check(rule, true, `no answer of the kind ${capability}`, 'the client did not answer it');
    }
  },
};

function judgeUndeclared(visit: Visit, retry: Received, responses: unknown): void {
  if (!isObject(responses)) return;
  for (const [capability, rule, , answers] of undeclared) {
    const response = responses[`${undeclaredKey}: ${capability}`];
    // An error, or a result that refuses, does not use the capability.
    if (isObject(response) && answers(response) && visit.declared[capability] === undefined) visit.check(rule, false, `the capability ${capability} in the request of a client that answers this`, retry);
  }
}

const text = (value: string, header: string): SeenMembers => ({ type: 'string', enum: [value], default: value, 'x-mcp-header': header });

const mirrored: SeenMembers = {
  name: 'mirror', description: 'Takes parameters that travel in headers',
  inputSchema: {
    type: 'object',
    properties: {
      plain: text('us-west1', 'Plain'), padded: text(' padded ', 'Padded'), words: text('Grüße, 世界', 'Words'), marks: text('=?base64?literal?=', 'Marks'),
      count: { type: 'integer', enum: [42], default: 42, 'x-mcp-header': 'Count' }, flag: { type: 'boolean', enum: [true], default: true, 'x-mcp-header': 'Flag' },
      absent: { type: 'string', 'x-mcp-header': 'Absent' },
      place: { type: 'object', properties: { region: text('north', 'Region') }, required: ['region'] },
    },
    required: ['plain', 'padded', 'words', 'marks', 'count', 'flag', 'place'],
  },
};

const spoilt = (name: string, properties: SeenMembers): SeenMembers => ({ name, description: 'Has a header annotation that is not allowed', inputSchema: { type: 'object', properties } });
const annotated = (header: unknown, more: SeenMembers = { type: 'string' }): SeenMembers => ({ ...more, 'x-mcp-header': header });

/** Tools that a client must leave out, each with its rule. */
const bad: Readonly<Record<string, readonly [rule: string, tool: SeenMembers]>> = {
  header_empty: ['streamable-http-26', spoilt('header_empty', { a: annotated('') })],
  header_control: ['streamable-http-27', spoilt('header_control', { a: annotated('A\nB') })],
  header_twice: ['streamable-http-28', spoilt('header_twice', { a: annotated('Same'), b: annotated('same') })],
  header_spaced: ['streamable-http-29', spoilt('header_spaced', { a: annotated('A B') })],
  header_number: ['streamable-http-30', spoilt('header_number', { a: annotated('Number', { type: 'number' }) })],
  header_items: ['streamable-http-31', spoilt('header_items', { a: { type: 'array', items: annotated('Item') } })],
};

/**
 * One value for each tool, so that a runtime that refuses one does not hide the others. Fetch and most others send U+0080 to U+00FF
 * unchanged.
 */
const oneValue = (name: string, value: string): SeenMembers => ({
  name, description: 'Takes a parameter that travels in a header', inputSchema: { type: 'object', properties: { value: text(value, 'Value') }, required: ['value'] },
});
const valued: readonly SeenMembers[] = [oneValue('latin', 'caf\u00e9'), oneValue('marked', '=?base64?bGl0?='), oneValue('lines', 'a\r\nX-Injected: 1'), oneValue('control', 'plain')];
const latinName: SeenMembers = { name: 'caf\u00e9', description: 'Has a name in Latin-1', inputSchema: { type: 'object' } };

const foreign: SeenMembers = { name: 'größe_世界', description: 'Has a name that no header can carry', inputSchema: { type: 'object' } };

export const headers: Scene = {
  name: 'tools whose parameters travel in headers',
  rules: [
    'streamable-http-5', 'streamable-http-7', 'streamable-http-9', 'streamable-http-24', 'streamable-http-57', 'streamable-http-59', 'streamable-http-60',
    'streamable-http-61', 'streamable-http-62', 'streamable-http-49', 'streamable-http-50', 'streamable-http-51', ...Object.values(bad).map(([rule]) => rule),
  ],
  suits: ({ era }, way) => era === 'modern' && way === 'http',
  offer: () => ({ tools: [mirrored, ...valued, latinName, ...Object.values(bad).map(([, tool]) => tool), foreign] }),
  answer({ visit }, message) {
    const { http, params } = message;
    if (message.method === 'tools/call' && http && params['name'] === 'mirror' && isObject(params['arguments'])) {
      const given = params['arguments'];
      const place = given['place'];
      const values: readonly (readonly [string, unknown])[] = [
        ['Plain', given['plain']], ['Padded', given['padded']], ['Words', given['words']], ['Marks', given['marks']], ['Count', given['count']],
        ['Flag', given['flag']], ['Absent', given['absent']], ['Region', isObject(place) ? place['region'] : undefined],
      ];
      for (const [name, value] of values) mirroredParameter(visit, http, name, value);
    } else if (message.method === 'tools/call' && http && valued.some(({ name }) => name === params['name']) && isObject(params['arguments'])) {
      mirroredParameter(visit, http, 'Value', params['arguments']['value']);
    }
    return false;
  },
  after({ visit }) {
    const calls = visit.messages.filter(({ method }) => method === 'tools/call');
    const called = new Map(calls.map((call) => [call.params['name'], call]));
    // A missing call shows that the tool was left out only if the client calls every tool that it lists.
    const all = called.has('mirror') && called.has(String(foreign['name']));
    for (const [name, [rule]] of Object.entries(bad)) {
      const call = called.get(name);
      if (call) visit.check([rule, 'streamable-http-24'], false, `the tool ${name} left out: its x-mcp-header is not allowed`, call);
      else if (all) visit.check([rule, 'streamable-http-24'], true, 'the tool left out', name);
    }
    // A runtime refuses a header with a line break. The call is then missing, although the client calls the neighbouring tools.
    const control = called.get('control');
    const others = ['latin', 'marked', 'mirror'].some((name) => called.has(name));
    if (control && others && !called.has('lines')) visit.dispute('streamable-http-59', 'a call of the tool lines, whose value has a line break, in Base64', `calls of ${[...called.keys()].join(', ')}`);
  },
};

/** Judges the header of one parameter against the argument of the call. */
function mirroredParameter(visit: Visit, http: HiddenRequest, name: string, value: unknown): void {
  const came = http.headers[`mcp-param-${name.toLowerCase()}`];
  if (value === undefined || value === null) return visit.check(value === undefined ? 'streamable-http-49' : 'streamable-http-50', came === undefined, `no Mcp-Param-${name}: the call has no such argument`, http);
  visit.check(['streamable-http-5', 'streamable-http-9', 'streamable-http-51'], came !== undefined, `Mcp-Param-${name}`, http);
  if (came === undefined) return;
  mirroredValue(visit, http, `Mcp-Param-${name}`, came, String(value), 'streamable-http-62', 'streamable-http-7');
  if (needsEncoding(String(value)) !== undefined) visit.check('streamable-http-7', came.startsWith('=?base64?') && decodeHeader(came) === String(value), `Mcp-Param-${name}: the Base64 of ${JSON.stringify(value)}`, http);
}

/** A legacy server that refuses `server/discover` with its own error code. */
export const oddRefusal: Scene = {
  name: 'a legacy server that refuses server/discover with -32000', rules: ['stdio-7'],
  suits: ({ place }, way) => way === 'pipe' && place === 3,
  answer({ visit, notes }, message) {
    if (message.method !== 'server/discover') return false;
    notes.set('probed', message);
    visit.reply(message, { error: { code: -32000, message: 'Server not initialized' } });
    return true;
  },
  after({ visit, notes, usual }) {
    const probed = notes.get('probed') as Received | undefined;
    if (!probed) return;
    const then = visit.messages.find(({ method, place }) => method === 'initialize' && place > probed.place);
    if (then) visit.checkIn('2026-07-28', 'stdio-7', true, 'initialize', then);
    // With the code -32601 the client did send `initialize`.
    else if (usual.has('initialize')) visit.checkIn('2026-07-28', 'stdio-7', false, 'initialize: the error that refuses server/discover is not of 2026-07-28, so this is a legacy server', `nothing more (${visit.ended ?? 'the client waits'})`);
  },
};
