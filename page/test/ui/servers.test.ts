// The page with the local server and real programs: barewire's example in both eras, the official everything server, a server with version
// 2 of the official SDK, two servers at once, two tabs, and a server that dies.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readServers } from 'barewire/host';
import type { Browser, Locator, Page } from 'playwright-core';
import { servePage } from '../../src/server/index.ts';
import type { ServedPage } from '../../src/server/index.ts';
import { launch, openPage, packageRoot } from './browser.ts';
import type { Opened } from './browser.ts';

const node = (...args: string[]): { command: string; args: string[] } => ({ command: process.execPath, args });
const fixture = (name: string): string => fileURLToPath(new URL(`servers/${name}.js`, import.meta.url));
const everything = `${packageRoot}node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
const travel = `${packageRoot}../dist/examples/travel/main.js`;

let browser: Browser;
let served: ServedPage;
let opened: Opened;
let page: Page;
before(async () => {
  browser = await launch();
  served = await servePage({
    servers: readServers({
      mcpServers: {
        travel: node(travel), everything: node(everything), sdk: node(fixture('sdk')), rough: node(fixture('rough')),
        'no type': node(fixture('bare')), 'odd type': { type: 'carrier-pigeon', ...node(fixture('bare')) }, 'number type': { type: 5, ...node(fixture('bare')) },
      },
    }, () => undefined),
    rules: [{ server: 'everything', then: 'allow' }, { server: 'sdk', then: 'allow' }],
  });
  opened = await openPage(browser);
  page = opened.page;
  await page.goto(served.url);
});
after(async () => {
  await browser.close();
  await served.close();
});

const main = (from: Page = page): Locator => from.getByRole('main');
const field = (name: string, from: Page = page): Locator => main(from).getByLabel(name, { exact: true });
const tab = (name: string, from: Page = page): Promise<void> => from.getByRole('tab', { name }).click();
// The button of the server itself; a "Connect" button next to it may have the same name.
const serverButton = (name: string, from: Page = page): Locator => from.getByRole('navigation').locator('button.server').filter({ has: from.getByText(name, { exact: true }) });
const server = (name: string, from: Page = page): Promise<void> => serverButton(name, from).click();
const pick = (name: string, from: Page = page): Promise<void> => main(from).getByRole('list').getByRole('button', { name }).first().click();
const call = (from: Page = page): Promise<void> => main(from).getByRole('button', { name: 'Call', exact: true }).click();
const newest = (from: Page = page): Locator => from.locator('article.call').first();

async function connect(name: string): Promise<void> {
  await server(name);
  await tab('Overview');
  await main().getByRole('button', { name: 'Connect', exact: true }).click();
  await main().getByRole('button', { name: 'Stop' }).waitFor();
  await main().getByText('State').waitFor();
}

test('the token is taken out of the address, and without it nothing is served', async () => {
  await page.getByRole('navigation').waitFor();
  assert.equal(new URL(page.url()).hash, '#/travel');
  const stranger = await openPage(browser);
  await stranger.page.goto(`http://127.0.0.1:${served.port}/`);
  await stranger.page.getByText('This page cannot reach its host.').waitFor();
  assert.equal(await stranger.page.getByRole('navigation').count(), 0);
  await stranger.close();
});

test("barewire's example in its modern era, and after a new connection in its legacy era: the same form, the same questions", async () => {
  await connect('travel');
  for (const [era, revision] of [['modern', '2026-07-28'], ['legacy', '2025-11-25']] as const) {
    await tab('Overview');
    if (era === 'legacy') {
      await main().getByText('Settings', { exact: true }).click();
      await main().getByLabel('Revisions, from a new connection on').selectOption('legacy');
    }
    await main().locator('.badge', { hasText: era }).waitFor();
    await main().getByText(revision, { exact: true }).waitFor();
    await tab('Tools');
    await pick('Book a trip');
    await field('destination').fill('Lisbon');
    await call();
    const dialog = page.getByRole('dialog', { name: 'The server wants to know' });
    await dialog.getByText('How would you like to fly to Lisbon?').waitFor();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await dialog.getByText('Pay?').waitFor();
    await dialog.getByRole('button', { name: 'Accept' }).click();
    await newest().getByText(/Booked/).first().waitFor();
    await page.locator('.wire-row', { hasText: era === 'modern' ? 'tools/call' : 'elicitation/create' }).first().waitFor();
  }
});

test('the official everything server: structured content, an image, progress, links, errors, prompts, resources', async () => {
  await connect('everything');
  await tab('Tools');
  await pick('Echo');
  await field('message').fill('hello there');
  await call();
  await newest().getByText('Echo: hello there').waitFor();
  await pick('Tiny Image');
  await call();
  await newest().locator('img').waitFor();
  assert.ok(await newest().locator('img').evaluate((one) => (one as HTMLImageElement).naturalWidth) > 0);
  await pick('Structured Content');
  await main().locator('.form').getByRole('radio').first().check();
  await call();
  await newest().getByRole('cell').first().waitFor();
  await pick('Long Running');
  await field('duration').fill('2');
  await field('steps').fill('4');
  await call();
  await newest().getByText(/of 4/).waitFor();
  await newest().getByText('done').waitFor();
  await tab('Prompts');
  await pick('Arguments Prompt');
  await field('city').fill('Oslo');
  await main().getByRole('button', { name: 'Get', exact: true }).click();
  await newest().getByText(/Oslo/).first().waitFor();
  await tab('Resources');
  await main().getByRole('list').getByRole('button').first().click();
  await main().getByRole('button', { name: 'Read' }).click();
  await page.locator('.contents').first().waitFor();
});

test("the everything server's form has every kind of field, and its sampling is answered by hand", async () => {
  await tab('Tools');
  await pick('Elicitation Request');
  await call();
  const dialog = page.getByRole('dialog', { name: 'The server wants to know' });
  await dialog.waitFor();
  const count = await dialog.locator('.field').count();
  assert.ok(count >= 10, `${count} fields`);
  for (const box of await dialog.locator('input[aria-required=true], select[aria-required=true]').all()) {
    if (await box.inputValue() === '') await box.fill('Ada');
  }
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await dialog.waitFor({ state: 'detached' });
  await newest().getByText(/Ada/).first().waitFor();
  await pick('Sampling Request');
  await field('prompt').fill('Say yes');
  await call();
  await page.getByRole('dialog').getByLabel('Your answer').fill('yes indeed');
  await page.getByRole('dialog').getByRole('button', { name: 'Look at the answer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send it' }).click();
  await newest().getByText(/yes indeed/).first().waitFor();
});

test('a server of the second official SDK: output checked against its schema, and a question asked in the result', async () => {
  await connect('sdk');
  await tab('Tools');
  await pick('add');
  await field('a').fill('2');
  await field('b').fill('40');
  await call();
  await newest().getByRole('cell', { name: '42' }).waitFor();
  await pick('ask');
  await call();
  await page.getByRole('dialog').getByLabel('name').fill('Grace');
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
  await newest().getByText('Hello Grace').waitFor();
});

test('two servers at once: calls of both run, and the wire tells them apart', async () => {
  await server('everything');
  await tab('Tools');
  await pick('Long Running');
  await field('duration').fill('30');
  await field('steps').fill('60');
  await call();
  await newest().getByText(/of 60/).waitFor();
  await server('sdk');
  await pick('add');
  await field('a').fill('1');
  await field('b').fill('1');
  await call();
  await newest().getByRole('cell', { name: '2', exact: true }).waitFor();
  // The wire shows only the chosen server.
  const rows = page.locator('.wire-row .asker');
  await rows.filter({ hasText: 'everything' }).first().waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'sdk' }).first().waitFor();
  await server('everything');
  await main().getByText('1 call runs').waitFor();
  await newest().getByRole('button', { name: 'Cancel' }).click();
  await newest().getByText('cancelled', { exact: true }).first().waitFor();
});

test('a second tab sees the same question, its answer is the first, and the question closes in the other', async () => {
  const second = await openPage(browser);
  await second.page.goto(served.url);
  await second.page.getByRole('navigation').waitFor();
  await server('sdk');
  await tab('Tools');
  await pick('ask');
  await call();
  await page.getByRole('dialog').waitFor();
  const other = second.page.getByRole('dialog');
  await other.getByLabel('name').fill('from the other tab');
  await other.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await newest().getByText('Hello from the other tab').waitFor();
  assert.deepEqual(second.faults, []);
  await second.close();
});

test('a reload finds what runs and what was done', async () => {
  await page.reload();
  await server('sdk');
  await tab('Tools');
  await pick('ask');
  await newest().getByText('Hello from the other tab').waitFor();
});

test('entries whose type is absent, a word that nobody knows, or no text at all are servers all the same; one has no tools', async () => {
  for (const name of ['no type', 'odd type', 'number type']) {
    await connect(name);
    await tab('Tools');
    await main().getByText('The server has no tools.').waitFor();
    assert.equal(await main().getByRole('button', { name: 'Call', exact: true }).count(), 0);
    await tab('Resources');
    await main().getByRole('button', { name: /The one note/ }).waitFor();
    await tab('Prompts');
    await main().getByText('The server has no prompts.').waitFor();
  }
});

test('a server that dies in mid-call: the call says so, and the server can be started again', async () => {
  await connect('rough');
  await tab('Tools');
  await pick('die');
  await call();
  await newest().getByText(/the disk is full|exit|ended/).first().waitFor();
  await tab('Overview');
  await main().getByRole('button', { name: 'Reconnect' }).click();
  await main().getByRole('button', { name: 'Stop' }).waitFor();
});

test('a tool that changed is marked, shown as a difference, and not called before it is accepted', async () => {
  await tab('Tools');
  await pick('change');
  await call();
  await main().locator('.pick .badge.warn', { hasText: 'changed' }).waitFor();
  await pick('again');
  assert.match(await main().locator('.added').innerText(), /sends it to somebody/);
  await call();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('is not what you accepted').waitFor();
  await dialog.getByRole('button', { name: 'Accept the current definition' }).click();
  await newest().getByText('done', { exact: true }).waitFor();
  assert.equal(await dialog.count(), 0, 'accepting it for this call is consent');
});

test('a result of 10 MB over the wire, and a tool with an app of its own', async () => {
  await pick('long');
  await call();
  await newest().getByText(/characters more/).waitFor();
  await newest().getByRole('button', { name: 'On the wire' }).click();
  await page.getByRole('button', { name: 'Its answer' }).click();
  await page.getByRole('button', { name: 'Load the whole' }).waitFor();
  await main().getByRole('list').getByRole('button', { name: /^app/ }).click();
  await main().getByText('Call the tool first: the app shows its result.').waitFor();
});

test('the doctor looks a server over', async () => {
  await server('sdk');
  await tab('Doctor');
  await main().getByRole('button', { name: 'Run check' }).click();
  await main().getByText(/errors?, .* ok/).waitFor();
  assert.ok(await main().locator('.findings > li').count() > 0);
});

test('the judge judges a server, and leads to the message that decided', async () => {
  await server('no type');
  await tab('Judge');
  await main().getByRole('button', { name: 'Judge this server' }).click();
  await main().getByRole('button', { name: 'On the wire' }).first().click();
  await page.getByRole('region', { name: 'Message' }).getByText(/^judge: (error|warning)$/).first().waitFor();
});

test('a server is typed in, and a command that does not exist says so', async () => {
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a server' });
  await dialog.getByLabel('Name').fill('typed');
  await dialog.getByLabel('Command').fill(`"${process.execPath}" '${fixture('sdk')}'`);
  await dialog.getByRole('button', { name: 'Add and start' }).click();
  await dialog.waitFor({ state: 'detached' });
  await serverButton('typed').filter({ hasText: '2026-07-28' }).waitFor();
  await page.getByRole('button', { name: 'Add a server' }).click();
  await dialog.getByLabel('Name').fill('nowhere');
  await dialog.getByLabel('Command').fill('/no/such/program');
  await dialog.getByRole('button', { name: 'Add and start' }).click();
  await serverButton('nowhere').waitFor();
  if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Cancel' }).click();
});

test('the local server goes and comes back: the page says so and goes on by itself', async () => {
  await served.close();
  await page.getByText('The connection to the host is lost.').waitFor();
});

test('nothing that a page must not do was tried', () => {
  // Except the connection that a test closed on purpose.
  assert.deepEqual(opened.faults.filter((one) => !/WebSocket|ERR_CONNECTION/.test(one)), []);
});
