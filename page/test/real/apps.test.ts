// Apps in a real Chromium: two of the extension's own package, whole, and one that means harm, by every way that it can try.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { servePage } from '../../src/server/index.ts';
import type { ServedPage, ServePageOptions } from '../../src/server/index.ts';
import { launch, openPage } from '../ui/browser.ts';

const programOf = (name: string): string => fileURLToPath(new URL(`./index.js`, import.meta.resolve(`@modelcontextprotocol/${name}`)));
const harmful = fileURLToPath(new URL('./harmful-server.js', import.meta.url));

let browser: Browser;
before(async () => {
  // Names of other sites lead to this machine: what gets out arrives at a witness of the test.
  browser = await launch('--host-resolver-rules=MAP *.example 127.0.0.1');
});
after(() => browser.close());

interface Shown {
  readonly page: Page;
  readonly served: ServedPage;
  readonly faults: string[];
}

async function show(t: { after(run: () => Promise<void>): void }, options: ServePageOptions, host?: string): Promise<Shown> {
  const served = await servePage(options);
  const { page, faults, close } = await openPage(browser);
  t.after(async () => {
    await close();
    await served.close();
  });
  await page.goto(host === undefined ? served.url : served.url.replace('127.0.0.1', host));
  await page.getByRole('navigation', { name: 'Servers' }).waitFor();
  return { page, served, faults };
}

const main = (page: Page): Locator => page.getByRole('main');

/** Connects, calls a tool without arguments and opens its app. */
async function openApp(page: Page, server: string, tool: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Servers' }).getByRole('button', { name: new RegExp(`^${server}\\b`) }).click();
  await main(page).getByRole('tab', { name: /^Overview/ }).click();
  await main(page).getByRole('button', { name: 'Connect', exact: true }).click();
  await main(page).getByText(/20\d\d-\d\d-\d\d/).first().waitFor();
  await main(page).getByRole('tab', { name: /^Tools/ }).click();
  await main(page).getByRole('button', { name: new RegExp(tool, 'i') }).first().click();
  await main(page).getByRole('button', { name: 'Call', exact: true }).click();
  await main(page).getByRole('button', { name: 'Show the app' }).click();
}

/** The app's own frame, within its sandbox. */
async function frameOf(page: Page): Promise<Frame> {
  await page.frameLocator('iframe.app-frame').frameLocator('iframe').locator('body').waitFor({ state: 'attached' });
  const found = page.frames().find((frame) => frame.parentFrame()?.parentFrame() === page.mainFrame());
  assert.ok(found);
  return found;
}

const did = (page: Page): Locator => main(page).getByRole('list', { name: 'What the app did' });
const line = (page: Page, text: string | RegExp): Locator => did(page).getByRole('listitem').filter({ hasText: text });

test('apps: server-basic-react is shown, calls its tool by consent, and ends when it is closed', async (t) => {
  const { page, served } = await show(t, { servers: { react: { command: process.execPath, args: [programOf('server-basic-react'), '--stdio'] } } });
  await openApp(page, 'react', 'Get Time');
  await line(page, /The app is ready: Get Time App/).waitFor();
  // The sandbox is at another host name than the page.
  const frames = page.frames().map((frame) => frame.url()).filter((url) => url.startsWith('http'));
  assert.ok(frames.some((url) => url.startsWith(`http://127.0.0.1:${served.port}/`)) && frames.some((url) => /^http:\/\/localhost:\d+\/app\//.test(url)), String(frames));
  const app = await frameOf(page);
  assert.match(await app.locator('body').innerText(), /\d{4}-\d\d-\d\dT/, 'the result of the call arrived');
  // What the app calls waits for the person, who is told that an app asks.
  await app.getByRole('button', { name: /get server time/i }).click();
  const dialog = page.getByRole('dialog').filter({ hasText: 'An app of this server asks for this call.' });
  await dialog.getByRole('button', { name: 'Once' }).click();
  await line(page, /asks for tools\/call get-time/).waitFor();
  await page.getByRole('article', { name: /^Call 2$/ }).waitFor();
  await main(page).getByRole('button', { name: 'Close the app' }).click();
  await page.locator('iframe.app-frame').waitFor({ state: 'detached' });
});
