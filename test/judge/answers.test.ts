import assert from 'node:assert/strict';
import test from 'node:test';
import { answerQuestion, fullCapabilities, sample, sampleArguments } from '../../src/judge/answers.ts';
import { acceptedDemand, listeningDemand, originDemand, sessionDemand, shownHead, typeDemand, versionDemand } from '../../src/judge/http-demand.ts';
import { mediaType } from '../../src/transport/internal-exports.ts';
import type { HttpHead } from '../../src/judge/http-demand.ts';
import { listPages, toolNameCharacters, toolNameLength } from '../../src/judge/listed.ts';
import type { ReceivedAnswer } from '../../src/judge/plain-conversation.ts';
import { findRevision, revisions } from '../../src/protocol/revisions.ts';

// What the judge answers to a server, and how it reads what a server says.

test('judge: the capabilities that a client may declare, by revision', () => {
  const declared = (version: string): unknown => fullCapabilities(findRevision(revisions, version) ?? assert.fail());
  assert.deepEqual(declared('2024-11-05'), { roots: { listChanged: true }, sampling: {} });
  assert.deepEqual(declared('2025-03-26'), { roots: { listChanged: true }, sampling: {} });
  assert.deepEqual(declared('2025-06-18'), { roots: { listChanged: true }, sampling: {}, elicitation: {} });
  const later = { sampling: { tools: {}, context: {} }, elicitation: { form: {}, url: {} } };
  assert.deepEqual(declared('2025-11-25'), { roots: { listChanged: true }, ...later });
  assert.deepEqual(declared('2026-07-28'), { roots: {}, ...later });
});

test('judge: a value that probably fits a schema', () => {
  for (const [schema, value] of [
    [undefined, 'judge'], [true, 'judge'], [{}, 'judge'], [{ const: 5, default: 6 }, 5], [{ const: undefined }, undefined], [{ default: 6, examples: [7] }, 6],
    [{ examples: [7], enum: [8] }, 7], [{ examples: [] }, 'judge'], [{ examples: 7 }, 'judge'], [{ enum: [8, 9], type: 'string' }, 8], [{ enum: [] }, 'judge'],
    [{ oneOf: [{ type: 'boolean' }], anyOf: [{ type: 'null' }] }, true], [{ anyOf: [{ type: 'null' }], type: 'string' }, null], [{ allOf: [{ const: 1 }] }, 1],
    [{ oneOf: ['x'], type: 'null' }, null], [{ oneOf: [] }, 'judge'],
    [{ type: 'integer' }, 1], [{ type: 'number' }, 1], [{ type: 'integer', minimum: 7, maximum: 9 }, 7], [{ type: 'number', exclusiveMinimum: 7 }, 8],
    [{ type: 'number', minimum: 3, exclusiveMinimum: 7 }, 3], [{ type: 'integer', minimum: 0 }, 0], [{ type: 'integer', maximum: -4 }, -4], [{ type: 'integer', maximum: 40 }, 1],
    [{ type: 'integer', minimum: '7' }, 1], [{ type: 'boolean' }, true], [{ type: 'null' }, null], [{ type: ['null', 'boolean'] }, true], [{ type: ['null'] }, 'judge'],
    [{ type: 'array' }, []], [{ type: 'array', minItems: 2, items: { type: 'boolean' } }, [true, true]], [{ type: 'array', minItems: '2' }, []],
    [{ type: 'object', properties: { a: { type: 'null' }, b: {} }, required: ['a'] }, { a: null }], [{ type: 'string', format: 'email' }, 'judge@example.com'],
    [{ format: 'uri' }, 'https://example.com/'], [{ format: 'date' }, '2026-01-01'], [{ format: 'date-time' }, '2026-01-01T00:00:00Z'], [{ format: 'other' }, 'judge'],
    [{ minLength: 7 }, 'judgexx'], [{ minLength: 3 }, 'judge'], [{ maxLength: 3 }, 'jud'], [{ maxLength: 0 }, ''], [{ minLength: 2, maxLength: 1 }, 'ju'], [{ minLength: 6, maxLength: 9 }, 'judgex'],
    [{ minLength: '7', maxLength: '3' }, 'judge'],
  ] as const) assert.deepEqual(sample(schema), value, JSON.stringify(schema));
  assert.equal((sample({ type: 'array', minItems: 100 }) as unknown[]).length, 8);
  assert.equal((sample({ minLength: 5000 }) as string).length, 1000);
  // A schema without an end has a value all the same.
  const endless: Record<string, unknown> = { type: 'object', required: ['a'] };
  endless['properties'] = { a: endless };
  assert.equal(JSON.stringify(sample(endless)), `${'{"a":'.repeat(9)}"judge"${'}'.repeat(9)}`);
  const nested = (depth: number): object => depth === 0 ? { const: 1 } : { oneOf: [nested(depth - 1)] };
  assert.deepEqual([sample(nested(8)), sample(nested(9))], [1, 'judge']);
});

test('judge: the arguments of a tool are its required properties', () => {
  const cases: readonly (readonly [schema: unknown, value: object])[] = [
    [undefined, {}], ['x', {}], [{}, {}], [{ properties: { a: {} } }, {}], [{ required: ['a'] }, { a: 'judge' }], [{ required: 'a' }, {}], [{ required: ['a', 5], properties: 7 }, { a: 'judge' }],
    [{ required: ['a', 'b'], properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } } }, { a: 1, b: 2 }], [{ required: ['toString'], properties: {} }, { toString: 'judge' }],
  ];
  for (const [schema, value] of cases) assert.deepEqual(sampleArguments(schema), value, JSON.stringify(schema));
});

test('judge: the answer to each question', () => {
  assert.deepEqual(answerQuestion('ping', {}), { result: {} });
  assert.deepEqual(answerQuestion('roots/list', {}), { result: { roots: [{ uri: 'file:///judge', name: 'judge' }] } });
  assert.deepEqual(answerQuestion('other', {}), { error: { code: -32601, message: 'Method not found' } });
  const said = { result: { role: 'assistant', content: { type: 'text', text: 'This is the answer of the judge.' }, model: 'judge', stopReason: 'endTurn' } };
  const messages = [{ role: 'user', content: { type: 'text', text: 'x' } }];
  const tools = [{ name: 'add', inputSchema: { required: ['a'], properties: { a: { type: 'integer' } } } }, { name: 'other' }];
  for (const params of [{}, { messages }, { messages, tools: [] }, { messages, tools: 'x' }, { messages, tools: ['x'] }, { tools }, { messages: [...messages, { role: 'assistant' }], tools }]) {
    assert.deepEqual(answerQuestion('sampling/createMessage', params), said, JSON.stringify(params));
  }
  const use = { result: { role: 'assistant', content: [{ type: 'tool_use', id: 'judge-use-1', name: 'add', input: { a: 1 } }], model: 'judge', stopReason: 'toolUse' } };
  for (const params of [{ messages, tools }, { messages: [], tools }, { messages: ['x'], tools: ['x', ...tools] }]) assert.deepEqual(answerQuestion('sampling/createMessage', params), use);
  const asked = (params: object): unknown => answerQuestion('elicitation/create', params as Record<string, unknown>);
  assert.deepEqual(asked({ mode: 'url' }), { result: { action: 'decline' } });
  assert.deepEqual(asked({ requestedSchema: { properties: { a: { type: 'boolean' }, b: { const: 2 } } } }), { result: { action: 'accept', content: { a: true, b: 2 } } });
  for (const requestedSchema of [undefined, {}, { properties: 'x' }, 'x']) assert.deepEqual(asked({ mode: 'form', requestedSchema }), { result: { action: 'accept', content: {} } });
});

test('judge: which responses of HTTP keep a demand, and how they are shown', () => {
  const head = (status: number, type?: string, body?: string): HttpHead => ({ status, headers: type === undefined ? {} : { 'content-type': type }, body });
  for (const [demand, kept, broken] of [
    [typeDemand, [head(200, 'application/json'), head(200, 'text/event-stream'), head(500, ' Application/JSON ; charset=utf-8')], [head(200), head(200, 'text/html'), head(200, 'application/json+x')]],
    [acceptedDemand, [head(202), head(202, undefined, ''), head(202, 'text/plain', '')], [head(200), head(202, undefined, 'x'), head(202, 'text/event-stream'), head(204)]],
    [listeningDemand, [head(405), head(405, 'text/html'), head(200, 'text/event-stream')], [head(200), head(200, 'application/json'), head(404, 'text/event-stream')]],
    [versionDemand, [head(400)], [head(404), head(200)]], [sessionDemand, [head(404)], [head(400)]], [originDemand, [head(403)], [head(401)]],
  ] as const) {
    for (const one of kept) assert.equal(demand.kept(one), true, `${demand.expected} ${JSON.stringify(one)}`);
    for (const one of broken) assert.equal(demand.kept(one), false, `${demand.expected} ${JSON.stringify(one)}`);
  }
  assert.deepEqual([versionDemand, sessionDemand, originDemand].map(({ expected }) => expected), [
    'HTTP 400: the version is not supported', 'HTTP 404: the session does not exist', 'HTTP 403: the origin is foreign',
  ]);
  assert.deepEqual([head(200), head(204, 'a/b'), head(200, 'a/b', ''), head(200, undefined, 'x'.repeat(2001))].map(shownHead), ['HTTP 200', 'HTTP 204 a/b', 'HTTP 200 a/b, no body', `HTTP 200 ${'x'.repeat(2000)}`]);
  assert.deepEqual([undefined, null, '', 'Text/HTML; a=b', ' application/json ', 'text/event-streams'].map(mediaType), ['', '', '', 'text/html', 'application/json', 'text/event-streams']);
});

test('judge: a list is read to its last page, or to the first answer that is no result', async () => {
  const read = async (pages: readonly { kind?: string; nextCursor?: unknown }[]): Promise<unknown[]> => {
    const asked: unknown[] = [];
    const rest = [...pages];
    for await (const _ of listPages(async (params) => {
      asked.push(params);
      const { kind = 'result', ...result } = rest.shift() ?? assert.fail('one page too many');
      return { kind, result } as unknown as ReceivedAnswer;
    })) assert.ok(asked.length <= pages.length);
    assert.deepEqual(rest, []);
    return asked;
  };
  assert.deepEqual(await read([{}]), [{}]);
  assert.deepEqual(await read([{ nextCursor: 'a' }, { nextCursor: '' }, { nextCursor: null }]), [{}, { cursor: 'a' }, { cursor: '' }]);
  assert.deepEqual(await read([{ nextCursor: 'a' }, { kind: 'error', nextCursor: 'b' }]), [{}, { cursor: 'a' }]);
  assert.deepEqual(['', 'a', 'a'.repeat(128), 'a'.repeat(129)].map(toolNameLength), [false, true, true, false]);
  assert.deepEqual(['', 'aZ09_.-', 'a b', 'é', ' a', 'a\n', 'a/b'].map(toolNameCharacters), [true, true, false, false, false, false, false]);
});
