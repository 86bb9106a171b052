// Attacks of another site on each listener of this machine, in a real Chromium: loads, requests and windows get nothing. Only a link can
// lead to the page, and a redirect to the login.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serveHttp } from 'barewire/http';
import { loopback } from 'barewire/oauth/node';
import { McpServer } from 'barewire/server';
import type { Browser } from 'playwright-core';
import { servePage } from '../../src/server/index.ts';
import { launch, openPage } from '../ui/browser.ts';

const command = fileURLToPath(new URL('../../../../dist/lib/cli.js', import.meta.url));
const site = 'evil.example';

let browser: Browser;
before(async () => {
  // The name resolves to this machine, as after DNS rebinding; for Chromium it is another site.
  browser = await launch(`--host-resolver-rules=MAP *.example 127.0.0.1`);
});
after(() => browser.close());

type Ending = { after(run: () => unknown): void };

async function serve(t: Ending, answer: (url: string) => readonly [type: string, body: string]): Promise<number> {
  const server = createServer(({ url = '' }, response) => {
    const [type, body] = answer(url);
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  return (server.address() as AddressInfo).port;
}

/** `barewire trace` in front of an address, with credentials. */
async function relay(t: Ending, address: string): Promise<number> {
  const child = spawn(process.execPath, [command, 'trace', '--header', 'authorization: Bearer hunter2', address], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, port] = /clients go to http:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('close', () => reject(new Error(said)));
  });
}

/** A page with everything that a site may load, send and open without permission. */
const assault = (address: string): string => `<img src="${address}"><script src="${address}"></script><link rel="stylesheet" href="${address}">
<iframe src="${address}"></iframe><embed src="${address}"><video src="${address}"></video><link rel="prefetch" href="${address}">
<form id="f" method="post" enctype="text/plain" action="${address}" target="sink"><input name="a" value="b"></form><form id="g" action="${address}" target="sink"></form><iframe name="sink"></iframe>
<script>
  f.submit(); g.submit();
  navigator.sendBeacon(${JSON.stringify(address)}, '{}');
  const ends = [
    fetch(${JSON.stringify(address)}, { mode: 'no-cors' }), fetch(${JSON.stringify(address)}), fetch(${JSON.stringify(address)}, { method: 'POST', mode: 'no-cors', body: '{}' }),
    fetch(${JSON.stringify(address)}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
    new Promise((done) => { const socket = new WebSocket(${JSON.stringify(address.replace('http', 'ws'))}, ['barewire-page', 'x']); socket.onopen = () => { document.title = 'OPENED'; done(); }; socket.onerror = done; }),
    new Promise((done) => { const events = new EventSource(${JSON.stringify(address)}); events.onerror = () => { events.close(); done(); }; }),
  ];
  Promise.allSettled(ends).then(() => document.body.dataset.over = 'yes');
</script>`;

test('other sites: what a page of one loads, sends and opens is refused by every listener', async (t) => {
  const asked: string[] = [];
  const upstream = await serve(t, (url) => (asked.push(url), ['application/json', '{}']));
  const mcp = new McpServer({ name: 'guarded', version: '1.0.0' });
  const http = await serveHttp(mcp);
  t.after(() => http.close({ drainMs: 0 }));
  const page = await servePage({ servers: {} });
  t.after(() => page.close());
  const login = await loopback().listen(undefined);
  t.after(() => login.close());
  const redirects: string[] = [];
  void (async () => {
    for (;;) {
      const response = await login.next();
      redirects.push(response.url);
      response.answer(undefined);
    }
  })().catch(() => {});
  const front = await relay(t, `http://127.0.0.1:${upstream}/mcp`);
  const targets = {
    relay: `http://127.0.0.1:${front}/mcp`, 'relay, astray': `http://127.0.0.1:${front}//127.0.0.1:${upstream}/x`, 'relay, rebound': `http://rebound.example:${front}/mcp`,
    serveHttp: http.url, page: `http://127.0.0.1:${page.port}/`, login: `${login.redirectUri}?error=access_denied`,
  };
  let evil = '';
  const sitePort = await serve(t, () => ['text/html', evil]);
  for (const [name, address] of Object.entries(targets)) {
    const opened = await openPage(browser);
    const statuses: [string, number][] = [];
    opened.page.on('response', (response) => {
      if (response.url().startsWith(address)) statuses.push([`${response.request().method()} ${response.request().resourceType()}`, response.status()]);
    });
    evil = `<!doctype html><body>${assault(address)}`;
    await opened.page.goto(`http://${site}:${sitePort}/`);
    await opened.page.waitForFunction(() => document.body.dataset['over'] === 'yes');
    await opened.page.waitForLoadState('networkidle');
    assert.ok(statuses.length >= 6, `${name}: ${JSON.stringify(statuses)}`);
    assert.deepEqual(statuses.filter(([, status]) => status !== 403), [], name);
    assert.notEqual(await opened.page.title(), 'OPENED', name);
    await opened.close();
  }
  assert.deepEqual([asked, redirects], [[], []]);

  // Follows a link of the other site.
  const lead = async (to: string): Promise<number> => {
    const opened = await openPage(browser);
    evil = `<!doctype html><body><a href="${to}">go</a>`;
    await opened.page.goto(`http://${site}:${sitePort}/`);
    const [response] = await Promise.all([opened.page.waitForResponse((one) => one.url().startsWith(to)), opened.page.getByText('go').click()]);
    const status = response.status();
    await opened.close();
    return status;
  };
  assert.equal(await lead(targets.page), 200);
  assert.equal(await lead(`${login.redirectUri}?code=x&state=y`), 200);
  assert.deepEqual(redirects, [`${login.redirectUri}?code=x&state=y`]);
  for (const address of [targets.relay, targets['relay, astray'], targets['relay, rebound'], targets.serveHttp]) assert.equal(await lead(address), 403, address);
  // Chromium requests the icon of the refusal page itself, from its own origin.
  assert.deepEqual(asked.filter((url) => url !== '/favicon.ico'), []);
});
