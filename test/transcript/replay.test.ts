import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { compareTranscripts, MockServer, parseTranscript, recorder, Replay } from '../../src/transcript/index.ts';

// The repository's own transcripts, from dist/test/transcript.
const folder = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.wire')).sort();
const read = (file: string): ReturnType<typeof parseTranscript> => parseTranscript(readFileSync(join(folder, file), 'utf8'));

/** Runs both sides until neither has anything to send. */
function meet(client: Replay, server: { receive(text: string): string[] }, begin: readonly string[] = []): void {
  let toServer = client.begin();
  let toClient = [...begin];
  while (toServer.length > 0 || toClient.length > 0) {
    toClient.push(...toServer.flatMap((text) => server.receive(text)));
    toServer = toClient.flatMap((text) => client.receive(text));
    toClient = [];
  }
  client.end('that was all');
}

test('every transcript of the repository is played by its two sides without a difference', () => {
  assert.ok(files.length > 80, String(files.length));
  for (const file of files) {
    const transcript = read(file);
    const client = new Replay(transcript, 'client');
    const server = new Replay(transcript, 'server');
    meet(client, server, server.begin());
    server.end('that was all');
    assert.deepEqual([file, client.differences, server.differences], [file, [], []]);
    assert.deepEqual(compareTranscripts(transcript, transcript), [], file);
  }
});

test('the mock server of a transcript answers its own client as it was answered then', () => {
  // A mock answers, and sends the requests that belong to a call. Requests that a server sends on its own are replayed above.
  for (const file of files.filter((name) => !/(client|received)-tasks/.test(name))) {
    const client = new Replay(read(file), 'client');
    meet(client, new MockServer(read(file)));
    assert.deepEqual([file, client.differences], [file, []]);
  }
});

const two = parseTranscript(`Two calls.

--> {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": {"n": 1}, "_meta": {"progressToken": 1}}}
<-- {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 5}}
<-- {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}
--> {"jsonrpc": "2.0", "id": 1, "result": {"roots": []}}
<-- {"jsonrpc": "2.0", "id": 1, "result": {"said": "one"}}
--> {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "b", "arguments": {}}}
<-- {"jsonrpc": "2.0", "id": 2, "result": {"said": "two"}}
`);
const texts = (...messages: object[]): string[] => messages.map((one) => JSON.stringify({ jsonrpc: '2.0', ...one }));
const text = (message: object): string => texts(message)[0] ?? '';

test('a mock server answers in another order, with the ids, tokens and questions of the client that is here', () => {
  const server = new MockServer(two);
  const call = (id: number, name: string, _meta = {}): string => text({ id, method: 'tools/call', params: { name, arguments: {}, _meta } });
  assert.deepEqual(server.receive(call(77, 'b')), texts({ id: 77, result: { said: 'two' } }));
  const [progress, question] = server.receive(call(1, 'a', { progressToken: 'mine' }));
  assert.equal(progress, text({ method: 'notifications/progress', params: { progressToken: 'mine', progress: 5 } }));
  const { id } = JSON.parse(question ?? '') as { id: string };
  assert.deepEqual(server.receive(text({ id, result: { roots: [{ uri: 'file:///x' }] } })), texts({ id: 1, result: { said: 'one' } }));
  assert.deepEqual(server.receive(call(3, 'b')), texts({ id: 3, result: { said: 'two' } }), 'again');
  assert.match(server.receive(call(4, 'c'))[0] ?? '', /-32601.*not in the transcript: tools\/call/);
  assert.deepEqual(server.receive(text({ id: 5, method: 'ping' })), texts({ id: 5, result: {} }));
  assert.deepEqual(server.receive('no JSON'), []);
});

test('a replay translates ids of questions, names what differs and what did not come', () => {
  const client = new Replay(two, 'client');
  assert.equal(client.begin().length, 1);
  assert.deepEqual(client.receive(text({ method: 'notifications/progress', params: { progressToken: 1, progress: 6 } })), []);
  assert.deepEqual(client.receive(text({ id: 'x', method: 'roots/list' })), texts({ id: 'x', result: { roots: [] } }));
  assert.deepEqual(client.receive(text({ method: 'notifications/message', params: {} })), []);
  assert.equal(client.receive(text({ id: 1, result: { said: 'won' } })).length, 1);
  client.end('the server has gone');
  assert.deepEqual(client.differences, [
    { at: 4, what: '/params/progress: expected 5, got 6' },
    { at: 7, what: 'expected the answer to 1, got notifications/message' },
    { at: 7, what: '/result/said: expected "one", got "won"' },
    { at: 9, what: 'the answer to 2 did not come: the server has gone' },
  ]);
  const lenient = new Replay(two, 'client', { ignored: ['progress'] });
  lenient.begin();
  lenient.receive(text({ method: 'notifications/progress', params: { progressToken: 1, progress: 6 } }));
  assert.deepEqual(lenient.differences, []);
});

test('what is recorded is read again as it was; what a server makes anew becomes a placeholder', () => {
  const { add } = recorder();
  const long = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x'.repeat(60), arguments: { text: 'y\n <b> '.repeat(20), list: [1, [], {}, { a: null }] } } };
  const written = [
    'A session.\n\n',
    add('client', JSON.stringify(long)),
    add('server', 'Listening on port 3000'),
    add('server', '{"jsonrpc":"2.0","id":1,"result":{"big":12345678901234567890}}'),
    add('client', text({ id: 2, method: 'x', params: { text: '<any>' } })),
    add('server', text({ id: 2, result: { resultType: 'input_required', requestState: 'sealed one' } })),
    add('client', text({ id: 3, method: 'x', params: { requestState: 'sealed one' } })),
    add('server', text({ id: 3, result: {} })),
  ].join('');
  const { lines, defined, title } = parseTranscript(written);
  assert.equal(title, 'A session.');
  assert.deepEqual(lines.map(({ from, raw }) => `${from}${raw ? ' raw' : ''}`), ['client', 'server raw', 'server raw', 'client', 'server', 'client', 'server']);
  assert.deepEqual(lines[0]?.json, long);
  assert.equal(lines[1]?.json, 'Listening on port 3000');
  assert.match(written, /<any> is "<any>"/);
  assert.match(written, /"requestState": "<state 1>"[^]*"requestState": "<state 1>"/);
  const replay = new Replay({ defined, lines: lines.slice(3), title }, 'client');
  assert.deepEqual(replay.begin(), texts({ id: 2, method: 'x', params: { text: '<any>' } }));
  assert.deepEqual(replay.receive(text({ id: 2, result: { resultType: 'input_required', requestState: 'another' } })),
    texts({ id: 3, method: 'x', params: { requestState: 'another' } }));
});
