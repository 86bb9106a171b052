// Screenshots of the main views, light and dark, for README.md. `npm run screenshots` makes them; a test run also makes them, in a
// separate folder, and checks that they are not blank.
import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launch, openFake, packageRoot } from './browser.ts';
import { questions, scene } from './scene.ts';

const folder = process.env['SCREENSHOTS'] ?? `${packageRoot}dist/screenshots`;

const picture = async (page: Page, name: string): Promise<void> => {
  await page.mouse.move(0, 0);
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  // The PNG file of a blank page is much smaller.
  assert.ok(png.length > 10_000, name);
  await writeFile(`${folder}/${name}.png`, png);
};

async function pictures(browser: Browser, colorScheme: 'light' | 'dark'): Promise<void> {
  const { page, faults, close } = await openFake(browser, { colorScheme, viewport: { width: 1280, height: 800 } });
  await page.evaluate((message) => window.fake.say(message), scene());
  await page.evaluate(() => document.fonts.ready);
  await page.getByRole('tab', { name: 'Tools' }).click();
  await page.getByLabel('Destination').fill('Lisbon');
  await page.locator('#wire-8').click();
  await picture(page, `tools-${colorScheme}`);
  await page.getByRole('button', { name: 'Show call 1' }).click();
  await page.getByRole('article', { name: 'Call 3' }).scrollIntoViewIfNeeded();
  await page.locator('#work-panel').evaluate((one) => one.scrollTo(0, one.scrollHeight - one.clientHeight - 40));
  await picture(page, `calls-${colorScheme}`);
  const [form, approval] = questions;
  for (const question of [form, approval]) {
    await page.evaluate((one) => { if (one) window.fake.say({ type: 'question', question: one }); }, question);
    await page.getByRole('dialog').waitFor();
    await picture(page, `${question?.id ?? ''}-${colorScheme}`);
    await page.evaluate((one) => { if (one) window.fake.say({ type: 'question-closed', id: one.id, by: null }); }, question);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  assert.deepEqual(faults, []);
  await close();
}

test('the main views are drawn, light and dark, and on a phone', async (t) => {
  await mkdir(folder, { recursive: true });
  const browser = await launch();
  t.after(() => browser.close());
  for (const scheme of ['light', 'dark'] as const) await pictures(browser, scheme);
  const phone = await openFake(browser, { colorScheme: 'dark', viewport: { width: 360, height: 720 } });
  await phone.page.evaluate((message) => window.fake.say(message), scene());
  await phone.page.getByRole('button', { name: 'Wire', exact: true }).click();
  await phone.page.locator('.wire-row').first().waitFor();
  await picture(phone.page, 'phone-dark');
});

test('the pictures of README.md are there, and small together', async () => {
  const readme = await readFile(`${packageRoot}README.md`, 'utf8');
  const names = [...readme.matchAll(/\]\((screenshots\/[\w-]+\.png)\)|srcset="(screenshots\/[\w-]+\.png)"|src="(screenshots\/[\w-]+\.png)"/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
  assert.ok(names.length >= 8, `${names.length} pictures`);
  let bytes = 0;
  for (const name of new Set(names)) bytes += (await stat(`${packageRoot}${name}`)).size;
  assert.ok(bytes < 1_500_000, `${bytes} bytes`);
});
