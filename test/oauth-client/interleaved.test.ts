import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { authorizationCode, AuthorizationRequired, memoryStore, oauth, OAuthError } from '../../src/oauth/index.ts';
import type { AuthorizationStore, Grant, OAuth } from '../../src/oauth/index.ts';
import { everyNth } from '../every-nth.ts';
import { randomOf } from '../random.ts';
import { pair } from './authorization-server.ts';
import { call, follow, selfLogin } from './login.ts';

const redirectUri = 'https://app.example/callback';
const issuers = ['https://as-one.example', 'https://as-two.example'] as const;
/** Two resources on one host, whose metadata names the whole host as the resource, and two on unrelated hosts. */
const places = [
  { url: 'https://bank.example/mcp', resource: 'https://bank.example/mcp' },
  { url: 'https://evil.example/mcp', resource: 'https://evil.example/mcp' },
  { url: 'https://host.example/honest', resource: 'https://host.example' },
  { url: 'https://host.example/evil', resource: 'https://host.example' },
] as const;

/** The resource, person and issuer for which a login was begun. */
interface Begun {
  readonly place: number;
  readonly person: number;
  readonly issuer: string;
}

/** A value that an authorization server issued for a login: a code, an access token or a refresh token. */
interface Given {
  readonly state: string;
  readonly issuer: string;
  readonly challenge: string;
}

/** Authorization servers and MCP servers that check the destination of every value. */
class World {
  /** The authorization server that each MCP server names. */
  readonly named = places.map(() => issuers[0] as string);
  readonly begun = new Map<string, Begun>();
  readonly given = new Map<string, Given>();
  readonly revoked = new Set<string>();
  tokensSeen = 0;
  #made = 0;

  readonly fetch = async (target: unknown, init?: { method?: string; body?: unknown }): Promise<Response> => {
    const url = new URL(String(target));
    const { origin, pathname } = url;
    const wellKnown = '/.well-known/oauth-protected-resource';
    const at = places.findIndex((place) => `${new URL(place.url).origin}${wellKnown}${new URL(place.url).pathname}` === url.href);
    if (at >= 0) return Response.json({ resource: places[at]?.resource, authorization_servers: [this.named[at]] });
    if (pathname === '/.well-known/oauth-authorization-server') {
      return Response.json({
        issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`, code_challenge_methods_supported: ['S256'], token_endpoint_auth_methods_supported: ['none'],
      });
    }
    if (pathname === '/register') return Response.json({ client_id: `client at ${origin}` }, { status: 201 });
    if (pathname === '/token') return this.#token(origin, new URLSearchParams(String(init?.body)));
    return new Response('', { status: 404 });
  };

  /** Logs the person in. Returns the address to which the authorization server redirects the browser. */
  authorize(url: string): string {
    const { origin, searchParams } = new URL(url);
    const state = searchParams.get('state') ?? '';
    const code = this.#give('code', { state, issuer: origin, challenge: searchParams.get('code_challenge') ?? '' });
    return `${redirectUri}?code=${code}&state=${state}`;
  }

  /** A request to an MCP server: compares its resource and person with those of its token's login. */
  request(place: number, person: number, { authorization = '' }: Record<string, string>): number {
    const token = authorization.slice('Bearer '.length);
    if (token === '') return 401;
    const { state, issuer } = this.given.get(token) as Given;
    const { place: meant, person: by } = this.begun.get(state) as Begun;
    assert.deepEqual([meant, by], [place, person], `a token of ${places[meant]?.url} reached ${places[place]?.url}`);
    this.tokensSeen++;
    return this.revoked.has(token) || issuer !== this.named[place] ? 401 : 200;
  }

  #give(kind: string, given: Given): string {
    const text = `${kind}-${++this.#made}`;
    this.given.set(text, given);
    return text;
  }

  #token(origin: string, form: URLSearchParams): Response {
    const presented = form.get('code') ?? form.get('refresh_token') ?? '';
    const given = this.given.get(presented);
    assert.equal(given?.issuer, origin, 'what one authorization server gave reached another');
    if (given === undefined || this.revoked.has(presented)) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    this.revoked.add(presented);
    if (form.has('code')) {
      assert.equal(createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url'), given.challenge);
    }
    return Response.json({
      access_token: this.#give('access', given), refresh_token: this.#give('refresh', given), token_type: 'Bearer', expires_in: 3600,
    });
  }
}

/** A program's `OAuth` object for one MCP server and one person. */
interface Client {
  readonly place: number;
  readonly person: number;
  auth: OAuth;
}

interface Open {
  readonly response: string;
  readonly state: string;
  /** The call that waits for the login, if one waits. */
  readonly call?: Promise<unknown> | undefined;
  used: boolean;
}

/** One program or several, in a random order of logins, responses, calls and restarts. */
class Run {
  readonly world = new World();
  readonly stores: readonly AuthorizationStore[];
  readonly clients: Client[];
  readonly open: Open[] = [];
  readonly counts = { refusedElsewhere: 0, finished: 0, late: 0 };
  readonly #random: (below: number) => number;
  readonly #grants: Map<string, Grant> | undefined;
  #shown: ((url: URL) => void) | undefined;

  constructor(seed: number) {
    const random = randomOf(seed);
    this.#random = (below) => Math.floor(random() * below);
    this.stores = [memoryStore(), memoryStore()];
    // One grant for all objects, or one for each.
    this.#grants = this.#random(2) === 0 ? new Map() : undefined;
    const chosen = places.map((_, i) => i).filter(() => this.#random(4) > 0);
    this.clients = chosen.flatMap((place) => [0, 1].map((person) => ({ place, person, auth: this.#make(place, person, true) })));
  }

  #grant(interactive: boolean): Grant {
    const make = (): Grant => authorizationCode({
      client: { name: 'app' }, redirectUri, interactive, onAuthorize: (url) => this.#shown?.(url),
    });
    if (!this.#grants) return make();
    const name = String(interactive);
    const grant = this.#grants.get(name) ?? make();
    this.#grants.set(name, grant);
    return grant;
  }

  #make(place: number, person: number, interactive: boolean): OAuth {
    return oauth({
      server: places[place]?.url, store: this.stores[person], grant: this.#grant(interactive), fetch: this.world.fetch as typeof fetch,
    });
  }

  async #call({ place, person, auth }: Client): Promise<number> {
    const url = places[place]?.url ?? '';
    for (let attempt = 1; ; attempt++) {
      const sent = await auth.headers({ method: 'POST', url });
      const status = this.world.request(place, person, sent);
      if (status === 200 || attempt > 3) return status;
      await auth.refused({ status, url, method: 'POST', header: () => undefined, body: '', sent, attempt });
    }
  }

  #began({ place, person }: Client, url: string, call?: Promise<unknown>): void {
    const { searchParams, origin } = new URL(url);
    const state = searchParams.get('state') ?? '';
    this.world.begun.set(state, { place, person, issuer: origin });
    this.open.push({ response: this.world.authorize(url), state, call, used: false });
  }

  /** Makes a call, which may begin a login. The call waits for the login, or leaves it to the object that gets the response. */
  async #use(client: Client): Promise<void> {
    const waits = this.#random(2) === 0;
    client.auth = this.#make(client.place, client.person, waits);
    let call: Promise<number | Error> | undefined;
    const shown = new Promise<URL>((resolve) => { this.#shown = resolve; });
    call = this.#call(client).catch((error: Error) => error);
    const first = await Promise.race([shown, call]);
    this.#shown = undefined;
    if (first instanceof URL) this.#began(client, first.href, call);
    else if (first instanceof AuthorizationRequired) this.#began(client, first.url);
    else assert.ok(first === 200 || (first instanceof OAuthError && first.code === 'timeout'), String(first));
  }

  /** Whether a login of this client waits in this process: another call would wait for it. */
  #isBusy({ place, person }: Client): boolean {
    return this.open.some(({ call, used, state }) => {
      const begun = this.world.begun.get(state);
      return call && !used && begun?.place === place && begun.person === person;
    });
  }

  /** Passes a response to the objects in a random order, as a program with one redirect URI does. */
  async #answer(open: Open): Promise<void> {
    const begun = this.world.begun.get(open.state) as Begun;
    const order = [...this.clients].sort(() => this.#random(3) - 1);
    for (const client of order.slice(0, 1 + this.#random(order.length))) {
      const meant = client.place === begun.place && client.person === begun.person;
      const error = await client.auth.finish(open.response).then(() => undefined, (thrown: OAuthError) => thrown);
      if (!meant || open.used) {
        assert.equal(error?.code, 'state_mismatch', `${places[begun.place]?.url} at ${places[client.place]?.url}`);
        this.counts.refusedElsewhere++;
        continue;
      }
      this.#count(open, error);
      open.used = true;
      await open.call;
    }
  }

  /**
   * A response is refused exactly if its login was replaced: the server has named another authorization server, and a login was begun
   * there.
   */
  #count({ state }: Open, error: OAuthError | undefined): void {
    const all = [...this.world.begun];
    const { place, person, issuer } = this.world.begun.get(state) as Begun;
    const replaced = all.slice(all.findIndex(([one]) => one === state))
      .some(([, later]) => later.place === place && later.person === person && later.issuer !== issuer);
    assert.equal(error?.code, replaced ? 'state_mismatch' : undefined);
    this.counts[replaced ? 'late' : 'finished']++;
  }

  async step(): Promise<void> {
    const client = this.clients[this.#random(this.clients.length)];
    if (!client) return;
    switch (this.#random(9)) {
      case 0: case 8: {
        this.world.named[client.place] = issuers[this.#random(2)] as string;
        return;
      }
      case 1: {
        for (const token of this.world.given.keys()) if (token.startsWith('access')) this.world.revoked.add(token);
        return;
      }
      case 2: case 3: case 4: {
        if (!this.#isBusy(client)) await this.#use(client);
        return;
      }
      default: {
        const open = this.open[this.#random(this.open.length)];
        if (open && (!open.used || this.#random(4) === 0)) await this.#answer(open);
      }
    }
  }

  /** Each login that still waits must be finished by its own object, even if other objects got the response before. */
  async end(): Promise<void> {
    for (const open of this.open.filter(({ used }) => !used)) {
      const begun = this.world.begun.get(open.state) as Begun;
      const own = this.clients.find(({ place, person }) => place === begun.place && person === begun.person) as Client;
      const error = await own.auth.finish(open.response).then(() => undefined, (thrown: OAuthError) => thrown);
      this.#count(open, error);
      open.used = true;
      await open.call;
    }
    for (const client of this.clients) {
      const headers = await client.auth.headers({ method: 'POST', url: places[client.place]?.url ?? '' });
      this.world.request(client.place, client.person, headers);
    }
  }
}

test('oauth: no token reaches a server other than that which its login was begun for, however responses are handed in', async () => {
  const sum = { refusedElsewhere: 0, finished: 0, late: 0, tokensSeen: 0 };
  const share = everyNth(12);
  for (let seed = 1; seed <= 400; seed += share) {
    const run = new Run(seed);
    for (let step = 0; step < 30; step++) await run.step();
    await run.end();
    for (const key of ['refusedElsewhere', 'finished', 'late'] as const) sum[key] += run.counts[key];
    sum.tokensSeen += run.world.tokensSeen;
  }
  assert.ok(sum.refusedElsewhere > 4_000 / share && sum.finished > 1_600 / share && sum.late > 20 / share && sum.tokensSeen > 4_000 / share, JSON.stringify(sum));
});

test('oauth: finish takes a login of the same client, redirect URI and resource only, and leaves others where they are', async (t) => {
  const { as, rs } = await pair(t);
  const store = memoryStore();
  const begin = async (options: Parameters<typeof selfLogin>[0], code: Parameters<typeof selfLogin>[1]): Promise<string> => {
    const error: unknown = await call(selfLogin({ store, ...options }, { interactive: false, ...code }), rs.url).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AuthorizationRequired);
    return follow(new URL(error.url));
  };
  const finish = (response: string, options: Parameters<typeof selfLogin>[0], code: Parameters<typeof selfLogin>[1]): Promise<void> =>
    selfLogin({ store, server: rs.url, ...options }, { interactive: false, ...code }).finish(response);
  const registered = (clientId: string, issuer?: string) => ({ client: { registered: { clientId, issuer } } });

  // Another client: registered by hand, with an ID equal to the name of one that the program registered.
  const byName = await begin({}, { client: { name: 'same' } });
  await assert.rejects(finish(byName, {}, registered('same')), { code: 'login_mismatch', message: /has the client ID "client-1", expected "same"/ });
  await assert.rejects(finish(byName, {}, registered('same', 'https://as.example')), { code: 'issuer_changed' });
  await assert.rejects(finish(byName, {}, registered('other')), { code: 'state_mismatch' });
  // Another redirect URI, another resource.
  const elsewhere = { client: { name: 'same' }, redirectUri: 'http://127.0.0.1:9/elsewhere' };
  await assert.rejects(finish(byName, {}, elsewhere), { code: 'login_mismatch', message: /has the redirect URI "http:\/\/127\.0\.0\.1:9\/callback"/ });
  await assert.rejects(finish(byName, { resource: 'api://other' }, { client: { name: 'same' } }), { code: 'login_mismatch', message: /expected "api:\/\/other"/ });
  await assert.rejects(finish(byName, { resource: false }, { client: { name: 'same' } }), { code: 'login_mismatch' });
  assert.equal(as.forms.length, 0, 'nobody was asked for a token');
  await finish(byName, {}, { client: { name: 'same' } });
  assert.equal(as.forms.length, 1);

  const api = await begin({ resource: 'api://trips' }, { client: { name: 'api' } });
  await assert.rejects(finish(api, {}, { client: { name: 'api' } }), { code: 'login_mismatch' });
  await finish(api, { resource: 'api://trips' }, { client: { name: 'api' } });
});
