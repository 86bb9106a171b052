import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { readItems } from '../../src/judge/index.ts';
import { inProcess } from '../cli/in-process.ts';
import { authorizationServer, json, party } from '../oauth-client/authorization-server.ts';
import type { AuthorizationServer } from '../oauth-client/authorization-server.ts';

/** An MCP server that requires a token of `from`, and puts the token into its answer to ping, which breaks ping-1. */
async function guarded(t: TestContext, from: () => AuthorizationServer): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const self = await party(t, ({ origin }, path) => {
    if (path.startsWith('/.well-known/oauth-protected-resource')) return json({ resource: `${origin}/mcp`, authorization_servers: [from().origin] });
    if (path !== '/mcp') return undefined;
    return (request, response, body) => {
      seen.push(`${JSON.stringify(request.headers)} ${body}`);
      const token = (request.headers.authorization ?? '').replace('Bearer ', '');
      if (!from().valid.has(token)) return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` }).end();
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body) as { id?: number; method?: string; params?: { protocolVersion?: string } };
      if (id === undefined) return response.writeHead(202).end();
      const said = method === 'initialize' && params?.protocolVersion === '2025-11-25' ? { result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'guarded', version: '1' } } }
        : method === 'ping' ? { result: { token } } : { error: { code: -32601, message: `no ${method}` } };
      return json({ jsonrpc: '2.0', id, ...said })(request, response, body);
    };
  });
  return { url: `${self.origin}/mcp`, seen };
}

const environment = { EXAMPLE_TOKEN: 'token-0123456789', EXAMPLE_ID: 'the-client', EXAMPLE_SECRET: 'secret-0123456789' };

/** Runs the command with a `judge.json`. `all`: its output and all written files. */
async function judge(t: TestContext, url: string, login: unknown, words: readonly string[] = []): Promise<{ readonly code: number | null; readonly err: string; readonly out: string; readonly all: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-judge-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'judge.json');
  writeFileSync(file, JSON.stringify({ login }));
  const at = (name: string): string => join(folder, name);
  const { code, out, err } = await inProcess(['judge', '--only', 'ping-1,authorization-81', '--revision', '2025-11-25', '--items', file, '--json', '--junit', at('a.xml'), '--sarif', at('a.sarif'), '--html', at('a.html'), '--badge', at('a.badge'), '--wire', at('wire'), '--write-baseline', at('known.json'), ...words, url], { env: { BAREWIRE_HOME: folder, ...environment } });
  const written = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(xml|sarif|html|badge|wire)$|known/.test(name));
  if (code === 1) assert.ok(written.some((name) => name.endsWith('ping-1.wire')) && written.length === 6, written.join());
  return { code, out, err, all: [out, err, ...written.map((name) => readFileSync(join(folder, name), 'utf8'))].join('\n') };
}

test('judge: a token of the environment goes to the server that it is for, and into no report', async (t) => {
  const as = await authorizationServer(t);
  as.valid.set(environment.EXAMPLE_TOKEN, { scope: '', client: '', resource: null });
  const { url, seen } = await guarded(t, () => as);
  const { code, all, out } = await judge(t, url, { server: url, tokenVariable: 'EXAMPLE_TOKEN' });
  assert.equal(code, 1, all);
  assert.match(out, /"id":"ping-1"[^}]*"verdict":"broken"/);
  assert.match(out, /"id":"authorization-81"[^}]*"verdict":"kept"/, 'requests without the token are made, too');
  assert.ok(seen.some((one) => one.includes(environment.EXAMPLE_TOKEN)) && seen.some((one) => !one.includes('"authorization"')));
  assert.ok(!all.includes(environment.EXAMPLE_TOKEN), 'the token stands in a report');
  assert.match(all, /\[redacted\]/);
});

test('judge: a client that acts for itself gets a token from the issuer of the file, which gets the secret, and nobody else', async (t) => {
  const as = await authorizationServer(t);
  const other = await authorizationServer(t);
  let from = as;
  const { url, seen } = await guarded(t, () => from);
  const login = { server: url, clientIdVariable: 'EXAMPLE_ID', clientSecretVariable: 'EXAMPLE_SECRET', issuer: as.origin, scope: 'read' };
  const { code, all } = await judge(t, url, login);
  assert.equal(code, 1, all);
  assert.deepEqual(as.forms.map((form) => [form.get('grant_type'), form.get('scope')]), [['client_credentials', 'read']]);
  for (const secret of [environment.EXAMPLE_SECRET, ...as.secrets]) assert.ok(!all.includes(secret), `${secret} stands in a report`);
  assert.ok(!seen.some((one) => one.includes(environment.EXAMPLE_SECRET)), 'the server got the secret');
  // The server names another authorization server, which gets no credentials.
  from = other;
  const refused = await judge(t, url, login);
  assert.deepEqual([refused.code, other.forms.length, as.forms.length], [4, 0, 1], refused.all);
  assert.match(refused.err, /the login failed/);
});

test('judge: what a login may not be is refused before anything is sent, and not repeated', async (t) => {
  const as = await authorizationServer(t);
  const { url, seen } = await guarded(t, () => as);
  const token = { server: url, tokenVariable: 'EXAMPLE_TOKEN' };
  for (const [login, said] of [
    [{ ...token, server: 'https://elsewhere.example/mcp' }, /its login is for https:\/\/elsewhere\.example, and the server is at http:\/\/127/],
    [{ server: url, tokenVariable: 'NOT_SET_ANYWHERE' }, /the variable that login\.tokenVariable names is not set/],
    [{ server: url, tokenVariable: 'ey.a-secret-by-mistake' }, /login\.tokenVariable is not a name of an environment variable/],
    [{ ...token, server: undefined }, /login\.server is missing/],
    [{ ...token, server: 'nowhere' }, /login\.server is not an http or https address/],
    [{ server: url }, /has tokenVariable, or clientIdVariable, clientSecretVariable and issuer/],
    [{ ...token, issuer: 'https://as.example' }, /has tokenVariable, or/],
    [{ server: url, clientIdVariable: 'EXAMPLE_ID', clientSecretVariable: 'EXAMPLE_SECRET' }, /has tokenVariable, or/],
    [{ ...token, tokenVariabel: 'x' }, /tokenVariabel/],
  ] as const) {
    const { code, err } = await judge(t, url, login);
    assert.equal(code, 2, err);
    assert.match(err, said);
    assert.ok(!err.includes('by-mistake') && !err.includes('NOT_SET'), err);
  }
  assert.deepEqual(seen, []);
  const program = await judge(t, '--', token, []);
  assert.equal(program.code, 2);
  const plain = await judge(t, 'http://example.com/mcp', { server: 'http://example.com', tokenVariable: 'EXAMPLE_TOKEN' });
  assert.deepEqual([plain.code, /without TLS/.test(plain.err)], [2, true], plain.err);
  assert.throws(() => readItems('{"login":{"server":"https://a.example"}}'), TypeError);
  assert.throws(() => readItems('null'), TypeError);
});
