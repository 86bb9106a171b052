import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { TokenError } from '../../src/oauth/errors.ts';
import { jwtVerifier } from '../../src/oauth/resource/jwt-verifier.ts';
import {
  base64url, codeOf, isRefusal, present, proofKey, request, resource, resourceOf, seconds, serve, signed, signingKey, startIssuer,
} from './issuer.ts';

test('bearer: a good token is who it says', async (t) => {
  const issuer = await startIssuer(t);
  const auth = resourceOf(issuer);
  const found = await present(auth, issuer.token({ scope: 'trips:read trips:write trips:read' }));
  assert.ok(!isRefusal(found));
  assert.equal(found.principal, JSON.stringify([issuer.issuer, 'alice']));
  assert.deepEqual([found.issuer, found.subject, found.clientId, found.scopes], [issuer.issuer, 'alice', 'app', ['trips:read', 'trips:write']]);
  // The token's end plus the leeway in which it is still accepted.
  assert.ok(Math.abs((found.expiresAt ?? 0) - Date.now() - 330_000) < 5000);
  // Handlers do not see the token itself.
  assert.doesNotMatch(JSON.stringify(found), /eyJ/);
  // The same person with a token of another client is the same principal.
  const other = await present(auth, issuer.token({ client_id: 'other' }));
  assert.equal(!isRefusal(other) && other.principal, found.principal);
  assert.deepEqual(issuer.asked, ['GET /.well-known/oauth-authorization-server', 'GET /jwks']);
});

test('bearer: a client that acts for itself is not the person of its name', async (t) => {
  const issuer = await startIssuer(t);
  const auth = resourceOf(issuer);
  const client = await present(auth, issuer.token({ sub: 'alice', client_id: 'alice' }));
  const person = await present(auth, issuer.token({ sub: 'alice' }));
  assert.ok(!isRefusal(client) && !isRefusal(person));
  assert.notEqual(client.principal, person.principal);
  assert.deepEqual([client.subject, client.clientId], ['alice', 'alice']);
});

test('bearer: scopes are read as servers write them', async (t) => {
  const issuer = await startIssuer(t);
  const auth = resourceOf(issuer);
  const cases: [Record<string, unknown>, string[]][] = [
    [{ scope: 'a  b ' }, ['a', 'b']], [{ scope: ['a', 'b'] }, ['a', 'b']], [{ scope: undefined, scp: 'a b' }, ['a', 'b']],
    [{ scope: undefined, scp: ['a', 7, ''] }, ['a']], [{ scope: undefined }, []], [{ scope: { a: 1 } }, []],
  ];
  for (const [claims, scopes] of cases) {
    const found = await present(auth, issuer.token(claims));
    assert.deepEqual(!isRefusal(found) && found.scopes, scopes, JSON.stringify(claims));
  }
});

test('bearer: what is refused, each with its code', async (t) => {
  const issuer = await startIssuer(t);
  const other = await startIssuer(t);
  const auth = resourceOf(issuer);
  const now = seconds();
  const key = issuer.keys[0];
  assert.ok(key);
  const pem = createPublicKey({ key: key.jwk, format: 'jwk' }).export({ format: 'pem', type: 'spki' });
  const good = issuer.token();
  const [header = '', payload = '', signature = ''] = good.split('.');
  const hmac = `${base64url({ alg: 'HS256', typ: 'at+jwt', kid: 'one' })}.${payload}`;
  const stranger = signingKey('one');
  const { jwk } = stranger;
  const cases: Record<string, [string, string]> = {
    'alg none, no signature': [`${base64url({ alg: 'none', typ: 'at+jwt' })}.${payload}.`, 'jwt_algorithm'],
    'alg None': [`${base64url({ alg: 'None', typ: 'at+jwt' })}.${payload}.`, 'jwt_algorithm'],
    'an HMAC made with the public key as PEM': [`${hmac}.${createHmac('sha256', pem).update(hmac).digest('base64url')}`, 'jwt_algorithm'],
    'an HMAC made with the public key as JWK': [`${hmac}.${createHmac('sha256', JSON.stringify(key.jwk)).update(hmac).digest('base64url')}`, 'jwt_algorithm'],
    'another algorithm than the key\'s': [issuer.token({}, { alg: 'ES384' }), 'token_signature'],
    'an algorithm of another kind of key': [issuer.token({}, { alg: 'RS256' }), 'token_signature'],
    'no signature': [`${header}.${payload}.`, 'token_signature'],
    'a signature of zeros': [`${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`, 'token_signature'],
    'the signature in DER': [`${header}.${payload}.${Buffer.from([0x30, 6, 2, 1, 1, 2, 1, 1]).toString('base64url')}`, 'token_signature'],
    'a changed payload': [`${header}.${base64url({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'mallory' })}.${signature}`, 'token_signature'],
    'a signature with a bit changed': [`${header}.${payload}.${(signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)}`, 'token_signature'],
    'a stranger\'s key under the same kid': [issuer.token({}, {}, stranger), 'token_signature'],
    'a stranger\'s key in the header': [issuer.token({}, { jwk }, stranger), 'token_signature'],
    'a stranger\'s key by jku': [issuer.token({}, { jku: 'http://127.0.0.1:1/keys' }, stranger), 'token_signature'],
    'a kid that is not there': [issuer.token({}, { kid: 'two' }), 'token_key'],
    'a kid that is no string': [issuer.token({}, { kid: { $ne: null } }), 'token_key'],
    'a crit header': [issuer.token({}, { crit: ['urn:x'], 'urn:x': 1 }), 'jwt_crit'],
    'a payload that is not encoded (b64)': [issuer.token({}, { crit: ['b64'], b64: false }), 'jwt_crit'],
    'a DPoP proof': [issuer.token({}, { typ: 'dpop+jwt' }), 'token_type'],
    'a logout token': [issuer.token({}, { typ: 'logout+jwt' }), 'token_type'],
    'a typ that is no string': [issuer.token({}, { typ: 7 }), 'token_type'],
    'an ID token by its at_hash': [issuer.token({ at_hash: 'x' }, { typ: 'JWT' }), 'token_type'],
    'an ID token by its token_use': [issuer.token({ token_use: 'id' }, { typ: 'JWT' }), 'token_type'],
    'another issuer': [issuer.token({ iss: 'https://as.example' }), 'token_issuer'],
    'an issuer with a slash more': [issuer.token({ iss: `${issuer.issuer}/` }), 'token_issuer'],
    'another issuer\'s token': [other.token(), 'token_issuer'],
    'another issuer\'s signature': [other.token({ iss: issuer.issuer }), 'token_signature'],
    'no issuer': [issuer.token({ iss: undefined }), 'token_issuer'],
    'a list of issuers': [issuer.token({ iss: [issuer.issuer] }), 'token_issuer'],
    'another audience': [issuer.token({ aud: 'https://other.example/mcp' }), 'token_audience'],
    'the audience as a prefix': [issuer.token({ aud: `${resource}/more` }), 'token_audience'],
    'the host alone as audience': [issuer.token({ aud: 'https://trips.example' }), 'token_audience'],
    'the client as audience': [issuer.token({ aud: 'app' }), 'token_audience'],
    'no audience': [issuer.token({ aud: undefined }), 'token_audience'],
    'an empty list of audiences': [issuer.token({ aud: [] }), 'token_audience'],
    'an audience that nests': [issuer.token({ aud: [[resource]] }), 'token_audience'],
    'expired': [issuer.token({ exp: now - 31 }), 'token_expired'],
    'no exp': [issuer.token({ exp: undefined }), 'token_expiry_missing'],
    'exp as a text': [issuer.token({ exp: '9999999999' }), 'token_malformed'],
    'exp null': [issuer.token({ exp: null }), 'token_malformed'],
    'not yet': [issuer.token({ nbf: now + 60 }), 'token_not_yet'],
    'nbf as a text': [issuer.token({ nbf: 'soon' }), 'token_malformed'],
    'sub as a number': [issuer.token({ sub: 7 }), 'token_malformed'],
    'bound to a certificate': [issuer.token({ cnf: { 'x5t#S256': 'x' } }), 'token_binding'],
    'bound to a key, without a proof': [issuer.token({ cnf: { jkt: proofKey().jkt } }), 'token_binding'],
    'cnf that is no object': [issuer.token({ cnf: 'x' }), 'token_binding'],
    'an opaque token': ['opaque-token', 'jwt_malformed'],
    'five parts': ['a.b.c.d.e', 'jwt_malformed'],
    'a payload that is an array': [signed({ alg: 'ES256', typ: 'at+jwt', kid: 'one' }, [], key.privateKey), 'jwt_malformed'],
  };
  for (const [name, [token, code]] of Object.entries(cases)) {
    const found = await present(auth, token);
    assert.equal(codeOf(found), code, name);
    assert.ok(isRefusal(found));
    assert.equal(found.status, 401, name);
    assert.match(found.challenge, /^Bearer resource_metadata="https:\/\/trips\.example\/\.well-known\/oauth-protected-resource\/mcp", scope="trips:read trips:write", error="invalid_token", error_description="[^"]+"$/, name);
    assert.ok(!found.challenge.includes(signature), name);
  }
  assert.equal(codeOf(await present(auth, good)), 'accepted');
  // The leeway and lists are accepted.
  for (const claims of [{ exp: now - 20 }, { nbf: now + 20 }, { aud: ['https://x.example', resource] }, { exp: now + 0.5 }, { exp: 1e300 }]) {
    assert.equal(codeOf(await present(auth, issuer.token(claims))), 'accepted', JSON.stringify(claims));
  }
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', undefined]) {
    assert.equal(codeOf(await present(auth, issuer.token({}, { typ }))), 'accepted', String(typ));
  }
});

test('bearer: the header alone, one token, of bounded length', async (t) => {
  const issuer = await startIssuer(t);
  const auth = resourceOf(issuer);
  const token = issuer.token();
  const cases: [Record<string, string>, string, number, unknown][] = [
    [{}, '', 401, undefined], [{ authorization: '' }, '', 401, undefined],
    [{ authorization: 'Basic YTpi' }, '', 401, undefined], [{ authorization: `Digest ${token}` }, '', 401, undefined],
    [{}, `access_token=${token}`, 400, 'token_in_query'], [{}, `a=1&access_token=${token}`, 400, 'token_in_query'],
    [{ authorization: `Bearer ${token}` }, `access_token=${token}`, 400, 'token_in_query'],
    [{ authorization: 'Bearer' }, '', 400, 'token_malformed'], [{ authorization: 'Bearer ' }, '', 400, 'token_malformed'],
    [{ authorization: `Bearer ${token}, Bearer ${token}` }, '', 400, 'token_malformed'],
    [{ authorization: `Bearer ${token} ${token}` }, '', 400, 'token_malformed'],
    [{ authorization: 'Bearer "quoted"' }, '', 400, 'token_malformed'],
    [{ authorization: `Bearer ${'a'.repeat(16 * 1024 + 1)}` }, '', 400, 'token_too_long'],
    [{ authorization: `Bearer ${'a'.repeat(5_000_000)}` }, '', 400, 'token_too_long'],
    [{ authorization: `${' '.repeat(500_000)}x` }, '', 401, undefined],
    [{ authorization: `Bearer a${' '.repeat(16_000)}b` }, '', 400, 'token_malformed'],
  ];
  for (const [headers, query, status, code] of cases) {
    const found = await auth.authenticate(request(headers, { query }));
    const name = JSON.stringify(headers).slice(0, 60) + query.slice(0, 20);
    assert.ok(isRefusal(found), name);
    assert.deepEqual([found.status, codeOf(found)], [status, code], name);
    const whole = 'Bearer resource_metadata="https://trips.example/.well-known/oauth-protected-resource/mcp", scope="trips:read trips:write"';
    if (status === 401) assert.equal(found.challenge, whole, name);
    else assert.equal(found.challenge.replace(/"[^"]+"$/, '"…"'), `${whole}, error="invalid_request", error_description="…"`, name);
  }
  for (const scheme of ['Bearer', 'bearer', 'BEARER', ' Bearer', 'Bearer  ']) {
    assert.equal(codeOf(await auth.authenticate(request({ authorization: `${scheme} ${token} ` }))), 'accepted', scheme);
  }
  assert.equal(codeOf(await auth.authenticate(request({ authorization: `Bearer ${token}` }, { query: 'my_access_token=1' }))), 'accepted');
});

test('bearer: nothing that a token says ends a quoted string of the challenge', async (t) => {
  const issuer = await startIssuer(t);
  const auth = resourceOf(issuer);
  for (const iss of ['x", realm="evil', 'a\\', 'a\r\nSet-Cookie: a=b', 'ü€\u0000', 'y'.repeat(10_000)]) {
    const found = await present(auth, issuer.token({ iss }));
    assert.ok(isRefusal(found));
    assert.match(found.challenge, /^[\x20-\x7e]+$/);
    assert.ok(found.challenge.length < 1000);
    assert.equal(found.challenge.match(/"/g)?.length, 8, found.challenge);
    assert.doesNotMatch(found.challenge, /realm="/);
  }
});

test('bearer: 403 names all the scopes of the operation, and a hierarchy counts', async (t) => {
  const issuer = await startIssuer(t);
  const auth = resourceOf(issuer, {
    requiredScopes: ['mcp'],
    implies: (held, needed) => held === 'owner' || (held === 'trips:admin' && needed.startsWith('trips:')),
  });
  const found = await present(auth, issuer.token({ scope: 'mcp trips:read' }));
  assert.ok(!isRefusal(found));
  assert.equal(found.lacks(['trips:read']), undefined);
  assert.equal(found.lacks([]), undefined);
  const refused = found.lacks(['trips:read', 'trips:write']);
  assert.equal(refused?.status, 403);
  const said = 'error="insufficient_scope", error_description="the token\'s scopes are insufficient, expected mcp trips:read trips:write"';
  assert.equal(refused.challenge, `Bearer resource_metadata="${auth.metadataUrl}", scope="mcp trips:read trips:write", ${said}`);
  const admin = await present(auth, issuer.token({ scope: 'mcp trips:admin' }));
  assert.equal(!isRefusal(admin) && admin.lacks(['trips:read', 'trips:write']), undefined);
  // The scopes that every request needs, and that a 401 tells a client to begin with.
  const none = await present(auth, issuer.token({ scope: 'trips:admin' }));
  assert.deepEqual([isRefusal(none) && none.status, codeOf(none)], [403, 'insufficient_scope']);
  assert.equal(isRefusal(none) && none.challenge.replace(/"[^"]+"$/, '"…"'), `Bearer resource_metadata="${auth.metadataUrl}", scope="mcp", error="insufficient_scope", error_description="…"`);
  const missing = await auth.authenticate(request({}));
  assert.match(String(isRefusal(missing) && missing.challenge), /scope="mcp"/);
  // The hierarchy of `implies` also applies to the required scopes.
  const owner = await present(auth, issuer.token({ scope: 'owner' }));
  assert.equal(!isRefusal(owner) && owner.lacks(['trips:read']), undefined);
  const first = await resourceOf(issuer, { requiredScopes: ['mcp'], initialScopes: ['mcp', 'trips:read'] }).authenticate(request({}));
  assert.match(String(isRefusal(first) && first.challenge), /scope="mcp trips:read"/);
});

test('bearer: a verifier of the operator\'s own is judged like every other', async (t) => {
  const issuer = await startIssuer(t);
  const good = { sub: 'alice', aud: resource, scope: 'a' };
  const cases: [unknown, unknown][] = [
    [good, 'accepted'], [undefined, 'token_invalid'], [{ ...good, aud: undefined }, 'token_audience'],
    [{ ...good, iss: 'https://x.example' }, 'token_issuer'], [{ ...good, exp: seconds() - 60 }, 'token_expired'],
  ];
  for (const [claims, code] of cases) {
    const auth = resourceOf(issuer, { verify: async () => claims as typeof good });
    const found = await present(auth, 'key');
    assert.deepEqual([codeOf(found), isRefusal(found) && found.status], [code, code !== 'accepted' && 401], JSON.stringify(claims));
  }
  const refusing = resourceOf(issuer, { verify: () => Promise.reject(new TokenError('revoked', 'it was revoked')) });
  assert.equal(codeOf(await present(refusing, 'key')), 'revoked');
  // Any other error is a fault of this side: HTTP answers 500.
  const broken = resourceOf(issuer, { verify: () => Promise.reject(new Error('no database')) });
  await assert.rejects(present(broken, 'key'), /no database/);
});

test('bearer: who was refused, and why, is told; never the token', async (t) => {
  const issuer = await startIssuer(t);
  const told: string[] = [];
  const auth = resourceOf(issuer, { onRefused: (error, { path }) => told.push(`${path} ${error.code}: ${error.message}`) });
  const token = issuer.token({ exp: seconds() - 100 });
  await present(auth, token);
  await auth.authenticate(request({}));
  assert.match(told.join('\n'), /^\/mcp token_expired: the token expired 10\d s ago$/);
});

test('bearer: other names of the resource, and a resource without a path', async (t) => {
  const issuer = await startIssuer(t);
  const named = resourceOf(issuer, { audiences: ['app'] });
  assert.equal(codeOf(await present(named, issuer.token({ aud: ['app'] }))), 'accepted');
  // Even then an ID token, whose audience is the client, is refused.
  assert.equal(codeOf(await present(named, issuer.token({ aud: 'app', at_hash: 'x' }, { typ: 'JWT' }))), 'token_type');
  for (const name of ['https://trips.example', 'https://trips.example/']) {
    const root = resourceOf(issuer, { resource: name });
    assert.equal(root.metadataUrl, 'https://trips.example/.well-known/oauth-protected-resource');
    assert.deepEqual(Object.keys(root.documents), ['/.well-known/oauth-protected-resource']);
    assert.equal(root.metadata.resource, name);
    for (const aud of ['https://trips.example', 'https://trips.example/']) {
      assert.equal(codeOf(await present(root, issuer.token({ aud }))), 'accepted');
    }
  }
});

test('bearer: scheme and host of the resource are taken in any case, in the options and in a token; its path is not', async (t) => {
  const issuer = await startIssuer(t);
  const names = ['https://trips.example/Mcp', 'HTTPS://Trips.EXAMPLE/Mcp', 'https://TRIPS.example/Mcp', 'Https://trips.example/Mcp'];
  for (const name of names) {
    const auth = resourceOf(issuer, { resource: name });
    // The identifier is published as its owner wrote it.
    assert.equal(auth.metadata.resource, name);
    for (const aud of names) assert.equal(codeOf(await present(auth, issuer.token({ aud }))), 'accepted', `${name} for ${aud}`);
    for (const aud of ['https://trips.example/mcp', 'HTTPS://TRIPS.EXAMPLE/MCP', 'https://trips.example@evil.example/Mcp']) {
      assert.equal(codeOf(await present(auth, issuer.token({ aud }))), 'token_audience', `${name} for ${aud}`);
    }
  }
  const root = resourceOf(issuer, { resource: 'HTTPS://Trips.example' });
  for (const aud of ['https://trips.example', 'https://trips.example/', 'HTTPS://TRIPS.EXAMPLE', 'HTTPS://TRIPS.EXAMPLE/']) {
    assert.equal(codeOf(await present(root, issuer.token({ aud }))), 'accepted', aud);
  }
  // A name that is not a URL is compared unchanged.
  const named = resourceOf(issuer, { audiences: ['App'] });
  assert.equal(codeOf(await present(named, issuer.token({ aud: 'app' }))), 'token_audience');
});

test('bearer: options that cannot be right are refused at the start', async (t) => {
  const issuer = await startIssuer(t);
  const cases: [object, string][] = [
    [{ resource: 'mcp' }, 'invalid_url'], [{ resource: 'http://trips.example/mcp' }, 'insecure_url'],
    [{ resource: `${resource}#x` }, 'invalid_url'], [{ authorizationServers: [] }, 'no_authorization_server'],
    [{ authorizationServers: ['http://as.example'] }, 'insecure_url'], [{ authorizationServers: ['https://as.example?x'] }, 'invalid_url'],
    [{ scopes: ['a b'] }, 'invalid_scope'], [{ requiredScopes: [''] }, 'invalid_scope'], [{ scopes: ['offline_access'] }, 'invalid_scope'],
  ];
  // Without a type checker: an unknown option name, and missing options.
  cases.push([{ requiredScope: ['trips:read'] }, 'unknown_option'], [{ resource: undefined }, 'invalid_url'], [{ authorizationServers: undefined }, 'no_authorization_server']);
  assert.throws(() => resourceOf(issuer, { requiredScope: [] } as object), { name: 'TypeError', code: 'unknown_option', message: 'bearer: options.requiredScope is unknown, did you mean requiredScopes?' });
  for (const [options, code] of cases) assert.throws(() => resourceOf(issuer, options), { code }, JSON.stringify(options));
  assert.throws(() => jwtVerifier({ algorithms: ['ES256', 'HS256'] }), /HS256/);
  assert.throws(() => jwtVerifier({ algorithms: ['none'] }), /none/);
});

test('bearer: the metadata document', async (t) => {
  const issuer = await startIssuer(t);
  const { documents, metadata } = resourceOf(issuer, { metadata: { resource_name: 'Trips' }, dpop: {} });
  assert.deepEqual(Object.keys(documents), ['/.well-known/oauth-protected-resource/mcp']);
  assert.equal(documents['/.well-known/oauth-protected-resource/mcp']?.(), metadata);
  const { dpop_signing_alg_values_supported: algorithms, ...rest } = metadata;
  assert.deepEqual(rest, {
    resource, authorization_servers: [issuer.issuer], scopes_supported: ['trips:read', 'trips:write'],
    bearer_methods_supported: ['header'], dpop_bound_access_tokens_required: false, resource_name: 'Trips',
  });
  // Extra metadata does not replace members that the options set.
  const other = resourceOf(issuer, { metadata: { resource: 'https://other.example/mcp', authorization_servers: [] } }).metadata;
  assert.deepEqual([other.resource, other.authorization_servers], [resource, [issuer.issuer]]);
  assert.ok(algorithms?.includes('ES256') && !algorithms.some((name) => /none|HS/.test(name)));
  // DPoP without the option is neither in the metadata nor in a challenge.
  assert.doesNotMatch(JSON.stringify(resourceOf(issuer).metadata), /dpop/);
  const offered = await resourceOf(issuer, { dpop: {} }).authenticate(request({}));
  assert.match(isRefusal(offered) ? offered.challenge : '', /^Bearer resource_metadata="[^"]+", scope="[^"]+", DPoP algs="ES256 /);
});

test('bearer: keys that cannot be had are a fault of this side, not of the token', async (t) => {
  const empty = await serve(t, (_, res) => {
    res.writeHead(404).end();
  });
  const auth = resourceOf({ issuer: empty.origin } as never);
  const token = signed({ alg: 'ES256', typ: 'at+jwt' }, { iss: empty.origin, exp: seconds() + 60 }, signingKey().privateKey);
  await assert.rejects(present(auth, token), { code: 'jwks_unavailable', message: /authorization server metadata of .* was not found/ });
});
