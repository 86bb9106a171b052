// The judge in the page: each broken rule refers to the decisive message, over stdio and over HTTP.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from 'barewire/host';
import { judgeHere } from '../../src/server/judge.ts';
import { openServer } from '../../src/server/open.ts';
import type { RulingView } from '../../src/messages.ts';
import { hostOf, sampleServer, TestPage } from './harness.ts';
import type { Ending } from './harness.ts';

/** Judges the only server of a host, and returns the last ruling that the page received. */
async function judged(t: Ending, config: ServerConfig): Promise<{ readonly page: TestPage; readonly ruling: RulingView }> {
  const host = hostOf(t, {}, { servers: { one: config }, judge: judgeHere, open: (_name, of, hooks) => openServer(of, hooks) });
  const page = new TestPage(host);
  assert.equal(page.welcome.features.judge, true);
  await page.ask('judge.run', { server: 'one', quick: true });
  const steps = page.heard.filter((one) => one.type === 'judging' && one.judging.step !== null);
  assert.ok(steps.length > 3);
  const { judging: { ruling } } = await page.seen('judging', ({ judging }) => judging.step === null);
  assert.ok(ruling);
  // A tab that is opened later receives the same ruling.
  assert.deepEqual(new TestPage(host, 'later').welcome.judgings, [{ server: 'one', step: null, ruling }]);
  return { page, ruling };
}

/** The wire entries to which the evidence of broken rules refers. */
async function decided(page: TestPage, ruling: RulingView): Promise<string[]> {
  const found: string[] = [];
  for (const { rule, verdict, evidence } of ruling.judgements) {
    if (verdict !== 'broken') continue;
    assert.ok(evidence.length > 0, rule);
    for (const { wire, came } of evidence) {
      const { entries: [entry] } = await page.ask('wire.page', { from: wire, limit: 1 });
      assert.ok(entry && entry.seq === wire && entry.server === 'one: judge', `${rule} leads to ${wire}`);
      if (came.startsWith('{')) assert.ok(entry.kind === 'message' && entry.direction === 'received' && entry.text.startsWith(came.slice(0, 2_000)), `${rule}: ${came}`);
      found.push(rule);
    }
  }
  return found;
}

const bare = fileURLToPath(new URL('../ui/servers/bare.js', import.meta.url));

test('judging: what a program breaks leads to the message that decided', async (t) => {
  const { page, ruling } = await judged(t, { command: process.execPath, args: [bare] });
  assert.deepEqual(ruling.revisions, ['2025-06-18']);
  const rules = await decided(page, ruling);
  assert.ok(rules.length > 0, JSON.stringify(ruling.judgements.map(({ rule, verdict }) => [rule, verdict])));
  assert.ok(ruling.judgements.some(({ verdict }) => verdict === 'kept'));
  assert.ok(ruling.judgements.every(({ section }) => /^\d{4}-\d\d-\d\d \S+$/.test(section)));
});

test('judging: what an address breaks leads to its message, and credentials stand nowhere', async (t) => {
  // It answers every message with an invalid result.
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => { text += chunk; }).on('end', () => {
      const { id = null, method = '' } = (text === '' ? {} : JSON.parse(text)) as { id?: unknown; method?: string };
      const result = method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'far', version: '1' } } : { tools: [{ name: 'no schema' }] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { page, ruling } = await judged(t, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers: { authorization: 'Bearer hidden-word-1' } });
  const rules = await decided(page, ruling);
  assert.ok(rules.length > 3, JSON.stringify(rules));
  assert.doesNotMatch(JSON.stringify(page.heard), /hidden-word-1/);
});

test('judging: a host without a judge says so, and a server is judged once at a time', async (t) => {
  const without = new TestPage(hostOf(t, { one: sampleServer() }));
  assert.equal(without.welcome.features.judge, false);
  await assert.rejects(without.ask('judge.run', { server: 'one', quick: true }), { code: 'not-here' });
  const page = new TestPage(hostOf(t, { one: sampleServer() }, { judge: judgeHere }));
  const first = page.ask('judge.run', { server: 'one', quick: true });
  await assert.rejects(page.ask('judge.run', { server: 'one', quick: true }), { code: 'busy' });
  await first;
  const { judging: { ruling } } = await page.seen('judging', ({ judging }) => judging.step === null);
  assert.deepEqual(ruling?.judgements.filter(({ verdict, level }) => verdict === 'broken' && level === 'MUST'), []);
});
