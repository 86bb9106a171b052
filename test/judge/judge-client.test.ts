import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { judgeClient } from '../../src/judge/index.ts';
import { clientProgram } from '../../src/judge/node/client-bench.ts';

// The judge of clients: a client of barewire breaks nothing, and one that breaks rules on purpose is told which.

const relay = [process.execPath, fileURLToPath(new URL('../../lib/cli.js', import.meta.url)), 'judge', '--relay'];
const good = fileURLToPath(new URL('client.js', import.meta.url));

test('judgeClient: a client of barewire over a pipe: the rules of the handshake and of questions are kept', async () => {
  const only = ['lifecycle-25', 'lifecycle-6', 'base-66', 'ping-1', 'roots-14', 'elicitation-15'];
  const ruling = await judgeClient(clientProgram({ command: [process.execPath, good, 'stdio', '{program}'], relay }), { only, revisions: ['2025-11-25'] });
  assert.deepEqual(ruling.failures, []);
  assert.deepEqual(Object.fromEntries(ruling.judgements.map(({ rule, verdict }) => [rule.id, verdict])), Object.fromEntries(only.map((id) => [id, 'kept'])));
});

/** Sends each message by POST, with no more headers than the first revision had. */
const bad = `
const post = (message) => fetch(process.argv[1], { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json' }, body: JSON.stringify(message) });
await (await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bad', version: '1' } } })).text();
await (await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).text();
`;

test('judgeClient: a client that breaks rules over HTTP: each is named, with what came', async () => {
  const only = ['lifecycle-25', 'base-66', 'lifecycle-20', 'streamable-http-41', 'lifecycle-7'];
  const ruling = await judgeClient(clientProgram({ command: [process.execPath, '--input-type=module', '-e', bad, '{url}'], relay }), { only, revisions: ['2025-11-25'] });
  const verdicts = Object.fromEntries(ruling.judgements.map(({ rule, verdict }) => [rule.id, verdict]));
  assert.deepEqual(verdicts, { 'lifecycle-25': 'broken', 'base-66': 'broken', 'lifecycle-20': 'broken', 'streamable-http-41': 'broken', 'lifecycle-7': 'kept' });
  const twice = ruling.judgements.find(({ rule }) => rule.id === 'base-66')?.evidence[0];
  assert.equal(twice?.came, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  assert.match(twice?.sent ?? '', /"protocolVersion":"2025-11-25"/);
});

test('clientProgram: a command without a place for a server is refused', () => {
  assert.throws(() => clientProgram({ command: ['agent'], relay }), /\{url\} or \{program\}/);
  assert.throws(() => clientProgram({ command: ['agent', '{url}', '{program}'], relay }), /not both/);
});
