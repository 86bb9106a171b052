import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { clientCredentials, memoryStore, oauth, OAuthError } from '../../src/oauth/index.ts';
import type { AuthorizationCodeOptions, OAuthOptions } from '../../src/oauth/index.ts';
import { readAuthorizationResponse } from '../../src/oauth/client/authorization-response.ts';
import { json, pair } from './authorization-server.ts';
import type { AuthorizationServer, ProtectedResource } from './authorization-server.ts';
import { call, follow, redirectUri, selfLogin } from './login.ts';

/** A fault of a hostile or broken server, and the code of the refusal. */
interface Hostile {
  readonly what: string;
  readonly code: string;
  /** A pattern that the message must match. */
  readonly names?: RegExp;
  readonly options?: Partial<OAuthOptions>;
  readonly login?: Partial<AuthorizationCodeOptions>;
  setUp?(parties: { as: AuthorizationServer; rs: ProtectedResource }): void;
  /** Checks that something did not happen. */
  never?(parties: { as: AuthorizationServer; rs: ProtectedResource }): void;
}

const noLogin: Hostile['never'] = ({ as }) => assert.equal(as.logins.length, 0, 'nobody was sent to the authorization server');
const noToken: Hostile['never'] = ({ as }) => assert.equal(as.forms.length, 0, 'no code reached the token endpoint');
const megabyte = 'x'.repeat(1024 * 1024);
const resourceMetadata = '/.well-known/oauth-protected-resource/mcp';
const serverMetadata = '/.well-known/oauth-authorization-server';

const cases: readonly Hostile[] = [
  // The protected resource metadata.
  { what: 'metadata of a resource on another origin', code: 'resource_mismatch', names: /resource is "https:\/\/evil\.example\/mcp", expected http/,
    setUp: ({ rs }) => { rs.metadata = { resource: 'https://evil.example/mcp' }; }, never: noLogin },
  { what: 'metadata of a resource beside this one', code: 'resource_mismatch',
    setUp: ({ rs }) => { rs.metadata = { resource: `${rs.origin}/mc` }; }, never: noLogin },
  { what: 'metadata of a resource with a fragment', code: 'resource_mismatch',
    setUp: ({ rs }) => { rs.metadata = { resource: `${rs.url}#part` }; }, never: noLogin },
  { what: 'metadata whose resource is no text', code: 'resource_mismatch', names: /resource is a list/,
    setUp: ({ rs }) => { rs.metadata = { resource: [rs.url] }; }, never: noLogin },
  { what: 'metadata of a megabyte', code: 'fetch_too_large', names: /protected resource metadata/,
    setUp: ({ rs }) => { rs.metadata = { padding: megabyte }; } },
  { what: 'metadata that nests without end', code: 'metadata_malformed', names: /not a JSON object/,
    setUp: ({ rs }) => { rs.answers.set(resourceMetadata, (_, response) => response.end('{"resource":'.repeat(15_000))); } },
  { what: 'a field that nests deeply', code: 'metadata_malformed', names: /scopes_supported is a list, expected a list of strings/,
    setUp: ({ rs }) => {
      const { resource, authorization_servers } = { resource: rs.url, authorization_servers: ['https://as.example'] };
      const head = JSON.stringify({ resource, authorization_servers }).slice(0, -1);
      rs.answers.set(resourceMetadata, (_, response) => response.end(`${head},"scopes_supported":${'['.repeat(50_000)}${']'.repeat(50_000)}}`));
    } },
  { what: 'metadata that never ends', code: 'fetch_timeout', options: { limits: { timeoutMs: 100 } },
    setUp: ({ rs }) => { rs.answers.set(resourceMetadata, (_, response) => response.write('{"resource":"')); } },
  { what: 'metadata that redirects in a circle', code: 'fetch_redirect', names: /more than 3 redirects/,
    setUp: ({ rs }) => { rs.answers.set(resourceMetadata, (_, response) => response.writeHead(302, { location: resourceMetadata }).end()); } },
  { what: 'one redirect where none is wanted', code: 'fetch_redirect', names: /more than 0 redirects/, options: { limits: { maxRedirects: 0 } },
    setUp: ({ rs }) => { rs.answers.set(resourceMetadata, (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()); } },
  { what: 'metadata over a limit of the program', code: 'fetch_too_large', names: /longer than 10 bytes/, options: { limits: { maxBytes: 10 } } },
  { what: 'metadata that redirects to plain HTTP', code: 'insecure_url',
    setUp: ({ rs }) => { rs.answers.set(resourceMetadata, (_, response) => response.writeHead(302, { location: 'http://plain.example/' }).end()); } },
  { what: 'no authorization server in the list', code: 'metadata_malformed', names: /authorization_servers is empty/,
    setUp: ({ rs }) => { rs.metadata = { authorization_servers: [] }; } },
  { what: 'no list of authorization servers', code: 'metadata_malformed', names: /authorization_servers is empty/,
    setUp: ({ rs }) => { rs.metadata = { authorization_servers: undefined }; }, never: noLogin },
  { what: 'authorization servers that are no texts', code: 'metadata_malformed', names: /authorization_servers is a list, expected a list of strings/,
    setUp: ({ rs }) => { rs.metadata = { authorization_servers: [{ issuer: 'x' }] }; } },
  { what: 'an authorization server over plain HTTP', code: 'insecure_url',
    setUp: ({ rs }) => { rs.metadata = { authorization_servers: ['http://as.example'] }; } },
  { what: 'an authorization server of another scheme', code: 'insecure_url',
    setUp: ({ rs }) => { rs.metadata = { authorization_servers: ['ftp://as.example'] }; } },
  { what: 'an authorization server with a user in its URL', code: 'issuer_mismatch',
    setUp: ({ as, rs }) => { rs.metadata = { authorization_servers: [as.origin.replace('//', '//honest.example@')] }; } },
  // The authorization server metadata.
  { what: 'metadata of another issuer', code: 'issuer_mismatch', names: /issuer is "https:\/\/honest\.example", expected/,
    setUp: ({ as }) => { as.metadata = { issuer: 'https://honest.example' }; }, never: noLogin },
  { what: 'metadata that names no issuer', code: 'issuer_mismatch', names: /issuer is missing, expected/,
    setUp: ({ as }) => { as.metadata = { issuer: undefined }; }, never: noLogin },
  { what: 'an issuer that differs by a slash', code: 'issuer_mismatch',
    setUp: ({ as }) => { as.metadata = { issuer: `${as.origin}/` }; }, never: noLogin },
  { what: 'OpenID metadata of another issuer', code: 'issuer_mismatch',
    setUp: ({ as }) => {
      as.answers.set(serverMetadata, (_, response) => response.writeHead(404).end());
      as.answers.set('/.well-known/openid-configuration', json({
        issuer: 'https://honest.example', authorization_endpoint: `${as.origin}/authorize`, token_endpoint: `${as.origin}/token`,
        registration_endpoint: `${as.origin}/register`, code_challenge_methods_supported: ['S256'],
      }));
    }, never: noLogin },
  { what: 'no metadata anywhere', code: 'metadata_missing',
    setUp: ({ as }) => { as.answers.set(serverMetadata, (_, response) => response.writeHead(404).end()); } },
  { what: 'a server error instead of metadata', code: 'metadata_unavailable', names: /HTTP 503/,
    setUp: ({ as }) => { as.answers.set(serverMetadata, (_, response) => response.writeHead(503).end()); } },
  { what: 'a server without PKCE', code: 'pkce_unsupported', names: /code_challenge_methods_supported is missing, expected S256/,
    setUp: ({ as }) => { as.metadata = { code_challenge_methods_supported: undefined }; },
    never: ({ as }) => assert.deepEqual([as.registrations, as.logins], [[], []]) },
  { what: 'a server of 2025-03-26 whose metadata does not say that it has PKCE', code: 'pkce_unsupported', names: /is missing, expected S256/,
    setUp: ({ rs }) => {
      rs.answers.set('/mcp', (_, response) => response.writeHead(401).end());
      rs.answers.set(resourceMetadata, (_, response) => response.writeHead(404).end());
      rs.answers.set(serverMetadata, json({ issuer: rs.origin, authorization_endpoint: `${rs.origin}/authorize`, token_endpoint: `${rs.origin}/token` }));
    },
    never: ({ rs }) => assert.ok(!rs.requests.includes('GET /authorize')) },
  { what: 'PKCE that is downgraded to plain', code: 'pkce_unsupported', names: /is "plain", expected S256/,
    setUp: ({ as }) => { as.metadata = { code_challenge_methods_supported: ['plain'] }; }, never: noLogin },
  { what: 'a login page that is a script', code: 'insecure_url', names: /authorization_endpoint/,
    setUp: ({ as }) => { as.metadata = { authorization_endpoint: 'javascript:alert(1)' }; }, never: noLogin },
  { what: 'a login page over plain HTTP', code: 'insecure_url', names: /authorization_endpoint/,
    setUp: ({ as }) => { as.metadata = { authorization_endpoint: 'http://as.example/authorize' }; }, never: noLogin },
  { what: 'a token endpoint over plain HTTP', code: 'insecure_url', names: /the token endpoint/,
    setUp: ({ as }) => { as.metadata = { token_endpoint: 'http://as.example/token' }; }, never: noToken },
  { what: 'a registration endpoint over plain HTTP', code: 'insecure_url', names: /the registration endpoint/,
    setUp: ({ as }) => { as.metadata = { registration_endpoint: 'http://as.example/register' }; }, never: noLogin },
  { what: 'an endpoint that is no URL', code: 'metadata_malformed', names: /token_endpoint is "\/token", expected a URL/,
    setUp: ({ as }) => { as.metadata = { token_endpoint: '/token' }; } },
  // The registration.
  { what: 'a registration without an ID', code: 'registration_malformed', names: /client_id is missing/,
    setUp: ({ as }) => { as.answers.set('/register', json({ client_secret: 'x' }, 201)); } },
  // The authorization response.
  { what: 'state missing', code: 'state_mismatch', names: /state is missing/,
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.delete('state'); }, never: noToken },
  { what: 'the state of another login', code: 'state_mismatch',
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.set('state', 'another'); }, never: noToken },
  { what: 'state twice', code: 'state_mismatch',
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.append('state', 'another'); }, never: noToken },
  { what: 'a mixed-up issuer', code: 'issuer_mismatch', names: /iss is "https:\/\/evil\.example"/,
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.set('iss', 'https://evil.example'); }, never: noToken },
  { what: 'a mixed-up issuer where the server does not say that it sends one', code: 'issuer_mismatch', names: /iss is "https:\/\/evil\.example"/,
    setUp: ({ as }) => {
      as.metadata = { authorization_response_iss_parameter_supported: undefined };
      as.redirect = (to) => to.searchParams.set('iss', 'https://evil.example');
    }, never: noToken },
  { what: 'an issuer that is the same only when normalized', code: 'issuer_mismatch',
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.set('iss', `${as.origin}/`); }, never: noToken },
  { what: 'iss missing where the server says that it sends it', code: 'issuer_mismatch', names: /iss is missing/,
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.delete('iss'); }, never: noToken },
  { what: 'an error of another issuer, which is not shown', code: 'issuer_mismatch', names: /^(?!.*(?:call this number|access_denied|help\.example))/,
    setUp: ({ as }) => { as.redirect = (to) => {
      to.searchParams.set('error', 'access_denied');
      to.searchParams.set('error_description', 'call this number');
      to.searchParams.set('error_uri', 'https://help.example');
      to.searchParams.set('iss', 'https://evil.example');
    }; }, never: noToken },
  { what: 'an error without an issuer where the server says that it sends one, which is not shown', code: 'issuer_mismatch', names: /^(?!.*access_denied)/,
    setUp: ({ as }) => { as.redirect = (to) => {
      to.searchParams.set('error', 'access_denied');
      to.searchParams.delete('iss');
    }; }, never: noToken },
  { what: 'a redirect to another origin', code: 'redirect_mismatch', names: /came to "http:\/\/evil\.example\/callback", expected http:\/\/127/,
    setUp: ({ as }) => { as.redirect = (to) => { to.host = 'evil.example'; to.port = ''; }; }, never: noToken },
  { what: 'a redirect to another path', code: 'redirect_mismatch',
    setUp: ({ as }) => { as.redirect = (to) => { to.pathname = '/other'; }; }, never: noToken },
  { what: 'an injected second code', code: 'response_malformed', names: /code occurs 2 times/,
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.append('code', 'injected'); }, never: noToken },
  { what: 'an injected code, which PKCE stops', code: 'token_refused', names: /"invalid_grant"/,
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.set('code', 'of-another-login'); } },
  { what: 'no code', code: 'response_malformed', names: /code is missing/,
    setUp: ({ as }) => { as.redirect = (to) => to.searchParams.delete('code'); }, never: noToken },
  { what: 'nobody logs in', code: 'timeout', options: { limits: { authorizationMs: 20 } }, login: { onAuthorize: () => {} } },
  // The token endpoint.
  { what: 'a token endpoint that redirects', code: 'fetch_redirect', names: /answered a POST with a redirect/,
    setUp: ({ as }) => { as.answers.set('/token', (_, response) => response.writeHead(307, { location: '/stolen' }).end()); },
    never: ({ as }) => assert.ok(!as.requests.includes('POST /stolen')) },
  { what: 'a token response of a megabyte', code: 'fetch_too_large',
    setUp: ({ as }) => { as.token = { padding: megabyte }; } },
  { what: 'a token response that is no JSON', code: 'token_malformed',
    setUp: ({ as }) => { as.answers.set('/token', (_, response) => response.end('<html>')); } },
  { what: 'a token that would be two header fields', code: 'token_malformed', names: /^(?!.*injected)/,
    setUp: ({ as }) => { as.token = { access_token: 'a\r\nx-injected: 1' }; } },
  { what: 'a token type that is not known', code: 'token_malformed', names: /token_type is "mac"/,
    setUp: ({ as }) => { as.token = { token_type: 'mac' }; } },
  { what: 'a bearer token where one bound to the key was asked for', code: 'unsupported', names: /DPoP/, options: { dpop: true } },
  { what: 'a bound token where no key was sent', code: 'token_malformed', options: { dpop: false },
    setUp: ({ as }) => { as.token = { token_type: 'DPoP' }; } },
  { what: 'a key that the server does not sign with', code: 'unsupported', names: /dpop_signing_alg_values_supported has no ES256/, options: { dpop: true },
    setUp: ({ as }) => { as.metadata = { dpop_signing_alg_values_supported: ['RS256'] }; } },
  { what: 'an error that writes the code back', code: 'token_refused', names: /\[redacted\]/,
    setUp: ({ as }) => { as.answers.set('/token', (request, response, body) => {
      const form = new URLSearchParams(body);
      json({ error: 'invalid_grant', error_description: `bad ${form.get('code')} ${form.get('code_verifier')}` }, 400)(request, response, body);
    }); } },
  // The MCP server.
  { what: 'a server that refuses what was issued for it', code: 'token_rejected',
    setUp: ({ rs }) => { rs.answers.set('/mcp', (_, response) => response.writeHead(401).end()); },
    never: ({ as }) => assert.equal(as.logins.length, 1) },
  { what: 'a server that never has scopes enough', code: 'insufficient_scope', names: /the token has them already/,
    setUp: ({ rs }) => {
      rs.metadata = { scopes_supported: ['read'] };
      rs.answers.set('/mcp', (request, response) => request.headers.authorization === undefined
        ? response.writeHead(401).end()
        : response.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="read"' }).end());
    },
    never: ({ as }) => assert.equal(as.logins.length, 1) },
  { what: 'a challenge that names metadata that is not there', code: 'metadata_malformed', names: /the challenge names this address/,
    setUp: ({ rs }) => { rs.answers.set(resourceMetadata, (_, response) => response.writeHead(404).end()); } },
];

for (const { what, code, names, options, login, setUp, never } of cases) {
  test(`oauth, hostile: ${what}`, async (t: TestContext) => {
    const parties = await pair(t);
    setUp?.(parties);
    const error = await call(selfLogin(options, login), parties.rs.url).then(() => undefined, (thrown: unknown) => thrown);
    assert.ok(error instanceof OAuthError, `expected an OAuthError, came ${String(error)}`);
    assert.equal(error.code, code, error.message);
    if (names) assert.match(error.message, names);
    assert.ok(error.message.length < 1000, 'what came is not written back whole');
    never?.(parties);
    for (const secret of parties.as.secrets) {
      assert.ok(!`${error.stack} ${JSON.stringify(error)}`.includes(secret), 'no credential stands in an error');
    }
  });
}

test('oauth, hostile: an issuer that is the same only when normalized, by each rule of RFC 3986', () => {
  const issuer = 'https://as.example/~tenant';
  const read = (iss: string): string => {
    const response = new URL(redirectUri);
    for (const [name, value] of Object.entries({ code: 'c', state: 's', iss })) response.searchParams.set(name, value);
    return readAuthorizationResponse(response, { state: 's', redirectUri, issuer }, { issuer });
  };
  assert.equal(read(issuer), 'c');
  for (const iss of [
    'HTTPS://as.example/~tenant', 'https://AS.example/~tenant', 'https://as.example:443/~tenant', 'https://as.example/~tenant/',
    'https://as.example/%7Etenant', 'https://as.example/./~tenant',
  ]) assert.throws(() => read(iss), { code: 'issuer_mismatch' }, iss);
});

test('oauth, hostile: a server that asks for one scope more each time is answered as often as the program says', async (t) => {
  for (const maxAttempts of [1, 2]) {
    const { as, rs } = await pair(t);
    let asked = 0;
    rs.answers.set('/mcp', (request, response) => request.headers.authorization === undefined
      ? response.writeHead(401).end()
      : response.writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="s${asked++}"` }).end());
    await assert.rejects(call(selfLogin({ limits: { maxAttempts } }), rs.url), { code: 'token_rejected' });
    // The first login, and one for each remaining attempt.
    assert.equal(as.logins.length, maxAttempts);
  }
  // Default: three times.
  const challenged = { status: 403, method: 'POST', header: () => 'Bearer error="insufficient_scope", scope="s"', body: '', sent: { authorization: 'Bearer t' } };
  await assert.rejects(selfLogin().refused({ ...challenged, url: 'https://mcp.example/mcp', attempt: 4 }), { code: 'token_rejected' });
});

test('oauth, hostile: tokens go to the origin that they are for, and to no other', async (t) => {
  const { rs } = await pair(t);
  const other = await pair(t);
  const auth = selfLogin();
  await call(auth, rs.url);
  await assert.rejects(call(auth, other.rs.url), { code: 'other_origin' });
  assert.deepEqual(other.rs.requests, []);
});

test('oauth, hostile: no token over plain HTTP', async () => {
  for (const host of ['mcp.example', 'localhost.evil.example', '127.0.0.1.evil.example', '127.evil.example', 'notlocalhost', '128.0.0.1', '10.0.0.1', '[::2]']) {
    await assert.rejects(call(selfLogin(), `http://${host}/mcp`), { code: 'insecure_url' }, host);
  }
});

/** A client of a public server, whose fetch uses no network. */
function publicClient(documents: Record<string, unknown>, options: Partial<OAuthOptions> = {}): { asked: string[]; run(): Promise<unknown> } {
  const asked: string[] = [];
  const fetch = async (target: unknown): Promise<Response> => {
    asked.push(String(target));
    const document = documents[String(target)];
    return document instanceof Response ? document : document === undefined ? new Response('', { status: 404 }) : Response.json(document);
  };
  const auth = oauth({
    grant: clientCredentials({ clientId: 'job', clientSecret: 'secret' }), fetch: fetch as typeof globalThis.fetch, ...options,
  });
  const url = 'https://mcp.example.com/mcp';
  return {
    asked,
    async run() {
      const sent = await auth.headers({ method: 'POST', url });
      return auth.refused({ status: 401, url, method: 'POST', header: () => undefined, body: '', sent, attempt: 1 });
    },
  };
}

const naming = (issuer: string): Record<string, unknown> => ({
  'https://mcp.example.com/.well-known/oauth-protected-resource/mcp': {
    resource: 'https://mcp.example.com/mcp', authorization_servers: [issuer],
  },
});

for (const host of [
  'localhost', 'printer.local', 'vault.internal', 'intranet', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.169.254',
  '127.0.0.2', '100.64.0.1', '0.0.0.0', '2130706433', '0x7f.1', '[::1]', '[fd00::1]', '[fe80::1]', '[::ffff:10.0.0.1]',
  '[64:ff9b::a00:1]', '[64:ff9b:1::5db8:d822]', '[64:ff9b:0:0:0:1:5db8:d822]', '[2002:a00:1::]', '[::]', 'localhost.',
]) {
  test(`oauth, hostile: a public server names ${host}`, async () => {
    const { asked, run } = publicClient(naming(`https://${host}`));
    await assert.rejects(run(), { code: 'private_address' });
    assert.equal(asked.length, 1);
  });
}

test('oauth, hostile: a public server redirects to a private address, or names one that resolves to it', async () => {
  const metadata = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
  const redirecting = publicClient({ [metadata]: new Response('', { status: 302, headers: { location: 'https://169.254.169.254/latest' } }) });
  await assert.rejects(redirecting.run(), { code: 'private_address' });
  const names = publicClient(naming('https://as.example.com'), {
    lookup: async (hostname) => hostname === 'as.example.com' ? ['93.184.216.34', '10.1.2.3'] : ['93.184.216.34'],
  });
  await assert.rejects(names.run(), { code: 'private_address' });
  const allowed = publicClient(naming('https://10.0.0.1'), { allowPrivateAddresses: true });
  await assert.rejects(allowed.run(), { code: 'metadata_missing' });
  for (const host of ['[2606:2800:220:1::1]', '[64:ff9b::5db8:d822]']) {
    const open = publicClient(naming(`https://${host}`));
    await assert.rejects(open.run(), { code: 'metadata_missing' });
  }
});

test('oauth, hostile: a response that is used twice, or that answers no login', async (t) => {
  const { as, rs } = await pair(t);
  const store = memoryStore();
  let response = '';
  const auth = selfLogin({ store, server: rs.url }, { async onAuthorize(url) { return response = await follow(url); } });
  await call(auth, rs.url);
  await assert.rejects(auth.finish(response), { code: 'state_mismatch' });
  await assert.rejects(auth.finish(`${redirectUri}?code=x`), { code: 'state_mismatch' });
  assert.equal(as.forms.length, 1);
});
