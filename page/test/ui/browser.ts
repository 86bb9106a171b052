// The interface in a real Chromium.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** The folder of the page's package. */
export const packageRoot: string = fileURLToPath(new URL('../../../', import.meta.url));

/** The policy that the local server sends with the page, without the parts that depend on its address. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'";

export function launch(...args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage', ...args] });
}

export interface Opened {
  readonly page: Page;
  /** Errors on the console, exceptions, and violations of the policy. */
  readonly faults: string[];
  close(): Promise<void>;
}

/**
 * With `SLOW_PAGE=1` the effects of the page run 400 ms late: they wait for a frame, or for 35 ms without one. On a busy machine frames are
 * late as well, and a test that reads the page without waiting for the change fails. With this it fails on every machine.
 */
const slow = process.env['SLOW_PAGE'] === '1';

function lateFrames(): void {
  const [frame, timer] = [requestAnimationFrame, setTimeout];
  window.requestAnimationFrame = (run) => frame(() => timer(() => run(performance.now()), 400));
  window.setTimeout = ((run: () => void, ms: number = 0, ...args: []) => timer(run, ms > 0 && ms < 400 ? 400 : ms, ...args)) as typeof setTimeout;
}

/** Opens an empty page that records its faults. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, ...options });
  // A longer wait counts as a failure.
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  if (slow) await page.addInitScript(lateFrames);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`a dialog of the browser: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, faults, close: () => context.close() };
}

let script: Promise<string> | undefined;

/** The interface with a fake host, which the test controls with `window.fake`. */
export async function openFake(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  script ??= build({
    entryPoints: [`${packageRoot}test/ui/fake-page.ts`], absWorkingDir: packageRoot, bundle: true, write: false, format: 'esm', target: 'es2022',
  }).then(({ outputFiles: [file] }) => file?.text ?? '');
  const opened = await openPage(browser, options);
  const files: Readonly<Record<string, readonly [string, string]>> = {
    '/': ['text/html', await readFile(`${packageRoot}dist/ui/index.html`, 'utf8')],
    '/page.css': ['text/css', await readFile(`${packageRoot}dist/ui/page.css`, 'utf8')],
    '/page.js': ['text/javascript', await script],
  };
  await opened.page.route('**/*', async (route) => {
    const file = files[new URL(route.request().url()).pathname];
    if (!file) return route.abort();
    return route.fulfill({ contentType: `${file[0]}; charset=utf-8`, body: file[1], headers: { 'content-security-policy': policy } });
  });
  await opened.page.goto('http://localhost/');
  await opened.page.waitForFunction(() => window.fake?.opened > 0);
  return opened;
}

/**
 * What axe finds against its rules, or against `rules`, in the page or only `inside` a part of it. Takes a quarter of the time of a plain
 * `analyze()`: the mode named legacy opens no second page, which only frames need, and only violations list all their elements.
 */
export async function violationsOf(page: Page, inside?: string, rules?: string[]): Promise<Awaited<ReturnType<AxeBuilder['analyze']>>['violations']> {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (inside !== undefined) axe.include(inside);
  if (rules) axe.withRules(rules);
  return (await axe.analyze()).violations;
}

/** Resolves with a function that returns the milliseconds worked by the page's thread, independent of other programs. */
export async function threadTime(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => ((await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN) * 1000;
}
