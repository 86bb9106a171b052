// Apps in a real Chromium: two complete ones from the extension's own package, and one that tries every attack.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { servePage } from '../../src/server/index.ts';
import type { ServedPage, ServePageOptions } from '../../src/server/index.ts';
import { launch, openPage } from '../ui/browser.ts';
import { freePort, witness } from './witness.ts';

const programOf = (name: string): string => fileURLToPath(new URL(`./index.js`, import.meta.resolve(`@modelcontextprotocol/${name}`)));
const harmful = fileURLToPath(new URL('./harmful-server.js', import.meta.url));

let browser: Browser;
before(async () => {
  // Names of other sites resolve to this machine, so that the witness of the test receives their requests.
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
  // The sandbox has a different host name than the page.
  const frames = page.frames().map((frame) => frame.url()).filter((url) => url.startsWith('http'));
  assert.ok(frames.some((url) => url.startsWith(`http://127.0.0.1:${served.port}/`)) && frames.some((url) => /^http:\/\/localhost:\d+\/app\//.test(url)), String(frames));
  const app = await frameOf(page);
  assert.match(await app.locator('body').innerText(), /\d{4}-\d\d-\d\dT/, 'the result of the call arrived');
  // The frame got the height that the app requested, instead of the initial one.
  await page.locator('iframe.app-frame[height]:not([height="300"])').waitFor();
  // A call of the app needs approval, and the question says that an app asks.
  await app.getByRole('button', { name: /get server time/i }).click();
  const dialog = page.getByRole('dialog').filter({ hasText: 'An app of this server asks for this call.' });
  await dialog.getByRole('button', { name: 'Once' }).click();
  await line(page, /asks for tools\/call get-time/).waitFor();
  await page.getByRole('article', { name: /^Call 2$/ }).waitFor();
  await main(page).getByRole('button', { name: 'Close the app' }).click();
  await page.locator('iframe.app-frame').waitFor({ state: 'detached' });
});

test('apps: server-budget-allocator is shown with its data, and without a fault', async (t) => {
  const { page } = await show(t, { servers: { budget: { command: process.execPath, args: [programOf('server-budget-allocator'), '--stdio'] } } });
  await openApp(page, 'budget', 'Budget');
  await line(page, /The app is ready/).waitFor();
  const app = await frameOf(page);
  await app.locator('canvas').first().waitFor();
  assert.match(await app.locator('body').innerText(), /Marketing/);
  // A library of the app tests whether `eval` is allowed.
  assert.deepEqual(await line(page, /^Refused/).allInnerTexts(), ['Refused: the policy forbade script-src: eval']);
});

/** The outcome of each attempt of the harmful app, by name. */
async function attempts(page: Page): Promise<ReadonlyMap<string, string>> {
  const lines = (await did(page).getByRole('listitem').allInnerTexts()).map((text) => /^info: try ([^:]+): (.*)$/s.exec(text));
  return new Map(lines.filter((found) => found !== null).map(([, name = '', outcome = '']) => [name, outcome]));
}

interface Harmed extends Shown {
  readonly asked: readonly string[];
}

async function harm(t: { after(run: () => unknown): void }, tool: string): Promise<Harmed> {
  const outside = await witness(t);
  const port = await freePort();
  const env = { WITNESS: String(outside.port), PAGE: String(port) };
  const shown = await show(t, { servers: { harmful: { command: process.execPath, args: [harmful], env } }, rules: [{ then: 'allow' }], port });
  await openApp(shown.page, 'harmful', tool);
  return { ...shown, asked: outside.asked };
}

test('apps: one that means harm gets nowhere, and each attempt is told', async (t) => {
  const { page, asked, served } = await harm(t, 'escape');
  await line(page, 'all was tried').waitFor({ timeout: 30_000 });
  const came = await attempts(page);
  const sent = ['answer to nobody', 'no JSON', 'sandbox message', 'past the sandbox', 'frame within'];
  const got = [...came].filter(([name, outcome]) => outcome.startsWith('GOT') && !sent.includes(name));
  assert.deepEqual(got, []);
  assert.equal(came.size, 43, [...came.keys()].join(', '));
  assert.match(came.get('tool for the model') ?? '', /no server has a tool/);
  assert.match(came.get('list of tools') ?? '', /-32601/);
  assert.match(came.get('message for the model') ?? '', /takes no messages/);
  assert.match(came.get('link to a script') ?? '', /not opened from an app/);
  assert.match(came.get('large message') ?? '', /-32600.*exceeds 4194304 bytes/);
  assert.match(came.get('deep message') ?? '', /-32600.*100 levels/);
  // Violations that the browser blocked are reported by it; those that the host refused have a sentence.
  for (const what of [
    `connect-src: http://evil.example`, 'img-src', 'script-src', 'style-src', 'frame-src', 'no open request has', 'not JSON', 'reserved for the sandbox', 'holds no app', 'is not the app',
  ]) await line(page, what).first().waitFor();
  // Nothing was sent outside, and the page is unchanged: its address, cookies, windows and prototypes.
  assert.deepEqual(asked, []);
  assert.equal(new URL(page.url()).origin, `http://127.0.0.1:${served.port}`);
  assert.equal(await page.evaluate(() => 'polluted' in {}), false);
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(page.context().pages().length, 1);
  // The app's frame may only run scripts, and the inherited policy contains the declared origins.
  const inner = page.frameLocator('iframe.app-frame').locator('iframe');
  assert.deepEqual([await inner.getAttribute('sandbox'), await inner.getAttribute('allow')], ['allow-scripts', '']);
  const sandbox = page.frames().map((frame) => frame.url()).find((url) => url.includes('/app/')) ?? '';
  assert.match((await fetch(sandbox)).headers.get('content-security-policy') ?? '', /; connect-src https:\/\/ok\.example; /);
  // Declared domains must be origins: the valid one is used, the others are listed as ignored.
  await main(page).getByText('It reaches these domains: https://ok.example', { exact: false }).waitFor();
  const left = await main(page).getByRole('list', { name: 'Left out of its declaration' }).getByRole('listitem').allInnerTexts();
  assert.equal(left.length, 13, left.join('\n'));
  assert.ok(left.some((text) => text.includes(`"http://127.0.0.1:${served.port}" is not allowed here`)));
  await main(page).getByText('camera; geolocation, which this page does not grant', { exact: false }).waitFor();
});

test('apps: one that floods is ended, and the page stays', async (t) => {
  const { page } = await harm(t, 'flood');
  await main(page).getByRole('alert').filter({ hasText: 'The app was ended: the app sent more than 500 messages in a second' }).waitFor();
  await page.locator('iframe.app-frame').waitFor({ state: 'detached' });
  await main(page).getByRole('button', { name: 'Close the app' }).click();
  await main(page).getByRole('button', { name: 'Show the app' }).waitFor();
});

test('apps: one that leaves its document goes nowhere', async (t) => {
  const { page, asked } = await harm(t, 'leave');
  await line(page, /the policy forbade frame-src: http:\/\/evil.example/).waitFor();
  await line(page, 'the app left its document, and was removed').waitFor();
  assert.deepEqual(asked, []);
});

test('apps: a document of another type is not shown, and no other site holds the sandbox', async (t) => {
  const { page } = await harm(t, 'plain');
  await main(page).getByRole('alert').filter({ hasText: 'has the type "text/html", expected text/html;profile=mcp-app' }).waitFor();
  await main(page).getByRole('button', { name: /^listen/i }).first().click();
  await main(page).getByRole('button', { name: 'Call', exact: true }).click();
  await main(page).getByRole('button', { name: 'Show the app' }).click();
  await line(page, /The app is ready/).waitFor();
  // The browser refuses to embed the sandbox in another site.
  const url = page.frames().map((frame) => frame.url()).find((one) => one.includes('/app/')) ?? '';
  const stranger = await openPage(browser);
  t.after(() => stranger.close());
  await stranger.page.setContent(`<iframe src="${url}"></iframe>`);
  await stranger.page.waitForFunction(() => document.querySelector('iframe') !== null);
  await assert.doesNotReject(stranger.page.waitForLoadState('networkidle'));
  assert.ok(stranger.faults.some((fault) => /frame-ancestors/.test(fault)), stranger.faults.join('\n'));
  // As a top-level document it is refused.
  assert.equal((await stranger.page.goto(url))?.status(), 403);
});

test('apps: one is shown while its call runs; it hears the input then, and the result or the cancellation when the call ends', async (t) => {
  const { page } = await harm(t, 'hears');
  // The app requests the end of its call after it received the input.
  await line(page, 'heard ui/notifications/tool-input {"arguments":{"hold":false}}').waitFor();
  await line(page, /heard ui\/notifications\/tool-result .*let go/).waitFor();
  await main(page).getByRole('button', { name: 'Close the app' }).click();
  await main(page).getByRole('checkbox', { name: 'hold' }).check();
  await main(page).getByRole('button', { name: 'Call', exact: true }).click();
  const running = page.getByRole('article').filter({ hasText: 'runs' });
  await running.waitFor();
  await main(page).getByRole('button', { name: 'Show the app' }).click();
  await line(page, 'heard ui/notifications/tool-input {"arguments":{"hold":true}}').waitFor();
  assert.equal(await line(page, 'heard').count(), 1);
  await running.getByRole('button', { name: 'Cancel' }).click();
  await line(page, 'heard ui/notifications/tool-cancelled {"reason":"the person cancelled it"}').waitFor();
  assert.equal(await line(page, 'heard').count(), 2);
});

test('apps: a page at localhost has its sandbox at 127.0.0.1', async (t) => {
  const { page } = await show(t, { servers: { react: { command: process.execPath, args: [programOf('server-basic-react'), '--stdio'] } } }, 'localhost');
  await openApp(page, 'react', 'Get Time');
  await line(page, /The app is ready/).waitFor();
  assert.ok(page.frames().some((frame) => /^http:\/\/127\.0\.0\.1:\d+\/app\//.test(frame.url())));
});
