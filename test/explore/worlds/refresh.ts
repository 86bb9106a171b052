import { authorizationCode, memoryStore, oauth } from '../../../src/oauth/index.ts';
import type { AuthorizationStore } from '../../../src/oauth/index.ts';
import type { ManualClock } from '../../../src/bounds/manual-clock.ts';
import { calm, pass, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { nothingHeld } from '../invariants.ts';
import { steadyRandom } from '../steady-random.ts';

const url = 'https://mcp.example/mcp';
const issuer = 'https://as.example';
const redirectUri = 'http://127.0.0.1:1/callback';

/** An operation that a process has requested from the store or from the authorization server. */
interface Pending {
  readonly process: string;
  readonly what: string;
  run(): void;
}

/** The places that an operation reads or changes. Two reads do not conflict. */
const places = (process: string, what: string): string[] =>
  what === 'asks the server' ? ['server'] : what === 'reads' ? [`store of ${process}`] : ['store of one', 'store of two'];

/** An authorization server that accepts each refresh token once: a client that sends one again loses its login. */
class AuthorizationServer {
  current = { access: 'access-0', refresh: 'refresh-0' };
  refreshes = 0;
  fault: string | undefined;
  readonly #taken = new Set<string>();

  async fetch(target: unknown, init?: { body?: unknown }): Promise<Response> {
    const { pathname, href } = new URL(String(target));
    if (href.includes('oauth-protected-resource')) return Response.json({ resource: url, authorization_servers: [issuer] });
    if (pathname.endsWith('oauth-authorization-server')) {
      return Response.json({
        issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, registration_endpoint: `${issuer}/register`,
        code_challenge_methods_supported: ['S256'], token_endpoint_auth_methods_supported: ['none'],
      });
    }
    if (pathname === '/register') return Response.json({ client_id: 'client' }, { status: 201 });
    if (pathname !== '/token') return new Response('', { status: 404 });
    const form = new URLSearchParams(String(init?.body));
    const token = form.get('refresh_token');
    if (token !== null) {
      if (this.#taken.has(token)) this.fault = `${token} was sent twice`;
      this.#taken.add(token);
      this.refreshes++;
      if (token !== this.current.refresh) return Response.json({ error: 'invalid_grant' }, { status: 400 });
    }
    const n = this.refreshes;
    this.current = { access: `access-${n}`, refresh: `refresh-${n}` };
    return Response.json({ access_token: this.current.access, refresh_token: this.current.refresh, token_type: 'Bearer', expires_in: 3600 });
  }
}

const grant = (onAuthorize: (url: URL) => string | void): ReturnType<typeof authorizationCode> =>
  authorizationCode({ client: { name: 'app' }, redirectUri, onAuthorize });

/** A login uses WebCrypto keys, which work in threads. So it runs once, and each world begins with the store that it left. */
let logged: Promise<[string, string][]> | undefined;

async function login(): Promise<[string, string][]> {
  const server = new AuthorizationServer();
  const texts = new Map<string, string>();
  const inner = memoryStore();
  const store: AuthorizationStore = {
    get: inner.get,
    async update(key, expected, next) {
      const done = await inner.update(key, expected, next);
      if (done && next !== undefined) texts.set(key, next);
      if (done && next === undefined) texts.delete(key);
      return done;
    },
  };
  const auth = oauth({
    server: url, store, clock: worldClock(), fetch: server.fetch.bind(server) as typeof fetch,
    grant: grant((page) => `${redirectUri}?code=c&state=${page.searchParams.get('state')}&iss=${encodeURIComponent(issuer)}`),
  });
  await auth.refused({ status: 401, url, method: 'POST', header: () => undefined, body: '', sent: {}, attempt: 1 });
  return [...texts];
}

/** Two processes with an expired access token and one store. Each call to the store and to the server waits; one process may die. */
async function make(): Promise<World> {
  steadyRandom();
  const clock: ManualClock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const inner = memoryStore();
  for (const [key, text] of await (logged ??= login())) await inner.update(key, undefined, text);
  const server = new AuthorizationServer();
  const pending: Pending[] = [];
  const dead = new Set<string>();
  const errors: string[] = [];
  const results = new Map<string, string>();
  // The access token expires.
  clock.tick(clock.now() + 3_600_000);
  const start = (process: string): void => {
    const wait = <A extends unknown[], T>(what: string, call: (...args: A) => Promise<T>) => (...args: A): Promise<T> =>
      new Promise((resolve, reject) => {
        pending.push({ process, what, run: () => void call(...args).then((value) => dead.has(process) || resolve(value), reject) });
      });
    const auth = oauth({
      server: url, clock, onError: (error) => errors.push(error.message), grant: grant(() => {
        throw new Error('the person was asked');
      }),
      store: { get: wait('reads', inner.get), update: wait('writes', inner.update) },
      fetch: wait('asks the server', server.fetch.bind(server)) as unknown as typeof fetch,
    });
    Promise.resolve(auth.headers({ method: 'POST', url })).then(
      ({ authorization = 'nothing' }) => results.set(process, authorization),
      (error: Error) => results.set(process, error.message),
    );
  };
  start('one');
  start('two');
  await settle();
  let ticks = 0;
  const alive = (): string[] => ['one', 'two'].filter((process) => !dead.has(process));
  const through = (one: Pending): Promise<void> => {
    pending.splice(pending.indexOf(one), 1);
    one.run();
    return settle();
  };

  return {
    steps() {
      const steps: Step[] = [];
      for (const process of alive()) {
        const one = pending.find((each) => each.process === process);
        if (one) steps.push({ name: `${process} ${one.what}`, touches: [...places(process, one.what), process], run: () => through(one) });
        if (dead.size === 0 && !results.has(process)) steps.push({ name: `${process} dies`, touches: ['*'], run: () => (dead.add(process), settle()) });
      }
      if (ticks < 2 && clock.due !== undefined && alive().some((process) => !results.has(process))) steps.push({ name: `time passes ${ticks + 1}`, touches: ['*'], run: () => (ticks++, pass(clock)) });
      return steps;
    },
    check() {
      if (server.fault && dead.size === 0) throw new Error(server.fault);
      if (dead.size === 0 && server.refreshes > 1) throw new Error(`the tokens were refreshed ${server.refreshes} times`);
      for (const [process, text] of results) if (!dead.has(process) && !text.startsWith('Bearer ')) throw new Error(`${process} has ${text}`);
    },
    async finish() {
      for (let rounds = 0; alive().some((process) => !results.has(process)); rounds++) {
        if (rounds > 2000) throw new Error('a process waits for ever');
        const next = pending.find(({ process }) => !dead.has(process));
        if (next) await through(next);
        else await pass(clock);
        if (server.fault && dead.size === 0) throw new Error(server.fault);
      }
      for (const one of pending.splice(0)) one.run();
      await settle();
      if (dead.size === 0) {
        for (const [process, text] of results) if (text !== `Bearer ${server.current.access}`) throw new Error(`${process} has ${text}, and the server knows ${server.current.access}`);
        nothingHeld({ clocks: [clock] });
      }
      return JSON.stringify([server.refreshes, dead.size, [...results].filter(([process]) => !dead.has(process)).map(([, text]) => text === 'Bearer access-0' ? 'old' : text.slice(0, 6)).sort(), errors.length]);
    },
  };
}

export const refresh: Kind = { name: 'refresh', what: 'two processes that refresh one token, of which one may die', make };
