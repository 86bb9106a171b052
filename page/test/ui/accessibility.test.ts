// axe finds no violation in any view, and no view is wider than a phone, in each scene of scenes.ts.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { QuestionView } from '../../src/messages.ts';
import { launch, openFake, packageRoot, violationsOf } from './browser.ts';
import { questions, scene } from './scene.ts';
import { isNarrow, scenes } from './scenes.ts';

let browser: Browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** The violations that axe finds; `inside`: only in this part, if the rest is unchanged since the last check of the whole page. */
async function findings(page: Page, inside?: string): Promise<string[]> {
  // Wait for running animations, because they change colours.
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.playState === 'running' && one.effect?.getTiming().iterations !== Infinity ? one.finished : undefined)));
  return (await violationsOf(page, inside)).flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${String(target)}: ${failureSummary ?? ''}`));
}

const tabs = ['Overview', 'Tools', 'Resources', 'Prompts', 'Tasks', 'Logs', 'Doctor', 'Judge'] as const;
const docks = ['Wire', 'Activity', 'Recordings'] as const;

for (const [name, options] of Object.entries(scenes)) {
  test(`axe finds nothing: ${name}`, async () => {
    const { page, faults, close } = await openFake(browser, options);
    await page.evaluate((message) => window.fake.say(message), scene());
    for (const tab of tabs) {
      await page.getByRole('tab', { name: tab }).click();
      assert.deepEqual(await findings(page, tab === 'Overview' ? undefined : 'main'), [], tab);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wider <= 0, `${tab} is ${wider} px wider than the screen`);
    }
    if (isNarrow(options)) await page.getByRole('button', { name: 'Wire', exact: true }).click();
    for (const dock of docks) {
      await page.getByRole('tab', { name: dock }).click();
      if (dock === 'Wire') {
        // With little space the toolbar is folded.
        const more = page.getByRole('button', { name: 'More', exact: true });
        if (await more.isVisible()) await more.click();
        await page.getByRole('button', { name: 'Send raw' }).click();
        await page.getByRole('button', { name: 'Step', exact: true }).click();
        assert.deepEqual(await findings(page, '.dock'), [], 'Wire, a message to be sent');
        await page.locator('.wire-row').nth(3).click();
      }
      assert.deepEqual(await findings(page, dock === 'Recordings' ? undefined : '.dock'), [], dock);
    }
    for (const question of questions) {
      await page.evaluate((one) => window.fake.say({ type: 'question', question: one }), question);
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await findings(page, '.question'), [], question.kind);
      await page.evaluate(({ id }: QuestionView) => window.fake.say({ type: 'question-closed', id, by: null }), question);
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    assert.deepEqual(faults, []);
    await close();
  });
}

test('by keyboard the border is moved, Call leads to the first field that is wrong, and Escape gives the focus back', async () => {
  const { page, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), scene());
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('button', { name: 'Call', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  await page.getByLabel(/^Share of the server/).focus();
  const before = await page.getByRole('main').evaluate((one) => one.clientWidth);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction((width) => (document.querySelector('main')?.clientWidth ?? Infinity) < width, before);
  const [question] = questions;
  await page.evaluate((one) => { if (one) window.fake.say({ type: 'question', question: one }); }, question);
  await page.getByRole('dialog').waitFor();
  await page.waitForFunction(() => document.querySelector('.question')?.contains(document.activeElement));
  await page.keyboard.press('Escape');
  await page.evaluate(() => window.fake.say({ type: 'question-closed', id: 'form', by: null }));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Share'));
  await close();
});

test('the accessibility tree of the servers, a tool, a question and the wire is the recorded one', async () => {
  const { page, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), scene());
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByRole('heading', { name: 'Plan a trip' }).waitFor();
  const found = [await page.getByRole('navigation', { name: 'Servers' }).ariaSnapshot(), await page.getByRole('group', { name: 'Arguments of plan_trip' }).ariaSnapshot()];
  await page.getByLabel('Search the wire').fill('tools/call');
  await page.locator('#wire-6').waitFor({ state: 'detached' });
  // Times depend on the time zone of the machine.
  found.push((await page.getByRole('listbox', { name: 'Messages' }).ariaSnapshot()).replaceAll(/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME'));
  const [question] = questions;
  await page.evaluate((one) => { if (one) window.fake.say({ type: 'question', question: one }); }, question);
  // The message counts as seen a moment after it was drawn.
  await page.getByRole('dialog').getByRole('button', { name: 'Accept', disabled: false }).waitFor();
  found.push(await page.getByRole('dialog').ariaSnapshot());
  const text = `${found.join('\n\n')}\n`;
  const file = `${packageRoot}test/ui/tree.txt`;
  if (process.env['WRITE_TREE']) await writeFile(file, text);
  assert.equal(text, await readFile(file, 'utf8'));
  await close();
});

test('the way to the host is lost and found again; a refusal is final', async () => {
  const { page, close } = await openFake(browser);
  await page.evaluate((message) => window.fake.say(message), scene());
  await page.evaluate(() => window.fake.close('the cable', false));
  await page.getByRole('alert').getByText('the cable').waitFor();
  assert.deepEqual(await findings(page), []);
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.evaluate((message) => window.fake.say(message), scene());
  await page.getByRole('alert').getByText('the cable').waitFor({ state: 'detached' });
  await page.evaluate(() => window.fake.close('the token is wrong', true));
  await page.getByText('Open the address again').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Try now' }).count(), 0);
  await close();
});
