// A person with a real browser: Debian's Chromium, driven by playwright.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => path && existsSync(path));

/** The reason why the browser tests cannot run here; undefined if they can. */
export const missing = executablePath ? undefined : 'no Chromium: apt-get install chromium, or set CHROMIUM';

/** Opens a browser. `visit(url)` logs in and agrees by mouse clicks, and resolves with the text of the last page. */
export async function openBrowser() {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return {
    close: () => browser.close(),
    async visit(url, { login = 'alice', agree = true } = {}) {
      const page = await (await browser.newContext()).newPage();
      const seen = [];
      await page.goto(String(url));
      await page.fill('input[name=login]', login);
      await page.fill('input[name=password]', 'x');
      await page.click('button[type=submit]');
      await page.waitForSelector('text=trips:read');
      seen.push(await page.innerText('body'));
      if (agree) await page.click('button[type=submit]');
      else await page.click('text=[ Cancel ]');
      await page.waitForURL(/\/callback|\/cb/);
      return { url: page.url(), page: await page.innerText('body'), consent: seen[0] };
    },
  };
}
