import assert from 'node:assert/strict';
import test from 'node:test';
import { McpServer } from 'barewire/server';
import type { WireEntry, WireMessage } from '../../src/messages.ts';
import { curl } from '../../src/host/curl.ts';
import { WireLog } from '../../src/host/wire-log.ts';
import { hostOf, sampleServer, TestPage } from './harness.ts';

const messages = (entries: readonly WireEntry[]): WireMessage[] => entries.filter((entry) => entry.kind === 'message');
const allowed = { rules: [{ then: 'allow' }] } as const;

test('wire: step mode holds each message, lets it go as it is or edited, and throws it away', async (t) => {
  for (const era of ['legacy', 'modern'] as const) {
    const page = new TestPage(hostOf(t, { one: sampleServer() }, allowed), 'a');
    await page.ask('server.reconnect', { server: 'one', era });
    await page.ask('tool.call', { server: 'one', name: 'add', args: { a: 0, b: 0 } });
    await page.ask('hold.set', { server: 'one', sent: true, received: true });
    const call = page.ask('tool.call', { server: 'one', name: 'add', args: { a: 20, b: 1 } });
    const { hold: { waiting: [request] } } = await page.seen('hold', ({ hold: { waiting } }) => waiting.length === 1);
    assert.ok(request?.direction === 'sent' && request.whole);
    assert.match(request.sentence, /add/);
    await page.ask('hold.next', { server: 'one', direction: 'sent', text: request.text.replace('"a":20', '"a":40') });
    const { hold: { waiting: [answer] } } = await page.seen('hold', ({ hold: { waiting } }) => waiting[0]?.direction === 'received');
    assert.match(answer?.text ?? '', /41/);
    await page.ask('hold.next', { server: 'one' });
    assert.deepEqual(((await call).result as { structuredContent: unknown }).structuredContent, { sum: 41 });
    await assert.rejects(page.ask('hold.next', { server: 'one' }), { code: 'dropped' });
    assert.ok(messages((await page.ask('wire.page', { from: 1 })).entries).some(({ origin, direction }) => origin === 'edited' && direction === 'sent'));

    const lost = page.begin('tool.call', { server: 'one', name: 'add', args: { a: 7, b: 7 } });
    await page.seen('hold', ({ hold: { waiting } }) => waiting[0]?.text.includes('"a":7') === true);
    await page.ask('hold.drop', { server: 'one', direction: 'sent' });
    page.cancel(lost.id);
    const reply = await lost.reply;
    assert.ok(reply.ok && (reply.result as { state: string }).state === 'cancelled');
    await page.ask('hold.set', { server: 'one', sent: false, received: false });
    assert.equal((await page.ask('tool.call', { server: 'one', name: 'add', args: { a: 1, b: 1 } })).state, 'done');
  }
});

test('wire: a handshake can be stepped through', async (t) => {
  const page = new TestPage(hostOf(t, { one: sampleServer() }), 'a');
  await page.ask('hold.set', { server: 'one', sent: true, received: false });
  const connected = page.ask('server.connect', { server: 'one' });
  const { hold: { waiting: [first] } } = await page.seen('hold', ({ hold: { waiting } }) => waiting.length === 1);
  assert.match(first?.text ?? '', /server\/discover/);
  await page.ask('hold.set', { server: 'one', sent: false, received: false });
  await connected;
});

test('wire: a text is injected, malformed too, and its answer reaches no caller', async (t) => {
  const page = new TestPage(hostOf(t, { one: sampleServer() }), 'a');
  await assert.rejects(page.ask('wire.inject', { server: 'one', text: '{}' }), { code: 'not-connected' });
  await page.ask('server.reconnect', { server: 'one', era: 'legacy' });
  const { seq, text } = await page.ask('wire.inject', { server: 'one', text: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
  assert.equal(text, '{"jsonrpc":"2.0","id":"page-1","method":"tools/list"}');
  const both = ({ entries }: { entries: readonly WireEntry[] }): boolean => messages(entries).some(({ answers }) => answers === seq);
  const { entries } = await page.seen('wire', both);
  const sent = messages(page.wire).find((entry) => entry.seq === seq);
  assert.deepEqual([sent?.origin, sent?.direction], ['injected', 'sent']);
  assert.equal(messages(entries).find(({ answers }) => answers === seq)?.method, 'tools/list');
  await page.ask('wire.inject', { server: 'one', text: 'this is no JSON' });
  await page.seen('wire', ({ entries: some }) => messages(some).some(({ shape, text: said }) => shape === 'error' && said.includes('-32700')));
  assert.deepEqual(page.heard.filter(({ type }) => type === 'trouble'), []);
});

test('wire: messages are kept within bounds, long ones are fetched whole, and what was dropped is counted', async (t) => {
  const server = new McpServer({ name: 'long', version: '1.0.0' });
  server.tool('long', {}, () => 'x'.repeat(100_000));
  const page = new TestPage(hostOf(t, { one: server }, { ...allowed, limits: { maxWireEntries: 30, maxWireBytes: 900_000 } }), 'a');
  for (let i = 0; i < 8; i++) await page.ask('tool.call', { server: 'one', name: 'long', args: {} });
  const { entries, memory } = await page.ask('wire.page', { from: 1 });
  assert.ok(memory.bytes <= 900_000 && memory.droppedEntries > 0 && memory.entries === entries.length);
  assert.equal(entries[0]?.seq, memory.droppedEntries + 1);
  assert.deepEqual(entries.map(({ seq }) => seq), entries.map((_, i) => memory.droppedEntries + 1 + i));
  const long = messages(entries).findLast(({ whole }) => !whole);
  assert.deepEqual([long?.text.length, (long?.chars ?? 0) > 100_000], [16_384, true]);
  const { text } = await page.ask('wire.text', { seq: long?.seq ?? 0 });
  assert.equal(text.length, long?.chars);
  await assert.rejects(page.ask('wire.text', { seq: 1 }), { code: 'dropped' });
  await page.ask('wire.clear', {});
  const { memory: after } = await page.seen('wire-cleared');
  assert.deepEqual([after.entries, after.bytes], [0, 0]);
});

test('wire: a hundred thousand messages are taken and paged', () => {
  let told = 0;
  const log = new WireLog({ maxEntries: 60_000, maxBytes: 64 * 1024 * 1024, onEntry: () => told++, explainHttp: () => ({ what: '', section: '' }) });
  for (let id = 0; id < 50_000; id++) {
    log.add('one', 1, '2025-11-25', { direction: 'sent', at: id, origin: 'peer', text: `{"jsonrpc":"2.0","id":${id},"method":"ping"}` });
    log.add('one', 1, '2025-11-25', { direction: 'received', at: id + 2, origin: 'peer', text: `{"jsonrpc":"2.0","id":${id},"result":{}}` });
  }
  assert.equal(told, 100_000);
  assert.equal(log.memory.entries, 60_000);
  assert.equal(log.inFlight('one'), 0);
  const [last] = log.page(100_000, 10);
  assert.ok(last?.kind === 'message' && last.answers === 99_999 && last.ms === 2 && last.method === 'ping');
});

test('wire: progress and what a subscription tells are joined to their request', async (t) => {
  const page = new TestPage(hostOf(t, { one: sampleServer() }, allowed), 'a');
  const call = page.begin('tool.call', { server: 'one', name: 'wait', args: {} });
  const { entries } = await page.seen('wire', ({ entries: some }) => messages(some).some(({ method }) => method === 'notifications/progress'));
  const progress = messages(entries).find(({ method }) => method === 'notifications/progress');
  const request = messages(page.wire).find(({ seq }) => seq === progress?.answers);
  assert.equal(request?.method, 'tools/call');
  page.cancel(call.id);
  await call.reply;
});

test('wire: a session is recorded, loaded, played against another server, and compared', async (t) => {
  const changed = sampleServer();
  const page = new TestPage(hostOf(t, { one: sampleServer(), other: sampleServer(), changed }, allowed), 'a');
  changed.tool('more', {}, () => 'more');
  const { id } = await page.ask('record.start', { server: 'one', title: 'A first session.' });
  await page.ask('tool.call', { server: 'one', name: 'add', args: { a: 2, b: 2 } });
  await page.ask('record.stop', { id });
  const { text } = await page.ask('record.text', { id });
  assert.match(text, /^A first session\.\n\n--> /);
  assert.match(text, /tools\/call/);
  const loaded = await page.ask('record.load', { title: 'again', text });
  assert.deepEqual((await page.ask('record.compare', { left: id, right: loaded.id })).differences, []);
  const same = await page.ask('record.replay', { id, server: 'other', ignored: ['serverInfo'] });
  assert.deepEqual(same.differences, []);
  assert.ok(same.played >= 2);
  const other = await page.ask('record.replay', { id, server: 'changed' });
  assert.ok(other.differences.some(({ what }) => /tools/.test(what)), JSON.stringify(other.differences));
  await assert.rejects(page.ask('record.load', { title: 'bad', text: '--> {nothing' }), { code: 'bad-transcript', message: /line 1/ });
  await page.ask('record.remove', { id });
  await assert.rejects(page.ask('record.text', { id }), { code: 'no-such-recording' });
});

test('wire: messages are copied as a transcript, and compared member by member', async (t) => {
  const page = new TestPage(hostOf(t, { one: sampleServer() }, allowed), 'a');
  const [first, second] = [
    await page.ask('tool.call', { server: 'one', name: 'add', args: { a: 1, b: 2 } }),
    await page.ask('tool.call', { server: 'one', name: 'add', args: { a: 1, b: 3, 'x/y': true } }),
  ];
  const { differences } = await page.ask('wire.compare', { left: first.wire ?? 0, right: second.wire ?? 0 });
  assert.ok(differences.includes('/params/arguments/b: 2 → 3') && differences.includes('/params/arguments/x~1y: only right, true'), differences.join('\n'));
  const { text } = await page.ask('wire.transcript', { server: 'one', from: first.wire ?? 0, to: first.wire ?? 0 });
  assert.match(text, /^--> [^]*"tools\/call"/);
  await assert.rejects(page.ask('wire.curl', { seq: first.wire ?? 0 }), { code: 'bad-params' });
});

test('wire: a command line of curl quotes what a shell would read, and names no secret', () => {
  const line = curl('http://127.0.0.1/mcp', `{"text":"it's $HOME"}`, { authorization: 'Bearer [redacted]', 'mcp-session-id': 'abc', host: 'x', 'content-length': '3' });
  assert.match(line, /--data-raw '\{"text":"it'\\''s \$HOME"\}'/);
  assert.match(line, /--header 'authorization: Bearer '"\$AUTHORIZATION"/);
  assert.match(line, /--header 'mcp-session-id: abc'/);
  assert.doesNotMatch(line, /host:|content-length/);
  // A key in the address is no more in it than one in a header; a variable of the shell, such as $PATH, is not taken for it.
  const [address = ''] = curl("http://127.0.0.1/mcp?api_key=SECRET&path=it's&flag#x", '@/etc/passwd').split(' \\\n');
  assert.equal(address, `curl --no-buffer --globoff 'http://127.0.0.1/mcp?''api_key='"$QUERY_API_KEY"'&''path='"$QUERY_PATH"'&''flag''#x'`);
});

test('wire: ten million characters pass, are shown by their beginning, and are had whole', async (t) => {
  const server = new McpServer({ name: 'huge', version: '1.0.0' });
  server.tool('huge', {}, () => 'y'.repeat(10_000_000));
  const page = new TestPage(hostOf(t, { one: server }, allowed), 'a');
  const { result, wire } = await page.ask('tool.call', { server: 'one', name: 'huge', args: {} });
  assert.equal(JSON.stringify(result).length > 10_000_000, true);
  await page.seen('wire', ({ entries }) => messages(entries).some(({ answers }) => answers === wire));
  const answer = messages(page.wire).find(({ answers }) => answers === wire);
  assert.deepEqual([answer?.whole, answer?.text.length], [false, 16_384]);
  assert.equal((await page.ask('wire.text', { seq: answer?.seq ?? 0 })).text.length, answer?.chars);
});
