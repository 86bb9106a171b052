// Opened and shared transcripts: hostile text in the first, secrets in the second.
import assert from 'node:assert/strict';
import test from 'node:test';
import { compile } from 'barewire/schema';
import { McpServer } from 'barewire/server';
import type { ServerView, WireEntry, WireMessage } from '../../src/messages.ts';
import { askedIn, commandOf, programOf } from '../../src/ui/wire/copy-as.ts';
import { hostOf, sampleServer, TestPage } from './harness.ts';

const messages = (entries: readonly WireEntry[], server: string): WireMessage[] => entries.filter((entry): entry is WireMessage => entry.kind === 'message' && entry.server === server);

const file = `A call that lost digits.

--> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
<-- {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
--> {"jsonrpc":"2.0","id":2,"method":"tools/call",
    "params":{"name":"add","arguments":{"a":9007199254740993,"a":1.10}}}
<-- {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
<!- this is <b>no</b> JSON
`;

test('a transcript is opened as a wire: explained, joined, with its own digits, marked, and nothing of it is sent', async (t) => {
  const page = new TestPage(hostOf(t, { one: sampleServer() }), 'a');
  const { id } = await page.ask('record.load', { title: 'trip/../<b>.wire', text: file });
  const opened = await page.ask('wire.open', { id });
  assert.deepEqual(opened, { server: 'file trip .. b .wire', messages: 5 });
  const { entries } = await page.ask('wire.page', { from: 1 });
  const [, agreed, call, answer, raw] = messages(entries, opened.server);
  assert.match(agreed?.sentence ?? '', /2025-11-25/);
  assert.match(call?.text ?? '', /"a":9007199254740993,"a":1\.10/);
  assert.match(call?.section ?? '', /^2025-11-25 server\/tools/);
  assert.deepEqual([call?.origin, answer?.answers, answer?.ms, raw?.shape], ['file', call?.seq, null, 'unreadable']);
  assert.deepEqual(entries.filter(({ server }) => server === 'one'), [], 'no server was started');
  assert.equal((await page.ask('wire.open', { id })).server, 'file trip .. b .wire 2', 'each has a name of its own');
  await assert.rejects(page.ask('wire.inject', { server: opened.server, text: '{}' }), { code: 'no-such-server' });
});

test('a file that is no transcript, or too long, is refused by name', async (t) => {
  const page = new TestPage(hostOf(t, { one: sampleServer() }), 'a');
  await assert.rejects(page.ask('record.load', { title: 'x', text: '--> {"a":' }), { code: 'bad-transcript', message: /line 1/ });
  const prose = await page.ask('record.load', { title: 'x', text: 'Only prose.' });
  await assert.rejects(page.ask('wire.open', prose), { code: 'bad-transcript', message: /no message/ });
  const long = await page.ask('record.load', { title: 'x', text: '--> {}\n'.repeat(20_001) });
  await assert.rejects(page.ask('wire.open', long), { code: 'bad-transcript', message: /20001 messages/ });
  await assert.rejects(page.ask('wire.open', { id: 'r99' }), { code: 'no-such-recording' });
  const deep = await page.ask('record.load', { title: 'deep', text: `--> ${'['.repeat(5_000)}${']'.repeat(5_000)}\n` });
  assert.equal((await page.ask('wire.open', deep)).messages, 1);
});

test('what is shared holds no secret that can be guessed, keeps all other tokens, and says what was redacted', async (t) => {
  const server = new McpServer({ name: 'one', version: '1.0.0' });
  server.tool('login', { input: { type: 'object', properties: {} } }, () => 'Bearer abcdefghijkl0123 and 1.10');
  const page = new TestPage(hostOf(t, { one: server }, { rules: [{ then: 'allow' }], compile: (schema) => compile(schema) }), 'a');
  await page.ask('tool.call', { server: 'one', name: 'login', args: { user: 'ada', password: 'hunter2', list: [{ apiKey: 'x1' }], n: 1 }, lexemes: { '/n': '1.0' } });
  await page.ask('tool.call', { server: 'one', name: 'login', args: { page: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', nextCursor: 'abc' } });
  const { text, redacted, messages } = await page.ask('wire.share', { server: 'one' });
  assert.equal(messages, text.match(/^(?:-->|<[-~]{2}) /gm)?.length, 'it says how many messages go along');
  for (const secret of ['hunter2', 'x1"', 'abcdefghijkl0123', 'eyJ']) assert.ok(!text.includes(secret), secret);
  for (const kept of [/"ada"/, /nextCursor": ?"abc"/]) assert.match(text, kept);
  assert.deepEqual(redacted.map(({ path, why }) => `${path}: ${why}`).filter((one) => !one.includes('result')), [
    '/params/arguments/password: its name says that it is secret', '/params/arguments/list/0/apiKey: its name says that it is secret', '/params/arguments/page: looks like a key',
  ]);
  const { wire: first = NaN } = page.heard.flatMap((one) => (one.type === 'call' && one.call.call === 1 && one.call.wire !== null ? [one.call] : []))[0] ?? {};
  const part = await page.ask('wire.share', { server: 'one', from: first ?? NaN, to: (first ?? NaN) + 1 });
  assert.match(part.text, /^--> [^<]*"tools\/call"/, 'it begins with the call');
  assert.deepEqual([part.messages, messages > 2], [2, true]);
  const whole = await page.ask('wire.transcript', { server: 'one' });
  assert.ok(whole.text.includes('hunter2'), 'what is only copied here is whole');
});

test('a request is copied as a command and as a program, quoted for where it goes', () => {
  const entry = { shape: 'request', direction: 'sent', method: 'tools/call' } as WireMessage;
  const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it\'s $(x)","arguments":{"n": 1.10,"text":"a \'b\' `c`"}}}';
  const asked = askedIn(entry, text);
  assert.ok(asked);
  const view = (change: Partial<ServerView>): ServerView => ({ name: 'zoo', source: 'configuration', ...change }) as ServerView;
  const address = view({ target: { kind: 'address', url: 'http://127.0.0.1:1/mcp?a=b&c', headers: [] } });
  const program = view({ source: 'typed', target: { kind: 'program', command: 'node', args: ['a b.js'], cwd: null, env: [] } });
  const named = view({ target: { kind: 'program', command: 'node', args: [], cwd: null, env: [] } });
  const name = String.raw`'it'\''s $(x)'`;
  const args = String.raw`'{"n":1.10,"text":"a '\''b'\'' ` + "`c`\"}'";
  assert.equal(commandOf(asked, address), `barewire call 'http://127.0.0.1:1/mcp?a=b&c' ${name} ${args}`);
  assert.equal(commandOf(asked, program), `barewire call ${name} ${args} -- node 'a b.js'`);
  assert.equal(commandOf(asked, named), `barewire call zoo ${name} ${args}`);
  assert.match(programOf(asked, program), /stdioTransport\("node", \["a b\.js"\]\)\);\n.*callTool\("it's \$\(x\)", \{"n":1\.10,/);
  assert.match(programOf(asked, address), /httpTransport\("http:\/\/127\.0\.0\.1:1\/mcp\?a=b&c"\)/);
  const prompt = askedIn({ ...entry, method: 'prompts/get' }, '{"params":{"name":"p","arguments":{"a":"b c"}}}');
  assert.ok(prompt);
  assert.equal(commandOf(prompt, named), "barewire get zoo p 'a=b c'");
  assert.equal(askedIn({ ...entry, method: 'tools/list' }, '{}'), undefined);
  assert.equal(askedIn({ ...entry, direction: 'received' }, text), undefined);
});
