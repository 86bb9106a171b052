// A person must have seen the whole question before they can accept it, on every screen, for any length of form and message.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { QuestionView } from '../../src/messages.ts';
import { launch, openFake } from './browser.ts';
import { serverView, welcome } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const sizes = { 'a desktop': [1440, 900], 'a small desktop': [1280, 720], 'a desktop at 200 %': [640, 360], 'a phone': [390, 844], 'a phone on its side': [700, 330] } as const;

const form = (fields: number, message: string): QuestionView => ({
  id: `q${fields}`, server: 'one', askedAt: 1, until: null, kind: 'form', message,
  schema: { type: 'object', properties: Object.fromEntries(Array.from({ length: fields }, (_, at) => [`f${at}`, { type: 'string' as const, title: `Field ${at}`, description: 'What the server says of this field' }])) },
});

async function ask(page: Page, question: QuestionView): Promise<void> {
  await page.evaluate((one) => window.fake.say({ type: 'question', question: one }), question);
  await page.getByRole('dialog').waitFor();
}

const close = (page: Page, { id }: QuestionView): Promise<void> => page.evaluate((one) => window.fake.say({ type: 'question-closed', id: one, by: null }), id);

/** The number of visible lines of the message, limited by its own box, the frame and the screen. */
const linesInSight = (page: Page): Promise<number> => page.evaluate(() => {
  const message = document.querySelector('.question .message pre') as HTMLElement;
  let [top, bottom] = [message.getBoundingClientRect().top, message.getBoundingClientRect().bottom];
  for (let at: HTMLElement | null = message.parentElement; at; at = at.parentElement) {
    if (getComputedStyle(at).overflowY === 'visible') continue;
    [top, bottom] = [Math.max(top, at.getBoundingClientRect().top), Math.min(bottom, at.getBoundingClientRect().bottom)];
  }
  const foot = document.querySelector('.question .dialog-foot') as HTMLElement;
  return (Math.min(bottom, foot.getBoundingClientRect().top, innerHeight) - Math.max(top, 0)) / parseFloat(getComputedStyle(message).lineHeight);
});

test('forms of 1, 12 and 60 fields: six lines of the message are in sight, and Accept waits for the end of a longer one', async () => {
  for (const [name, [width, height]] of Object.entries(sizes)) {
    const { page, faults, close: end } = await openFake(browser, { viewport: { width, height } });
    await page.evaluate((message) => window.fake.say(message), welcome());
    const accept = page.getByRole('button', { name: 'Accept' });
    for (const fields of [1, 12, 60]) {
      const short = form(fields, 'You pay 40,000 EUR to an account that you do not know.');
      await ask(page, short);
      assert.ok(await linesInSight(page) >= 0.99, `${name}, ${fields} fields: ${await linesInSight(page)} lines of a short message`);
      await page.locator('.question .primary:enabled').waitFor();
      await close(page, short);
      const long = form(fields, Array.from({ length: 60 }, (_, at) => `Line ${at} of what you agree to.`).join('\n'));
      await ask(page, long);
      assert.ok(await linesInSight(page) >= 6, `${name}, ${fields} fields: ${await linesInSight(page)} lines of a long message`);
      assert.ok(await accept.isDisabled(), `${name}: Accept waits`);
      await page.getByText('Scroll the message to its end first.').waitFor();
      await page.keyboard.press('Control+Enter');
      await page.locator('.question .message .seen-here').scrollIntoViewIfNeeded();
      await page.locator('.question .primary:enabled').waitFor();
      await close(page, long);
    }
    assert.equal(await page.evaluate(() => window.fake.asked.length), 0);
    assert.deepEqual(faults, []);
    await end();
  }
});

test('the buttons stand under what is asked, and at the lower edge where that is longer than the place', async () => {
  for (const [name, [width, height]] of Object.entries(sizes)) {
    const { page, close: end } = await openFake(browser, { viewport: { width, height } });
    await page.evaluate((message) => window.fake.say(message), welcome());
    const gaps = (last: string): Promise<{ form: number; edge: number }> => page.evaluate((selector) => {
      const [foot, frame, ...fields] = ['.question .dialog-foot', '.question', selector].flatMap((one) => [...document.querySelectorAll(one)]).map((one) => one.getBoundingClientRect());
      const end = fields.at(-1);
      return foot && frame && end ? { form: foot.top - end.bottom, edge: frame.bottom - foot.bottom } : { form: NaN, edge: NaN };
    }, last);
    const short = form(1, 'Which seat?');
    await ask(page, short);
    const near = await gaps('.question .form');
    assert.ok(near.form < 30, `${name}: ${near.form} pixels below a form of one field`);
    if (height > 700) assert.ok(near.edge > 100, `${name}: the foot is not at the edge`);
    await close(page, short);
    const long = form(60, 'Which seats?');
    await ask(page, long);
    const { edge } = await gaps('.question .form');
    assert.ok(Math.abs(edge) <= 1, `${name}: a form of 60 fields has its buttons in sight, ${edge}`);
    await close(page, long);
    await ask(page, { id: 'u', server: 'one', askedAt: 1, until: null, kind: 'url', message: 'Pay', url: 'https://example.com/', host: 'example.com' });
    const far = await gaps('.question .url');
    assert.ok(far.form < 30, `${name}: ${far.form} pixels below an address`);
    await end();
  }
});

test('a message that is drawn in pieces is read when all of them were', async () => {
  const { page, close: end } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), welcome());
  await ask(page, form(1, `${'x'.repeat(20_500)} and you pay for it`));
  await page.locator('.question .message').evaluate((one) => one.scrollTo(0, one.scrollHeight));
  assert.ok(await page.getByRole('button', { name: 'Accept' }).isDisabled());
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.locator('.question .seen-here').scrollIntoViewIfNeeded();
  await page.locator('.question .primary:enabled').waitFor();
  await end();
});

test('nothing that holds words of a server is under three of its lines, in questions and in the wire', async () => {
  const words = Array.from({ length: 30 }, (_, at) => `Words ${at}`).join('\n');
  const questions: readonly QuestionView[] = [
    form(60, words),
    { id: 'u', server: 'one', askedAt: 1, until: null, kind: 'url', message: words, url: `https://example.com/${'path/'.repeat(100)}`, host: 'example.com' },
    { id: 'a', server: 'one', askedAt: 1, until: null, kind: 'approval', lexemes: {}, annotated: false, tool: { name: 'wipe', description: words, inputSchema: { type: 'object' } }, args: { list: Array.from({ length: 40 }, (_, at) => `item ${at}`) }, annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }, trusted: false, digest: 'd', why: 'link' },
    { id: 's', server: 'one', askedAt: 1, until: null, kind: 'sampling', hasModel: true, params: { systemPrompt: words, messages: Array.from({ length: 10 }, () => ({ role: 'user' as const, content: { type: 'text' as const, text: words } })), maxTokens: 10 } },
    { id: 'c', server: 'one', askedAt: 1, until: null, kind: 'change', change: { kind: 'changed', name: 'wipe', formerly: null, before: { name: 'wipe', description: 'a', inputSchema: { type: 'object' } }, after: { name: 'wipe', description: words, inputSchema: { type: 'object' } }, diff: [] } },
  ];
  const squeezed = (page: Page): Promise<string[]> => page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.question :is(.message, .text, .exact, .diff, .url), .wire-detail :is(.text, .tree, .sender textarea)')]
    .filter((one) => one.offsetParent !== null)
    .filter((one) => one.clientHeight < Math.min(one.scrollHeight, 3 * (parseFloat(getComputedStyle(one).lineHeight) || 16)) - 2)
    .map((one) => `${one.className}: ${one.clientHeight} of ${one.scrollHeight}`));
  for (const [name, [width, height]] of Object.entries(sizes)) {
    const { page, close: end } = await openFake(browser, { viewport: { width, height } });
    await page.evaluate((message) => window.fake.say(message), welcome({ servers: [serverView('one')] }));
    for (const question of questions) {
      await ask(page, question);
      assert.deepEqual(await squeezed(page), [], `${name}, ${question.kind}`);
      await close(page, question);
    }
    await end();
  }
});

test('an approval and a change wait until they were seen to their end', async () => {
  const { page, close: end } = await openFake(browser, { viewport: { width: 1280, height: 500 } });
  await page.evaluate((message) => window.fake.say(message), welcome());
  await ask(page, { id: 'a', server: 'one', askedAt: 1, until: null, kind: 'approval', lexemes: {}, annotated: false, tool: { name: 'wipe', inputSchema: { type: 'object' } }, args: { list: Array.from({ length: 40 }, (_, at) => `item ${at}`) }, annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }, trusted: false, digest: 'd', why: 'link' });
  for (const name of ['Once', 'For this session', 'Always']) assert.ok(await page.getByRole('button', { name, exact: true }).isDisabled(), name);
  assert.match(await page.getByRole('dialog').innerText(), /barewire asks before one is called[\s\S]*does not say what this tool does[\s\S]*came with a link/);
  await page.locator('.question .seen-here').scrollIntoViewIfNeeded();
  await page.locator('.question .primary:enabled').waitFor();
  await end();
});
