import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-ports.ts';
import { signJwt } from '../../src/oauth/jwt.ts';
import { authorizationServer, json } from '../oauth-client/authorization-server.ts';

const program = (name: string): string => fileURLToPath(new URL(`../../examples/protected/${name}.js`, import.meta.url));

/** Runs the client until it exits. */
function run(url: string, env: Record<string, string>): Promise<{ code: number | null; out: string; errors: string }> {
  const child = spawn(process.execPath, [program('client'), url], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk) => { out += chunk; });
  child.stderr.on('data', (chunk) => { errors += chunk; });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, errors })));
}

/** An authorization server that issues JWT access tokens, as the example's server requires. */
async function signing(t: TestContext, resource: string): Promise<Awaited<ReturnType<typeof authorizationServer>>> {
  const as = await authorizationServer(t);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' };
  const key = await crypto.subtle.importKey(
    'jwk', privateKey.export({ format: 'jwk' }) as object, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'],
  );
  as.metadata = { jwks_uri: `${as.origin}/jwks` };
  as.answers.set('/jwks', json({ keys: [jwk] }));
  as.token = async (scope) => {
    const now = Math.floor(Date.now() / 1000);
    return {
      access_token: await signJwt({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' }, {
        iss: as.origin, sub: 'alice', aud: resource, client_id: 'client-1', scope, jti: '1', iat: now, exp: now + 600,
      }, key),
    };
  };
  return as;
}

test('example: a client logs in at the protected travel server, books a trip, and needs no second login',
  process.platform === 'linux' ? {} : { skip: 'stands in for xdg-open' }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'barewire-protected-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const as = await signing(t, url);
    const server = spawn(process.execPath, [program('server'), as.origin, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => server.kill());
    await new Promise((resolve) => createInterface({ input: server.stdout }).once('line', resolve));

    // The browser: follows the redirects to the client's listener.
    const browser = join(folder, 'xdg-open');
    await writeFile(browser, `#!${process.execPath}\nfetch(process.argv[2]).then((page) => page.text());\n`);
    await chmod(browser, 0o755);
    const env = { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`, XDG_CONFIG_HOME: folder };

    const booked = async (): Promise<number> => {
      const { code, out, errors } = await run(url, env);
      assert.equal(code, 0, errors);
      assert.match(out, /^Booked .* to Lisbon/);
      return as.logins.length;
    };
    const logins = await booked();
    // One login to read, and another to book.
    assert.deepEqual(as.logins.map((login) => login.get('scope')), ['trips:read', 'trips:read trips:write']);
    assert.equal(await booked(), logins, 'the second time, nobody is asked');
    assert.equal((await stat(join(folder, 'barewire', 'oauth.json'))).mode & 0o777, 0o600);
  });
