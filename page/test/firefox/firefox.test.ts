// The page in Firefox, by WebDriver BiDi: a call, a question, the wire, arguments as JSON, and the playground from a file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readServers } from 'barewire/host';
import puppeteer from 'puppeteer-core';
import type { Browser, Page } from 'puppeteer-core';
import { servePage } from '../../src/server/index.ts';
import type { ServedPage } from '../../src/server/index.ts';
import { packageRoot } from '../ui/browser.ts';

let browser: Browser;
let served: ServedPage;
before(async () => {
  served = await servePage({ servers: readServers({ mcpServers: { travel: { command: process.execPath, args: [`${packageRoot}../dist/examples/travel/main.js`] } } }, () => undefined) });
  browser = await puppeteer.launch({ browser: 'firefox', executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr', headless: true });
});
after(async () => {
  await browser.close();
  await served.close();
});

async function open(url: string): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
}

const press = (page: Page, role: string, name: string): Promise<void> => page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click();
const field = (page: Page, name: string, text: string): Promise<void> => page.locator(`::-p-aria([name="${name}"][role="textbox"])`).fill(text);
const shown = async (page: Page, text: RegExp, inside = 'body'): Promise<void> => {
  await page.waitForFunction((where, source) => new RegExp(source).test(document.querySelector<HTMLElement>(where)?.innerText ?? ''), {}, inside, text.source);
};

test('a call is made, its question answered, and both are on the wire', async () => {
  const { page, faults } = await open(served.url);
  await page.waitForFunction(() => location.hash === '#/travel');
  await press(page, 'button', 'Connect');
  await shown(page, /connected/, 'main');
  await press(page, 'tab', 'Tools 10');
  await page.locator('main ::-p-text(Book a trip)').click();
  await shown(page, /book_trip/, 'main');
  await field(page, 'origin', 'Berlin');
  await field(page, 'destination', 'Lisbon');
  await page.$eval('input[type="date"]', (input) => {
    input.value = '2026-05-01';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await press(page, 'button', 'Call');
  await shown(page, /travel asks/, '.question');
  // The wire continues next to it.
  await shown(page, /tools\/call/, '.wire-list');
  await press(page, 'button', 'Decline');
  await shown(page, /done|tool error/, 'article.call');
  await page.locator('.wire-row ::-p-text(tools/call)').click();
  await shown(page, /book_trip/, '.wire-detail');
  assert.deepEqual(faults, []);
  await page.close();
});

test('arguments are written as JSON in the editor, whose styles the policy allows', async () => {
  const { page, faults } = await open(served.url);
  await page.waitForFunction(() => location.hash === '#/travel');
  // The previous test connected the server.
  await shown(page, /connected/, 'main');
  await press(page, 'tab', 'Tools 10');
  await page.locator('main ::-p-text(Search flights)').click();
  await press(page, 'button', 'JSON');
  await page.waitForFunction(() => document.querySelector('.json-editor')?.shadowRoot?.querySelector('.cm-content'));
  const content = await page.evaluateHandle(() => document.querySelector('.json-editor')?.shadowRoot?.querySelector('.cm-content'));
  await content.asElement()?.focus();
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.type('{"origin":"Berlin","destination":"Lisbon","date":"2026-05-01"}');
  const colours = await page.evaluate(() => new Set([...document.querySelector('.json-editor')?.shadowRoot?.querySelectorAll('.cm-line span') ?? []].map((one) => getComputedStyle(one).color)).size);
  assert.ok(colours >= 2, `${colours} colours`);
  await page.keyboard.down('Control');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
  await shown(page, /done/, 'article.call');
  assert.deepEqual(faults, []);
  await page.close();
});

test('the playground works from a disk', async () => {
  const { page, faults } = await open(pathToFileURL(`${packageRoot}dist/playground.html`).href);
  await shown(page, /2026-07-28/);
  await press(page, 'tab', 'Doctor');
  await press(page, 'button', 'Run check');
  await shown(page, /0 errors, 0 warnings/, 'main');
  await page.keyboard.press('?');
  await shown(page, /go to a server, tool/, 'dialog');
  assert.deepEqual(faults, []);
  await page.close();
});
