// The doctor in the page: its messages are on the wire, and each finding refers to the message that shows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer } from 'barewire/server';
import { hostOf, TestPage } from './harness.ts';

test("examining: the doctor's connections are on the wire by themselves, and a finding names the request that shows it, in each run", async (t) => {
  const server = new McpServer({ name: 'one', version: '1.0.0' });
  server.tool('undescribed', {}, () => 'done');
  const page = new TestPage(hostOf(t, { one: server }), 'a');
  await page.ask('server.connect', { server: 'one' });
  const seqs: number[] = [];
  for (let run = 1; run <= 2; run++) {
    const { findings } = await page.ask('doctor.run', { server: 'one' });
    const found = findings.find(({ code }) => code === 'description-missing');
    assert.ok(found?.wire, JSON.stringify(findings));
    seqs.push(found.wire);
    assert.deepEqual(findings.filter(({ code, wire }) => code === 'fact' && wire !== null), []);
    const { entries: [entry] } = await page.ask('wire.page', { from: found.wire, limit: 1 });
    assert.ok(entry?.kind === 'message');
    assert.deepEqual([entry.server, entry.direction, entry.shape, entry.method], ['one: check', 'sent', 'request', 'tools/list']);
  }
  assert.notEqual(seqs[0], seqs[1]);
  // The page's own connection still works.
  assert.equal((await page.ask('tool.call', { server: 'one', name: 'undescribed', args: {}, digest: (await page.seen('catalogue')).catalogue.tools[0]?.digest ?? '' })).state, 'done');
});
