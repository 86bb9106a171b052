// All controls are reachable: at a zoom of 200 %, with few Tab presses, in forced colours, and in areas that scroll.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launch, openFake, violationsOf } from './browser.ts';
import { scene } from './scene.ts';
import { callView, catalogueView, serverView, toolView, welcome, wireMessage } from './views.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const [name, width, height] of [['1280×720 at 200 %', 640, 360], ['1024×768', 1024, 768], ['1024×768 at 200 %', 512, 384], ['a phone', 360, 640]] as const) {
  test(`the detail of a message is reached and read: ${name}`, async () => {
    const { page, faults, close } = await openFake(browser, { viewport: { width, height } });
    await page.evaluate((message) => window.fake.say(message), scene());
    const wire = page.getByRole('button', { name: 'Wire', exact: true });
    if (await wire.isVisible()) await wire.click();
    const list = page.getByRole('listbox', { name: 'Messages' });
    await list.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.querySelector('[role=listbox][aria-activedescendant^=wire-]') !== null);
    await page.keyboard.press('Enter');
    const detail = page.getByRole('region', { name: 'Message' });
    const last = detail.locator('.tree, .text').last();
    await last.waitFor();
    // The list takes its new size in an effect.
    await page.waitForFunction((most) => {
      const found = document.querySelector('.wire-detail')?.getBoundingClientRect();
      return found !== undefined && found.bottom <= most;
    }, height + 1);
    const box = await detail.boundingBox();
    assert.ok(box && box.height >= 120 && box.y + box.height <= height + 1 && box.width >= 280, JSON.stringify(box));
    await last.scrollIntoViewIfNeeded();
    const end = await last.boundingBox();
    assert.ok(end && end.y < height, 'its end comes into sight');
    await detail.getByRole('button', { name: 'Next message' }).click();
    await detail.getByRole('button', { name: 'Close the message' }).click();
    await list.waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(faults, []);
    await close();
  });
}

test('the keyboard stays at the message if the window becomes so low that its detail covers the list', async () => {
  const { page, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), scene());
  await page.getByRole('listbox', { name: 'Messages' }).focus();
  await page.keyboard.press('End');
  const detail = page.getByRole('region', { name: 'Message' });
  await detail.locator('.sentence').waitFor();
  await page.setViewportSize({ width: 1360, height: 420 });
  await page.waitForFunction(() => document.activeElement?.className === 'wire-detail');
  await close();
});

test('Call is reached with few presses of Tab, however many servers and tools there are', async () => {
  const { page, close } = await openFake(browser);
  const tools = Array.from({ length: 40 }, (_, at) => toolView(`tool_${at}`, { properties: { a: { type: 'string' } } }));
  await page.evaluate((message) => window.fake.say(message), welcome({ servers: Array.from({ length: 12 }, (_, at) => serverView(at === 0 ? 'one' : `server ${at}`)), catalogues: [catalogueView('one', { tools })] }));
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  const stops: string[] = [];
  for (let presses = 0; presses < 40 && stops.at(-1) !== 'Call'; presses++) {
    await page.keyboard.press('Tab');
    stops.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''));
  }
  assert.equal(stops.at(-1), 'Call', stops.join(' | '));
  assert.ok(stops.length <= 14, `${stops.length}: ${stops.join(' | ')}`);
  // Arrow keys move the focus within a list.
  await page.getByRole('button', { name: 'tool_0' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'tool_2' }).waitFor();
  await close();
});

test('in forced colours states and what is chosen are told apart', async () => {
  const { page, close } = await openFake(browser, { forcedColors: 'active' });
  await page.evaluate((message) => window.fake.say(message), scene());
  const looks = (selector: string): Promise<string[]> => page.locator(selector).evaluateAll((all) => all.map((one) => {
    const { backgroundColor, backgroundImage, borderRadius, transform, borderTopWidth, outlineStyle } = getComputedStyle(one);
    return [backgroundColor, backgroundImage, borderRadius, transform, borderTopWidth, outlineStyle].join(' ');
  }));
  const dots = await looks('.server .dot');
  assert.equal(new Set([dots[0], dots[2], dots[3]]).size, 3, dots.join('\n'));
  await page.locator('#wire-2').click();
  const [chosen, other] = [await looks('#wire-2'), await looks('#wire-4')];
  assert.notDeepEqual(chosen, other);
  for (const [on, off] of [['.server[aria-current]', '.server:not([aria-current])'], ['.tab[aria-selected=true]', '.tab[aria-selected=false]']] as const) {
    assert.notEqual((await looks(on))[0], (await looks(off))[0], on);
  }
  await close();
});

const findings = async (page: Page): Promise<string[]> => {
  const violations = await violationsOf(page, undefined, ['scrollable-region-focusable', 'landmark-unique', 'region', 'aria-allowed-role']);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${String(target)}`));
};

test('long results, arguments, tasks and prompts: each place that scrolls is reached by keyboard, and no two landmarks are alike', async () => {
  const { page, close } = await openFake(browser);
  const long = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
  const rows = Array.from({ length: 8 }, () => Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`column_${at}`, 'a long value'])));
  const result = { content: [{ type: 'text' as const, text: long }, { type: 'text' as const, text: long }], structuredContent: { rows, more: rows } };
  await page.evaluate((message) => window.fake.say(message), welcome({
    catalogues: [catalogueView('one', { tools: [toolView('echo', {})], prompts: [{ name: 'ask' }] })],
    calls: [
      callView(1, { about: { kind: 'tool', name: 'echo', args: { text: long, more: long } }, result }), callView(2, { about: { kind: 'tool', name: 'echo', args: {} }, result }),
      callView(3, { about: { kind: 'prompt', name: 'ask', args: {} }, result: { messages: [{ role: 'user', content: { type: 'text', text: long } }, { role: 'user', content: { type: 'text', text: long } }, { role: 'assistant', content: { type: 'text', text: 'x' } }] } }),
    ],
    tasks: [1, 2].map((at) => ({ key: `one/${at}`, server: 'one', task: String(at), tool: 'echo', status: 'completed' as const, message: null, progress: null, startedAt: 1, endedAt: 2, result, failure: null })),
    wire: [wireMessage(1, { text: JSON.stringify({ text: long, deep: { rows } }) })],
  }));
  for (const tab of ['Tools', 'Prompts', 'Tasks']) {
    await page.getByRole('tab', { name: tab }).click();
    for (const button of await page.getByRole('button', { name: /^Show call/ }).all()) await button.click();
    for (const summary of await page.locator('summary', { hasText: 'arguments' }).all()) await summary.click();
    await page.locator('#wire-1').click();
    assert.deepEqual(await findings(page), [], tab);
  }
  await close();
});

test('the toolbar of the wire is folded where there is little room, and whole where there is enough', async () => {
  for (const [width, folded] of [[360, true], [1500, false]] as const) {
    const { page, faults, close } = await openFake(browser, { viewport: { width, height: 800 } });
    await page.evaluate((message) => window.fake.say(message), scene());
    if (width < 720) await page.getByRole('button', { name: 'Wire', exact: true }).click();
    const more = page.getByRole('button', { name: 'More', exact: true });
    const step = page.getByRole('button', { name: 'Step', exact: true });
    await page.getByLabel('Search the wire').waitFor();
    assert.equal(await more.isVisible(), folded);
    assert.equal(await step.isVisible(), !folded);
    if (folded) {
      await more.focus();
      await page.keyboard.press('Enter');
      for (const name of ['Which messages', 'Direction']) await page.getByLabel(name).waitFor();
      await page.getByRole('button', { name: 'Less', exact: true, expanded: true }).click();
      await step.waitFor({ state: 'hidden' });
    }
    assert.deepEqual(faults, []);
    await close();
  }
});
