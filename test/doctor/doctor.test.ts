import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { everyNth } from '../every-nth.ts';
import { createTravelServer } from '../../examples/travel/server.ts';
import { decode } from '../../src/jsonrpc/index.ts';
import { allRules } from '../../src/judge/index.ts';
import type { ClientReceiver } from '../../src/transport/client-port.ts';
import { diagnose, examineTools, fetchProbe, findingKinds, networkFinding } from '../../src/doctor/index.ts';
import type { Diagnosis, DiagnoseOptions } from '../../src/doctor/index.ts';
import { compile } from '../../src/schema/full/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';
import { faultyHttp } from './faulty-http.ts';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const program = file('./faulty-program.js');
const travel = file('../../examples/travel/main.js');
const seen = new Set<string>();

const options: DiagnoseOptions = { timeoutMs: 2_000, startMs: 5_000, checkSchema: compile };

async function ofProgram(args: readonly string[], more: DiagnoseOptions = {}): Promise<Diagnosis> {
  return diagnose({ name: args.join(' '), open: (trace) => stdioTransport(args[0] ?? '', args.slice(1), { trace, termMs: 500 }) }, { ...options, ...more });
}

async function ofAddress(url: string, more: DiagnoseOptions = {}): Promise<Diagnosis> {
  return diagnose({ name: url, open: (trace) => httpTransport(url, { trace }), http: { url, send: fetchProbe(fetch, { timeoutMs: more.timeoutMs ?? 2_000 }) } }, { ...options, ...more });
}

/** The codes of the findings; asserts that each is in the table. */
function codes({ findings }: Diagnosis): string[] {
  for (const { code, what, where, todo } of findings) {
    seen.add(code);
    assert.match(where, /^20\d\d-\d\d-\d\d \w/);
    assert.ok(what.length > 10 && todo.length > 10);
    assert.doesNotMatch(what, /[\u0000-\u001f]/, 'what comes from the server is made visible');
  }
  return findings.map(({ code }) => code).sort();
}

for (const [args, name] of [[['node', travel], 'over stdio'], [[], 'over HTTP']] as const) {
  test(`doctor: nothing is wrong with the example ${name}`, async (t) => {
    let diagnosis: Diagnosis;
    if (args.length > 0) diagnosis = await ofProgram([process.execPath, travel]);
    else {
      const { url, close } = await serveHttp(createTravelServer(), { port: 0 });
      t.after(() => close());
      diagnosis = await ofAddress(url);
    }
    assert.deepEqual(diagnosis.findings, []);
    assert.match(diagnosis.facts.join('\n'), /it is Travel agency 1\.0\.0\n10 tools, 3 resources, 1 resourceTemplates, 1 prompts\nit speaks .*2025-11-25, 2026-07-28$/);
  });
}

test('doctor: nothing is wrong with the hand-written server, of either era, but what it is told to do wrong', async (t) => {
  assert.deepEqual(codes(await ofProgram([process.execPath, program, 'none'])), []);
  assert.deepEqual(codes(await ofProgram([process.execPath, program, 'modern'])), []);
  assert.deepEqual(codes(await ofAddress(await faultyHttp(t, 'none'), { origin: 'https://page.example' })), []);
});

test('doctor: each era is asked in a process of its own, which may know no other', async () => {
  const diagnosis = await ofProgram([process.execPath, program, 'both']);
  assert.deepEqual(codes(diagnosis), []);
  assert.equal(diagnosis.facts.at(-1), 'it speaks 2025-11-25, 2026-07-28');
});

// The codes found for each fault, if they differ from the fault's name.
const programs: readonly (readonly [fault: string, codes?: readonly string[] | undefined, more?: DiagnoseOptions])[] = [
  ['ended-early'], ['stray-output'], ['no-answer', undefined, { timeoutMs: 50, startMs: 400 }], ['slow-start', undefined, { slowMs: 100 }], ['does-not-end'],
  ['opening-refused'], ['opening-malformed', ['method-without-capability', 'nothing-offered', 'opening-malformed']], ['unknown-revision'], ['wrong-era', undefined, { revisions: ['2026-07-28'] }],
  ['discover-ends-server'], ['unknown-method-silent', undefined, { timeoutMs: 400 }], ['unknown-method-code'], ['ping-unanswered'],
  ['capability-without-method', ['capability-without-method', 'capability-without-method', 'capability-without-method']],
  ['method-without-capability', ['method-without-capability', 'nothing-offered']], ['nothing-offered'], ['list-failed'], ['list-malformed'], ['list-goes-round'], ['list-endless'],
  ['result-type-missing'], ['cache-fields-missing'],
];

for (const [fault, expected = [fault], more = {}] of programs.filter((_, at) => at % everyNth(3) === 0)) {
  test(`doctor: a program with the fault ${fault}`, async () => {
    const diagnosis = await ofProgram([process.execPath, program, fault], more);
    assert.deepEqual(codes(diagnosis), expected, JSON.stringify(diagnosis));
  });
}

// [fault, conversation, method]
for (const [fault, conversation, method] of ([
  ['opening-malformed', 1, 'initialize'], ['list-malformed', 1, 'tools/list'], ['unknown-method-code', 1, 'barewire-doctor/unknown'], ['ping-unanswered', 1, 'ping'],
  ['discover-ends-server', 2, 'server/discover'],
] as const).filter((_, at) => at % everyNth(3) === 0)) {
  test(`doctor: the finding ${fault} names the request that shows it`, async () => {
    const asked: string[][] = [];
    const { findings } = await diagnose({
      name: fault,
      open: (trace) => {
        const sent: string[] = [];
        asked.push(sent);
        return stdioTransport(process.execPath, [program, fault], { trace: (entry) => {
          if (entry.direction === 'sent') sent.push(entry.text);
          trace(entry);
        } });
      },
    });
    const found = findings.find(({ code }) => code === fault);
    assert.equal(found?.request?.conversation, conversation);
    const requests = (asked[conversation - 1] ?? []).map((text) => JSON.parse(text) as { id?: number; method: string });
    assert.equal(requests.find(({ id }) => id === found?.request?.id)?.method, method);
  });
}

const addresses: readonly (readonly [fault: string, codes?: readonly string[] | undefined, more?: DiagnoseOptions])[] = [
  ['duplicate-name'], ['duplicate-uri', ['duplicate-name']], ['name-invalid'], ['name-long'], ['description-missing'], ['schema-missing'], ['schema-not-object'], ['schema-invalid'],
  ['schema-rejected'], ['annotations-contradict'], ['many-tools'], ['uri-invalid'], ['template-invalid'], ['prompt-malformed'],
  ['unauthorized'], ['challenge-missing', ['challenge-missing', 'unauthorized']], ['forbidden'], ['host-refused', ['forbidden']], ['wrong-path'], ['wrong-path-405', ['wrong-path']], ['wrong-path-page', ['wrong-path']],
  ['redirected'], ['origin-unchecked'], ['origin-refused', undefined, { origin: 'https://page.example' }], ['cors-missing', undefined, { origin: 'https://page.example' }],
  ['content-type-missing'], ['content-type-wrong'], ['not-acceptable'], ['body-no-message'], ['body-empty', ['body-no-message']], ['server-error'], ['rate-limited'], ['old-transport'],
  ['session-id-odd', ['session-id-odd', 'session-not-404']], ['session-not-404'], ['version-header-unchecked'], ['notification-status'], ['get-wrong'], ['connection-lost'], ['no-answer', undefined, { timeoutMs: 200 }], ['modern', []],
];

for (const [fault, expected = [fault], more = {}] of addresses.filter((_, at) => at % everyNth(3) === 0)) {
  test(`doctor: an address with the fault ${fault}`, async (t) => {
    const diagnosis = await ofAddress(await faultyHttp(t, fault), more);
    assert.deepEqual(codes(diagnosis), expected, JSON.stringify(diagnosis));
  });
}

test('doctor: the right path is named where it is found', async (t) => {
  const { findings: [found] } = await ofAddress(await faultyHttp(t, 'wrong-path-page'));
  assert.match(found?.todo ?? '', /^Use http:\/\/127\.0\.0\.1:\d+\/api\/mcp: the endpoint is there\.$/);
});

test('doctor: what a program wrote is shown, and what it said at its end', async () => {
  const [stray] = (await ofProgram([process.execPath, program, 'stray-output'])).findings;
  assert.match(stray?.what ?? '', /a line that is not a message: "Server listening .*now/);
  const [ended] = (await ofProgram([process.execPath, program, 'ended-early'])).findings;
  assert.match(ended?.what ?? '', /exited with code 3.*TRAVEL_KEY is not set/);
});

test('doctor: a program that cannot be started', async () => {
  assert.deepEqual(codes(await ofProgram(['barewire-no-such-program'])), ['command-not-found']);
  assert.deepEqual(codes(await ofProgram([file('.')])), ['not-executable']);
  const failing = await diagnose({
    name: 'x', open: () => ({ kind: 'pipe', open: () => Promise.reject(new Error('too many files')), send() {}, close: async () => {} }),
  });
  assert.deepEqual(codes(failing), ['start-failed']);
});

/** The address of a plain TCP or TLS server. */
async function listen(t: { after(run: () => void): void }, server: ReturnType<typeof createTcpServer>): Promise<string> {
  server.on('error', () => {}).on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('doctor: what the network says', async (t) => {
  assert.deepEqual(codes(await ofAddress('http://barewire-doctor.invalid/mcp')), ['name-not-found']);
  const closed = createTcpServer();
  const host = await listen(t, closed);
  await new Promise<void>((resolve) => void closed.close(() => resolve()));
  assert.deepEqual(codes(await ofAddress(`http://${host}/mcp`)), ['connection-refused']);
  // Plain HTTP for an https address, and the reverse.
  const plain = await listen(t, createTcpServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n')));
  assert.deepEqual(codes(await ofAddress(`https://${plain}/mcp`)), ['wrong-scheme']);
  const binary = await listen(t, createTcpServer((socket) => void socket.on('error', () => {}).end(Buffer.from([0x15, 3, 3, 0, 2, 2, 70]))));
  assert.deepEqual(codes(await ofAddress(`http://${binary}/mcp`)), ['wrong-scheme']);
  const certificates = new URL('../../../test/transport/http-client/certificates/', import.meta.url);
  const secure = await listen(t, createTlsServer({ cert: readFileSync(new URL('cert.pem', certificates)), key: readFileSync(new URL('key.pem', certificates)) }));
  assert.deepEqual(codes(await ofAddress(`https://${secure}/mcp`)), ['tls-failed']);
});

test('doctor: errors that no server here can bring about', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [Object.assign(new TypeError('fetch failed'), { cause: { code: 'UND_ERR_CONNECT_TIMEOUT', message: 'Connect Timeout Error' } }), 'connect-timeout'],
    [Object.assign(new TypeError('fetch failed'), { cause: { code: 'CERT_HAS_EXPIRED' } }), 'tls-failed'],
    [Object.assign(new TypeError('fetch failed'), { cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } }), 'tls-failed'],
    [new AggregateError([{ code: 'ECONNREFUSED' }, { code: 'ECONNREFUSED' }]), 'connection-refused'],
    [new TypeError('Failed to fetch'), 'not-reached'],
    ['a string', 'not-reached'],
  ];
  for (const [error, code] of cases) {
    const found = networkFinding(error, 'https://user:secret@host.example/mcp?token=secret');
    assert.equal(found.code, code);
    assert.doesNotMatch(found.what, /secret/);
    seen.add(code);
  }
});

test('doctor: what is the matter with many tools is one finding, and bounded', () => {
  const found = examineTools(Array.from({ length: 10_000 }, (_, n) => ({ name: `t ${n} ${'x'.repeat(1000)}` })));
  assert.deepEqual(found.map(({ code }) => code), ['name-invalid', 'description-missing', 'schema-missing', 'many-tools']);
  assert.ok(found.every(({ what }) => what.length < 1000));
});

test('doctor: every code has a section that exists, and a faulty server above', () => {
  const headings = JSON.parse(readFileSync(new URL('../../../test/specification/headings.json', import.meta.url), 'utf8')) as Record<string, Record<string, string[]>>;
  for (const [code, { where }] of Object.entries(findingKinds)) {
    const [, revision = '', page = '', heading] = /^(\S+) ([^#]+)(?:#(.*))?$/.exec(where) ?? [];
    const list = headings[revision]?.[page];
    assert.ok(list && (heading === undefined || list.includes(heading)), `${code}: ${where}`);
  }
  if (everyNth(3) === 1) assert.deepEqual(Object.keys(findingKinds).filter((code) => !seen.has(code)), []);
  const table = readFileSync(new URL('../../../docs/doctor.md', import.meta.url), 'utf8');
  assert.deepEqual(Object.entries(findingKinds).filter(([code, { severity, where, rule = '' }]) => !table.includes(`| \`${code}\` | ${severity} | ${where} | ${rule} |`)), []);
});

test('doctor: a finding with a rule is of a section in which the judge has this rule, and the doctor holds no rules', () => {
  const wrong = Object.entries(findingKinds).filter(([, { where, rule }]) => rule !== undefined && !allRules().get(rule)?.places.some(({ revision, section }) => `${revision} ${section}` === where));
  assert.deepEqual(wrong.map(([code, { where, rule }]) => [code, where, rule]), []);
  assert.ok(Object.values(findingKinds).filter(({ rule }) => rule !== undefined).length >= 24);
  // A page includes the doctor, but not the 700 rules.
  const reached = new Set<string>();
  const follow = (file: URL): void => {
    if (reached.has(file.href)) return;
    reached.add(file.href);
    for (const [, to = ''] of readFileSync(file, 'utf8').matchAll(/^(?:import|export)\s(?!type)[^;]*?from '(\.[^']+)'/gm)) follow(new URL(to, file));
  };
  follow(new URL('../../../src/doctor/index.ts', import.meta.url));
  assert.ok([...reached].some((href) => href.endsWith('judge/plain-conversation.ts')));
  assert.deepEqual([...reached].filter((href) => /judge\/(rules|ledger|server|client|passive)/.test(href)), []);
});

test('doctor: what a list lacks is told with the rule of that list', async () => {
  const reply = (method: string): object => (method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: { prompts: {} }, serverInfo: { name: 's', version: '1' } } : method === 'resources/list' ? { resources: [{ uri: 'a://b', name: 'b' }] } : {});
  const { findings } = await diagnose({ name: 's', open: (trace) => {
    let to: ClientReceiver | undefined;
    return { kind: 'pipe', async open(receiver) { to = receiver; }, async close() {}, send(text) {
      const { id, method = '' } = JSON.parse(text) as { id?: number; method?: string };
      if (id === undefined) return;
      const said = JSON.stringify({ jsonrpc: '2.0', id, result: reply(method) });
      trace({ direction: 'received', text: said, at: 0 });
      to?.message(decode(said));
    } };
  } }, { timeoutMs: 1_000 });
  const found = findings.flatMap(({ code, rule, where }) => (code === 'list-malformed' || code === 'method-without-capability' ? [[code, rule, where]] : []));
  assert.deepEqual(found, [
    ['list-malformed', 'form-prompts-list', '2025-11-25 schema#listpromptsresult'],
    ['method-without-capability', 'resources-2', '2025-11-25 server/resources#capabilities'],
  ]);
});
