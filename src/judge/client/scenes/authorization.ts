import { HiddenAuthorizationServer, originOf, placesOf } from '../authorization-server.ts';
import type { HiddenIssuer } from '../authorization-server.ts';
import type { HiddenRequest } from '../port.ts';
import type { Play, Scene } from '../scene.ts';

// basic/authorization for clients: hidden servers that require a token, each in a different way.

const metadataPath = '/.well-known/oauth-protected-resource';

/** How one server requires tokens. */
interface Door {
  readonly issuer: HiddenIssuer;
  /** The parameters of WWW-Authenticate. */
  readonly challenge: (origin: string) => string;
  /** The path of the resource metadata; undefined if not served. */
  readonly metadata: string | undefined;
  readonly scopes?: readonly string[];
  /** A second issuer, which replaces the first one after its token was used. */
  readonly next?: HiddenIssuer;
}

interface OpenedDoor {
  readonly door: Door;
  readonly servers: readonly HiddenAuthorizationServer[];
  /** The authorization server that the metadata names now. */
  current: HiddenAuthorizationServer;
  /** Paths of requests for resource metadata, in order. */
  readonly resourceAsked: string[];
  /** Requests to paths that belong to no issuer. */
  readonly elsewhere: HiddenRequest[];
  /** The last request without a token, after one was issued. */
  bare: HiddenRequest | undefined;
  /** The number of requests with a valid token. */
  entered: number;
}

function opened(play: Play, door: Door): OpenedDoor {
  const known = play.notes.get('door') as OpenedDoor | undefined;
  if (known) return known;
  const expected = { resource: (origin: string) => (door.metadata === undefined ? undefined : `${origin}/mcp`), scopes: door.scopes ?? [] };
  const servers = [door.issuer, ...door.next ? [door.next] : []].map((issuer) => new HiddenAuthorizationServer(play, issuer, expected));
  const [current] = servers;
  if (!current) throw new RangeError('a door without an issuer');
  const made: OpenedDoor = { door, servers, current, resourceAsked: [], elsewhere: [], bare: undefined, entered: 0 };
  play.notes.set('door', made);
  return made;
}

function answerHttp(play: Play, request: HiddenRequest, door: Door): boolean {
  const { visit } = play;
  const state = opened(play, door);
  const [path = ''] = request.path.split('?');
  const origin = originOf(request);
  if (path === '/mcp') return guard(play, request, state);
  if (path === door.metadata || path.startsWith(metadataPath)) {
    state.resourceAsked.push(path);
    if (path !== door.metadata) visit.respond(request, 404);
    else {
      const { current: { issuer } } = state;
      visit.respond(request, 200, { 'content-type': 'application/json', 'cache-control': 'no-store' }, JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [`${origin}${issuer.path}`], scopes_supported: ['hidden:list'] }));
    }
    return true;
  }
  if (state.servers.some((server) => server.answers(request))) return true;
  state.elsewhere.push(request);
  visit.respond(request, 404);
  return true;
}

/** Checks the token of a request. Returns false to let it in; else answers 401 and returns true. */
function guard(play: Play, request: HiddenRequest, state: OpenedDoor): boolean {
  const { visit } = play;
  const { headers, path } = request;
  const [, token] = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '') ?? [];
  const good = token !== undefined && state.current.tokens.has(token);
  const given = state.servers.some(({ tokens }) => tokens.size > 0);
  if (token !== undefined) {
    visit.check('authorization-82', state.servers.some(({ tokens }) => tokens.has(token)), 'a token of the authorization server that this server names', request);
    visit.check(['authorization-85', 'authorization-83', 'authorization-84'], !path.includes('access_token') && !path.includes(token), 'the token in the Authorization header, and not in the URL', request);
  } else if (/[?&](access_)?token=/.test(path)) visit.check(['authorization-83', 'authorization-84', 'authorization-85'], false, 'the token in the Authorization header, and not in the URL', request);
  if (given && token === undefined) state.bare = request;
  if (given && state.entered > 0) visit.check('authorization-86', token !== undefined, 'an Authorization header on each request', request);
  if (good) {
    state.entered++;
    const [, next] = state.servers;
    // After the handshake and a list, the second issuer takes over.
    if (next && state.current !== next && state.entered > 3) {
      state.current = next;
      play.notes.set('moved', true);
    } else return false;
  }
  const { door } = state;
  visit.respond(request, 401, { 'www-authenticate': `Bearer ${door.challenge(originOf(request))}`.trim() });
  return true;
}

/** Judges the order of requests to the well-known places. */
function places(play: Play, state: OpenedDoor): void {
  const { visit } = play;
  const { servers: [server], resourceAsked, door } = state;
  if (state.bare && state.entered === 0) visit.check('authorization-85', false, 'the token in the Authorization header: the client has got one', state.bare);
  if (!server) return;
  const { asked, issuer, authorizations } = server;
  const order = placesOf(issuer.path).slice(0, issuer.empty + 1);
  const said = asked.join(', ') || 'none';
  if (asked.length > 0) {
    const rules = issuer.path === '' ? ['authorization-15', 'authorization-16'] : ['authorization-12', 'authorization-14', 'authorization-13'];
    for (const [at, place] of order.entries()) if (at === 0 || asked.includes(order[at - 1] ?? '')) visit.check(rules[at] ?? '', asked.includes(place), `GET ${place}`, said);
    const firsts = order.filter((one) => asked.includes(one)).map((one) => asked.indexOf(one));
    visit.check('authorization-17', asked[0] === order[0] && firsts.every((at, i) => i === 0 || at > (firsts[i - 1] ?? 0)), `these places in this order: ${order.join(', ')}`, said);
  }
  const other = state.elsewhere.find(({ path }) => /\/(authorize|register|token)(\?|$)/.test(path));
  if (other && door.metadata !== undefined) visit.check('authorization-51', false, `the authorization server that the metadata names: ${issuer.path === '' ? 'the origin itself' : issuer.path}`, other);
  else if (asked.length > 0 || authorizations.length > 0) visit.check('authorization-51', resourceAsked.length > 0, 'the metadata of the resource before anything of an authorization server', resourceAsked.join(', ') || 'no request for it');
  if (door.metadata === undefined || resourceAsked.length === 0) return;
  const named = !door.metadata.startsWith(metadataPath);
  if (named) visit.check(['authorization-56', 'authorization-57'], resourceAsked.includes(door.metadata), `GET ${door.metadata}, which the challenge names`, resourceAsked.join(', '));
  else visit.check('authorization-57', resourceAsked[0] === `${metadataPath}/mcp` && resourceAsked.includes(door.metadata), `GET ${metadataPath}/mcp, and then ${door.metadata}`, resourceAsked.join(', '));
}

const since = ({ place }: { readonly place: number }, way: string): boolean => way === 'http' && place >= 3;

const named: Door = {
  issuer: { path: '/as', empty: 2, metadata: () => ({ client_id_metadata_document_supported: true }) }, metadata: '/hidden/resource.json', scopes: ['hidden:read', 'hidden:write'],
  challenge: (origin) => `error_description="say \\"please\\" first", resource_metadata="${origin}/hidden/resource.json", scope="hidden:read hidden:write"`,
};

export const authorized: Scene = {
  name: 'a server that requires a token, and names its metadata',
  rules: [
    'authorization-2', 'authorization-8', 'authorization-12', 'authorization-13', 'authorization-14', 'authorization-17', 'authorization-34', 'authorization-40', 'authorization-51', 'authorization-53',
    'authorization-54', 'authorization-56', 'authorization-57', 'authorization-67', 'authorization-82', 'authorization-83', 'authorization-84', 'authorization-85', 'authorization-86',
  ],
  suits: since,
  answerHttp: (play, request) => answerHttp(play, request, named),
  after: (play) => places(play, opened(play, named)),
};

const moving: Door = { issuer: { path: '', empty: 1 }, next: { path: '/second', empty: 0 }, metadata: metadataPath, challenge: () => '' };

export const moved: Scene = {
  name: 'a server that requires a token, and changes its authorization server',
  rules: ['authorization-15', 'authorization-16', 'authorization-17', 'authorization-28', 'authorization-46', 'authorization-57', 'authorization-90', 'authorization-93', 'changelog-3'],
  suits: since,
  answerHttp: (play, request) => answerHttp(play, request, moving),
  after(play) {
    const state = opened(play, moving);
    places(play, state);
    const [first, second] = state.servers;
    const [login] = second?.authorizations ?? [];
    if (!first || !second || !login) return;
    const id = new URL(login.path, originOf(login)).searchParams.get('client_id');
    const old = id !== null && first.registered.has(id);
    play.visit.check(['authorization-90', 'changelog-3'], !old, 'a registration with the second authorization server, and not the client_id of the first', login);
  },
};

/** The same listener under its other name, which is another origin. */
const otherHost = (request: HiddenRequest): string => originOf(request).replace(/^http:\/\/127\.0\.0\.1/, 'http://localhost');

/**
 * 2025-11-25 basic/authorization#token-handling: a token is for one server. Whether that server, by a redirect, may send it on to another
 * origin is open to two readings.
 */
export const redirected: Scene = {
  name: 'a server that requires a token, and redirects to another origin', rules: ['authorization-82'], suits: since,
  answerHttp(play, request) {
    const { visit, notes } = play;
    if (!request.path.startsWith('/mcp')) return answerHttp(play, request, named);
    if (request.headers['host']?.startsWith('localhost')) {
      notes.set('followed', request);
      visit.respond(request, 404);
      return true;
    }
    const state = opened(play, named);
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers['authorization'] ?? '') ?? [];
    if (request.method !== 'POST' || token === undefined || !state.current.tokens.has(token) || state.entered < 2 || otherHost(request) === originOf(request)) return answerHttp(play, request, named);
    notes.set('redirected', true);
    visit.respond(request, 307, { location: `${otherHost(request)}/mcp` });
    return true;
  },
  after({ visit, notes }) {
    if (!notes.has('redirected')) return;
    const followed = notes.get('followed') as HiddenRequest | undefined;
    if (followed?.headers['authorization'] !== undefined) visit.dispute('authorization-82', 'no Authorization header in a request to another origin', followed);
    else visit.check('authorization-82', true, 'no token for another origin', followed ?? 'the client did not follow the redirect');
  },
};

/** A scene in which a client must stop before a step. */
function refusing(name: string, rules: readonly string[], door: Door, from: number, step: 'authorizations' | 'tokenRequests', expected: string): Scene {
  return {
    name, rules, suits: ({ place }, way) => way === 'http' && place >= from,
    answerHttp: (play, request) => answerHttp(play, request, door),
    after(play) {
      const { servers: [server] } = opened(play, door);
      if (!server || server.asked.length === 0 || step === 'tokenRequests' && server.authorizations.length === 0) return;
      const [gone] = server[step];
      play.visit.check(rules, gone === undefined, expected, gone ?? 'the client stopped');
    },
  };
}

const plainDoor = (issuer: HiddenIssuer): Door => ({ issuer, metadata: `${metadataPath}/mcp`, challenge: (origin) => `resource_metadata="${origin}${metadataPath}/mcp"` });

export const withoutPkce: Scene = refusing(
  'an authorization server that does not say that it has PKCE', ['authorization-7'],
  plainDoor({ path: '', empty: 0, metadata: () => ({ code_challenge_methods_supported: undefined }) }), 3, 'authorizations', 'no authorization request: the metadata has no code_challenge_methods_supported',
);

export const otherIssuer: Scene = refusing(
  'metadata of another issuer', ['authorization-91'],
  plainDoor({ path: '', empty: 0, metadata: (origin) => ({ issuer: `${origin}/other` }) }), 4, 'authorizations', 'no authorization request: the issuer in the metadata differs',
);

export const wrongIss: Scene = refusing(
  'an authorization response of another issuer', ['authorization-102', 'authorization-98'],
  plainDoor({ path: '', empty: 0, iss: (issuer) => `${issuer}/` }), 4, 'tokenRequests', 'no token request: iss in the authorization response is not the issuer',
);

/** 2025-03-26 basic/authorization#fallbacks-for-servers-without-metadata-discovery. */
const bare: Door = { issuer: { path: '', empty: 2 }, metadata: undefined, challenge: () => '' };

export const withoutMetadata: Scene = {
  name: 'a server of 2025-03-26 without any metadata', rules: ['authorization-112'], suits: ({ place }, way) => way === 'http' && place === 1,
  answerHttp: (play, request) => answerHttp(play, request, bare),
  after(play) {
    const { servers: [server] } = opened(play, bare);
    if (!server || server.asked.length === 0) return;
    const used = [...server.registrations, ...server.authorizations];
    const [other] = opened(play, bare).elsewhere.filter(({ method, path }) => method === 'POST' || /authorize/.test(path));
    if (other) play.visit.check('authorization-112', false, '/register, /authorize and /token of the origin', other);
    else if (used.length > 0) play.visit.check('authorization-112', true, '/register and /authorize of the origin', used[0] ?? '');
    // Without a registration endpoint, a client may be unable to register.
    else play.visit.dispute('authorization-112', '/register and /authorize of the origin', 'the client stopped');
  },
};
