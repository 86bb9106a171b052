import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { inProcess } from './in-process.ts';
import { barewire } from './program.ts';
import { programAt } from '../program-at.ts';

// trace, record and replay, by running the program between a real client (the program itself) and a real server.
const fixture = [process.execPath, programAt('test/cli/fixture-server.js')];
const self = [process.execPath, barewire];
const home = mkdtempSync(join(tmpdir(), 'barewire-wire-'));
test.after(() => rmSync(home, { recursive: true, force: true }));

const run = async (words: readonly string[], input?: Buffer): Promise<{ readonly code: number | null; readonly out: Buffer; readonly err: string }> => {
  const { code, bytes, err } = await inProcess(words, { env: { BAREWIRE_HOME: home }, ...input && { input } });
  return { code, out: bytes, err };
};

test('trace passes every byte unchanged in both directions, and the exit code', async () => {
  // Lines and other bytes, JSON and other text, invalid UTF-8, CRLF, empty lines, no newline at the end; 300 KB.
  const bytes = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\n  \nno message\n'), Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
    Buffer.from(`{"a":"${'é'.repeat(150_000)}"}\nlast`),
  ]);
  const file = join(home, 'passed.log');
  const { code, out, err } = await run(['trace', '--to', file, '--', process.execPath, '-e', 'process.stdin.pipe(process.stdout).on("finish", () => {}); process.stdin.on("end", () => { process.exitCode = 7; })'], bytes);
  assert.equal(code, 7, err);
  assert.ok(out.equals(bytes), `${out.length} of ${bytes.length} bytes`);
  const trace = readFileSync(file, 'utf8');
  assert.match(trace, /→ \{"jsonrpc":"2.0","id":1,"method":"ping"\}/);
  assert.match(trace, /it was passed on/);
  if (process.platform === 'win32') return;
  for (const [signal, expected] of [['HUP', 129], ['KILL', 137], ['TERM', 143]] as const) {
    assert.equal((await run(['trace', '--to', file, '--', 'sh', '-c', `kill -${signal} $$`])).code, expected, signal);
  }
});

test('trace stands between a client and a server, and explains what passes', async () => {
  const file = join(home, 'trace.jsonl');
  const { code, out, err } = await run(['call', 'echo', 'text=through', '--', ...self, 'trace', '--json', '--to', file, '--', ...fixture]);
  assert.deepEqual([code, out.toString()], [0, 'through\n'], err);
  const lines = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { from: string; what: string; section: string });
  assert.ok(lines.some(({ from, what }) => from === 'client' && /calls? (the tool )?.*echo/.test(what)), JSON.stringify(lines.map(({ what }) => what)));
  assert.ok(lines.every(({ section }) => typeof section === 'string'));
  assert.equal((await run(['trace'])).code, 2);
  assert.equal((await run(['trace', '--', './no-such-program'])).code, 4);
});

test('record writes a session that replays: before the server without a difference, and as a mock server', async () => {
  const file = join(home, 'session.wire');
  const { code, err } = await run(['call', 'echo', 'text=kept', '--', ...self, 'record', file, '--', ...fixture]);
  assert.equal(code, 0, err);
  const again = await run(['replay', file, '--', ...fixture]);
  assert.deepEqual([again.code, again.out.toString().replace(/\d+/, 'N')], [0, 'The same: N messages.\n'], again.err);
  // Another client, which sends fewer requests in another order.
  const mocked = await run(['call', 'echo', 'text=kept', '--', ...self, 'replay', file]);
  assert.deepEqual([mocked.code, mocked.out.toString()], [0, 'kept\n'], mocked.err);
  const other = await run(['call', 'fail', '--yes', '--', ...self, 'replay', file]);
  assert.equal(other.code, 1);
  assert.match(other.err, /not in the transcript: tools\/call/);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"text": "kept"}]', '"text": "lost"}]'));
  const differs = await run(['replay', file, '--', ...fixture]);
  assert.equal(differs.code, 1);
  assert.match(differs.out.toString(), /^line \d+: \/result\/content\/0\/text: expected "lost", got "kept"\n$/);
  assert.equal((await run(['replay', '--ignore', 'content', file, '--', ...fixture])).code, 0);
});

test('a transcript of the repository is a mock server', async () => {
  const file = fileURLToPath(new URL('../../../test/transcripts/2025-06-18/tools.wire', import.meta.url));
  const { code, out, err } = await run(['list', '--json', '--', ...self, 'replay', file]);
  assert.equal(code, 0, err);
  const { revision, tools } = JSON.parse(out.toString()) as { revision: string; tools: unknown[] };
  assert.equal(revision, '2025-06-18');
  assert.ok(tools.length > 0);
  assert.equal((await run(['replay', 'no-such-file.wire'])).code, 2);
});

test('replay as a mock server: --exact tells each difference, and JSON before a server', async () => {
  const file = join(home, 'exact.wire');
  writeFileSync(file, 'T.\n\n--> {"jsonrpc": "2.0", "id": 1, "method": "ping"}\n\n<-- {"jsonrpc": "2.0", "id": 1, "result": {}}\n');
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
  const same = await run(['replay', '--exact', file], Buffer.from(`\n${ping}`));
  assert.deepEqual([same.code, JSON.parse(same.out.toString()), same.err], [0, { jsonrpc: '2.0', id: 1, result: {} }, '']);
  const other = await run(['replay', '--exact', file], Buffer.from(ping.replace('ping', 'pong')));
  assert.equal(other.code, 1);
  assert.equal(other.err, 'line 3: expected ping, got pong\nline 3: ping did not come: the client has gone\n');
  const missing = await run(['replay', '--exact', file], Buffer.from('\n'));
  assert.equal(missing.code, 1);
  assert.equal(missing.err, 'line 3: ping did not come: the client has gone\n');
  assert.equal((await run(['replay', file], Buffer.from(ping))).code, 0);
  const json = await run(['replay', '--json', '--timeout', '5', file, '--', process.execPath, '-e', 'process.stdin.once("data", () => console.log(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { a: 1 } })))']);
  const { messages, differences } = JSON.parse(json.out.toString()) as { messages: number; differences: { at: number }[] };
  assert.deepEqual([json.code, messages, differences.length > 0, typeof differences[0]?.at], [1, 2, true, 'number']);
});
