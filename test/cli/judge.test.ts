import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { inProcess } from './in-process.ts';
import type { InProcess } from './in-process.ts';

// The command `barewire judge`. test/judge has its rules; its login is in test/judge/login.test.ts.
const server = ['--', process.execPath, fileURLToPath(new URL('../doctor/faulty-program.js', import.meta.url)), 'stray-output'];
const run = (words: readonly string[], how?: InProcess): ReturnType<typeof inProcess> => inProcess(['judge', ...words], how);

/** A client that sends its second request with the id of the first, and writes to stdout. */
const client = ['--', process.execPath, '--input-type=module', '-e', `
console.log('here \\u001b');
const post = (message) => fetch(process.argv[1], { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json' }, body: JSON.stringify(message) });
await (await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bad', version: '1' } } })).text();
await (await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).text();
`, '{url}'];

test('judge --client: names the broken rules of a client, as text and as JSON', async () => {
  const broken = await run(['--client', '--only', ' base-66 ,, ', '--revision', '2025-11-25', '--seed', '3', '--timeout', '20', '--verbose', ...client]);
  assert.equal(broken.code, 1, broken.err);
  assert.match(broken.out, /broken base-66 MUST/);
  assert.equal(broken.err.replace(/(client │ here \\x1b\n)+/, 'once\n'), 'once\n');
  const kept = await run(['--client', '--json', '--quick', '--only', 'lifecycle-7', '--revision', '2025-11-25', ...client]);
  assert.deepEqual([kept.code, kept.err], [0, '']);
  assert.match(kept.out, /^\{[^\n]*"id":"lifecycle-7"[^\n]*"verdict":"kept"[^\n]*\}\n$/);
  const terminal = await run(['--client', '--all', '--only', 'lifecycle-7', '--revision', '2025-11-25', ...client], { columns: 200, env: { NO_COLOR: undefined, FORCE_COLOR: '1' } });
  assert.match(terminal.out, /\S \.\.\.\n[^]*kept +lifecycle-7/);
  assert.ok(terminal.bytes.includes('\u001b['));
});

test('judge --client: a client that cannot be judged ends with 4; wrong use with 2', async () => {
  const none = await run(['--client', '--only', 'lifecycle-7', '--revision', '2025-11-25', '--timeout', '1', '--', './no-such-program', '{url}']);
  assert.equal(none.code, 4, none.err);
  assert.match(none.err, /the client could not be judged: it spoke to no hidden server/);
  for (const [words, why] of [
    [['--client'], /judge --client takes the command of a client after --, with \{url\} or \{program\}/], [['--client', '--'], /takes the command of a client/], [['--client', '--', 'node'], /needs \{url\} or \{program\}/],
    [['--client', '--only', 'nonsense', ...client], /--only: there is no rule nonsense/], [['--client', '--nonsense', ...client], /judge --client: Unknown option '--nonsense'/], [['--client', 'word', ...client], /judge --client: Unexpected argument/],
    ...['-1', '1.5', 'x', ' ', ''].map((text) => [['--client', `--seed=${text}`, ...client], new RegExp(`--seed takes a whole number, not ${text}$`, 'm')] as const),
    [['--client', '--timeout', 'x', ...client], /--timeout takes a whole number, not x/], [['--relay'], /judge --relay takes the path of a socket/],
  ] as const) {
    const { code, err } = await run(words);
    assert.equal(code, 2, words.join(' '));
    assert.match(err, why);
  }
});

test('judge: the report, the files that options name, and a baseline', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-judge-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const at = (name: string): string => join(folder, name);
  const quick = ['--quick', '--revision', '2025-11-25', '--only', ' stdio-4, ping-1,,'];
  const broken = await run([...quick, '--write-baseline', at('known.json'), '--wire', at('wire'), '--badge', at('a.badge'), '--sarif', at('a.sarif'), ...server]);
  assert.equal(broken.code, 1, broken.err);
  assert.match(broken.out, /broken stdio-4 MUST/);
  assert.doesNotMatch(broken.out, /kept +ping-1/);
  assert.deepEqual(readdirSync(at('wire')), ['stdio-4.wire']);
  for (const name of ['known.json', 'a.badge', 'a.sarif']) {
    const text = readFileSync(at(name), 'utf8');
    assert.ok(text.endsWith('\n') && typeof JSON.parse(text) === 'object', name);
  }
  // What the baseline has is no new fault.
  const known = await run([...quick, '--json', '--baseline', at('known.json'), ...server]);
  assert.deepEqual([known.code, /^\{[^\n]*"verdict":"broken"[^\n]*\}\n$/.test(known.out), known.err], [0, true, '']);
  const terminal = await run([...quick, '--all', '--verbose', ...server], { columns: 200, env: { NO_COLOR: undefined, FORCE_COLOR: '1' } });
  // Each line of the report begins its own row.
  assert.match(terminal.out, /\S \.\.\.\n[^]*\n {2}https:\/\/modelcontextprotocol[^]*\nkept +ping-1/);
  assert.ok(terminal.bytes.includes('\u001b['));
  writeFileSync(at('login.json'), '{"login":{"server":"https://a.example","tokenVariable":"X"}}');
  for (const [words, why] of [
    [['http://127.0.0.1:1/', 'more'], /judge takes one server; unexpected: more/], [['--only', 'nonsense', ...server], /--only: there is no rule nonsense/], [['--seed=-1', ...server], /--seed takes a number from 0/],
    [['--hostile', 'http://example.com:8080/mcp'], /--hostile at example\.com:8080, which is not this machine, needs --i-own-this/], [['--sse', ...server], /--sse is for an address/], [['--items', at('login.json'), ...server], /--items: a login is for an address/],
    [['--items', at('nothing'), ...server], /--items \S+nothing: ENOENT/], [['--baseline', at('login.json'), ...server], /--baseline \S+login\.json: /], [[...quick, '--html', join(at('nothing'), 'x'), ...server], /--html \S+: ENOENT/],
  ] as const) {
    const { code, err } = await run(words);
    assert.equal(code, 2, words.join(' '));
    assert.match(err, why);
  }
});
