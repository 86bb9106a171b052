// Forms for schemas: every shape, defaults, and the validator's messages at the fields.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { ActionMessage } from '../../src/messages.ts';
import { launch, openFake } from './browser.ts';
import { catalogueView, toolView, welcome } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** Opens a page that shows the form of one tool. */
async function openForm(inputSchema: Record<string, unknown>): Promise<{ page: Page; end: () => Promise<void> }> {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), welcome({ catalogues: [catalogueView('one', { tools: [toolView('try', inputSchema)] })] }));
  await page.getByRole('tab', { name: 'Tools' }).click();
  return { page, end: async () => { assert.deepEqual(faults, []); await close(); } };
}

/** The arguments of the page's last call, as text, because the driver loses `__proto__`. */
async function calledText(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const call = window.fake.asked.findLast((one): one is Extract<ActionMessage, { name: 'tool.call' }> => one.type === 'action' && one.name === 'tool.call');
    return call && JSON.stringify(call.params.args);
  });
}

async function calledWith(page: Page): Promise<unknown> {
  const text = await calledText(page);
  return text === undefined ? undefined : JSON.parse(text);
}

/** A field by its full name. */
const field = (page: Page, name: string): Locator => page.getByRole('main').getByLabel(name, { exact: true });

const call = (page: Page): Promise<void> => page.getByRole('button', { name: 'Call', exact: true }).click();

test('scalars of every kind are typed, and a member that was not given is not sent', async () => {
  const { page, end } = await openForm({
    properties: {
      text: { type: 'string' }, left: { type: 'string' }, whole: { type: 'integer' }, part: { type: 'number' }, day: { type: 'string', format: 'date' },
      yes: { type: 'boolean' }, maybe: { type: 'boolean' }, must: { type: 'boolean' }, colour: { enum: ['r', 'g', 'b', 4], enumNames: ['Red', 'Green', 'Blue', 'Four'] },
      titled: { oneOf: [{ const: 'w', title: 'Window' }, { const: 'a', title: 'Aisle' }] }, fixed: { const: 7 }, free: {},
    },
    required: ['must', 'titled', 'fixed'],
  });
  await field(page, 'text').fill('a "b"');
  await field(page, 'whole').fill('12');
  await field(page, 'part').fill('-0.5e1');
  await field(page, 'day').fill('2026-02-03');
  await field(page, 'yes').selectOption('yes');
  await field(page, 'colour').selectOption('Four');
  await field(page, 'Aisle').check();
  await field(page, 'free').fill('{"any":[1]}');
  await call(page);
  assert.deepEqual(await calledWith(page), { text: 'a "b"', whole: 12, part: -5, day: '2026-02-03', yes: true, must: false, colour: 4, titled: 'a', fixed: 7, free: { any: [1] } });
  await end();
});

test('defaults are filled in, nested objects, lists and unions are built and taken away', async () => {
  const { page, end } = await openForm({
    $defs: { place: { type: 'object', properties: { city: { type: 'string', default: 'Lisbon' } }, required: ['city'] } },
    properties: {
      n: { type: 'integer', default: 3 },
      from: { $ref: '#/$defs/place' }, to: { $ref: '#/$defs/place', title: 'To' },
      tags: { type: 'array', items: { type: 'string' } },
      pick: { type: 'array', items: { anyOf: [{ const: 1, title: 'First' }, { const: 2, title: 'Second' }] } },
      pay: { oneOf: [{ title: 'Card', type: 'object', properties: { kind: { const: 'card' }, no: { type: 'string' } }, required: ['kind', 'no'] }, { title: 'Cash', type: 'object', properties: { kind: { const: 'cash' } }, required: ['kind'] }] },
      size: { type: ['string', 'null'] },
      free: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['from', 'pay'],
  });
  await page.getByRole('button', { name: 'Add To', exact: true }).click();
  await page.getByRole('group', { name: 'To', exact: true }).getByLabel('city').fill('Oslo');
  const tags = page.getByRole('group', { name: 'tags' });
  await tags.getByRole('button', { name: 'Add to tags' }).click();
  await tags.getByRole('textbox').fill('b');
  await tags.getByRole('button', { name: 'Add to tags' }).click();
  await tags.getByRole('textbox').nth(1).fill('a');
  await tags.getByRole('button', { name: 'Move item 2 of tags up' }).click();
  await field(page, 'Second').check();
  await field(page, 'pay').selectOption('Cash');
  await field(page, 'size').selectOption('null');
  const free = page.getByRole('group', { name: 'free' });
  await free.getByLabel('Name of a new member').fill('__proto__');
  await free.getByLabel('Name of a new member').press('Enter');
  await free.getByRole('textbox', { name: '__proto__' }).fill('5');
  await call(page);
  assert.equal(await calledText(page), JSON.stringify({ n: 3, from: { city: 'Lisbon' }, pay: { kind: 'cash' }, to: { city: 'Oslo' }, tags: ['a', 'b'], pick: [2], size: null, free: JSON.parse('{"__proto__":5}') as unknown }));
  await tags.getByRole('button', { name: 'Remove item 1 of tags' }).click();
  await page.getByRole('group', { name: 'To', exact: true }).getByRole('button', { name: 'Remove To' }).click();
  await call(page);
  assert.deepEqual(Object.keys(await calledWith(page) as object), ['n', 'from', 'pay', 'tags', 'pick', 'size', 'free']);
  await end();
});

test('a list says what a line has before one is there, each line has a row with its buttons, and Call says what is missing', async () => {
  const line = { type: 'object', required: ['article', 'count'], properties: { article: { enum: ['pen', 'paper', 'ink'] }, count: { type: 'integer' }, note: { type: 'string' } } };
  const { page, end } = await openForm({ properties: { customer: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }, lines: { type: 'array', items: line } }, required: ['customer', 'lines'] });
  const lines = page.getByRole('group', { name: 'lines', exact: true });
  await lines.getByText('Each has article (pen | paper | ink), count (whole number), note?').waitFor();
  const foot = page.locator('form > .actions');
  await foot.getByText('Still missing: customer / name', { exact: true }).waitFor();
  for (const article of ['pen', 'ink']) {
    await lines.getByRole('button', { name: 'Add to lines' }).click();
    await lines.getByRole('radio', { name: article }).last().check();
  }
  assert.equal(await lines.getByText('Each has').count(), 0);
  await foot.getByText('Still missing: customer / name, lines / 1 / count, lines / 2 / count', { exact: true }).waitFor();
  const left = (at: Locator): Promise<number> => at.evaluate((one) => one.getBoundingClientRect().left);
  const group = page.getByRole('group', { name: 'customer', exact: true });
  assert.ok(await left(group.getByText('name', { exact: true })) - await left(group.getByText('customer', { exact: true })) > 10, 'what is inside stands further in');
  const second = lines.getByRole('group', { name: 'Item 2 of lines' });
  const [button, box] = [await second.getByRole('button', { name: 'Remove item 2 of lines' }).boundingBox(), await second.getByText('article', { exact: true }).boundingBox()];
  assert.ok(button && box && button.y + button.height <= box.y, 'the buttons have a row above the fields');
  assert.match(await second.innerText(), /^Item 2\n/);
  assert.deepEqual(await second.locator('.item-buttons button').evaluateAll((all) => all.map((one) => [one.textContent, (one as HTMLElement).title])), [
    ['↑', 'Move item 2 of lines up'], ['↓', 'Move item 2 of lines down'], ['×', 'Remove item 2 of lines'],
  ]);
  assert.deepEqual(await second.locator('.required').evaluateAll((all) => all.map((one) => one.checkVisibility())), [true, true], 'each field of a line says whether it is required');
  await lines.getByRole('button', { name: 'Move item 1 of lines down' }).click();
  assert.ok(await lines.getByRole('group', { name: 'Item 1 of lines' }).getByRole('radio', { name: 'ink' }).isChecked());
  for (const at of [0, 1]) await lines.getByLabel('count', { exact: true }).nth(at).fill(`${at + 1}`);
  await field(page, 'name').fill('Ada');
  await foot.getByText('Still missing').waitFor({ state: 'detached' });
  await call(page);
  assert.deepEqual(await calledWith(page), { customer: { name: 'Ada' }, lines: [{ article: 'ink', count: 1 }, { article: 'pen', count: 2 }] });
  await end();
});

test('what is missing is listed in the order of the form, lists and the chosen alternative too, and Call looks not ready meanwhile', async () => {
  const text = { type: 'string' };
  const { page, end } = await openForm({
    properties: {
      customer: { type: 'object', required: ['address', 'name'], properties: { name: { ...text, title: 'Full name' }, address: { type: 'object', required: ['city'], properties: { city: text } } } },
      lines: { type: 'array', minItems: 1, items: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } } },
      pair: { type: 'array', minItems: 2, items: text }, colours: { type: 'array', minItems: 1, items: { enum: ['red', 'blue'] } }, tags: { type: 'array', items: text },
      pay: { oneOf: [{ title: 'Card', type: 'object', properties: { kind: { const: 'card' }, no: text }, required: ['kind', 'no'] }, { title: 'Invoice', type: 'object', properties: { kind: { const: 'invoice' }, company: text }, required: ['kind', 'company'] }] },
      last: text, express: { type: 'boolean' },
    },
    required: ['last', 'pay', 'tags', 'colours', 'pair', 'lines', 'customer'], if: { properties: { express: { const: true } }, required: ['express'] }, then: { required: ['hours'] },
  });
  const foot = page.locator('form > .actions');
  const says = (words: string): Promise<void> => foot.getByText(`Still missing: ${words}`, { exact: true }).waitFor();
  await says('customer / Full name, customer / address / city, lines, pair (at least 2), colours, pay / no, last');
  const button = foot.getByRole('button', { name: 'Call', exact: true });
  const border = (): Promise<string> => button.evaluate((one) => getComputedStyle(one).borderStyle);
  assert.equal(await border(), 'dashed');
  assert.match(await button.evaluate((one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent ?? ''), /^Still missing: customer/);
  const beside = await page.locator('legend').evaluateAll((all) => all.map((one) => one.textContent));
  assert.deepEqual(beside.filter((one) => /^(?:lines|pair|colours|tags)/.test(one)), ['linesrequired', 'pairrequired, at least 2', 'coloursrequired', 'tagsrequired, may be empty']);
  await field(page, 'pay').selectOption('Invoice');
  await page.getByRole('button', { name: 'Add to lines' }).click();
  await field(page, 'Full name').fill('Ada');
  await says('customer / address / city, lines / 1 / count, pair (at least 2), colours, pay / company, last');
  await field(page, 'city').fill('Oslo');
  await field(page, 'count').fill('2');
  for (const at of [0, 1]) {
    await page.getByRole('button', { name: 'Add to pair' }).click();
    await page.getByRole('group', { name: 'pair', exact: true }).getByRole('textbox').nth(at).fill('x');
  }
  await field(page, 'red').check();
  await field(page, 'company').fill('Bare');
  await field(page, 'express').selectOption('yes');
  await field(page, 'last').fill('z');
  // A condition of the schema requires a member without a field: the page names its path.
  await says('/hours');
  await field(page, 'express').selectOption('no');
  await foot.getByText('Still missing').waitFor({ state: 'detached' });
  assert.equal(await border(), 'solid');
  await call(page);
  assert.deepEqual(await calledWith(page), { customer: { name: 'Ada', address: { city: 'Oslo' } }, lines: [{ count: 2 }], pair: ['x', 'x'], colours: ['red'], tags: [], pay: { kind: 'invoice', company: 'Bare' }, express: false, last: 'z' });
  // Pressed too early, Call shows the missing fields.
  await field(page, 'count').fill('');
  await page.getByRole('heading', { name: 'try' }).click();
  await call(page);
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  await foot.getByText('1 place is not as the schema says.').waitFor();
  await says('lines / 1 / count');
  await end();
});

test('what is wrong stands at its field in the words of the validator, and the first wrong field has the focus', async () => {
  const { page, end } = await openForm({
    properties: { name: { type: 'string', minLength: 3 }, age: { type: 'integer', minimum: 18 }, mail: { type: 'string', format: 'email' }, list: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^a' } } },
    required: ['name', 'list'],
  });
  await call(page);
  assert.equal(await calledWith(page), undefined);
  await page.locator('.problems', { hasText: 'property "name" is missing' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  await field(page, 'name').fill('ab');
  await field(page, 'age').fill('seven');
  await field(page, 'mail').fill('nobody');
  await page.getByRole('button', { name: 'Add to list' }).click();
  await page.locator('.problems', { hasText: '^a' }).waitFor();
  const said = await page.locator('.problems:not(:empty)').allInnerTexts();
  assert.deepEqual(said.slice(0, 4).map((one) => one.trim()), ['"ab" is shorter than 3', '"seven" is not of type integer', '"nobody" is not a valid email', '"" does not match the pattern "^a"'].map((one) => one.replace('"^a"', '^a')));
  await page.getByRole('button', { name: 'Call anyway' }).click();
  assert.deepEqual(await calledWith(page), { name: 'ab', list: [''], age: 'seven', mail: 'nobody' });
  await end();
});

test('a union says why the alternative that was chosen does not fit', async () => {
  const { page, end } = await openForm({
    properties: { pay: { anyOf: [{ title: 'Card', type: 'object', properties: { no: { type: 'string', minLength: 4 } }, required: ['no'] }, { title: 'Cash', type: 'object', properties: { coins: { type: 'integer' } }, required: ['coins'] }] } },
    required: ['pay'],
  });
  await field(page, 'no').fill('12');
  await call(page);
  await page.locator('.problems', { hasText: '"12" is shorter than 4' }).waitFor();
  await field(page, 'no').fill('1234');
  await call(page);
  assert.deepEqual(await calledWith(page), { pay: { no: '1234' } });
  await end();
});

test('raw JSON is the same value, and text that is none is not sent', async () => {
  const { page, end } = await openForm({ properties: { a: { type: 'string' } } });
  await field(page, 'a').fill('x');
  await page.getByRole('button', { name: 'JSON' }).click();
  const raw = field(page, 'Arguments of try as JSON');
  assert.deepEqual(JSON.parse(await raw.innerText()), { a: 'x' });
  await raw.fill('{"a": 1, ');
  await call(page);
  assert.equal(await calledWith(page), undefined);
  await page.getByRole('button', { name: 'Form', disabled: true }).waitFor();
  await raw.fill('{"a": "y", "more": [true]}');
  await call(page);
  assert.deepEqual(await calledWith(page), { a: 'y', more: [true] });
  await page.getByRole('button', { name: 'Form' }).click();
  assert.equal(await field(page, 'a').inputValue(), 'y');
  await end();
});

test('a schema that refers to itself, one that is none, and one that is very large are drawn all the same', async () => {
  for (const schema of [
    { $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] } }, properties: { first: { $ref: '#/$defs/node' } }, required: ['first'] },
    { properties: { a: { $ref: '#/$defs/none' }, b: { $ref: '#/properties/b' }, c: { type: 'wat' }, d: { type: 5, enum: 'x', oneOf: 7, items: null } } },
    { properties: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`p${at}`, { type: 'string' }])) },
  ]) {
    const { page, end } = await openForm(schema);
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
    await end();
  }
});
