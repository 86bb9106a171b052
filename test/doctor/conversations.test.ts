import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnose, startFinding } from '../../src/doctor/index.ts';
import type { Diagnosis, DiagnoseOptions, ProbeAnswer } from '../../src/doctor/index.ts';
import { decode } from '../../src/jsonrpc/index.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import type { Trace } from '../../src/transport/trace.ts';

type Reply = { result: unknown } | { error: { code: number; message: string } } | 'silent' | 'gone';

/** A server in memory that answers by method and records its messages. `stray`: lines that it writes first. */
function scripted(reply: (method: string, params: Record<string, unknown>, conversation: number) => Reply, { kind = 'pipe', stray = [] as string[] }: { kind?: 'pipe' | 'http'; stray?: string[] } = {}): { open: (trace: Trace) => ClientTransport; sent: string[][] } {
  const sent: string[][] = [];
  const open = (trace: Trace): ClientTransport => {
    const own: string[] = [];
    const conversation = sent.push(own);
    let receiver: ClientReceiver | undefined;
    const hear = (text: string): void => {
      trace({ kind: 'message', direction: 'received', text, at: 0 });
      receiver?.message(decode(text));
    };
    return {
      kind,
      async open(to) {
        receiver = to;
        for (const line of stray) trace({ kind: 'message', direction: 'received', text: line, at: 0 });
      },
      send(text) {
        const { id, method, params = {} } = JSON.parse(text) as { id?: number; method?: string; params?: Record<string, unknown> };
        own.push(method ?? text);
        if (id === undefined || method === undefined) return;
        const answer = reply(method, params, conversation);
        if (answer === 'silent') return;
        if (answer === 'gone') receiver?.closed('the pipe broke');
        else queueMicrotask(() => hear(JSON.stringify({ jsonrpc: '2.0', id, ...answer })));
      },
      async close() {},
    };
  };
  return { open, sent };
}

const no = (method: string): Reply => ({ error: { code: -32601, message: `no ${method}` } });
const hello = (more: object = {}): Reply => ({ result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' }, ...more } });
const fast: DiagnoseOptions = { timeoutMs: 20, startMs: 20 };

async function of(reply: (method: string, params: Record<string, unknown>, conversation: number) => Reply, more: DiagnoseOptions = {}, how: { kind?: 'pipe' | 'http'; stray?: string[] } = {}): Promise<{ found: string[]; facts: readonly string[]; sent: string[][]; diagnosis: Diagnosis }> {
  const { open, sent } = scripted(reply, how);
  const diagnosis = await diagnose({ name: 'the command', open }, { ...fast, ...more });
  return { found: diagnosis.findings.map(({ code, what }) => `${code}: ${what}`), facts: diagnosis.facts.filter((fact) => !fact.startsWith('first answer')), sent, diagnosis };
}

test('a conversation: of a server that declares no list no count is told', async () => {
  const { facts } = await of((method) => (method === 'initialize' ? hello({ capabilities: {}, serverInfo: { name: 's', version: '1' } }) : method === 'ping' ? { result: {} } : { error: { code: -32601, message: 'bad' } }));
  assert.deepEqual(facts, ['it is s 1', 'it speaks 2025-11-25']);
});

test('a conversation: everything that is declared is listed, nothing else is served, and the other era is asked in another', async () => {
  const tool = { name: 't', description: 'd', inputSchema: { type: 'object' } };
  const lists: Record<string, Reply> = {
    'tools/list': { result: { tools: [tool] } }, 'resources/list': { result: { resources: [{ uri: 'a://1', name: 'r' }], nextCursor: null } },
    'resources/templates/list': no('templates'), 'prompts/list': { result: { prompts: [] } }, ping: { result: {} },
  };
  const { found, facts, sent } = await of((method) => (method === 'initialize' ? hello({ capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} }, serverInfo: { name: 's', title: 'The server', version: '1' } }) : lists[method] ?? { error: { code: -32602, message: 'bad' } }), { onStep: () => {} });
  assert.deepEqual(found, ['unknown-method-code: A request of an unknown method was answered with error -32602: bad; -32601 was expected.']);
  assert.deepEqual(facts, ['it is The server 1', '1 tools, 1 resources, 0 prompts', 'it speaks 2025-11-25']);
  assert.deepEqual(sent, [
    ['initialize', 'notifications/initialized', 'tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'logging/setLevel', 'completion/complete', 'resources/subscribe', 'resources/unsubscribe', 'barewire-doctor/unknown', 'ping'],
    ['server/discover'],
  ]);
});

test('a conversation: capabilities whose methods are not there, each by name', async () => {
  const { found } = await of((method) => (method === 'initialize' ? hello({ capabilities: { tools: {}, resources: { subscribe: true }, logging: {}, completions: {} } })
    : method === 'resources/list' ? { result: { resources: [{ uri: 'a://1' }] } } : method === 'ping' ? { result: {} } : no(method)));
  assert.deepEqual(found, [
    'capability-without-method: The capability for tools/list is declared, but the method was answered with error -32601: no tools/list.',
    'capability-without-method: The capability logging is declared, but logging/setLevel was answered with error -32601: no logging/setLevel.',
    'capability-without-method: The capability completions is declared, but completion/complete was answered with error -32601: no completion/complete.',
    'capability-without-method: The capability resources.subscribe is declared, but resources/subscribe was answered with error -32601: no resources/subscribe.',
    'capability-without-method: The capability resources.subscribe is declared, but resources/unsubscribe was answered with error -32601: no resources/unsubscribe.',
  ]);
  const bare = await of((method) => (method === 'initialize' ? hello({ capabilities: { resources: { subscribe: true } } }) : method === 'resources/list' ? { result: { resources: [{ name: 'no uri' }] } } : method === 'ping' ? { result: {} } : no(method)));
  assert.ok(!bare.sent[0]?.includes('resources/subscribe'), 'without a URI there is nothing to subscribe to');
});

test('a conversation: lists that are not declared, fail, are malformed, go round or have no end', async () => {
  const list = async (reply: (params: Record<string, unknown>, page: number) => Reply, capabilities: object = { prompts: {} }): Promise<string[]> => {
    let page = 0;
    const { found } = await of((method, params) => (method === 'initialize' ? hello({ capabilities }) : method === 'ping' ? { result: {} } : method === 'prompts/list' ? reply(params, ++page) : no(method)));
    return found;
  };
  const undeclared = ['method-without-capability: prompts/list lists 1 prompts, but the capability prompts is not declared.', 'nothing-offered: It declares no tools, no resources and no prompts.'];
  assert.deepEqual(await list(() => ({ result: { prompts: [{ name: 'p' }] } }), {}), undeclared);
  assert.deepEqual(await list(() => ({ result: { prompts: [] } }), {}), undeclared.slice(1));
  assert.deepEqual(await list(() => ({ error: { code: -32603, message: 'down' } })), ['list-failed: prompts/list was answered with error -32603: down']);
  assert.deepEqual(await list(() => 'silent'), ['list-failed: prompts/list got no answer']);
  assert.deepEqual(await list(() => ({ result: { prompts: {} } })), ['list-malformed: The result of prompts/list lacks the list prompts.']);
  assert.deepEqual(await list(() => ({ result: { prompts: [], nextCursor: 5 } })), ['list-malformed: nextCursor of prompts/list is 5, and not a string.']);
  assert.deepEqual(await list((_params, page) => ({ result: { prompts: [{ name: `p${page}` }], nextCursor: ['a', 'b', 'c', 'b'][page - 1] } })), ['list-goes-round: prompts/list gave the cursor "b" twice, on pages 2 and 4: a client that follows it never ends.']);
  assert.deepEqual(await list((_params, page) => ({ result: { prompts: [{ name: `p${page}` }], nextCursor: `c${page}` } })), ['list-endless: prompts/list has more than 200 pages (200 items so far).']);
  assert.deepEqual(await list((_params, page) => ({ result: { prompts: [{ name: `p${page}` }], ...page < 200 && { nextCursor: `c${page}` } } })), []);
  assert.deepEqual(await list(({ cursor }, page) => ({ result: { prompts: [{ name: String(cursor) }], ...page < 3 && { nextCursor: `c${page}` } } })), [], 'each page has its cursor');
});

test('an opening: what is refused, malformed, silent, or ends', async () => {
  const opening = async (first: Reply, discover: Reply = no('server/discover'), kind: 'pipe' | 'http' = 'pipe'): Promise<string[]> =>
    (await of((method, _params, conversation) => (method === 'initialize' ? first : method === 'server/discover' && conversation === 1 ? discover : method === 'ping' ? { result: {} } : no(method)), {}, { kind })).found;
  const offered = 'nothing-offered: It declares no tools, no resources and no prompts.';
  assert.deepEqual(await opening(hello()), [offered]);
  assert.deepEqual(await opening({ result: { protocolVersion: 5, capabilities: [], serverInfo: { name: 's' } } }), ['opening-malformed: The result of initialize lacks protocolVersion, capabilities, serverInfo with a name and a version.']);
  assert.deepEqual(await opening(hello({ protocolVersion: '2025-01-01' })), ['unknown-revision: initialize offered 2025-11-25 and was answered with "2025-01-01", which is not a revision of the protocol.', offered]);
  assert.deepEqual(await opening(hello({ protocolVersion: '2026-07-28' })), ['unknown-revision: initialize offered 2025-11-25 and was answered with "2026-07-28", which has no handshake.', offered]);
  assert.deepEqual(await opening(no('initialize')), ['opening-refused: initialize was answered with error -32601: no initialize; server/discover was answered with error -32601: no server/discover.']);
  assert.deepEqual(await opening('silent', 'silent'), ['no-answer: Neither initialize nor server/discover got an answer, but the server kept running.']);
  assert.deepEqual(await opening('silent'), ['opening-refused: initialize got no answer; server/discover was answered with error -32601: no server/discover.']);
  assert.deepEqual(await opening('gone'), ['ended-early: It ended before it answered initialize: the pipe broke']);
  assert.deepEqual(await opening('gone', no('x'), 'http'), ['opening-refused: initialize failed: the pipe broke.']);
  assert.deepEqual(await opening(no('initialize'), 'gone'), ['ended-early: It ended before it answered initialize: the pipe broke']);
  const modern: Reply = { result: { supportedVersions: ['2026-07-28', 5], capabilities: { tools: {} } } };
  assert.deepEqual(await opening('silent', modern), ['capability-without-method: The capability for tools/list is declared, but the method was answered with error -32601: no tools/list.', 'unknown-method-silent: initialize got no answer: clients of earlier revisions wait in vain.']);
  assert.deepEqual(await opening(no('initialize'), { result: { supportedVersions: 'x' } }), ['opening-malformed: The result of server/discover lacks supportedVersions, capabilities.']);
});

test('manners: an unknown method and ping', async () => {
  const manners = async (unknown: Reply, ping: Reply = { result: {} }): Promise<string[]> =>
    (await of((method) => (method === 'initialize' ? hello({ capabilities: { tools: {} } }) : method === 'tools/list' ? { result: { tools: [] } } : method === 'ping' ? ping : method === 'barewire-doctor/unknown' ? unknown : no(method)))).found;
  assert.deepEqual(await manners(no('x')), []);
  assert.deepEqual(await manners('silent'), ['unknown-method-silent: A request of an unknown method got no answer.']);
  assert.deepEqual(await manners({ result: {} }), ['unknown-method-code: A request of an unknown method was answered with a result; error -32601 was expected.']);
  assert.deepEqual(await manners(no('x'), 'silent'), ['ping-unanswered: ping got no answer.']);
  assert.deepEqual(await manners(no('x'), { error: { code: 5, message: 'no\n  ping' } }), ['ping-unanswered: ping was answered with error 5: no\\n  ping.']);
  assert.deepEqual(await manners('gone'), []);
});

test('the other era: what it serves is judged by its own rules, and what ends the server is told', async () => {
  const both = async (discover: Reply, list: Reply = { result: { tools: [] } }): Promise<{ found: string[]; facts: readonly string[]; sent: string[][] }> =>
    of((method, _params, conversation) => (method === 'initialize' ? hello({ capabilities: { tools: {}, resources: {} } }) : method === 'server/discover' ? discover : method === 'ping' ? { result: {} }
      : method === 'tools/list' ? conversation === 1 ? { result: { tools: [] } } : list : method === 'resources/list' ? { result: { resources: [] } } : no(method)));
  const served: Reply = { result: { supportedVersions: ['2026-07-28'], capabilities: {} } };
  const bare = await both(served);
  assert.deepEqual(bare.found, ['result-type-missing: The result of tools/list has no resultType.', 'cache-fields-missing: The result of tools/list has no ttlMs and no cacheScope.']);
  assert.deepEqual(bare.facts.at(-1), 'it speaks 2025-11-25, 2026-07-28');
  assert.deepEqual(bare.sent[1], ['server/discover', 'tools/list', 'resources/list', 'prompts/list']);
  assert.deepEqual((await both(served, { error: { code: -32603, message: 'down' } })).found, ['list-failed: tools/list was answered with error -32603: down']);
  const gone = await both('gone');
  assert.deepEqual(gone.found, ['discover-ends-server: server/discover ended the server: it failed: the pipe broke']);
  assert.equal(gone.facts.at(-1), 'it speaks 2025-11-25');
});

test('stdout that is not the protocol: how much of it, and only over pipes; revisions, and slowness', async () => {
  const serve = (method: string): Reply => (method === 'initialize' ? hello({ capabilities: { tools: {} } }) : method === 'tools/list' ? { result: { tools: [] } } : method === 'ping' ? { result: {} } : no(method));
  assert.deepEqual((await of(serve, {}, { stray: ['hello'] })).found, ['stray-output: stdout has a line that is not a message: "hello".']);
  assert.deepEqual((await of(serve, {}, { stray: ['a', 'b', 'c', 'd'] })).found, ['stray-output: stdout has 4 lines that are not messages: "a", "b", "c".']);
  assert.deepEqual((await of(serve, {}, { stray: Array.from({ length: 30 }, (_, n) => `l${n}`) })).found, ['stray-output: stdout has 10 lines that are not messages: "l0", "l1", "l2".']);
  assert.deepEqual((await of(serve, {}, { stray: ['hello'], kind: 'http' })).found, []);
  assert.deepEqual((await of(serve, { revisions: ['2025-11-25', 'x'] })).found, []);
  assert.deepEqual((await of(serve, { revisions: ['2026-07-28', 'x'] })).found, ['wrong-era: It speaks 2025-11-25, and the client 2026-07-28, x.']);
  const slow = await of(serve, { slowMs: 0 });
  assert.match(slow.found.join(), /^slow-start: The first answer came after 0\.0 s; several hosts wait 5 to 30 s\.$/);
  assert.match(slow.diagnosis.facts[0] ?? '', /^first answer after \d+ ms$/);
});

test('an address that wants credentials: the refusal counts only where the conversation has none either', async () => {
  const refused = async (): Promise<ProbeAnswer> => ({ status: 401, headers: {}, body: '' });
  const http = { url: 'https://h.example/mcp', send: refused };
  const steps: string[] = [];
  const served = scripted((method) => (method === 'initialize' ? hello({ capabilities: { tools: {} } }) : method === 'tools/list' ? { result: { tools: [] } } : method === 'ping' ? { result: {} } : no(method)), { kind: 'http' });
  const logged = await diagnose({ name: 'x', open: served.open, http }, { ...fast, onStep: (step) => void steps.push(step) });
  assert.deepEqual(logged.findings.map(({ code }) => code), ['challenge-missing']);
  assert.deepEqual(steps, ['the address', 'the opening', 'its tools, resources and prompts', 'its behaviour']);
  const closed = await diagnose({ name: 'x', open: scripted(() => ({ error: { code: 1, message: 'log in' } }), { kind: 'http' }).open, http }, fast);
  assert.deepEqual(closed.findings.map(({ code }) => code).sort(), ['challenge-missing', 'unauthorized']);
});

test('findings come with errors first, and what cannot be started says why', async () => {
  const { findings } = (await of((method) => (method === 'initialize' ? hello({ capabilities: { tools: {} } }) : method === 'tools/list'
    ? { result: { tools: [{ name: 'a', inputSchema: { type: 'object' } }, { name: 'a b', description: 'd' }] } } : method === 'ping' ? { result: {} } : no(method)))).diagnosis;
  assert.deepEqual(findings.map(({ severity, code }) => `${severity} ${code}`), ['error schema-missing', 'warning name-invalid', 'note description-missing']);
  assert.deepEqual(findings.map(({ request }) => request), Array(3).fill({ conversation: 1, id: 2 }));
  const failed = (cause?: unknown): string => startFinding(new Error('m', { cause }), 'npx \u001bx').what;
  assert.equal(failed({ code: 'ENOENT' }), 'npx \\x1bx: the program or its working directory does not exist.');
  assert.equal(failed({ code: 'EACCES' }), 'npx \\x1bx: the file is not executable.');
  assert.equal(failed(null), 'npx \\x1bx: m');
  assert.equal(startFinding('text', 'x').what, 'x: text');
});

test('the doctor answers what a server asks: ping, and nothing else', async () => {
  const answers: string[] = [];
  const { open } = scripted((method) => (method === 'initialize' ? hello() : no(method)));
  await diagnose({ name: 'x', open: (trace) => {
    const inner = open(trace);
    let to: ClientReceiver | undefined;
    return { ...inner, open: (receiver) => inner.open(to = receiver), send: (text, sent) => {
      if (!text.includes('"method"')) return void answers.push(text);
      if (text.includes('"initialize"')) for (const one of [{ id: 'p', method: 'ping' }, { id: 'q', method: 'roots/list' }, { method: 'notifications/x' }]) {
        const said = JSON.stringify({ jsonrpc: '2.0', ...one });
        trace({ kind: 'message', direction: 'received', text: said, at: 0 });
        to?.message(decode(said));
      }
      inner.send(text, sent);
    } };
  } }, fast);
  assert.deepEqual(answers.map((text) => JSON.parse(text) as unknown), [{ jsonrpc: '2.0', id: 'p', result: {} }, { jsonrpc: '2.0', id: 'q', error: { code: -32601, message: 'The doctor does not answer questions' } }]);
});
