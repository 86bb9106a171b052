import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer } from '../../src/server/mcp-server.ts';
import { TokenError } from '../../src/oauth/errors.ts';
import { bearer } from '../../src/oauth/resource/bearer.ts';
import { introspected, introspection } from '../../src/oauth/resource/introspection.ts';
import { principalOf } from '../../src/oauth/resource/principal.ts';
import type { TokenClaims } from '../../src/oauth/resource/access-token.ts';
import { fetchHandler } from '../../src/transport/http/fetch/handler.ts';
import { randomOf } from '../random.ts';
import { codeOf, isRefusal, present, resource, resourceOf, startIssuer } from './issuer.ts';
import type { Issuer } from './issuer.ts';

/** The real holder of a token. */
interface Holder {
  readonly issuer: string;
  readonly kind: 'person' | 'client';
  readonly name: string;
}

/** The way in which an authorization server writes its claims. Undefined: it does not issue such tokens. */
interface Writing {
  readonly what: string;
  /** Whether its tokens for this kind of holder are accepted: always, with the option, or never. */
  readonly person: 'yes' | 'never';
  readonly client: 'yes' | 'option' | 'never';
  claims(holder: Holder, client: string): TokenClaims;
}

const asked = { [introspected]: true };
const clientOf = ({ kind, name }: Holder, client: string): string => (kind === 'client' ? name : client);
const writings: readonly Writing[] = [
  { what: 'RFC 9068', person: 'yes', client: 'yes', claims: (holder, client) => ({ sub: holder.name, client_id: clientOf(holder, client) }) },
  { what: 'a service account has a subject of its own', person: 'yes', client: 'yes',
    claims: (holder, client) => ({ sub: holder.kind === 'client' ? `service-account-${holder.name}` : holder.name, azp: clientOf(holder, client) }) },
  { what: 'nobody has a subject', person: 'never', client: 'never', claims: (holder, client) => ({ azp: clientOf(holder, client), username: holder.name }) },
  { what: 'a client has no subject, and its grant is named', person: 'yes', client: 'option',
    claims: (holder, client) => holder.kind === 'client' ? { sub: '', cid: holder.name, gty: ['client_credentials'] } : { sub: holder.name, cid: client, gty: 'password' } },
  { what: 'a client has no subject', person: 'yes', client: 'never',
    claims: (holder, client) => holder.kind === 'client' ? { sub: null, client_id: holder.name } : { sub: holder.name, client_id: client } },
  { what: 'introspection with usernames, clients by their grant', person: 'yes', client: 'option',
    claims: (holder, client) => ({ ...asked, client_id: clientOf(holder, client), ...holder.kind === 'client' ? { grant_type: 'client_credentials', username: null } : { username: holder.name } }) },
  { what: 'introspection with usernames', person: 'yes', client: 'never',
    claims: (holder, client) => ({ ...asked, client_id: clientOf(holder, client), ...holder.kind === 'person' && { username: holder.name } }) },
  { what: 'introspection with the client as subject, and usernames', person: 'yes', client: 'yes',
    claims: (holder, client) => ({ ...asked, sub: clientOf(holder, client), client_id: clientOf(holder, client), ...holder.kind === 'person' && { username: `${holder.name}@here` } }) },
  { what: 'introspection with subjects and usernames', person: 'yes', client: 'yes',
    claims: (holder, client) => ({ ...asked, sub: holder.name, client_id: clientOf(holder, client), username: holder.kind === 'person' ? 'shown name' : null }) },
];

test('principal: two tokens have the same one only where the same person, or the same client, holds both', () => {
  const random = randomOf(7);
  const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  // Persons and clients of the same name, and names that look like the inside of a principal.
  const names = ['alice', 'bob', 'app', 'null', '["https://as.example","alice"]', 'alice"]', '42'];
  const holders = new Map<string, string>();
  const counts = { same: 0, refused: 0, accepted: 0 };
  for (let i = 0; i < 20_000; i++) {
    const writing = of(writings);
    // Each server writes its claims in one way.
    const holder: Holder = { issuer: `https://as-${writings.indexOf(writing)}.example`, kind: of(['person', 'client']), name: of(names) };
    const client = of(names.map((name) => `client of ${name}`));
    const option = random() < 0.5;
    const expected = writing[holder.kind] === 'yes' || (writing[holder.kind] === 'option' && option);
    let principal: string;
    try {
      ({ principal } = principalOf(writing.claims(holder, client), holder.issuer, option));
    } catch (thrown) {
      assert.ok(thrown instanceof TokenError && thrown.code === 'token_subject', String(thrown));
      assert.equal(expected, false, `${writing.what}: ${JSON.stringify(holder)} was refused`);
      counts.refused++;
      continue;
    }
    assert.equal(expected, true, `${writing.what}: ${JSON.stringify(holder)} was accepted as ${principal}`);
    counts.accepted++;
    const truth = JSON.stringify(holder);
    const known = holders.get(principal);
    if (known !== undefined) counts.same++;
    assert.equal(known ?? truth, truth, `${writing.what}: one principal for two holders`);
    holders.set(principal, truth);
  }
  assert.ok(counts.same > 1000 && counts.refused > 1000 && counts.accepted > 1000, JSON.stringify(counts));
  // As many principals as holders: no holder has two.
  assert.equal(holders.size, new Set(holders.values()).size);
});

test('principal: whatever the claims hold, it is a text, or the token is refused', () => {
  const random = randomOf(11);
  const values = [undefined, null, '', 'alice', 'app', 7, true, [], ['alice'], {}, 'client_credentials', ['client_credentials'], ['client_credentials', 'password']];
  const of = (): unknown => values[Math.floor(random() * values.length)];
  let accepted = 0;
  for (let i = 0; i < 20_000; i++) {
    const claims: TokenClaims = {
      sub: of(), client_id: of(), azp: of(), cid: of(), username: of(), gty: of(), grant_type: of(), ...random() < 0.5 && asked,
    };
    const option = random() < 0.5;
    try {
      const { principal, subject } = principalOf(claims, 'https://as.example', option);
      accepted++;
      const [, first, client] = JSON.parse(principal) as unknown[];
      assert.ok(typeof first === 'string' ? first === subject : true);
      // A client without a subject is accepted only if the option and the token allow it.
      if (typeof client === 'string' && subject === undefined) {
        assert.ok(option, JSON.stringify(claims));
        for (const grant of [claims.gty, claims.grant_type]) assert.ok([undefined, 'client_credentials', '["client_credentials"]', '[]'].includes(typeof grant === 'object' ? JSON.stringify(grant) : grant as string), JSON.stringify(claims));
      }
    } catch (thrown) {
      assert.ok(thrown instanceof TokenError && ['token_subject', 'token_malformed'].includes(thrown.code), String(thrown));
    }
  }
  assert.ok(accepted > 1000);
});

test('principal: a JWT without sub is refused, unless clients are admitted and it names their grant', async (t) => {
  const issuer = await startIssuer(t);
  const ask = async (claims: Record<string, unknown>, clientsWithoutSubject?: boolean): Promise<unknown> => {
    const found = await present(resourceOf(issuer, clientsWithoutSubject === undefined ? {} : { clientsWithoutSubject }), issuer.token({ sub: undefined, ...claims }));
    return isRefusal(found) ? found.code : JSON.parse(found.principal);
  };
  assert.equal(await ask({}), 'token_subject');
  assert.equal(await ask({}, true), 'token_subject');
  assert.equal(await ask({ username: 'alice', preferred_username: 'alice', active: true }, true), 'token_subject');
  for (const named of [{ gty: 'client-credentials' }, { grant_type: 'client_credentials' }, { gty: ['client_credentials'] }]) {
    assert.equal(await ask(named), 'token_subject');
    assert.deepEqual(await ask(named, true), [issuer.issuer, null, 'app']);
  }
  assert.equal(await ask({ gty: 'authorization_code' }, true), 'token_subject');
  assert.equal(await ask({ gty: ['client_credentials', 'password'] }, true), 'token_subject');
  assert.equal(await ask({ gty: 'client_credentials', client_id: undefined }, true), 'token_subject');
  assert.deepEqual(await ask({ sub: 'app' }), [issuer.issuer, null, 'app']);
});

test('principal: whoever takes the username that is another\'s subject is not that one', () => {
  const of = (claims: TokenClaims): string => principalOf(claims, 'https://as.example', true).principal;
  const all = [
    of({ sub: '42' }), of({ ...asked, username: '42' }), of({ sub: '42', client_id: '42' }), of({ ...asked, sub: 'app', client_id: 'app', username: 'app ' }),
    of({ sub: 'app', client_id: 'app' }), of({ sub: 'app' }), of({ ...asked, username: 'app' }),
  ];
  assert.equal(new Set(all).size, all.length, all.join(' '));
  assert.equal(of({ client_id: 'app', gty: 'client_credentials' }), of({ sub: 'app', client_id: 'app' }));
});

/** A server behind introspection with answers like django-oauth-toolkit's. The username is the token's own text. */
function behindIntrospection(): (token: string, method: string, session?: string) => Promise<Response> {
  const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
    const username = new URLSearchParams(String(init?.body)).get('token');
    return Response.json({ active: true, scope: 'read', client_id: 'app', aud: resource, username });
  };
  const auth = bearer({
    resource, authorizationServers: ['https://as.example'],
    verify: introspection({ endpoint: 'https://as.example/introspect', fetch: fetch as typeof globalThis.fetch }),
  });
  const server = new McpServer({ name: 'notes', version: '1' });
  const notes = new Map<string, string>();
  server.tool('write', {}, (_, ctx) => {
    notes.set(ctx.auth?.principal ?? '', 'a secret');
    return 'written';
  });
  server.tool('read', {}, (_, ctx) => notes.get(ctx.auth?.principal ?? '') ?? 'nothing');
  const handler = fetchHandler(server, { auth, allowedHosts: ['trips.example'] });
  return (token, method, session) => handler(new Request(resource, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream', 'content-type': 'application/json',
      ...session !== undefined && { 'mcp-session-id': session },
    },
    body: JSON.stringify({
      jsonrpc: '2.0', id: 1, ...method === 'initialize'
        ? { method, params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } }
        : { method: 'tools/call', params: { name: method, arguments: {} } },
    }),
  }));
}

test('principal: users of one client, whom introspection names by username alone, do not read what others wrote', async () => {
  const send = behindIntrospection();
  const sessions: Record<string, string> = {};
  for (const person of ['alice', 'bob']) {
    const opened = await send(person, 'initialize');
    await opened.text();
    sessions[person] = opened.headers.get('mcp-session-id') ?? '';
  }
  assert.match(await (await send('alice', 'write', sessions['alice'])).text(), /written/);
  assert.match(await (await send('alice', 'read', sessions['alice'])).text(), /a secret/);
  assert.match(await (await send('bob', 'read', sessions['bob'])).text(), /nothing/);
  assert.equal((await send('bob', 'read', sessions['alice'])).status, 404);
});

test('principal: an `auth` of one\'s own whose principal is no text lets nobody in', async () => {
  for (const principal of [undefined, null, '', 7, {}]) {
    const told: string[] = [];
    const server = new McpServer({ name: 'notes', version: '1' });
    const handler = fetchHandler(server, {
      auth: () => ({ principal: principal as string }), allowedHosts: ['trips.example'], onError: ({ message }) => told.push(message),
    });
    const { status } = await handler(new Request(resource, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }));
    assert.equal(status, 500, String(principal));
    assert.match(told.join(), /must return a principal or a refusal/);
  }
});

test('principal: a wrapper around a verifier may say whose tokens without a person are', async (t) => {
  const issuer = await startIssuer(t);
  const verify = introspection({ endpoint: `${issuer.issuer}/introspect`, fetch: (async () => Response.json({ active: true, aud: resource, client_id: 'job' })) as typeof fetch });
  const auth = resourceOf({ issuer: issuer.issuer } as Issuer, {
    verify: async (token, context) => {
      const claims = await verify(token, context);
      return claims?.['username'] === undefined ? { ...claims, sub: claims?.client_id } : claims;
    },
  });
  const found = await present(auth, 'opaque');
  assert.deepEqual(!isRefusal(found) && JSON.parse(found.principal), [issuer.issuer, null, 'job']);
  assert.equal(codeOf(found), 'accepted');
});
