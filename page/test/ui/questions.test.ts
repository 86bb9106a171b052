// Questions: they cover the server's half one after the other, and name the server that asks; the answer of each button.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { ActionMessage, QuestionView } from '../../src/messages.ts';
import { launch, openFake } from './browser.ts';
import type { Opened } from './browser.ts';
import { callView, serverView, welcome } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function openWith(...questions: QuestionView[]): Promise<Opened & { end: () => Promise<void> }> {
  const opened = await openFake(browser);
  await opened.page.evaluate((message) => window.fake.say(message), welcome({ servers: [serverView('one'), serverView('two')] }));
  for (const question of questions) await opened.page.evaluate((one) => window.fake.say({ type: 'question', question: one }), question);
  await opened.page.getByRole('dialog').waitFor();
  return { ...opened, end: async () => { assert.deepEqual(opened.faults, []); await opened.close(); } };
}

/** The answers that the page sent. */
async function answers(page: Page): Promise<unknown[]> {
  const asked = await page.evaluate(() => window.fake.asked);
  return asked.filter((one): one is Extract<ActionMessage, { name: 'question.answer' }> => one.type === 'action' && one.name === 'question.answer').map(({ params }) => params);
}

const form = (id: string, server = 'one', askedAt = 1): QuestionView => ({
  id, server, askedAt, until: null, kind: 'form', message: `Question ${id}`,
  schema: { type: 'object', properties: { name: { type: 'string', title: 'Your name', minLength: 2 }, seat: { type: 'string', enum: ['w', 'a', 'm', 'x'], enumNames: ['Window', 'Aisle', 'Middle', 'None'], default: 'a' }, extras: { type: 'array', items: { anyOf: [{ const: 'bag', title: 'A bag' }, { const: 'meal', title: 'A meal' }] } }, mail: { type: 'string', format: 'email' } }, required: ['name'] },
});

test('a form is accepted with its defaults, and only when it fits', async () => {
  const { page, end } = await openWith(form('q1'));
  const dialog = page.getByRole('dialog', { name: 'The server wants to know' });
  assert.match(await dialog.innerText(), /one\s+asks/);
  await dialog.getByRole('button', { name: 'Accept' }).click();
  assert.deepEqual(await answers(page), []);
  await dialog.getByText('property "name" is missing').waitFor();
  await dialog.getByLabel('Your name').fill('Ada');
  await dialog.getByLabel('mail').fill('no mail');
  await dialog.getByLabel('A meal').check();
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await dialog.getByText('"no mail" is not a valid email').waitFor();
  await dialog.getByLabel('mail').fill('ada@example.com');
  await dialog.getByRole('button', { name: 'Accept' }).click();
  assert.deepEqual(await answers(page), [{ question: 'q1', answer: { kind: 'form', action: 'accept', content: { seat: 'a', name: 'Ada', mail: 'ada@example.com', extras: ['meal'] } } }]);
  await end();
});

test('the tool that asks is named; what is missing stands beside Accept, which looks ready only when nothing is', async () => {
  const { page, end } = await openWith({ ...form('q1'), tools: ['book <b>it</b>'] });
  const dialog = page.getByRole('dialog');
  assert.match(await dialog.innerText(), /^The tool book <b>it<\/b> of one asks/);
  const accept = dialog.getByRole('button', { name: 'Accept' });
  const foot = dialog.locator('.dialog-foot');
  await foot.getByText('Still missing: Your name', { exact: true }).waitFor();
  const look = (): Promise<string[]> => accept.evaluate((one) => [getComputedStyle(one).borderStyle, getComputedStyle(one).backgroundColor, document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent ?? '']);
  const waits = await look();
  assert.deepEqual([waits[0], waits[2]], ['dashed', 'Still missing: Your name']);
  await dialog.getByLabel('Your name').fill('Ada');
  await foot.getByText('Escape is cancel: no answer.').waitFor();
  const ready = await look();
  assert.equal(ready[0], 'solid');
  assert.notEqual(ready[1], waits[1]);
  await page.evaluate((question) => {
    window.fake.say({ type: 'question-closed', id: 'q1', by: null });
    window.fake.say({ type: 'question', question });
  }, { ...form('q2'), tools: ['book', 'pay'] });
  await dialog.getByText('One of the tools book, pay of one asks').waitFor();
  await end();
});

test('decline is decline, and Escape is cancel', async () => {
  const { page, end } = await openWith(form('q1'));
  await page.getByRole('button', { name: 'Decline' }).click();
  const cancelled = { question: 'q1', answer: { kind: 'form', action: 'cancel' } };
  // A browser may close a dialog itself at the second Escape.
  for (let presses = 0; presses < 3; presses++) {
    await page.keyboard.press('Escape');
    await page.waitForFunction((count) => window.fake.asked.length === count, presses + 2);
  }
  assert.deepEqual(await answers(page), [{ question: 'q1', answer: { kind: 'form', action: 'decline' } }, cancelled, cancelled, cancelled]);
  assert.ok(await page.getByRole('dialog').isVisible(), 'the host says when a question is closed');
  await end();
});

test('several questions wait in a queue, the oldest first, and one that another tab answered goes', async () => {
  const { page, end } = await openWith(form('q2', 'two', 2), form('q1', 'one', 1), form('q3', 'two', 3));
  const dialog = page.getByRole('dialog');
  assert.match(await dialog.innerText(), /one\s+asks\s+2 more wait[\s\S]*Question q1/);
  await page.evaluate(() => window.fake.say({ type: 'question-closed', id: 'q1', by: 'another tab' }));
  await page.getByText('Question q2').waitFor();
  await dialog.getByText('1 more waits').waitFor();
  await page.evaluate(() => { window.fake.say({ type: 'question-closed', id: 'q3', by: null }); window.fake.say({ type: 'question-closed', id: 'q2', by: null }); });
  await dialog.waitFor({ state: 'detached' });
  await end();
});

test('what is typed stays when another question comes, and screen readers are told', async () => {
  const { page, end } = await openWith(form('q1'));
  await page.getByLabel('Your name').fill('half of it');
  await page.evaluate((question) => window.fake.say({ type: 'question', question }), form('q2', 'two', 2));
  await page.getByText('1 more waits').waitFor();
  assert.equal(await page.getByLabel('Your name').inputValue(), 'half of it');
  assert.equal(await page.locator('[aria-live=assertive]').textContent(), 'New question from two');
  await page.evaluate(([runs, ended]) => {
    window.fake.say({ type: 'call', call: runs });
    window.fake.say({ type: 'call', call: ended });
  }, [callView(1, { state: 'running', endedAt: null }), callView(1, { result: { content: [], isError: true } })] as const);
  await page.waitForFunction(() => document.querySelector('[aria-live=assertive]')?.textContent === 'one: echo failed, as the tool says');
  await end();
});

test('an address is shown with its host, opened only by the person, and only where it is of the web', async () => {
  const url = 'https://user@pay.example.com:8443/a?b=c';
  const { page, end } = await openWith({ id: 'u1', server: 'one', askedAt: 1, until: null, kind: 'url', message: 'Pay', url, host: 'pay.example.com:8443' });
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.locator('.host-name').innerText(), 'pay.example.com:8443');
  const link = dialog.getByRole('link', { name: 'Open pay.example.com:8443' });
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer external');
  assert.deepEqual(await answers(page), []);
  const [popup] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  assert.deepEqual(await answers(page), [{ question: 'u1', answer: { kind: 'url', action: 'accept' } }]);
  await popup.close();
  await page.evaluate(() => window.fake.say({ type: 'question-closed', id: 'u1', by: null }));
  for (const [id, bad] of [['u2', 'javascript:alert(1)'], ['u3', 'data:text/html,<script>alert(1)</script>'], ['u4', 'file:///etc/passwd']] as const) {
    await page.evaluate((question) => window.fake.say({ type: 'question', question }), { id, server: 'one', askedAt: 2, until: null, kind: 'url', message: 'Go', url: bad, host: '' } satisfies QuestionView);
    await dialog.getByText('This is not an http or https address').waitFor();
    assert.equal(await dialog.getByRole('link').count(), 0, bad);
    await page.evaluate((closed) => window.fake.say({ type: 'question-closed', id: closed, by: null }), id);
  }
  await end();
});

test('a call waits for consent with its exact arguments: once, for the session, always, or refused with a reason', async () => {
  const approval: QuestionView = {
    id: 'a1', server: 'one', askedAt: 1, until: null, kind: 'approval', lexemes: {}, annotated: true, tool: { name: 'wipe', inputSchema: { type: 'object' }, description: 'Wipes a disk' }, args: { disk: '/dev/sda', deep: { yes: [true] } },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false }, trusted: false, digest: 'd', why: 'default',
  };
  const { page, end } = await openWith(approval);
  const dialog = page.getByRole('dialog', { name: 'Run wipe?' });
  const text = await dialog.innerText();
  assert.match(text, /may destroy/);
  assert.match(text, /disk:\s*"\/dev\/sda"/);
  assert.match(text, /yes:\s*\[ 1 \][\s\S]*true/);
  for (const name of ['Once', 'For this session', 'Always']) await dialog.getByRole('button', { name }).click();
  await dialog.getByLabel('Reason').fill('not today');
  await page.keyboard.press('Escape');
  assert.deepEqual((await answers(page)).map((one) => (one as { answer: unknown }).answer), [
    { kind: 'approval', allow: 'once' }, { kind: 'approval', allow: 'session' }, { kind: 'approval', allow: 'always' }, { kind: 'approval', allow: false, reason: 'not today' },
  ]);
  await page.evaluate((question) => {
    window.fake.say({ type: 'question-closed', id: 'a1', by: null });
    window.fake.say({ type: 'question', question });
  }, { ...approval, id: 'a2', why: 'rule' as const });
  await page.getByText('A rule says that you are asked').waitFor();
  assert.deepEqual(await dialog.getByRole('button').allInnerTexts(), ['Later', 'Refuse', 'Once'], 'a grant would not go before the rule');
  await end();
});

test('a tool that changed is shown as a difference', async () => {
  const tool = (description: string): { name: string; description: string; inputSchema: { type: 'object' } } => ({ name: 'add', description, inputSchema: { type: 'object' } });
  const { page, end } = await openWith({
    id: 'c1', server: 'one', askedAt: 1, until: null, kind: 'change',
    change: { kind: 'changed', name: 'add', formerly: null, before: tool('Adds'), after: tool('Adds, and sends your files'), diff: ['- description: "Adds"', '+ description: "Adds, and sends your files"'] },
  });
  const dialog = page.getByRole('dialog');
  assert.match(await dialog.locator('.added').innerText(), /sends your files/);
  assert.match(await dialog.locator('.removed').innerText(), /"Adds"/);
  await dialog.getByRole('button', { name: 'Do not accept' }).click();
  await dialog.getByRole('button', { name: 'Accept the current definition' }).click();
  assert.deepEqual((await answers(page)).map((one) => (one as { answer: unknown }).answer), [{ kind: 'change', accept: false }, { kind: 'change', accept: true }]);
  await end();
});

test('sampling shows its wishes, is edited, answered by hand or refused, and its answer is seen before it is sent', async () => {
  const params = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Name a city' } }], maxTokens: 50, systemPrompt: 'Be short', modelPreferences: { hints: [{ name: 'small' }], costPriority: 0.9 } };
  const { page, end } = await openWith({ id: 's1', server: 'one', askedAt: 1, until: null, kind: 'sampling', params, hasModel: false });
  const dialog = page.getByRole('dialog');
  assert.match(await dialog.innerText(), /small[\s\S]*90 %[\s\S]*Be short[\s\S]*Name a city/);
  assert.ok(await dialog.getByRole('button', { name: 'Look at the answer' }).isDisabled());
  await dialog.getByRole('button', { name: 'Edit the request' }).click();
  await dialog.getByLabel('The request as JSON').fill(JSON.stringify({ ...params, maxTokens: 9 }));
  await dialog.getByLabel('Your answer').fill('Oslo');
  await dialog.getByRole('button', { name: 'Look at the answer' }).click();
  const answer = { role: 'assistant' as const, content: { type: 'text' as const, text: 'Oslo' }, model: 'person', stopReason: 'endTurn' };
  assert.deepEqual(await answers(page), [{ question: 's1', answer: { kind: 'sampling', allow: true, params: { ...params, maxTokens: 9 }, byHand: answer } }]);
  await page.evaluate((question) => { window.fake.say({ type: 'question-closed', id: 's1', by: null }); window.fake.say({ type: 'question', question }); }, { id: 's2', server: 'one', askedAt: 2, until: null, kind: 'sampling-answer', params, answer } satisfies QuestionView);
  await dialog.getByLabel('The answer').fill('Bergen');
  await dialog.getByRole('button', { name: 'Send it' }).click();
  assert.deepEqual((await answers(page)).at(-1), { question: 's2', answer: { kind: 'sampling-answer', allow: true, answer: { ...answer, content: { type: 'text', text: 'Bergen' } } } });
  await page.keyboard.press('Escape');
  assert.deepEqual((await answers(page)).at(-1), { question: 's2', answer: { kind: 'sampling-answer', allow: false } });
  await end();
});

test('the faults that the host finds in a form stand at their fields', async () => {
  const { page, end } = await openWith(form('q1'));
  await page.getByLabel('Your name').fill('Ada');
  await page.evaluate(() => { window.fake.failNext = { code: 'bad-answer', message: 'it does not fit', data: { faults: [{ path: '/name', what: 'must be another' }] } }; });
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('must be another').waitFor();
  assert.equal(await page.getByLabel('Your name').getAttribute('aria-invalid'), 'true');
  await page.getByLabel('Your name').fill('Ada L');
  await page.getByText('must be another').waitFor({ state: 'detached' });
  await end();
});
