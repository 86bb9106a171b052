import assert from 'node:assert/strict';
import test from 'node:test';
import { judgeServer } from '../../src/judge/index.ts';
import type { RuleVerdict } from '../../src/judge/index.ts';
import { inProcess } from '../cli/in-process.ts';
import { party } from '../oauth-client/authorization-server.ts';

// Addresses where no connection can be opened: which show a server that breaks a rule, and which may be something else.

type Answers = (method: string, path: string) => Response;

const rules = ['streamable-http-1', 'transports-15', 'transports-16', 'transports-17', 'transports-18'];

/** The verdicts on an address, except `not-seen` and `not-applicable`. */
async function said(answers: Answers, sse: boolean = false, revisions: readonly string[] = ['2026-07-28', '2025-11-25', '2024-11-05']): Promise<Record<string, RuleVerdict>> {
  const { judgements, stopped } = await judgeServer({
    name: 'address', http: { url: 'http://127.0.0.1:1/mcp', sse, fetch: (input, init) => Promise.resolve(answers(init?.method ?? 'GET', new URL(String(input)).pathname)) },
  }, { only: rules, revisions, answerMs: 500, startMs: 2_000 });
  assert.notEqual(stopped, undefined);
  return Object.fromEntries(judgements.filter(({ verdict }) => verdict !== 'not-seen' && verdict !== 'not-applicable').map(({ rule, verdict }) => [rule.id, verdict]));
}

const refusal = (status: number, allow?: string): Response => new Response('no', { status, headers: allow === undefined ? {} : { allow } });
const stream = (text: string, open: boolean = true): Response => new Response(new ReadableStream({
  start(to) {
    to.enqueue(new TextEncoder().encode(text));
    if (!open) to.close();
  },
}), { headers: { 'content-type': 'text/event-stream' } });
const endpoint = 'event: endpoint\ndata: /messages?sessionId=1\n\n';
const pair = (first: string, status: number, open?: boolean): Answers => (method, path) => (method === 'GET' ? stream(first, open) : refusal(path === '/messages' ? status : 405, 'GET'));

test('judge: an address that says that it takes POST, and refuses it', async () => {
  assert.deepEqual(await said(() => refusal(405, 'GET, POST, DELETE')), { 'streamable-http-1': 'broken' });
  // Not necessarily an MCP address.
  assert.deepEqual(await said(() => refusal(405, 'GET')), {});
  assert.deepEqual(await said(() => refusal(404)), {});
  assert.deepEqual(await said(() => refusal(401)), {});
  // It is a rule of 2026-07-28, and of Streamable HTTP.
  for (const revisions of [['2025-11-25'], ['2025-11-25', '2024-11-05'], ['2024-11-05']]) assert.deepEqual(await said(() => refusal(405, 'GET, POST'), false, revisions), {}, revisions.join());
  assert.deepEqual(await said(() => refusal(405, 'GET, POST'), false, ['2026-07-28']), { 'streamable-http-1': 'broken' });
  assert.deepEqual(await said(() => refusal(405, 'GET, POST'), true), { 'transports-17': 'broken' });
});

test('judge: an endpoint that a stream has named, and that is not there', async () => {
  for (const status of [404, 405]) assert.deepEqual(await said(pair(endpoint, status)), { 'transports-15': 'broken', 'transports-16': 'broken' });
  // The endpoint exists, but refuses the message; or its stream has ended.
  assert.deepEqual(await said(pair(endpoint, 400)), {});
  assert.deepEqual(await said(pair(endpoint, 404, false)), {});
});

test('judge: a stream that names no endpoint', async () => {
  assert.deepEqual(await said(pair(': nothing\n\n', 404, false)), { 'transports-18': 'broken' });
  assert.deepEqual(await said(pair('event: hello\ndata: 1\n\n', 404)), { 'transports-18': 'dispute' });
  assert.deepEqual(await said(pair('event: endpoint\ndata: https://example.com/messages\n\n', 404)), {});
  // An address that accepts POST is one of Streamable HTTP.
  assert.deepEqual(await said((method) => (method === 'GET' ? stream(': nothing\n\n', false) : refusal(400))), {});
});

test('judge: an address that the person says is one of HTTP+SSE, and that has no stream', async () => {
  assert.deepEqual(await said(() => refusal(404), true), { 'transports-17': 'broken' });
  assert.deepEqual(await said(() => new Response('<p>Hello</p>', { headers: { 'content-type': 'text/html' } }), true), { 'transports-17': 'broken' });
  for (const status of [401, 403, 500, 503]) assert.deepEqual(await said(() => refusal(status), true), {}, String(status));
});

test('judge --sse: the report names the rule, and it is for an address only', async (t) => {
  const { origin } = await party(t, () => undefined);
  const words = ['judge', '--only', 'transports-17', '--timeout', '5'];
  const { code, out } = await inProcess([...words, '--sse', `${origin}/sse`]);
  assert.equal(code, 4);
  assert.match(out, /broken transports-17 MUST/);
  assert.doesNotMatch((await inProcess([...words, `${origin}/sse`])).out, /broken transports/);
  assert.equal((await inProcess([...words, '--sse', '--', process.execPath, '-e', ''])).code, 2);
});
