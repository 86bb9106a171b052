import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { allRules, judgeServer, seenRules } from '../../src/judge/index.ts';
import type { JudgeOptions, JudgeRuling } from '../../src/judge/index.ts';
import { sampleArguments } from '../../src/judge/answers.ts';
import { compile } from '../../src/schema/full/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { everyNth } from '../every-nth.ts';
import { leapingClock } from '../mock-clock.ts';
import { target } from './target.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const url = 'http://127.0.0.1/mcp';

/** Judges the target over memory; `edit` changes its messages. */
const overPipe = (edit: (text: string) => string = (text) => text, options: JudgeOptions = {}): Promise<JudgeRuling> => judgeServer({
  name: 'target', open: (trace) => memoryTransport(target(), { trace: (entry) => trace(entry.direction === 'received' ? { ...entry, text: edit(entry.text) } : entry) }),
}, { compile, answerMs: 1_000, clock: leapingClock(), mayCall: ({ name }) => ['add', 'log', 'fail', 'ask', 'content'].includes(String(name)), ...options });

/** The same over HTTP, without a network. */
function overHttp(edit: (response: Response) => Response | Promise<Response> = (response) => response, options: JudgeOptions = {}): Promise<JudgeRuling> {
  const handle = fetchHandler(target());
  return judgeServer({
    name: 'target', http: { url, fetch: async (to, init) => edit(await handle(new Request(to as string, init))) },
  }, { compile, answerMs: 1_000, clock: leapingClock(), mayCall: ({ name }) => ['add', 'log', 'ask', 'mirror'].includes(String(name)), ...options });
}

const broken = ({ judgements, others }: JudgeRuling): string[] => [...judgements, ...others].filter(({ verdict }) => verdict === 'broken').map(({ rule }) => rule.id);
const kept = ({ judgements }: JudgeRuling, level: string): number => judgements.filter((one) => one.verdict === 'kept' && one.level === level).length;

test('judge: the arguments that it makes fit the schema of each required text', () => {
  for (const [schema, text] of [
    [{}, 'judge'], [{ minLength: 8 }, 'judgexxx'], [{ minLength: 5 }, 'judge'], [{ maxLength: 2 }, 'ju'], [{ minLength: 7, maxLength: 7 }, 'judgexx'], [{ maxLength: 0 }, ''], [{ format: 'unknown' }, 'judge'],
    [{ format: 'email' }, 'judge@example.com'], [{ format: 'uri' }, 'https://example.com/'], [{ format: 'date' }, '2026-01-01'], [{ format: 'date-time' }, '2026-01-01T00:00:00Z'],
  ] as const) {
    const whole = { type: 'object', properties: { a: { type: 'string', ...schema }, b: { type: 'string' } }, required: ['a'] } as const;
    const made = sampleArguments(whole);
    assert.deepEqual(made, { a: text }, JSON.stringify(schema));
    assert.ok(compile(whole)(made).valid);
  }
  assert.equal(String(sampleArguments({ properties: { a: { type: 'string', minLength: 1e9 } }, required: ['a'] })['a']).length, 1_000);
  for (const odd of [undefined, null, 'x', {}, { required: 'a' }, { required: [5] }]) assert.deepEqual(sampleArguments(odd), {});
});

test('judge: the rules are those of the matrix', () => {
  execFileSync(process.execPath, ['scripts/judge-rules.mjs', '--check'], { cwd: root });
  for (const id of seenRules()) assert.ok(allRules().has(id), id);
});

test('judge: a server that keeps the rules breaks none, over memory and HTTP', async () => {
  const [pipe, http] = await Promise.all([overPipe(), overHttp()]);
  for (const ruling of [pipe, http]) {
    assert.deepEqual(broken(ruling), [], JSON.stringify(ruling.judgements.filter(({ verdict }) => verdict === 'broken').map(({ rule, evidence }) => [rule.id, evidence[0]?.expected, evidence[0]?.came])));
    assert.deepEqual(ruling.failures, []);
    assert.equal(ruling.revisions.length, 5);
  }
  assert.ok(kept(pipe, 'MUST') >= 90, String(kept(pipe, 'MUST')));
  assert.ok(kept(http, 'MUST') >= 110, String(kept(http, 'MUST')));
});

test('judge: each verdict has a reason or a count, and no rule is kept that nothing showed', async () => {
  const { judgements } = await overPipe(undefined, { quick: true });
  const seen = seenRules();
  for (const { rule, verdict, why, times, evidence } of judgements) {
    if (verdict === 'kept') {
      assert.ok(times > 0 && seen.has(rule.id) || times > 0, rule.id);
    } else if (verdict === 'broken' || verdict === 'dispute') assert.ok(evidence.length > 0, rule.id);
    else assert.ok(why !== undefined && why !== '', rule.id);
  }
  assert.equal(judgements.find(({ rule }) => rule.id === 'streamable-http-46')?.why, 'a target over HTTP');
});

/** An edit of the target's messages, and the rule that it breaks. */
const faults: readonly (readonly [rule: string, edit: (text: string) => string])[] = [
  ['base-59', (text) => text.replace('"jsonrpc":"2.0"', '"jsonrpc":"1.0"')],
  ['base-72', (text) => text.replace('"resultType":"complete",', '')],
  ['base-16', (text) => text.replace('io.modelcontextprotocol/serverInfo', 'example.com/serverInfo')],
  ['base-31', (text) => text.replace('"code":-32601', '"code":"-32601"')],
  ['base-33', (text) => text.replace('"id":"judge-text","error"', '"id":"judge-other","error"')],
  ['base-69', (text) => text.replace(/^(\{"jsonrpc":"2.0","id":[3-9]),"result":/, '$1,"error":{"code":1,"message":"x"},"result":')],
  ['tools-21', (text) => text.replaceAll('"inputSchema":{', '"inputSchema":null,"was":{')],
  ['tools-25', (text) => text.replace('"name":"slow"', `"name":"${'x'.repeat(129)}"`)],
  ['tools-10', (text) => text.replace('"structuredContent":{"sum":', '"structuredContent":{"total":')],
  ['caching-9', (text) => text.replace('"cacheScope":"public"', '"cacheScope":"nobody"')],
  ['caching-23', (text) => text.replace('"ttlMs":0', '"ttlMs":-1')],
  ['lifecycle-11', (text) => text.replace('"serverInfo":{"name":"judged"', '"serverInfo":{"title":"judged"')],
  ['ping-1', (text) => (/^\{"jsonrpc":"2.0","id":\d+,"result":\{\}\}$/.test(text) ? text.replace('{}', '{"pong":true}') : text)],
  ['progress-11', (text) => text.replace('"progress":2', '"progress":1')],
  ['prompts-11', (text) => text.replace('"type":"image","data":"', '"type":"image","data":"%')],
  ['resources-12', (text) => text.replace('"blob":"', '"blob":"%')],
  ['resources-4', (text) => text.replace('"uri":"judged://text"', '"uri":"text"')],
  ['form-unknown-tool', (text) => text.replace(/"error":\{"code":-32602,"message":"[^"]*judge-unknown-tool[^}]*\}/, '"result":{"content":[]}')],
  ['stdio-4', (text) => (text.includes('"prompts":[') ? 'listing prompts' : text)],
];

for (const [rule, edit] of faults.filter((_, at) => at % everyNth(4) === 0)) {
  test(`judge: broken on the way: ${rule}`, async () => {
    const revisions = [...new Set(allRules().get(rule)?.places.map(({ revision }) => revision))];
    const ruling = await overPipe(edit, { only: [rule], quick: true, answerMs: 300, revisions });
    const [one] = ruling.judgements;
    assert.equal(one?.rule.id, rule);
    assert.equal(one.verdict, 'broken');
    const [evidence] = one.evidence;
    assert.ok(evidence && evidence.expected !== '' && evidence.came !== '' && evidence.entries.length > 0);
    assert.ok(one.rule.places.some(({ revision, address }) => revision === evidence.revision && address.startsWith('https://modelcontextprotocol.io/specification/')));
  });
}

test('judge: an unknown tool: an error -32602 is right, another error or a result with isError is in dispute, anything else is broken', async () => {
  for (const [said, verdict] of [
    ['"error":{"code":-32602,"message":"x"}', 'kept'], ['"error":{"code":-32601,"message":"x"}', 'dispute'], ['"error":{"code":-32000,"message":"x"}', 'dispute'], ['"result":{"resultType":"complete","content":[],"isError":true}', 'dispute'],
    ['"result":{"resultType":"complete","content":[],"isError":false}', 'broken'], ['"result":{"resultType":"complete","content":[]}', 'broken'],
    ['"error":{"code":1.5,"message":"x"}', 'broken'], ['"error":{"code":"-32602","message":"x"}', 'broken'], ['"error":{"message":"x"}', 'broken'],
  ] as const) {
    const edit = (text: string): string => (text.includes('judge-unknown-tool') ? text.replace(/"error":\{.*\}(?=\}$)/, said) : text);
    const { judgements: [one] } = await overPipe(edit, { only: ['form-unknown-tool'], quick: true, revisions: ['2025-11-25'] });
    assert.deepEqual([one?.rule.id, one?.verdict], ['form-unknown-tool', verdict], said);
  }
});

// 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions: a modern server that does not speak the earlier ones.
test('judge: a rule for servers of one era is not applicable to one that speaks both', async () => {
  const ruled = async (server: McpServer, edit: (text: string) => string = (text) => text) => (await judgeServer({
    name: 'target', open: (trace) => memoryTransport(server, { trace: (entry) => trace(entry.direction === 'received' ? { ...entry, text: edit(entry.text) } : entry) }),
  }, { only: ['versioning-1'], revisions: ['2026-07-28', '2025-11-25'], answerMs: 500 })).judgements[0]?.verdict;
  const modern = new McpServer({ name: 'modern', version: '1' }, { revisions: ['2026-07-28'], onError() {} });
  assert.equal(await ruled(target()), 'not-applicable');
  assert.equal(await ruled(modern), 'kept');
  assert.equal(await ruled(modern, (text) => text.replace(/"error":\{.*\}(?=\}$)/, '"error":{"code":-32600,"message":"no"}')), 'broken');
});

test('judge: HTTP: what is wrong with a response', async () => {
  const found = async (edit: (response: Response) => Response | Promise<Response>, only: string): Promise<string[]> => broken(await overHttp(edit, { only: [only], quick: true, answerMs: 300 }));
  const remade = (response: Response, status: number, headers: Headers = response.headers): Response => new Response(response.body, { status, headers });
  assert.ok((await found((response) => (response.status === 404 ? remade(response, 400) : response), 'streamable-http-16')).includes('streamable-http-16'));
  assert.ok((await found((response) => (response.status === 403 ? remade(response, 401) : response), 'streamable-http-32')).includes('streamable-http-32'));
  assert.ok((await found((response) => {
    const headers = new Headers(response.headers);
    headers.set('content-type', headers.get('content-type')?.replace('application/json', 'text/plain') ?? '');
    return remade(response, response.status, headers);
  }, 'streamable-http-37')).includes('streamable-http-37'));
  assert.ok((await found((response) => {
    const headers = new Headers(response.headers);
    headers.delete('x-accel-buffering');
    return remade(response, response.status, headers);
  }, 'streamable-http-22')).includes('streamable-http-22'));
});

// 2026-07-28 basic/transports/streamable-http#server-validation: a server compares the header fields with the body.
test('judge: HTTP: a server that does not look at a header field breaks each rule about it', async () => {
  const nameOf = ({ name, uri }: { readonly name?: unknown; readonly uri?: unknown } = {}): string | undefined => (typeof name === 'string' ? name : typeof uri === 'string' ? uri : undefined);
  const fields: Readonly<Record<string, (body: { method: string; params?: { name?: unknown; uri?: unknown } }) => string | undefined>> = {
    'mcp-method': ({ method }) => method, 'mcp-name': ({ params }) => nameOf(params), none: () => undefined,
  };
  const only = ['streamable-http-46', 'streamable-http-55', 'streamable-http-58', 'streamable-http-47', 'streamable-http-44'];
  const found: Record<string, string[]> = {};
  for (const [field, right] of Object.entries(fields)) {
    const handle = fetchHandler(target());
    const { judgements } = await judgeServer({
      name: 'target', http: { url, fetch: async (to, init) => {
        const request = new Request(to as string, init);
        const [headers, body] = [new Headers(request.headers), await request.text()];
        const value = body.startsWith('{') ? right(JSON.parse(body) as { method: string }) : undefined;
        if (value !== undefined) headers.set(field, value);
        return handle(new Request(url, { method: request.method, headers, ...body !== '' && { body } }));
      } },
    }, { only, revisions: ['2026-07-28'], answerMs: 1_000 });
    found[field] = judgements.filter(({ verdict }) => verdict === 'broken').map(({ rule }) => rule.id).sort();
    if (field === 'none') assert.deepEqual(judgements.map(({ verdict }) => verdict), only.map(() => 'kept'));
  }
  assert.deepEqual(found, {
    'mcp-method': ['streamable-http-46', 'streamable-http-55', 'streamable-http-58'],
    'mcp-name': ['streamable-http-46', 'streamable-http-47', 'streamable-http-55', 'streamable-http-58'], none: [],
  });
});

test('judge: only tools that say they only read are called over a pipe, and none over HTTP', async () => {
  const called = { pipe: [] as string[], http: [] as string[] };
  const note = (list: string[], text: string): void => { list.push(...[...text.matchAll(/"method":"tools\/call","params":\{"name":"([^"]+)"/g)].map(([, name]) => name ?? '')); };
  const server = (list: string[]) => {
    const made = target();
    made.tool('delete_all', { description: 'Deletes' }, () => {
      list.push('DELETED');
      return 'gone';
    });
    return made;
  };
  await judgeServer({ name: 'x', open: (trace) => memoryTransport(server(called.pipe), { trace: (entry) => {
    if (entry.direction === 'sent') note(called.pipe, entry.text);
    trace(entry);
  } }) }, { quick: true, answerMs: 500, revisions: ['2025-11-25'] });
  const handle = fetchHandler(server(called.http));
  await judgeServer({ name: 'x', http: { url, fetch: (to, init) => {
    note(called.http, String(init?.body ?? ''));
    return handle(new Request(to as string, init));
  } } }, { quick: true, answerMs: 500 });
  assert.ok(called.pipe.includes('add'));
  assert.ok(!called.pipe.includes('delete_all') && !called.pipe.includes('DELETED'));
  assert.deepEqual(called.http.filter((name) => name !== 'judge-unknown-tool'), []);
});

test('judge: the same seed gives the same verdicts', async () => {
  const verdicts = ({ judgements }: JudgeRuling): string[] => judgements.map(({ rule, verdict }) => `${rule.id} ${verdict}`);
  const [one, two] = [await overPipe(undefined, { quick: true, seed: 7 }), await overPipe(undefined, { quick: true, seed: 7 })];
  assert.deepEqual(verdicts(one), verdicts(two));
});

test('judge: what is misspelt is refused by name', async () => {
  const server = { name: 'x', open: () => memoryTransport(target()) };
  await assert.rejects(judgeServer(server, { only: ['base-1000'] }), /base-1000/);
  await assert.rejects(judgeServer(server, { revisions: ['2030-01-01'] }), /2030-01-01/);
  await assert.rejects(judgeServer(server, { items: { slowTol: { name: 'x' } } as object }), /did you mean slowTool/);
  await assert.rejects(judgeServer({ name: 'x' }), /open or http/);
});

test('judge: hostile messages are sent only with hostile, and a server that bears them breaks nothing', async () => {
  const only = ['form-parse-error', 'form-invalid-request'];
  const [calm, hostile] = await Promise.all([overHttp(undefined, { only }), overHttp(undefined, { only, hostile: true })]);
  assert.deepEqual(broken(hostile), []);
  assert.deepEqual(hostile.failures, []);
  const times = ({ judgements }: JudgeRuling): number => judgements.reduce((sum, one) => sum + one.times + one.evidence.length, 0);
  assert.ok(times(hostile) > times(calm), `${times(hostile)} and ${times(calm)}`);
});

test('judge: an error to a call as a task is disputed where the server declares no tasks', async () => {
  const plain = new McpServer({ name: 'plain', version: '1.0.0' });
  plain.tool('add', {}, () => 'three');
  const handle = fetchHandler(plain);
  const refused = (body: string): Response => Response.json({ jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, error: { code: -32603, message: 'Server does not support task creation' } });
  const { judgements } = await judgeServer({ name: 'target', http: { url, fetch: async (to, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    return body.includes('"task":') ? refused(body) : handle(new Request(to as string, init));
  } } }, { only: ['tasks-61'], revisions: ['2025-11-25'], mayCall: ({ name }) => name === 'add' });
  assert.equal(judgements[0]?.verdict, 'dispute', JSON.stringify(judgements[0]));
});
