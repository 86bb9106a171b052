// The page with the real local server, in a real Chromium: third-party programs, several at once, a second tab, lost connections, a login.
// test/peers of barewire installs the third-party programs.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Locator, Page } from 'playwright-core';
import { protectedServer } from '../host/protected.ts';
import { servePage } from '../../src/server/index.ts';
import type { ServedPage, ServePageOptions } from '../../src/server/index.ts';
import { launch, openPage } from '../ui/browser.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const travel = join(root, 'dist/examples/travel/main.js');
const everything = join(root, 'test/peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const sdk = join(root, 'test/peers/servers/v2.mjs');
for (const file of [travel, everything]) if (!existsSync(file)) throw new Error(`${file} is missing: npm run build, and npm ci --prefix test/peers`);

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

interface Real {
  readonly page: Page;
  readonly served: ServedPage;
  readonly faults: string[];
  /** Another tab of the same browser. */
  another(): Promise<Page>;
}

async function real(t: { after(run: () => Promise<void>): void }, options: ServePageOptions): Promise<Real> {
  const served = await servePage(options);
  const { page, faults, close } = await openPage(browser);
  t.after(async () => {
    await close();
    await served.close();
  });
  await page.goto(served.url);
  await page.getByRole('navigation', { name: 'Servers' }).waitFor();
  return {
    page, served, faults,
    async another() {
      const other = await page.context().newPage();
      await other.goto(served.url);
      await other.getByRole('navigation', { name: 'Servers' }).waitFor();
      return other;
    },
  };
}

const node = process.execPath;
const programs = {
  travel: { command: node, args: [travel] },
  everything: { command: node, args: [everything, 'stdio'] },
  sdk: { command: node, args: [sdk] },
} as const;

const allowed = { rules: [{ then: 'allow' }] } as const;
const main = (page: Page): Locator => page.getByRole('main');
const button = (page: Page, name: string): Locator => main(page).getByRole('button', { name, exact: true });
const server = (page: Page, name: string): Promise<void> => page.getByRole('navigation', { name: 'Servers' }).getByRole('button', { name: new RegExp(`^${name}\\b`) }).click();
const tab = (page: Page, name: string): Promise<void> => main(page).getByRole('tab', { name: new RegExp(`^${name}`) }).click();
const newest = (page: Page): Locator => page.locator('article.call').first();

async function connect(page: Page, name: string): Promise<void> {
  await server(page, name);
  await tab(page, 'Overview');
  await button(page, 'Connect').click();
  await main(page).getByText(/20\d\d-\d\d-\d\d/).first().waitFor();
}

async function call(page: Page, name: string, tool: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
  await server(page, name);
  await tab(page, 'Tools');
  await main(page).getByRole('button', { name: new RegExp(tool, 'i') }).first().click();
  for (const [field, value] of Object.entries(fields)) await main(page).getByLabel(field, { exact: true }).fill(value);
  await button(page, 'Call').click();
}

test('the token goes out of the address, stays in this tab, and a page without it is told so', async (t) => {
  const { page, served, faults } = await real(t, { servers: programs });
  const token = await page.evaluate(() => sessionStorage.getItem('barewire-token'));
  assert.ok(token && !page.url().includes(token));
  // The address names the current server, once there is one.
  assert.match(new URL(page.url()).hash, /^(#\/travel)?$/);
  assert.equal(await page.evaluate(() => document.cookie), '');
  await page.reload();
  await page.getByRole('navigation', { name: 'Servers' }).waitFor();
  assert.deepEqual(faults, []);
  const stranger = await openPage(browser);
  await stranger.page.goto(`http://127.0.0.1:${served.port}/`);
  await stranger.page.getByText('This page cannot reach its host').waitFor();
  assert.match(await stranger.page.locator('body').innerText(), /token is missing or wrong/);
  await stranger.close();
});

test('three servers at once, of barewire and of others, in both eras', async (t) => {
  const { page, faults } = await real(t, { servers: programs, ...allowed });
  for (const name of ['travel', 'everything', 'sdk']) await connect(page, name);
  await call(page, 'everything', 'echo tool', { message: 'from the page' });
  await newest(page).getByText('Echo: from the page').waitFor();
  await call(page, 'sdk', 'add', { a: '20', b: '22' });
  await newest(page).getByText('42').first().waitFor();
  await call(page, 'travel', 'Search flights', { origin: 'Berlin', destination: 'Lisbon', date: '2026-05-01' });
  await newest(page).getByRole('cell').first().waitFor();
  for (const [option, revision] of [['legacy', '2025-11-25'], ['modern', '2026-07-28']] as const) {
    for (const name of ['travel', 'sdk']) {
      await server(page, name);
      await tab(page, 'Overview');
      await main(page).getByText('Settings', { exact: true }).click();
      await main(page).getByLabel('Revisions, from a new connection on').selectOption(option);
      await main(page).getByText(revision).first().waitFor();
    }
    await call(page, 'sdk', 'add', { a: '1', b: '2' });
    await newest(page).getByText('done').waitFor();
  }
  assert.deepEqual(faults, []);
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`), []);
});

test('each outcome of a form reaches a server of others, and the wire shows both', async (t) => {
  const { page, faults } = await real(t, { servers: { everything: programs.everything }, ...allowed });
  await connect(page, 'everything');
  for (const [end, said] of [['Accept', /provided|accept/i], ['Decline', /declin/i], ['Escape', /cancel/i]] as const) {
    await call(page, 'everything', 'trigger elicitation request tool');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    assert.match(await dialog.innerText(), /everything/);
    if (end === 'Escape') await page.keyboard.press('Escape');
    else {
      if (end === 'Accept') await dialog.getByRole('textbox').first().fill('Ann');
      await dialog.getByRole('button', { name: end, exact: true }).click();
    }
    await newest(page).getByText(said).first().waitFor();
  }
  await page.getByRole('complementary', { name: 'What passes' }).getByText(/elicitation/i).first().waitFor();
  assert.deepEqual(faults, []);
});

test('a question stands in both tabs, and the first answer closes the other', async (t) => {
  // Pressing Call is consent, but not if a rule requires approval.
  const { page, another } = await real(t, { servers: { travel: programs.travel }, rules: [{ tool: 'searchFlights', then: 'ask' }] });
  await connect(page, 'travel');
  const other = await another();
  await call(page, 'travel', 'Search flights', { origin: 'Berlin', destination: 'Lisbon', date: '2026-05-01' });
  await Promise.all([page, other].map((one) => one.getByRole('dialog', { name: /searchFlights/ }).waitFor()));
  await other.getByRole('dialog').getByRole('button', { name: 'Once' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await newest(page).getByText('done').waitFor();
  // A call of one tab is visible in the other.
  await tab(other, 'Tools');
  await main(other).getByRole('button', { name: /Search flights/ }).first().click();
  await newest(other).getByText('done').waitFor();
});

test('a server that dies in mid-call is said to, and a page that loses its host finds it again', async (t) => {
  const dies = 'process.stdin.on("data", (d) => { for (const line of String(d).split("\\n").filter(Boolean)) { const m = JSON.parse(line); if (m.method === "initialize") say({ id: m.id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "dies", version: "1" } } }); else if (m.method === "tools/list") say({ id: m.id, result: { tools: [{ name: "die", inputSchema: { type: "object" } }] } }); else if (m.method === "tools/call") process.exit(7); else if (m.id !== undefined) say({ id: m.id, error: { code: -32601, message: "no" } }); } }); const say = (m) => console.log(JSON.stringify({ jsonrpc: "2.0", ...m }));';
  const { page, served } = await real(t, { servers: { dies: { command: node, args: ['-e', dies] } }, ...allowed });
  await connect(page, 'dies');
  await call(page, 'dies', 'die');
  await newest(page).getByText('failed').first().waitFor();
  await tab(page, 'Overview');
  await main(page).getByText('stopped with an error').first().waitFor();
  await served.close();
  await page.getByText('The connection to the host is lost').waitFor();
});

test('a server that wants a login is logged in to by two presses, and each step is shown', async (t) => {
  const { url, secrets } = await protectedServer(t);
  const folder = await mkdtemp(join(tmpdir(), 'barewire-page-'));
  t.after(() => rm(folder, { recursive: true }));
  const { page } = await real(t, { servers: { far: { url } }, folder, ...allowed });
  // The first press connects, and the 401 starts the login; the second goes to the authorization server in this tab, and returns.
  await page.getByRole('button', { name: 'Connect far', exact: true }).click();
  const link = main(page).getByRole('link', { name: /^Log in at 127\.0\.0\.1/ });
  await link.waitFor();
  assert.equal(await page.getByRole('alert').count(), 0, 'the refusal is a step of the login and no fault');
  await link.click();
  await main(page).getByRole('list', { name: 'Tools' }).getByRole('button').first().waitFor();
  assert.match(page.url(), /#\/far\/tools/);
  await tab(page, 'Overview');
  const steps = main(page).getByRole('region', { name: 'Login' });
  await steps.getByText('Done', { exact: true }).waitFor();
  await main(page).getByText('2026-07-28').first().waitFor();
  const text = await page.content();
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
});
