// A stream lives no longer than the token that opened it: the server ends it, the client gets a new token and opens it again, and no
// message is missed after that.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport } from '../../dist/lib/fetch.js';
import { authorizationCode, oauth } from '../../dist/lib/oauth.js';
import { startAuthorizationServer } from './authorization-server.mjs';
import { visit } from './person.mjs';
import { startResourceServer } from './resource-server.mjs';

const streams = {
  legacy: ({ method, url, status }) => method === 'GET' && url === '/mcp' && status === 200,
  modern: ({ mcpMethod, status }) => mcpMethod === 'subscriptions/listen' && status === 200,
};

for (const [era, isStream] of Object.entries(streams)) {
  test(`${era}: a stream ends with its token, and begins again with the next`, async (t) => {
    const as = await startAuthorizationServer({ tokenTtl: 2 });
    t.after(() => as.close());
    const resource = await startResourceServer(as.issuer, { limits: { leewayMs: 0 } });
    t.after(() => resource.close());
    const grant = authorizationCode({
      client: { name: 'barewire' }, redirectUri: 'http://127.0.0.1:33418/callback',
      onAuthorize: async (page) => (await visit(page, { stopAt: 'http://127.0.0.1:33418/' })).url,
    });
    let changed;
    const told = new Promise((resolve) => (changed = resolve));
    const client = new McpClient({ name: 'barewire', version: '1' }, { era, onListChanged: changed });
    await client.connect(httpTransport(resource.url, { auth: oauth({ grant }) }));
    t.after(() => client.close());
    const first = await resource.answered(isStream);
    const begun = Date.now();
    const second = await resource.answered((request) => isStream(request) && request !== first && request.authorization !== first.authorization);
    // It lasted as long as its token, up to the second in which the token was issued.
    assert.ok(Date.now() - begun < 10_000);
    assert.notEqual(second.authorization, first.authorization);
    resource.server.tool('new_tool', {}, () => '');
    await told;
    assert.ok((await client.listTools()).some(({ name }) => name === 'new_tool'));
    assert.equal(as.grants.authorization_code, 1);
    assert.ok(as.grants.refresh_token >= 1);
  });
}
