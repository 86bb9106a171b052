// The consent page, clicked in a real Chromium.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
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
