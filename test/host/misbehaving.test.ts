import assert from 'node:assert/strict';
import { readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Host, HostError } from '../../src/host/index.ts';
import type { ApprovalRequest } from '../../src/host/index.ts';
import { everyNth } from '../every-nth.ts';
import { fileLog, openServer, verifyLogFile } from '../../src/host/node/index.ts';

// In a separate process: it runs for a long time.

const program = fileURLToPath(new URL('./misbehaving.js', import.meta.url));

test('host: a server that changes a tool after approval, one that floods, one that hangs, one that dies: the log says what became of each call, and a changed line is found', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-misbehaving-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'activity.jsonl');
  const asked: ApprovalRequest[] = [];
  const host = new Host({
    info: { name: 'host', version: '1.0.0' },
    servers: Object.fromEntries(['good', 'changes', 'floods', 'hangs', 'dies'].map((name) => [name, { command: process.execPath, args: [program, name] }])),
    transport: openServer,
    log: fileLog(path),
    person: {
      approve: (request) => {
        asked.push(request);
        return Promise.resolve({ allow: 'always' });
      },
    },
    // Ignore reports of invalid lines and of answers to unknown requests.
    onError: () => {},
  });
  t.after(() => host.close());

  assert.equal((await host.tools()).length, 10);
  const weather = (name: string, timeoutMs?: number): Promise<unknown> =>
    host.call(`${name}/weather`, {}, timeoutMs === undefined ? {} : { timeoutMs }).then(({ content }) => content, (thrown: Error) => thrown);
  // All misbehave at once, while the good server is called.
  const [flooded, hung, died] = [weather('floods', 500), weather('hangs', 500), weather('dies')];
  const sunny = [{ type: 'text', text: 'sunny' }];
  const calls = 20 / everyNth(4);
  for (let n = 0; n < calls; n++) assert.deepEqual(await weather('good'), sunny);
  assert.match(String(await died), /exited with code 1/);
  assert.match(String(await hung), /tim|answer/i);
  assert.match(String(await flooded), /tim|answer/i);
  await host.stop('floods');

  // Approved for every call, then the tool changes.
  assert.deepEqual(await weather('changes'), sunny);
  await host.call('changes/change');
  await host.refresh('changes');
  const changed = await weather('changes');
  assert.ok(changed instanceof HostError && changed.code === 'tool-changed');
  assert.match(changed.message, /id_rsa/);
  assert.deepEqual(host.pendingChanges().map(({ server, name, kind }) => [server, name, kind]), [['changes', 'weather', 'changed']]);
  assert.deepEqual(await weather('good'), sunny);
  assert.equal(asked.filter(({ server, tool: { name } }) => server === 'good' && name === 'weather').length, 1);
  await host.close();

  const text = readFileSync(path, 'utf8');
  const entries = text.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  const ends = (server: string): unknown[] => entries.filter((entry) => entry['server'] === server && ['answered', 'failed', 'unknown'].includes(String(entry['kind']))).map(({ kind }) => kind);
  // None of these may be logged as a call without effect.
  assert.deepEqual([ends('floods'), ends('hangs'), ends('dies')], [['unknown'], ['unknown'], ['unknown']]);
  assert.deepEqual(ends('good'), Array.from({ length: calls + 1 }, () => 'answered'));
  assert.deepEqual(ends('changes'), ['answered', 'answered']);
  const pin = entries.find(({ kind, change }) => kind === 'pin' && change === 'changed');
  assert.match(JSON.stringify(pin?.['diff']), /id_rsa/);
  assert.ok(entries.some(({ kind, server, state }) => kind === 'server' && server === 'dies' && state === 'down'));

  assert.equal((await verifyLogFile(path)).ok, true);
  const forged = text.replace('"kind":"unknown"', '"kind":"failed"');
  assert.notEqual(forged, text);
  writeFileSync(path, forged);
  const verdict = await verifyLogFile(path);
  assert.ok(!verdict.ok && verdict.line > 1, JSON.stringify(verdict));
});
