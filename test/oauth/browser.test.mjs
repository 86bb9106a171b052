// The consent page, clicked in a real Chromium.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport } from '../../dist/lib/fetch.js';
import { memoryStore } from '../../dist/lib/oauth.js';
import { login } from '../../dist/lib/oauth-node.js';
import { startAuthorizationServer } from './authorization-server.mjs';
import { missing, openBrowser } from './browser.mjs';
import { call, logIn, mcp } from './raw-client.mjs';
import { startResourceServer } from './resource-server.mjs';

let as;
let browser;
before(async () => {
  if (missing) return;
  as = await startAuthorizationServer();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await as?.close();
});

test('Chromium: a person logs in, reads what is asked for, and agrees', { skip: missing }, async (t) => {
  const resource = await startResourceServer(as.issuer);
  t.after(() => resource.close());
  let shown;
  const { access_token: token } = await logIn(as.issuer, {
    resource: resource.url, person: async (url) => (shown = await browser.visit(url)),
  });
  assert.match(shown.consent, /trips:read/);
  assert.ok(shown.consent.includes(resource.url));
  const { session } = await mcp(resource.url, token);
  const { body } = await mcp(resource.url, token, { session, body: call('whoami') });
  assert.equal(JSON.parse(body.result.content[0].text).subject, 'alice');
});

for (const agree of [true, false]) {
  test(`Chromium: barewire's client opens the page, its listener takes the redirect, and says ${agree ? 'that it worked' : 'that it did not'}`, { skip: missing }, async (t) => {
    const resource = await startResourceServer(as.issuer);
    t.after(() => resource.close());
    let last;
    const auth = login({
      client: { name: 'barewire in a browser' }, store: memoryStore(),
      onAuthorize: (url) => void (last = browser.visit(url, { agree })),
    });
    const client = new McpClient({ name: 'barewire', version: '1' });
    t.after(() => client.close());
    const connected = client.connect(httpTransport(resource.url, { auth }));
    if (!agree) {
      await assert.rejects(connected, { code: 'authorization_refused' });
      const { page, url } = await last;
      assert.match(url, /error=access_denied/);
      assert.doesNotMatch(page, /logged in/i);
      return;
    }
    await connected;
    const { content: [{ text }] } = await client.callTool('whoami', {});
    assert.equal(JSON.parse(text).subject, 'alice');
    const { consent, page, url } = await last;
    assert.match(consent, /barewire in a browser|trips:read/);
    assert.equal(new URL(url).hostname, '127.0.0.1');
    t.diagnostic(page.trim());
  });
}
