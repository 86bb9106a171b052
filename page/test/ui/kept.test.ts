// Typed input survives: digits, and drafts over tabs, tools and a reload. Masked fields are stored nowhere.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { ActionMessage } from '../../src/messages.ts';
import { launch, openFake } from './browser.ts';
import { catalogueView, serverView, toolView, welcome, wireMessage } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const field = (page: Page, name: string): Locator => page.getByRole('main').getByLabel(name, { exact: true });

/** The arguments and lexemes of the last call. */
async function called(page: Page): Promise<unknown> {
  return page.evaluate(() => {
    const call = window.fake.asked.findLast((one): one is Extract<ActionMessage, { name: 'tool.call' }> => one.type === 'action' && one.name === 'tool.call');
    return call && { args: call.params.args, ...call.params.lexemes && { lexemes: call.params.lexemes } };
  });
}

async function openTools(page: Page, tools: readonly ReturnType<typeof toolView>[]): Promise<void> {
  await page.evaluate((message) => window.fake.say(message), welcome({ servers: [serverView('one'), serverView('two')], catalogues: [catalogueView('one', { tools }), catalogueView('two', { tools })] }));
  await page.getByRole('tab', { name: 'Tools' }).click();
}

test('a number is sent with the digits that were typed, in a field, in a list, and as JSON', async () => {
  const { page, faults, close } = await openFake(browser);
  await openTools(page, [toolView('count', { properties: { big: { type: 'integer' }, part: { type: 'number' }, list: { type: 'array', items: { type: 'number' } }, any: {} } })]);
  await field(page, 'big').fill('9007199254740993');
  await page.getByText('It is sent with these digits. JavaScript holds 9007199254740992').waitFor();
  await field(page, 'part').fill('1.10');
  await page.keyboard.press('Tab');
  assert.equal(await field(page, 'part').inputValue(), '1.10', 'it stays as it was typed');
  const list = page.getByRole('group', { name: 'list' });
  for (const [at, text] of ['1.0', '2.00', '3'].entries()) {
    await list.getByRole('button', { name: 'Add to list' }).click();
    await list.getByRole('textbox').nth(at).fill(text);
  }
  await list.getByRole('button', { name: 'Move item 2 of list up' }).click();
  await list.getByRole('button', { name: 'Remove item 3 of list' }).click();
  assert.deepEqual(await list.getByRole('textbox').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)), ['2.00', '1.0']);
  await field(page, 'any').fill('{"deep": [1e400]}');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  assert.deepEqual(await called(page), {
    args: { big: 9007199254740992, part: 1.1, list: [2, 1], any: { deep: [Number.MAX_VALUE] } },
    lexemes: { '/big': '9007199254740993', '/part': '1.10', '/list/0': '2.00', '/list/1': '1.0', '/any/deep/0': '1e400' },
  });
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  const raw = field(page, 'Arguments of count as JSON');
  const text = await raw.evaluate((one) => (one instanceof HTMLTextAreaElement ? one.value : one.textContent ?? ''));
  for (const digits of ['9007199254740993', '1.10', '2.00', '1e400']) assert.ok(text.includes(digits), digits);
  await raw.fill('{"big": 9007199254740995}');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  assert.deepEqual(await called(page), { args: { big: 9007199254740996 }, lexemes: { '/big': '9007199254740995' } });
  assert.deepEqual(faults, []);
  await close();
});

test('what is typed stays over another tab, another tool, another server and a reload, and a secret does not', async () => {
  const { page, faults, close } = await openFake(browser);
  const tools = [
    toolView('first', { properties: { text: { type: 'string' }, n: { type: 'number' }, free: {}, key: { type: 'string', format: 'password' }, api_key: { type: 'string' }, inner: { type: 'object', properties: { hidden: { type: 'string', writeOnly: true }, open: { type: 'string' } }, required: ['hidden'] } }, required: ['inner'] }),
    toolView('second', { properties: { text: { type: 'string' } } }),
  ];
  await openTools(page, tools);
  await field(page, 'text').fill('half a sentence');
  await field(page, 'n').fill('1.50');
  await field(page, 'free').fill('{"not yet');
  for (const name of ['key', 'api_key', 'hidden']) {
    assert.equal(await field(page, name).getAttribute('type'), 'password', name);
    await field(page, name).fill('hunter2');
  }
  await field(page, 'open').fill('seen');
  const same = async (): Promise<void> => {
    assert.equal(await field(page, 'text').inputValue(), 'half a sentence');
    assert.equal(await field(page, 'n').inputValue(), '1.50');
    assert.equal(await field(page, 'open').inputValue(), 'seen');
  };
  await page.getByRole('button', { name: 'second' }).click();
  assert.equal(await field(page, 'text').inputValue(), '');
  await page.getByRole('button', { name: 'first', exact: true }).click();
  await same();
  assert.equal(await field(page, 'free').inputValue(), '{"not yet');
  assert.equal(await field(page, 'key').inputValue(), 'hunter2');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('navigation').getByRole('button', { name: 'two' }).click();
  assert.equal(await field(page, 'text').inputValue(), '');
  await page.getByRole('navigation').getByRole('button', { name: 'one' }).click();
  await same();
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).includes('hunter2'));
  await page.reload();
  await page.waitForFunction(() => window.fake?.opened > 0);
  await openTools(page, tools);
  await same();
  for (const name of ['key', 'api_key', 'hidden']) assert.equal(await field(page, name).inputValue(), '', name);
  assert.deepEqual(faults, []);
  await close();
});

test('JSON that is not finished is not sent as what stood there before', async () => {
  const { page, close } = await openFake(browser);
  await openTools(page, [toolView('try', { properties: { any: {} } })]);
  await field(page, 'any').fill('[1]');
  await field(page, 'any').fill('[1,');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  assert.equal(await called(page), undefined);
  await page.locator('.problems', { hasText: 'JSON' }).waitFor();
  await close();
});

test('an optional constant and null are sent where the person says so', async () => {
  const { page, close } = await openFake(browser);
  await openTools(page, [toolView('try', { properties: { kind: { const: 'x' }, none: { type: 'null' }, must: { const: 7 } }, required: ['must'] })]);
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  assert.deepEqual(await called(page), { args: { must: 7 } });
  await field(page, 'kind').check();
  await field(page, 'none').check();
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  assert.deepEqual(await called(page), { args: { must: 7, kind: 'x', none: null } });
  await close();
});

test('a date and a time have their fields and their zone, a file becomes base64, and of many choices one types one', async () => {
  const { page, close } = await openFake(browser, { timezoneId: 'Europe/Berlin' });
  const countries = Array.from({ length: 60 }, (_, at) => ({ const: at, title: `Country ${at}` }));
  await openTools(page, [toolView('try', { properties: { when: { type: 'string', format: 'date-time' }, at: { type: 'string', format: 'time' }, file: { type: 'string', contentEncoding: 'base64' }, country: { oneOf: countries }, odd: { type: 'string', format: 'date-time', default: 'tomorrow' } } })]);
  await field(page, 'when').fill('2026-11-22T09:30');
  assert.equal(await page.getByRole('main').getByLabel('Zone').first().inputValue(), '+01:00');
  await field(page, 'at').fill('08:15:30');
  await page.getByRole('main').getByLabel('Zone').nth(1).selectOption('UTC');
  await page.getByLabel('Choose a file').setInputFiles({ name: 'a.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 1]) });
  await field(page, 'country').fill('Country 42');
  assert.equal(await field(page, 'odd').inputValue(), 'tomorrow', 'what is no time stays text');
  await page.locator('output, textarea').first().waitFor();
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByRole('button', { name: 'Call anyway' }).click();
  assert.deepEqual((await called(page) as { args: unknown }).args, { when: '2026-11-22T09:30:00+01:00', at: '08:15:30Z', file: 'AP8B', country: 42, odd: 'tomorrow' });
  await field(page, 'country').fill('Atlantis');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.locator('.problems', { hasText: /Atlantis|one of/ }).first().waitFor();
  await close();
});

test('the wire shows the digits, the members that occur twice and the text as they passed', async () => {
  const { page, close } = await openFake(browser);
  const text = '{"jsonrpc":"2.0", "id":1,"method":"x","params":{"n":9007199254740993,"part":1.10,"huge":1e400,"twice":1,"twice":2}}';
  await page.evaluate((message) => window.fake.say(message), welcome({ wire: [wireMessage(1, { text }), wireMessage(2, { text: text.replace('1.10', '1.1') })] }));
  await page.locator('#wire-1').click();
  const detail = page.getByRole('region', { name: 'Message' });
  const shown = await detail.innerText();
  for (const one of ['9007199254740993', '1.10', '1e400', 'twice']) assert.ok(shown.includes(one), one);
  assert.match(shown, /2 members share their name with another[\s\S]*2 numbers are rounded/);
  assert.equal(await detail.getByText('rounded in JavaScript').count(), 3, 'the sentence above, and both numbers');
  await detail.getByRole('button', { name: 'Text' }).click();
  assert.match(await detail.locator('pre').innerText(), /"n": 9007199254740993,\n\s+"part": 1\.10,\n\s+"huge": 1e400,\n\s+"twice": 1,\n\s+"twice": 2/);
  await detail.getByRole('button', { name: 'Raw' }).click();
  assert.equal(await detail.locator('pre').innerText(), text);
  await detail.getByRole('button', { name: 'Edit and send' }).click();
  await page.evaluate(() => { window.fake.replies['wire.inject'] = { seq: 9, text: 'x' }; });
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const sent = await page.evaluate(() => window.fake.asked.find((one) => one.type === 'action' && one.name === 'wire.inject'));
  assert.equal((sent as { params: { text: string } }).params.text, text.replace(' ', ''));
  // The sent message arrives on the wire a little later; until then it must not count as cleared.
  await page.getByText('The message is on its way.').waitFor();
  await page.evaluate((entry) => window.fake.say({ type: 'wire', entries: [entry], memory: { entries: 9, bytes: 0, maxEntries: 1, maxBytes: 1, droppedEntries: 0, droppedBytes: 0 } }), wireMessage(9, { sentence: 'It has come' }));
  await detail.getByText('It has come').waitFor();
  await page.locator('#wire-1').click();
  await detail.getByRole('button', { name: 'Mark to compare' }).click();
  await page.locator('#wire-2').click();
  assert.match(await page.getByRole('region', { name: 'Comparison' }).innerText(), /1\.10[\s\S]*1\.1\b/);
  await close();
});
