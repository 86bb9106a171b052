// The log view; and the actions that the page offers for a server that is not connected.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { LogView } from '../../src/messages.ts';
import { launch, openFake } from './browser.ts';
import { serverView, welcome } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const line = (seq: number, at: number, data: string, more: Partial<LogView> = {}): LogView => ({ seq, at, server: 'one', source: 'stderr', level: null, logger: null, data, ...more });

test('the lines of a stack stand together in their order, and what was written later stands above', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), welcome({ servers: [serverView('one')] }));
  await page.evaluate((entries) => window.fake.say({ type: 'logs', entries }), [
    line(1, 1000, 'Error: no station'), line(2, 1001, '  at find'), line(3, 1002, '  at call'),
    line(4, 1003, 'told by the protocol', { source: 'protocol', level: 'info' }), line(5, 1004, 'after it'), line(6, 9000, 'much later'),
  ]);
  await page.getByRole('tab', { name: 'Logs' }).click();
  const lines = page.getByRole('list', { name: 'Log lines' }).getByRole('listitem').locator('.text');
  await lines.nth(3).waitFor();
  assert.deepEqual((await lines.allInnerTexts()).map((text) => text.trimEnd()), ['much later', 'after it', 'told by the protocol', 'Error: no station\n  at find\n  at call']);
  const level = page.getByLabel('The server sends');
  assert.equal(await level.locator('option:checked').innerText(), 'the levels that it chooses', 'the label and the choice are a sentence');
  await level.selectOption('debug and above');
  await page.waitForFunction(() => window.fake.asked.length === 1);
  assert.deepEqual((await page.evaluate(() => window.fake.asked)).flatMap((one) => (one.type === 'action' ? [one.params] : [])), [{ server: 'one', level: 'debug' }]);
  assert.deepEqual(faults, []);
  await close();
});

test('a server that is not connected offers Connect, and nothing that needs a connection or a choice', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), welcome({ servers: [serverView('one', { state: 'resting', agreed: null })] }));
  const main = page.getByRole('main');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await main.getByRole('button', { name: 'Connect', exact: true }).waitFor();
  assert.equal(await main.getByRole('button', { name: 'Reconnect' }).count(), 0);
  for (const tab of ['Tools', 'Resources', 'Prompts']) {
    await page.getByRole('tab', { name: tab }).click();
    await main.getByRole('button', { name: 'Connect', exact: true }).waitFor();
    assert.equal(await main.getByText('Nothing is picked.').count(), 0, tab);
  }
  assert.deepEqual(faults, []);
  await close();
});
