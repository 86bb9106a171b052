// The tasks of 2026-07-28 with rmcp 3, the official Rust SDK, in both roles. Compiles it if cargo is installed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { TaskClient } from '../../dist/src/tasks/index.js';
import { TaskCancelled } from '../../dist/src/tasks/task-handle.js';
import { stdioTransport } from '../../dist/src/transport/stdio/index.js';
import { at, run } from './processes.mjs';

const hasCargo = spawnSync('cargo', ['--version']).status === 0;
const skip = !hasCargo && 'rmcp 3: this machine has no cargo';
const textOf = ({ content }) => content.map(({ text }) => text ?? '').join('');

/** The compiled program: two minutes the first time, in a cache outside the tree. */
let built;
function program() {
  return built ??= (async () => {
    const target = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'barewire-rmcp');
    const { code, output } = await run('cargo', ['build', '--quiet'], {
      cwd: at('test/peers/rmcp'), env: { CARGO_TARGET_DIR: target }, timeoutMs: 1_200_000,
    });
    assert.equal(code, 0, output.slice(-2000));
    return join(target, 'debug', 'rmcp-tasks');
  })();
}

test('our client calls tools of rmcp 3 that are tasks: each end, a question, cancelling', { skip }, async (t) => {
  const errors = [];
  const client = new TaskClient({ name: 'barewire', version: '1.0.0' }, {
    onElicit: ({ message }) => ({ action: 'accept', content: { name: message === 'Name?' ? 'Ann' : 'nobody' } }),
    onError: (error) => errors.push(error.message),
  });
  await client.connect(stdioTransport(await program(), ['serve']));
  t.after(() => client.close());
  assert.equal(client.revision.version, '2026-07-28');
  const told = [];
  assert.equal(textOf(await client.callTool('double', { n: 21 }, { onProgress: (progress) => told.push(progress) })), '42');
  assert.deepEqual(told, [{ progress: 1, total: 2, message: 'under way' }]);
  assert.equal(textOf(await client.callTool('greet')), 'Hello, Ann!');
  assert.equal((await client.callTool('reports')).isError, true);
  await assert.rejects(client.callTool('broken'), ({ code, message, data }) => code === 4711 && message === 'no flour' && data.oven === 1);
  const { task } = await client.startTool('endless');
  await task.cancel();
  await assert.rejects(task.result(), TaskCancelled);
  await assert.rejects(client.task('none').result(), ({ code }) => code === -32602);
  // It has no task filter: it is tried once, and polled from then on.
  assert.ok(errors.length <= 1, errors.join('\n'));
});

test('rmcp 3 calls our tools as tasks: each end, a question, cancelling; and without the extension', { skip }, async () => {
  const { code, output } = await run(await program(), ['call', process.execPath, at('test/peers/servers/our-tasks.mjs')]);
  assert.equal(code, 0, output);
  const { with: seen, without } = JSON.parse(output);
  assert.equal(textOf(seen.plain.complete), 'plain');
  assert.deepEqual(seen.slow.statuses, ['working', 'completed']);
  assert.equal(textOf(seen.slow.task.result), 'slow');
  assert.equal(seen.slow.task.statusMessage, '1 of 2: under way');
  assert.deepEqual(seen.asks.statuses.filter((status) => status !== 'working'), ['input_required', 'completed']);
  assert.equal(textOf(seen.asks.task.result), 'accept true');
  assert.equal(seen.reports.task.status, 'completed');
  assert.equal(seen.reports.task.result.isError, true);
  assert.equal(seen.breaks.task.status, 'failed');
  assert.deepEqual(seen.breaks.task.error, { code: 4711, message: 'no flour', data: { oven: 1 } });
  assert.equal(seen.endless.task.status, 'cancelled');
  assert.equal(seen.unknown.error.code, -32602);

  assert.equal(textOf(without.plain.complete), 'plain');
  assert.equal(textOf(without.slow.complete), 'slow');
  for (const refused of [without.reports, without.endless, without.unknown]) assert.equal(refused.error.code, -32021);
  assert.deepEqual(without.reports.error.data, { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } });
});
