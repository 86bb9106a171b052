// A real Chromium: the suite in a page of a local server, since only a secure context has crypto.subtle.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium as browserType } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const flags = [
  '--no-sandbox', '--headless', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

function find() {
  const found = [process.env.CHROMIUM, ...places].find((path) => path && existsSync(path));
  if (found) return found;
  const apt = (...args) => execFileSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 100_000,
  });
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'chromium');
  return places.find((path) => existsSync(path));
}

export async function chromium(bundles) {
  const http = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>smoke</title>');
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const browser = await browserType.launch({ executablePath: find(), args: flags });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${http.address().port}/`);
    await page.addScriptTag({ path: bundles.page });
    return { title: `Chromium ${browser.version()}`, cells: await page.evaluate('smokePage()') };
  } finally {
    await browser.close();
    http.closeAllConnections();
    http.close();
  }
}
