// The wire as exchanges: one row each, its entries on demand, each message with one key, and navigation to folded entries.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { WireEntry } from '../../src/messages.ts';
import { launch, openFake } from './browser.ts';
import type { Opened } from './browser.ts';
import { memory, serverView, welcome, wireMessage } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const entries: readonly WireEntry[] = [
  { kind: 'mark', seq: 1, at: 1000, server: 'one', connection: 1, direction: 'sent', exchange: null, what: 'opened', why: '' },
  wireMessage(2, { at: 1010, method: 'tools/call', rpcId: '2', sentence: 'The client calls a tool' }),
  wireMessage(3, { at: 1020, direction: 'received', shape: 'notification', method: 'notifications/progress', rpcId: '', answers: 2, sentence: 'It is half done' }),
  wireMessage(4, { at: 1030, direction: 'received', method: 'elicitation/create', rpcId: '"q"', sentence: 'The server asks' }),
  wireMessage(5, { at: 1040, shape: 'result', method: 'elicitation/create', rpcId: '"q"', answers: 4, ms: 10, sentence: 'The person answers' }),
  wireMessage(6, { at: 1050, direction: 'received', shape: 'result', method: 'tools/call', rpcId: '2', answers: 2, ms: 40, text: '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}', sentence: 'The server answers with nothing' }),
  wireMessage(7, { at: 1060, method: 'tools/call', rpcId: '7', sentence: 'The client calls another' }),
  wireMessage(8, { at: 1070, direction: 'received', shape: 'error', method: 'tools/call', rpcId: '7', answers: 7, ms: 10, text: '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}', sentence: 'The server refuses' }),
];

async function openWire(): Promise<Opened & { ids: (...seqs: number[]) => Promise<void>; end: () => Promise<void> }> {
  const opened = await openFake(browser, { viewport: { width: 1400, height: 1000 } });
  const { page } = opened;
  await page.evaluate((message) => window.fake.say(message), welcome({ servers: [serverView('one')], wire: entries, memory: { ...memory, entries: 8, bytes: 4000 } }));
  await page.locator('.wire-row').first().waitFor();
  return {
    ...opened,
    ids: async (...seqs) => { await page.waitForFunction((want) => [...document.querySelectorAll('.wire-row')].map(({ id }) => id).join() === want, seqs.map((seq) => `wire-${seq}`).join()); },
    end: async () => { assert.deepEqual(opened.faults, []); await opened.close(); },
  };
}

test('a request, its answer and what passed between them are one row, which says how it ended', async () => {
  const { page, ids, end } = await openWire();
  await ids(1, 2, 7);
  assert.match(await page.locator('#wire-2').innerText(), /tools\/call[\s\S]*ok[\s\S]*asks\s*elicitation\/create[\s\S]*The server answers with nothing[\s\S]*40 ms/);
  assert.match(await page.locator('#wire-7').innerText(), /error[\s\S]*The server refuses/);
  await page.evaluate(([one, held]) => window.fake.say({ type: 'wire', entries: [one], memory: held }), [wireMessage(9, { at: 1080, method: 'ping', rpcId: '9' }), { ...memory, entries: 9 }] as const);
  await ids(1, 2, 7, 9);
  await page.locator('#wire-9', { hasText: 'waits' }).waitFor();
  await page.evaluate(([one, held]) => window.fake.say({ type: 'wire', entries: [one], memory: held }), [wireMessage(10, { at: 1090, direction: 'received', shape: 'result', method: 'ping', rpcId: '9', answers: 9, ms: 10 }), { ...memory, entries: 10 }] as const);
  await page.locator('#wire-9', { hasText: 'ok' }).waitFor();
  // A login between two attempts: the row first shows the refusal, and later how often the call was sent.
  const head = (seq: number, exchange: number, status: number | null): WireEntry => ({ kind: 'http', seq, at: 1100 + seq, server: 'one', connection: 1, direction: status === null ? 'sent' : 'received', exchange, method: 'POST', path: '/mcp', status, headers: {}, sentence: status === null ? 'A POST' : 'The server wants a login', section: '' });
  const call = (seq: number, exchange: number): WireEntry => wireMessage(seq, { at: 1100 + seq, method: 'tools/call', rpcId: '11', exchange });
  const more = (...told: WireEntry[]): Promise<void> => page.evaluate(([some, held]) => window.fake.say({ type: 'wire', entries: some, memory: held }), [told, { ...memory, entries: 17 }] as const);
  await more(head(11, 1, null), call(12, 1), head(13, 1, 401));
  assert.match(await page.locator('#wire-12').innerText(), /wants a login[\s\S]*The server wants a login/);
  await more(head(14, 2, null), call(15, 2), head(16, 2, 200), wireMessage(17, { at: 1120, direction: 'received', shape: 'result', method: 'tools/call', rpcId: '11', answers: 15, exchange: 2, ms: 4, sentence: 'It works now' }));
  await page.locator('#wire-12', { hasText: 'sent 2 times' }).getByText('It works now').waitFor();
  await ids(1, 2, 7, 9, 12);
  await end();
});

test('keys show what is inside, each message, and the next error', async () => {
  const { page, ids, end } = await openWire();
  await page.getByRole('listbox', { name: 'Messages' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowRight');
  await ids(1, 2, 3, 4, 5, 6, 7);
  await page.keyboard.press('j');
  await page.locator('#wire-3[aria-selected="true"]').waitFor();
  await page.keyboard.press('ArrowLeft');
  await ids(1, 2, 7);
  await page.locator('#wire-2[aria-selected="true"]').waitFor();
  await page.keyboard.press('e');
  await page.locator('#wire-8[aria-selected="true"]').waitFor();
  await ids(1, 2, 7, 8);
  await page.keyboard.press('f');
  await ids(1, 2, 3, 4, 5, 6, 7, 8);
  assert.ok(await page.getByLabel('each message').isChecked());
  await page.keyboard.press('k');
  await page.locator('#wire-7[aria-selected="true"]').waitFor();
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Search the wire');
  await end();
});

test('the answer is gone to although it is folded, and a search finds the exchange by what is inside', async () => {
  const { page, ids, end } = await openWire();
  await page.locator('#wire-2').click();
  await page.getByRole('button', { name: 'Its answer' }).click();
  await page.locator('#wire-6[aria-selected="true"]').waitFor();
  await ids(1, 2, 3, 4, 5, 6, 7);
  await page.locator('#wire-2 .fold').click();
  await ids(1, 2, 7);
  await page.getByLabel('Search the wire').fill('half done');
  await ids(2);
  await page.getByLabel('Which messages').selectOption('errors');
  await ids();
  await page.getByLabel('Search the wire').fill('');
  await ids(7);
  await end();
});

test('what the doctor found stands at the exchange that shows it, and leads there from its list', async () => {
  const { page, end } = await openWire();
  const finding = { code: 'description-missing', level: 'note' as const, what: '1 of 1 tools: <b>echo</b>.', advice: 'Say what it does.', section: '', evidence: '', wire: 7 };
  await page.evaluate((found) => {
    window.fake.replies['doctor.run'] = { findings: found };
  }, [finding, { ...finding, code: 'list-failed', level: 'error' as const, what: 'tools/list failed' }, { ...finding, code: 'fact', level: 'ok' as const, wire: null }]);
  assert.doesNotMatch(await page.locator('#wire-7').innerText(), /doctor/);
  await page.getByRole('tab', { name: 'Doctor' }).click();
  await page.getByRole('button', { name: 'Run check' }).click();
  const main = page.getByRole('main');
  await main.getByText('1 error, 0 warnings, 1 note, 1 ok').waitFor();
  assert.equal(await main.getByRole('button', { name: 'On the wire' }).count(), 2);
  assert.match(await page.locator('#wire-7').innerText(), /doctor: error/);
  await main.getByRole('button', { name: 'On the wire' }).first().click();
  const verdicts = page.getByRole('region', { name: 'Message' }).getByRole('list', { name: 'What was found here' });
  assert.match(await verdicts.innerText(), /<b>echo<\/b>[\s\S]*Say what it does[\s\S]*tools\/list failed/);
  await page.getByRole('region', { name: 'Message' }).getByRole('button', { name: 'Its answer' }).click();
  await verdicts.getByText('tools/list failed').waitFor();
  await end();
});

test('what the judge says stands at the message that decided, and in its list', async () => {
  const { page, end } = await openWire();
  const rule = { rule: 'tools-10', text: 'Each tool has a name.', level: 'MUST', section: '2025-11-25 server/tools#tool', why: '' } as const;
  const judge = (step: string | null): Promise<void> => page.evaluate(([one, now]) => window.fake.say({ type: 'judging', judging: { server: 'one', step: now, ruling: now !== null ? null : {
    ruleSet: '1.0', quick: true, revisions: ['2025-11-25'], ms: 20, stopped: '', failures: [], judgements: [
      { ...one, verdict: 'broken', evidence: [{ revision: '2025-11-25', expected: 'a name', came: '<b>none</b>', wire: 6 }] },
      { ...one, rule: 'tools-11', level: 'SHOULD', verdict: 'dispute', evidence: [{ revision: '2025-11-25', expected: 'two', came: 'one', wire: 6 }] },
      { ...one, rule: 'tools-12', verdict: 'not-seen', why: 'a tool that fails', evidence: [] },
    ],
  } } }), [rule, step] as const);
  await page.getByRole('tab', { name: 'Judge' }).click();
  const main = page.getByRole('main');
  await judge('2025-11-25: lists');
  await main.getByText('2025-11-25: lists').waitFor();
  assert.ok(await main.getByRole('button', { name: 'Judging' }).isDisabled());
  await judge(null);
  await main.getByRole('status').getByText('MUST, broken: 1; SHOULD, broken: 0; In dispute: 1; Not seen: 1').waitFor();
  // The row of the whole exchange shows the worst finding inside it.
  assert.match(await page.locator('#wire-2').innerText(), /judge: error/);
  assert.match(await main.getByRole('list', { name: 'MUST, broken', exact: true }).innerText(), /<b>none<\/b>/);
  assert.equal(await main.getByText('a tool that fails').isVisible(), false);
  await main.getByRole('button', { name: 'On the wire' }).first().click();
  const message = page.getByRole('region', { name: 'Message' });
  assert.match(await message.getByRole('list', { name: 'What was found here' }).innerText(), /judge: error[\s\S]*Expected: a name[\s\S]*judge: note[\s\S]*Expected: two/);
  assert.match(await page.locator('#wire-6').getAttribute('aria-selected') ?? '', /true/);
  await main.getByRole('button', { name: 'Judge this server' }).click();
  assert.deepEqual(await page.evaluate(() => window.fake.asked.filter((one) => one.type === 'action' && one.name === 'judge.run').map((one) => (one.type === 'action' ? one.params : 0))), [{ server: 'one', quick: true }]);
  await end();
});

test('what belongs together is lit together', async () => {
  const { page, ids, end } = await openWire();
  await page.getByLabel('each message').check();
  await ids(1, 2, 3, 4, 5, 6, 7, 8);
  await page.locator('#wire-6').hover();
  await page.waitForFunction(() => [...document.querySelectorAll('.wire-row.lit')].map(({ id }) => id).join() === 'wire-2,wire-3,wire-4,wire-5,wire-6');
  await end();
});

test('a batch says what it holds, and an answer that nobody asked for says so', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), welcome({
    servers: [serverView('one')], memory: { ...memory, entries: 3, bytes: 400 },
    wire: [
      wireMessage(1, { shape: 'batch', method: '', rpcId: '', text: '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"},{"jsonrpc":"2.0","id":7,"result":{}}]' }),
      wireMessage(2, { direction: 'received', shape: 'result', method: '', rpcId: '9', text: '{"jsonrpc":"2.0","id":9,"result":{}}' }),
      wireMessage(3, { direction: 'received', shape: 'notification', method: 'notifications/message', rpcId: '' }),
    ],
  }));
  await page.locator('#wire-1').getByText('3: ping, tools/list, answer').waitFor();
  await page.locator('#wire-2').getByText('answers no request').waitFor();
  assert.equal(await page.getByText('answers no request').count(), 1);
  assert.deepEqual(faults, []);
  await close();
});
