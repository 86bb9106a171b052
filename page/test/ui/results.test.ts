// Results: omissions are stated, faults are visible, and Markdown runs nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { CallView, LogView } from '../../src/messages.ts';
import { launch, openFake, violationsOf } from './browser.ts';
import type { Opened } from './browser.ts';
import { callView, catalogueView, memory, serverView, toolView, welcome, wireMessage } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function openCall(call: Partial<CallView>): Promise<Opened> {
  const opened = await openFake(browser);
  await opened.page.evaluate((message) => window.fake.say(message), welcome({ catalogues: [catalogueView('one', { tools: [toolView('echo', {})] })], calls: [callView(1, call)] }));
  await opened.page.getByRole('tab', { name: 'Tools' }).click();
  await opened.page.getByRole('article', { name: 'Call 1' }).waitFor();
  return opened;
}

const structured = (value: unknown): Partial<CallView> => ({ result: { content: [], structuredContent: value as Record<string, unknown> } });
const article = (page: Page): ReturnType<Page['getByRole']> => page.getByRole('article', { name: 'Call 1' });

test('the table has nested objects and lists of scalars, and says how much is only in the tree', async () => {
  const { page, faults, close } = await openCall(structured({
    total: 3, place: { city: 'Lisbon', geo: { lat: 38.7, zones: ['a', 'b'] } }, tags: ['red', 'blue'], rows: [{ a: 1 }], mixed: [1, { b: 2 }], empty: [], none: {},
  }));
  const text = await article(page).innerText();
  for (const one of ['total', 'Lisbon', '38.7', 'red', 'blue', 'place / geo', 'place / geo / zones']) assert.ok(text.includes(one), one);
  assert.match(text, /3 members more are in the tree\./, 'mixed, empty and none');
  await page.getByRole('button', { name: 'Tree' }).click();
  assert.match(await article(page).innerText(), /mixed/);
  assert.deepEqual(faults, []);
  await close();
});

test('a result that does not fit its schema is called so, and is not green', async () => {
  const { page, close } = await openCall({ ...structured({ sum: 'x' }), outputFault: 'structuredContent/sum "x" is not of type integer' });
  const badge = article(page).getByRole('status').first();
  assert.equal(await badge.innerText(), 'invalid result');
  assert.match(await badge.getAttribute('class') ?? '', /warn/);
  await close();
});

test('the result of a call below a long form comes into sight when the call ends', async () => {
  const { page, close } = await openFake(browser);
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`field${at}`, { type: 'string' }]));
  await page.evaluate((message) => window.fake.say(message), welcome({ catalogues: [catalogueView('one', { tools: [toolView('echo', { properties: fields })] })] }));
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('textbox', { name: 'field39' }).waitFor();
  const say = (change: Partial<CallView>): Promise<void> => page.evaluate((call) => window.fake.say({ type: 'call', call }), callView(1, change));
  await say({ state: 'running', endedAt: null, result: null });
  await article(page).waitFor();
  await say({ result: { content: [{ type: 'text', text: 'here it is' }] } });
  await page.waitForFunction(() => {
    const { top, bottom } = document.querySelector('article.call')?.getBoundingClientRect() ?? { top: -1, bottom: Infinity };
    return top >= 0 && bottom <= innerHeight;
  });
  await close();
});

test('Call stays in sight below a long form, and covers no field that has the focus', async () => {
  const fields = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`field${at}`, { type: 'string' }]));
  for (const [width, height] of [[1280, 800], [390, 844]] as const) {
    const { page, close } = await openFake(browser, { viewport: { width, height } });
    await page.evaluate((message) => window.fake.say(message), welcome({ catalogues: [catalogueView('one', { tools: [toolView('echo', { properties: fields, required: ['field0', 'field1'] })] })] }));
    await page.getByRole('tab', { name: 'Tools' }).click();
    const button = page.getByRole('main').getByRole('button', { name: 'Call', exact: true });
    await button.waitFor();
    const place = (): Promise<{ top: number; bottom: number; on: boolean }> => button.evaluate((one) => {
      const { top, bottom, left } = one.getBoundingClientRect();
      return { top, bottom, on: document.elementFromPoint(left + 4, (top + bottom) / 2) === one };
    });
    const { bottom, on } = await place();
    assert.ok(on && bottom <= height, `${width} × ${height}: Call ends at ${bottom}`);
    // The Tab key moves through fields below the visible area: each appears whole above the foot.
    await page.getByRole('textbox', { name: 'field0', exact: true }).focus();
    for (let at = 0; at < 30; at++) {
      await page.keyboard.press('Tab');
      const covered = await page.evaluate(() => {
        const own = document.activeElement?.getBoundingClientRect();
        const foot = document.querySelector('form > .actions')?.getBoundingClientRect();
        return own !== undefined && foot !== undefined && own.bottom > foot.top ? `${own.top} to ${own.bottom}, the foot from ${foot.top}, ${document.activeElement?.outerHTML.slice(0, 120)}` : undefined;
      });
      assert.equal(covered, undefined, `${width} × ${height}: the foot covers what the ${at + 1}th Tab reached`);
    }
    await close();
  }
});

test('text is monospace and is copied; JSON is laid out with its digits', async () => {
  const { page, close } = await openCall({ result: { content: [{ type: 'text', text: '{"n":1.10,"big":9007199254740993}' }, { type: 'text', text: 'plain words' }] } });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const blocks = article(page).locator('.text-block');
  assert.match(await blocks.first().locator('pre').innerText(), /"n": 1\.10,\n\s+"big": 9007199254740993/);
  assert.match(await blocks.first().locator('pre').evaluate((one) => getComputedStyle(one).fontFamily), /mono/i);
  await blocks.first().getByRole('button', { name: 'Text' }).click();
  assert.equal(await blocks.first().locator('pre').innerText(), '{"n":1.10,"big":9007199254740993}');
  assert.equal(await blocks.nth(1).getByRole('button', { name: 'JSON' }).count(), 0);
  await blocks.nth(1).getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'plain words');
  const [block, words, copy] = await Promise.all([blocks.nth(1), blocks.nth(1).locator('.result-text'), blocks.nth(1).getByRole('button')].map((one) => one.boundingBox()));
  assert.ok(block && words && copy && copy.x >= words.x + words.width && copy.y < words.y + words.height, 'Copy stands beside the text');
  assert.ok(block.height <= Math.max(words.height, copy.height) + 1, `and takes no line: ${block.height}`);
  await close();
});

test('Markdown is drawn when it is asked for: no HTML, no link that leads anywhere, nothing fetched', async () => {
  const text = [
    '# Heading', '', '- item **bold** `code`', '- [x](javascript:window.harm=1) ![p](https://evil.example/p.png)', '', '| a | b |', '|---|---|', '| 1 | 2 |', '',
    '<img src=x onerror="window.harm=1"><script>window.harm=1</script>', '', '<https://evil.example/auto>', '', '[ref]', '', '[ref]: https://evil.example/ref', '', '> quoted\u202etxt', '', '```js', 'alert(1)', '```',
  ].join('\n');
  const { page, faults, close } = await openCall({ result: { content: [{ type: 'text', text }] } });
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const block = article(page).locator('.text-block').first();
  assert.equal(await block.locator('pre').innerText().then((one) => one.startsWith('# Heading')), true, 'at first as it came');
  await block.getByRole('button', { name: 'Markdown' }).click();
  await block.getByRole('heading', { name: 'Heading' }).waitFor();
  assert.deepEqual([await block.locator('b').innerText(), await block.getByRole('cell').count(), await block.locator('a, img, script, iframe').count()], ['bold', 4, 0]);
  const shown = await block.innerText();
  for (const one of ['javascript:window.harm=1', 'https://evil.example/p.png', '<img src=x onerror=', 'alert(1)', '\\u{202e}']) assert.ok(shown.includes(one), one);
  assert.equal(await page.evaluate(() => (window as { harm?: unknown }).harm), undefined);
  assert.deepEqual([requests, faults], [[], []]);
  await close();
});

test('a notice leaves by itself, leaves with its cause, is counted, and covers no message', async () => {
  const { page, close } = await openFake(browser);
  await page.clock.install();
  await page.evaluate((message) => window.fake.say(message), welcome());
  const trouble = { type: 'trouble', server: 'one', message: 'the pipe broke', at: 1 } as const;
  await page.evaluate((news) => { window.fake.say(news); window.fake.say(news); }, trouble);
  const notices = page.getByRole('log', { name: 'Notices' });
  assert.match(await notices.innerText(), /one: the pipe broke\s*2 times/);
  const [list, notice] = [await page.locator('.wire-list').boundingBox(), await notices.boundingBox()];
  assert.ok(list && notice && list.y + list.height <= notice.y + 1, 'it stands below the messages');
  await page.evaluate((server) => window.fake.say({ type: 'server', server }), serverView('one'));
  await notices.getByText('the pipe broke').waitFor({ state: 'detached' });
  await page.evaluate((news) => window.fake.say(news), trouble);
  await page.clock.runFor(15_000);
  assert.equal(await notices.getByText('the pipe broke').count(), 1);
  await notices.getByText('the pipe broke').hover();
  await page.clock.runFor(30_000);
  assert.equal(await notices.getByText('the pipe broke').count(), 1, 'it stays while somebody looks at it');
  await page.mouse.move(5, 5);
  await page.clock.runFor(21_000);
  await notices.getByText('the pipe broke').waitFor({ state: 'detached' });
  await close();
});

test('a picture in a request for sampling is a picture', async () => {
  const { page, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), welcome());
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await page.evaluate((question) => window.fake.say({ type: 'question', question: question as never }), { id: 's', server: 'one', askedAt: 1, until: null, kind: 'sampling', hasModel: false, params: { messages: [{ role: 'user', content: { type: 'image', data, mimeType: 'image/png' } }], maxTokens: 9 } });
  const image = page.getByRole('dialog').getByRole('img');
  await image.waitFor();
  assert.equal(await image.evaluate((one) => (one as HTMLImageElement).naturalWidth), 1);
  assert.ok(!(await page.getByRole('dialog').innerText()).includes(data.slice(0, 20)));
  await close();
});

test('a call takes as long at its result as on the wire; what the wire does not say is named', async () => {
  const { page, faults, close } = await openFake(browser);
  const at = 1_790_000_000_000;
  // The press was 100 ms before the request: the call waited for consent and for the server's start.
  const call = (change: Partial<CallView>): CallView => callView(1, { startedAt: at - 100, endedAt: at + 34, wire: 1, ...change });
  const request = wireMessage(1, { at, method: 'tools/call', rpcId: '1' });
  const answer = wireMessage(2, { at: at + 28, direction: 'received', shape: 'result', method: 'tools/call', rpcId: '1', answers: 1, ms: 28, text: '{"result":{"content":[]}}' });
  const say = (change: Partial<CallView>): Promise<void> => page.evaluate((one) => window.fake.say({ type: 'call', call: one }), call(change));
  await page.evaluate((message) => window.fake.say(message), welcome({ catalogues: [catalogueView('one', { tools: [toolView('echo', {})] })], calls: [call({})], wire: [request], memory: { ...memory, entries: 1 } }));
  await page.getByRole('tab', { name: 'Tools' }).click();
  const head = article(page).locator('header .dim').first();
  assert.match(await head.innerText(), /^[\d:.]+$/, 'the answer has not come to the page yet');
  await page.evaluate(([entry, held]) => window.fake.say({ type: 'wire', entries: [entry], memory: held }), [answer, { ...memory, entries: 2 }] as const);
  await head.getByText(', 28 ms').waitFor();
  assert.match(await page.locator('#wire-1').innerText(), /\b28 ms/);
  await say({ task: 't1' });
  await head.getByText(', 28 ms, 134 ms in all').waitFor();
  await say({ wire: null, state: 'refused', result: null, failure: { code: 'refused', message: 'no' } });
  await head.getByText(', 134 ms in all').waitFor();
  assert.ok(!(await head.innerText()).includes('28 ms'));
  assert.deepEqual(faults, []);
  await close();
});

test('a call that failed shows its arguments, what the server logged meanwhile, and is shared without the others', async () => {
  const at = 1_790_000_000_000;
  const { page, faults, close } = await openFake(browser);
  const line = (seq: number, after: number, data: string, server = 'one'): LogView => ({ seq, at: at + after, server, source: 'stderr', level: null, logger: null, data });
  await page.evaluate((message) => window.fake.say(message), welcome({
    catalogues: [catalogueView('one', { tools: [toolView('echo', {})] })],
    calls: [callView(1, { about: { kind: 'tool', name: 'echo', args: { city: 'Rome' } }, wire: 2, startedAt: at - 50, endedAt: at + 30, result: { isError: true, content: [{ type: 'text', text: 'no' }] } })],
    logs: [line(1, -20, 'before'), line(2, 13, 'Error: no station in <b>Rome</b>'), line(3, 14, '    at weather'), line(4, 13, 'another server', 'two'), line(5, 900, 'later')],
    wire: [
      wireMessage(1, { at: at - 10 }), wireMessage(2, { at, method: 'tools/call', rpcId: '2' }),
      wireMessage(3, { at: at + 14, direction: 'received', shape: 'result', method: 'tools/call', rpcId: '2', answers: 2, ms: 14, text: '{"result":{"isError":true}}' }), wireMessage(4, { at: at + 500 }),
    ],
    memory: { ...memory, entries: 4 },
  }));
  await page.evaluate(() => {
    const shared = [{ text: 'the transcript', redacted: [], messages: 2 }, { text: 'all of it', redacted: [], messages: 4 }, { text: 'the transcript', redacted: [], messages: 2 }];
    Object.defineProperty(window.fake.replies, 'wire.share', { get: () => shared.shift() });
  });
  await page.getByRole('tab', { name: 'Tools' }).click();
  const why = article(page).getByRole('region', { name: 'After the failure' });
  await why.getByText('Error: no station in <b>Rome</b>').waitFor();
  const said = await why.innerText();
  assert.match(said, /at weather/);
  for (const other of ['before', 'another server', 'later']) assert.ok(!said.includes(other), other);
  assert.ok(await article(page).getByText('"Rome"', { exact: true }).isVisible(), 'the value that was sent is seen without a press');
  await why.getByRole('button', { name: 'Share this call' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share the failed call of echo on one' });
  await dialog.getByText('the transcript').waitFor();
  await dialog.getByText('2 messages go along, 14 characters').waitFor();
  assert.deepEqual((await violationsOf(page, 'dialog')).map(({ id }) => id), []);
  await dialog.getByLabel('The whole wire').check();
  const whole = page.getByRole('dialog', { name: 'Share the wire of one' });
  await whole.getByText('all of it').waitFor();
  await whole.getByText('4 messages go along, 9 characters').waitFor();
  await whole.getByRole('button', { name: 'Close' }).click();
  // The Share button of the wire also offers the failed call first, if it is the newest.
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await dialog.getByText('the transcript').waitFor();
  assert.ok(await dialog.getByLabel('Only this call').isChecked());
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as a file' }).click();
  assert.equal((await saved).suggestedFilename(), 'one-call-1.wire');
  assert.deepEqual((await page.evaluate(() => window.fake.asked)).flatMap((one) => (one.type === 'action' && one.name === 'wire.share' ? [one.params] : [])), [{ server: 'one', from: 2, to: 3 }, { server: 'one' }, { server: 'one', from: 2, to: 3 }]);
  // A masked field is not shown automatically, and neither are the arguments of a successful call.
  const rome = article(page).getByText('"Rome"', { exact: true });
  const failed: CallView = callView(1, { about: { kind: 'tool', name: 'echo', args: { city: 'Rome', password: 'x' } }, result: { isError: true, content: [] } });
  for (const call of [failed, callView(1, { about: { kind: 'tool', name: 'echo', args: { city: 'Rome' } } })]) {
    await page.evaluate((one) => window.fake.say({ type: 'call', call: one }), call);
    await rome.waitFor({ state: 'detached' });
    await page.evaluate((one) => window.fake.say({ type: 'call', call: one }), { ...failed, about: { kind: 'tool', name: 'echo', args: { city: 'Rome' } } } as CallView);
    await rome.waitFor();
  }
  await why.getByRole('button', { name: 'All logs' }).click();
  await page.getByRole('list', { name: 'Log lines' }).getByText('later').waitFor();
  assert.deepEqual(faults, []);
  await close();
});
