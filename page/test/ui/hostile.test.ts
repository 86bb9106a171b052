// A hostile server: nothing that it sends is run, fetched or hidden, or breaks the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launch, openFake, threadTime } from './browser.ts';
import { callView, catalogueView, serverView, toolView, welcome, wireMessage } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const markup = '<img src=x onerror="window.harm=1"><script>window.harm=1</script><svg onload=window.harm=1>"\'`${7*7}</textarea>';
const bidi = 'safe\u202Etxt.exe\u2066\u0007\u001b[31m\u0000\u200b\u2028end';

test('markup, scripts, control characters and addresses of every kind are text, in every view', async () => {
  const { page, faults, close } = await openFake(browser);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const nasty = `${markup}${bidi}`;
  const icons = [{ src: 'https://evil.example/spy.png' }, { src: `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" onload="window.harm=1"/>')}` }];
  const view = serverView('one', {
    why: nasty, agreed: { ...serverView('one').agreed!, server: { name: nasty, version: nasty, icons }, instructions: nasty, capabilities: { [nasty]: { [nasty]: true }, resources: { subscribe: true }, completions: {} } as never },
    roots: [{ uri: nasty, name: nasty }],
  });
  await page.evaluate((message) => window.fake.say(message), welcome({
    servers: [view],
    catalogues: [catalogueView('one', {
      tools: [toolView(nasty, { properties: { [nasty]: { type: 'string', title: nasty, description: nasty, default: nasty, enum: [nasty, 'b'] } } }, { title: nasty, description: nasty, icons: icons as never })],
      resources: [{ uri: 'javascript:window.harm=1', name: nasty, description: nasty, mimeType: nasty }], templates: [{ uriTemplate: `javascript:{x}${nasty}`, name: nasty }],
      prompts: [{ name: nasty, description: nasty, arguments: [{ name: nasty, description: nasty }] }],
    })],
    calls: [callView(1, {
      about: { kind: 'tool', name: nasty, args: { [nasty]: nasty } }, outputFault: nasty,
      result: {
        content: [
          { type: 'text', text: nasty }, { type: 'resource_link', uri: 'javascript:window.harm=1', name: nasty, description: nasty }, { type: 'resource_link', uri: 'https://good.example/x', name: 'web' },
          { type: 'image', data: 'x" onerror="window.harm=1', mimeType: 'image/png' }, { type: 'image', data: 'AAAA', mimeType: 'text/html' }, { type: 'audio', data: 'AAAA', mimeType: 'audio/mpeg;" onerror="x' },
          { type: 'resource', resource: { uri: 'data:text/html,<script>window.harm=1</script>', mimeType: 'text/html', text: markup } },
          { type: nasty, [nasty]: nasty }, null, 7, { type: 'resource' }, { type: 'image' },
        ] as never,
        structuredContent: { [nasty]: nasty, __proto__: { polluted: true }, rows: [{ [nasty]: nasty }] },
      },
    })],
    logs: [{ seq: 1, at: 1, server: 'one', source: 'stderr', level: null, logger: nasty, data: nasty }],
    wire: [wireMessage(1, { method: nasty, rpcId: nasty, sentence: nasty, section: `2025-11-25 server/tools"><script>`, text: `{"x":${JSON.stringify(nasty)}}` }), wireMessage(2, { text: nasty, shape: 'unreadable' })],
    logins: [{ server: 'one', at: 1, step: 'consent', what: nasty, details: { [nasty]: nasty }, url: 'javascript:window.harm=1' }],
  }));
  for (const tab of ['Overview', 'Tools', 'Resources', 'Prompts', 'Tasks', 'Logs', 'Doctor', 'Judge']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.locator('#work-panel').waitFor();
  }
  await page.getByRole('tab', { name: 'Tools' }).click();
  const text = await page.getByRole('main').innerText();
  assert.ok(text.includes('<img src=x onerror='), 'markup is shown as it is');
  assert.ok(text.includes('\\u{202e}') && text.includes('\\x1b'), 'what hides is shown as an escape');
  assert.ok(!/[\u202e\u2066\u0007\u001b\u2028\u200b]/.test(text), 'nothing that hides is left');
  for (const row of [1, 2]) await page.locator(`#wire-${row}`).click();
  assert.deepEqual(await page.getByRole('link').evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).protocol).filter((one) => one !== 'https:')), []);
  assert.equal(await page.evaluate(() => (window as { harm?: unknown }).harm), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll('#page script, #page iframe, #page object, #page embed, #page svg:not(.brand svg)').length), 0);
  assert.deepEqual(requests.filter((url) => !url.startsWith('data:')), [], 'nothing is fetched');
  assert.deepEqual(faults, []);
  await close();
});

test('a text of 10 MB is shown in pieces, and the page goes on', async () => {
  const { page, faults, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), welcome({ catalogues: [catalogueView('one', { tools: [toolView('echo', {})] })] }));
  await page.getByRole('tab', { name: 'Tools' }).click();
  const ms = await page.evaluate(async (call) => {
    const began = performance.now();
    window.fake.say({ type: 'call', call: { ...call, result: { content: [{ type: 'text', text: 'ab\u202e'.repeat(3_500_000) }], structuredContent: { big: 'x'.repeat(1_000_000), many: Array.from({ length: 100_000 }, (_, at) => ({ at })) } } } });
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return performance.now() - began;
  }, callView(1));
  await page.getByText(/characters more/).first().waitFor();
  await page.getByRole('button', { name: 'Show more' }).first().click();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'one' }).waitFor();
  assert.ok(await page.locator('#page *').count() < 5000);
  console.log(`# a result with a text of 10 MB was drawn within ${Math.round(ms)} ms`);
  assert.deepEqual(faults, []);
  await close();
});

test('five thousand tools are listed, one of them is found, and no task takes 300 ms of the processor', async () => {
  const { page, close } = await openFake(browser);
  const spent = await threadTime(page);
  await page.evaluate((message) => window.fake.say(message), welcome({ catalogues: [catalogueView('one', { tools: [] })] }));
  await page.getByRole('tab', { name: 'Tools' }).click();
  const tools = Array.from({ length: 5_000 }, (_, at) => toolView(`tool_${at}`, { properties: { text: { type: 'string', description: `What tool ${at} is to do` } } }));
  const taken = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await spent();
    await work();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return await spent() - before;
  };
  // The tools are already in the page, so that only their rendering is timed.
  await page.evaluate((catalogue) => { Object.assign(window, { catalogue }); }, catalogueView('one', { tools }));
  const listed = await taken(() => page.evaluate(() => window.fake.say({ type: 'catalogue', catalogue: (window as unknown as { catalogue: never }).catalogue })));
  const filtered = await taken(() => page.getByLabel('Filter tools').fill('tool_4999'));
  await page.getByRole('button', { name: 'tool_4999' }).waitFor();
  console.log(`# 5,000 tools, time of the page's thread: listed ${Math.round(listed)} ms, filtered ${Math.round(filtered)} ms`);
  assert.ok(listed <= 300 && filtered <= 300, `${listed} ms, ${filtered} ms`);
  await close();
});

test('a list of ten thousand tools, and one tool with thousands of arguments, leave the page usable', async () => {
  const { page, faults, close } = await openFake(browser);
  const tools = Array.from({ length: 10_000 }, (_, at) => toolView(`tool_${at}`, {}));
  await page.evaluate((message) => window.fake.say(message), welcome({ catalogues: [catalogueView('one', { tools })] }));
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByLabel('Filter tools').fill('tool_9999');
  await page.getByRole('button', { name: 'tool_9999' }).click();
  await page.getByRole('heading', { name: 'tool_9999' }).waitFor();
  assert.deepEqual(faults, []);
  await close();
});
