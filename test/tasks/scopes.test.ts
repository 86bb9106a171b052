import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import type { McpServer } from '../../src/server/mcp-server.ts';
import { serveHttp } from '../../src/transport/http/node/serve.ts';
import type { Auth } from '../../src/transport/auth.ts';
import { accept, connect, later, modernMeta } from '../server/peer.ts';
import type { Answer, Bag, Peer, Said } from '../server/peer.ts';
import { declared, made, ModernTasks } from './harness.ts';

// A caller that may call a tool may use its tasks, and nobody else: each operation with each kind of credentials.

/** Tool name => its scopes. */
const tools: Readonly<Record<string, readonly string[]>> = { open: [], guarded: ['admin'], both: ['admin', 'write'] };

const listed = (principal: string, ...scopes: string[]): Auth => ({ principal, scopes });
/** Credentials with their own `lacks` check. */
const judging = (principal: string, ...scopes: string[]): Auth => ({
  principal,
  lacks: (wanted) => (wanted.every((one) => scopes.includes(one)) ? undefined
    : { status: 403, challenge: 'Bearer error="insufficient_scope"', message: 'not enough', code: 'insufficient_scope' }),
});

const tokens: Readonly<Record<string, Auth | undefined>> = {
  'no scopes': listed('ann'),
  'other scopes': listed('ann', 'read', 'administrator', 'adm'),
  admin: listed('ann', 'admin'),
  write: listed('ann', 'write'),
  'admin and write': listed('ann', 'write', 'read', 'admin'),
  'nothing said of scopes': { principal: 'ann' },
  'scopes as one text': { principal: 'ann', scopes: 'admin write' },
  'judges: nothing': judging('ann'),
  'judges: admin': judging('ann', 'admin'),
  'judges: admin and write': judging('ann', 'admin', 'write'),
  'another person with all': listed('bob', 'admin', 'write'),
  'nobody': undefined,
};

/** The expected decision: the same principal, and the scopes of the tool. */
function allowed(token: Auth | undefined, scopes: readonly string[]): boolean {
  if (token?.principal !== 'ann') return false;
  if (token.lacks) return token.lacks(scopes) === undefined;
  const held = token['scopes'];
  return scopes.length === 0 || (Array.isArray(held) && scopes.every((one) => held.includes(one)));
}

function define(t: TestContext): McpServer {
  const { server } = made(t, { limits: { statusIntervalMs: 1, scanMs: 5 } });
  for (const [name, scopes] of Object.entries(tools)) {
    server.tool(name, { task: 'optional', scopes }, async (_args, ctx) => {
      ctx.progress(1, 2, 'a secret of the work');
      const { content } = await ctx.elicit('The password?', { word: { type: 'string' } }, { key: 'word' });
      return `the secret of ${content?.word}`;
    });
  }
  return server;
}

const full = listed('ann', 'admin', 'write');

/** A task that waits for its answer, begun with sufficient credentials. */
async function waiting(server: McpServer, name: string): Promise<{ id: string; owner: ModernTasks }> {
  const owner = await ModernTasks.to(server, { auth: full });
  const id = await owner.begin(name);
  await owner.is(id, 'input_required');
  return { id, owner };
}

interface Tried {
  readonly server: McpServer;
  readonly id: string;
  readonly owner: ModernTasks;
  readonly modern: Peer;
  readonly legacy: Peer;
}

const done = ({ error }: Answer): boolean => error === undefined;

/** Each operation resolves with whether it was allowed, and asserts its effect. */
const operations: Readonly<Record<string, (tried: Tried) => Promise<boolean>>> = {
  'tasks/get': async ({ modern, id }) => done(await modern.modern('tasks/get', { taskId: id })),
  'tasks/get of 2025-11-25': async ({ legacy, id }) => done(await legacy.request('tasks/get', { taskId: id })),
  async 'tasks/update'({ modern, id, owner }) {
    const may = done(await modern.modern('tasks/update', { taskId: id, inputResponses: { word: accept({ word: 'sesame' }) } }));
    const { status } = may ? await owner.ended(id) : await owner.get(id);
    assert.equal(status, may ? 'completed' : 'input_required');
    return may;
  },
  async 'tasks/cancel'({ modern, id, owner }) {
    const may = done(await modern.modern('tasks/cancel', { taskId: id }));
    assert.equal((await owner.get(id))['status'], may ? 'cancelled' : 'input_required');
    return may;
  },
  async 'tasks/cancel of 2025-11-25'({ legacy, id, owner }) {
    const may = done(await legacy.request('tasks/cancel', { taskId: id }));
    assert.equal((await owner.get(id))['status'], may ? 'cancelled' : 'input_required');
    return may;
  },
  async 'tasks/list'({ legacy, id }) {
    const { result } = await legacy.request('tasks/list', {});
    return ((result?.['tasks'] ?? []) as Bag[]).some(({ taskId }) => taskId === id);
  },
  async 'tasks/result, and the answer to its question'({ legacy, id, owner }) {
    const asks = legacy.request('tasks/result', { taskId: id });
    let over = false;
    void asks.then(() => (over = true));
    for (let question: Said | undefined; !question && !over;) {
      [question] = await legacy.rest();
      if (question) legacy.answer(question, accept({ word: 'sesame' }));
    }
    if (!done(await asks)) return false;
    assert.match(JSON.stringify((await asks).result), /the secret of sesame/);
    assert.equal((await owner.get(id))['status'], 'completed');
    return true;
  },
  async 'the result of a task that has ended'({ legacy, modern, id, owner }) {
    await owner.update(id, { word: accept({ word: 'sesame' }) });
    await owner.ended(id);
    const answers = await Promise.all([legacy.request('tasks/result', { taskId: id }), modern.modern('tasks/get', { taskId: id })]);
    const [one, other] = answers.map((answer) => JSON.stringify(answer).includes('the secret of sesame'));
    assert.equal(one, other);
    return one ?? false;
  },
  async 'notifications/tasks'({ modern, id, owner }) {
    void modern.modern('subscriptions/listen', { notifications: { taskIds: [id] } });
    assert.equal((await modern.next()).method, 'notifications/subscriptions/acknowledged');
    await owner.update(id, { word: accept({ word: 'sesame' }) });
    await owner.ended(id);
    // A second stream with full credentials shows when the notification has been sent.
    const other = await ModernTasks.to((owner as unknown as { server: McpServer }).server, { auth: full });
    void other.peer.modern('subscriptions/listen', { notifications: { taskIds: [id] } });
    while ((await other.peer.next()).params?.['status'] !== 'completed');
    const heard = await modern.rest();
    return heard.some(({ method }) => method === 'notifications/tasks');
  },
};

for (const [operation, attempt] of Object.entries(operations)) {
  test(`${operation}: who may call the tool may, and nobody else`, async (t) => {
    const server = define(t);
    let [yes, no] = [0, 0];
    for (const [tool, scopes] of Object.entries(tools)) {
      for (const [name, auth] of Object.entries(tokens)) {
        const { id, owner } = await waiting(server, tool);
        Object.assign(owner, { server });
        const token = auth && { auth };
        const [modern, legacy] = [
          await connect(server, { capabilities: declared, ...token }), await connect(server, { revision: '2025-11-25', ...token }),
        ];
        const may = await attempt({ server, id, owner, modern, legacy });
        assert.equal(may, allowed(auth, scopes), `${tool}, ${name}`);
        if (may) yes++;
        else no++;
      }
    }
    assert.deepEqual([yes, no], [16, 20]);
  });
}

test('a session that shows weaker credentials than the call did hears nothing of its task, and cannot answer for it', async (t) => {
  const server = define(t);
  const go = later<void>();
  server.tool('bake', { task: 'optional', scopes: ['admin'] }, async (_args, ctx) => {
    await go.promise;
    ctx.progress(1, 2, 'a secret of the work');
    return (await ctx.elicit('The password?', { word: { type: 'string' } }, { key: 'word' })).content?.word ?? 'none';
  });
  const peer = await connect(server, { revision: '2025-11-25', auth: full });
  const { result } = await peer.request('tools/call', { name: 'bake', arguments: {}, task: {}, _meta: { progressToken: 'p' } });
  const taskId = (result?.['task'] as Bag)['taskId'] as string;
  const owner = await ModernTasks.to(server, { auth: full });
  peer.shows(listed('ann', 'write'));
  go.resolve();
  await owner.is(taskId, 'input_required');
  assert.deepEqual(await peer.rest(), []);

  // The question is sent to the requester of the result; the answer is checked with the credentials that it arrives with.
  peer.shows(full);
  const first = peer.request('tasks/result', { taskId });
  let question = await peer.next();
  while (question.method !== 'elicitation/create') question = await peer.next();
  peer.shows(listed('ann', 'write'));
  peer.answer(question, accept({ word: 'guessed' }));
  assert.equal((await first).error?.data && ((await first).error?.data as Bag)['code'], 'insufficient_scope');
  assert.equal((await owner.get(taskId))['status'], 'input_required');

  peer.shows(full);
  const second = peer.request('tasks/result', { taskId });
  for (question = await peer.next(); question.method !== 'elicitation/create';) question = await peer.next();
  peer.answer(question, accept({ word: 'sesame' }));
  assert.match(JSON.stringify((await second).result), /sesame/);
});

test('what of the caller is remembered decides nothing: the runs of a call that was allowed are', async (t) => {
  for (const [name, auth] of [['judging', judging('ann', 'admin', 'write')], ['listed', full]] as const) {
    const { server } = made(t, { remember: ({ principal }) => ({ principal }) });
    server.tool('guarded', { task: 'optional', scopes: ['admin'] }, async (_args, ctx) => `for ${ctx.auth?.principal}`);
    const client = await ModernTasks.to(server, { auth });
    const task = await client.ended(await client.begin('guarded'));
    assert.equal(task['status'], 'completed', `${name}: ${JSON.stringify(task['error'])}`);
  }
});

test('over HTTP weaker credentials get 403 and the challenge that names the scopes', async (t) => {
  const server = define(t);
  const http = await serveHttp(server, {
    auth: (request) => (request.header('authorization') === 'Bearer all' ? full : listed('ann', 'write')),
  });
  t.after(() => http.close({ drainMs: 0 }));
  const ask = (token: string, method: string, params: Bag, name: string): Promise<Response> => fetch(http.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${token}`,
      'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta(declared) } }),
  });
  const begun = await (await ask('all', 'tools/call', { name: 'guarded' }, 'guarded')).json() as Answer;
  const taskId = begun.result?.['taskId'] as string;
  for (const [method, more] of [['tasks/get', {}], ['tasks/update', { inputResponses: {} }], ['tasks/cancel', {}]] as const) {
    const refused = await ask('some', method, { taskId, ...more }, taskId);
    assert.equal(refused.status, 403, method);
    assert.match(refused.headers.get('www-authenticate') ?? '', /insufficient_scope.*scope="admin"/);
    await refused.text();
    const there = await ask('all', method, { taskId, ...more }, taskId);
    assert.equal(there.status, 200, method);
    await there.text();
  }
});
