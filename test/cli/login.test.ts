import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { httpListener } from '../../src/transport/http/node/index.ts';
import { pair } from '../oauth-client/authorization-server.ts';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';

test('login, whoami, call and logout at a server that wants a token; no token is ever printed', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'barewire-login-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { as, rs } = await pair(t);
  const server = new McpServer({ name: 'behind', version: '1.0.0' });
  server.tool('echo', { annotations: { readOnlyHint: true }, input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text = '' }) => text);
  const listener = httpListener(server);
  t.after(() => listener.close());
  const guard = rs.answers.get('/mcp');
  assert.equal(guard, undefined);
  const { url } = rs;
  // A request with a valid token is passed to a real server. The harness has read the body, so it is passed too.
  rs.answers.set('/mcp', async (request, response, body) => {
    const token = (request.headers.authorization ?? '').split(' ')[1] ?? '';
    if (!as.valid.has(token)) {
      return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${rs.origin}/.well-known/oauth-protected-resource/mcp"` }).end();
    }
    rs.accepted.push(token);
    return listener(Object.assign(request, { body: body === '' ? undefined : JSON.parse(body) as unknown }), response);
  });
  let all = '';
  const run = async (words: readonly string[], onErr?: (err: string) => void): Promise<Ran> => {
    const ran = await inProcess(words, { env: { BAREWIRE_HOME: home }, ...onErr && { onErr } });
    all += ran.out + ran.err;
    return ran;
  };
  const before = await run(['list', url]);
  assert.equal(before.code, 4);
  assert.match(before.err, new RegExp(`it wants a login: barewire login ${url}`));
  assert.deepEqual(as.registrations, [], 'nobody is registered before somebody logs in');
  assert.equal((await run(['whoami'])).out, 'There is no login.\n');
  const unreached = await run(['login', '--no-browser', 'http://127.0.0.1:1/mcp']);
  assert.deepEqual([unreached.code, /the login failed: .*127\.0\.0\.1:1/.test(unreached.err)], [4, true], unreached.err);
  let visited = false;
  const login = await run(['login', '--no-browser', url], (err) => {
    const page = /Log in here: (\S+)\n/.exec(err)?.[1];
    if (page === undefined || visited) return;
    visited = true;
    void fetch(page);
  });
  assert.equal(login.code, 0, login.err);
  assert.equal(login.out, `Logged in at ${as.origin}.\n`);
  assert.equal(statSync(join(home, 'oauth.json')).mode & 0o077, 0);
  const [who] = JSON.parse((await run(['whoami', '--json'])).out) as Record<string, unknown>[];
  assert.deepEqual([who?.['server'], who?.['issuer'], who?.['renewable']], [url, as.origin, true]);
  const called = await run(['call', url, 'echo', 'text=inside']);
  assert.deepEqual([called.code, called.out], [0, 'inside\n'], called.err);
  assert.equal((await run(['logout', url])).out, 'Logged out.\n');
  assert.equal((await run(['whoami', url])).code, 1);
  assert.equal((await run(['list', url])).code, 4);
  assert.equal((await run(['login'])).code, 2);
  for (const secret of as.secrets) {
    assert.ok(!all.includes(secret), 'a secret was printed');
    assert.ok(!readFileSync(join(home, 'oauth.json'), 'utf8').includes(secret), 'a secret was left');
  }
});
