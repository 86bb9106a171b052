import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { HiddenRequest } from './port.ts';
import type { Play } from './scene.ts';
import type { SeenMembers } from './visit.ts';

// A small authorization server on the origin of the hidden server. It judges the client's requests.

/** Differences from an authorization server that any client can use. */
export interface HiddenIssuer {
  /** The path of the issuer; '' is the origin itself. */
  readonly path: string;
  /** Overrides members of its metadata. */
  readonly metadata?: (origin: string) => SeenMembers;
  /** The `iss` of the authorization response, if it is not the issuer. */
  readonly iss?: (issuer: string) => string;
  /** How many of the well-known places, in order, answer 404. */
  readonly empty: number;
}

/** Expected parameters of requests. */
interface ExpectedRequests {
  /** The resource parameter; undefined: it is not judged. */
  readonly resource: (origin: string) => string | undefined;
  /** The scopes of the challenge. */
  readonly scopes: readonly string[];
}

/** A login, between the authorization request and the token request. */
interface HiddenLogin {
  readonly client: string | null;
  readonly redirect: string;
  readonly challenge: string | null;
}

export const originOf = ({ headers }: HiddenRequest): string => `http://${headers['host'] ?? '127.0.0.1'}`;

/** The well-known places of an issuer, in the order of the page. 2025-11-25 basic/authorization#authorization-server-metadata-discovery. */
export function placesOf(path: string): readonly string[] {
  return path === '' ? ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
    : [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`, `${path}/.well-known/openid-configuration`];
}

const json = { 'content-type': 'application/json', 'cache-control': 'no-store' };

export class HiddenAuthorizationServer {
  readonly issuer: HiddenIssuer;
  /** Requested well-known places, in order. */
  readonly asked: string[] = [];
  /** Issued client ids, with their registered redirect URIs. */
  readonly registered: Map<string, readonly string[]> = new Map();
  /** Issued access tokens, all valid. */
  readonly tokens: Set<string> = new Set();
  readonly logins: Map<string, HiddenLogin> = new Map();
  /** Requests to the authorization endpoint and to the token endpoint. */
  readonly authorizations: HiddenRequest[] = [];
  readonly tokenRequests: HiddenRequest[] = [];
  readonly registrations: HiddenRequest[] = [];
  readonly #play: Play;
  readonly #expected: ExpectedRequests;
  #count = 0;

  constructor(play: Play, issuer: HiddenIssuer, expected: ExpectedRequests) {
    this.#play = play;
    this.issuer = issuer;
    this.#expected = expected;
  }

  /** Answers a request to one of its endpoints and returns true; else returns false. */
  answers(request: HiddenRequest): boolean {
    const { path } = this.issuer;
    const [place = ''] = request.path.split('?');
    const at = placesOf(path).indexOf(place);
    if (at >= 0) {
      this.asked.push(place);
      if (at < this.issuer.empty) this.#play.visit.respond(request, 404);
      else this.#respond(request, 200, this.#metadata(originOf(request)));
      return true;
    }
    switch (place) {
      case `${path}/authorize`: this.#authorize(request); return true;
      case `${path}/token`: void this.#token(request); return true;
      case `${path}/register`: this.#register(request); return true;
      default: return false;
    }
  }

  #respond(request: HiddenRequest, status: number, body: SeenMembers): void {
    this.#play.visit.respond(request, status, json, JSON.stringify(body));
  }

  #metadata(origin: string): SeenMembers {
    const issuer = `${origin}${this.issuer.path}`;
    return {
      issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, registration_endpoint: `${issuer}/register`,
      response_types_supported: ['code'], grant_types_supported: ['authorization_code', 'refresh_token'], code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'], subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['RS256'],
      jwks_uri: `${issuer}/keys`, authorization_response_iss_parameter_supported: true, ...this.issuer.metadata?.(origin),
    };
  }

  #register(request: HiddenRequest): void {
    const { visit } = this.#play;
    this.registrations.push(request);
    let body: unknown;
    try {
      body = JSON.parse(request.body);
    } catch {
      // It is refused below.
    }
    const uris = isObject(body) && Array.isArray(body['redirect_uris']) ? body['redirect_uris'].filter((one) => typeof one === 'string') : [];
    visit.check('authorization-46', uris.length > 0, 'redirect_uris in the registration', request);
    visit.check('authorization-28', uris.every(allowedRedirect), 'redirect URIs that are https, or on this machine', request);
    visit.check('authorization-93', isObject(body) && (body['application_type'] === 'native' || body['application_type'] === 'web'), 'application_type in the registration', request);
    if (uris.length === 0) return this.#respond(request, 400, { error: 'invalid_redirect_uri' });
    const id = `hidden-client-${this.#play.visit.number}-${++this.#count}${this.issuer.path.replaceAll('/', '-')}`;
    this.registered.set(id, uris);
    this.#respond(request, 201, { ...isObject(body) && body, client_id: id, token_endpoint_auth_method: 'none' });
  }

  #authorize(request: HiddenRequest): void {
    const { visit } = this.#play;
    this.authorizations.push(request);
    const query = new URL(request.path, originOf(request)).searchParams;
    const redirect = query.get('redirect_uri') ?? '';
    const client = query.get('client_id');
    visit.check('authorization-8', query.get('code_challenge_method') === 'S256' && (query.get('code_challenge') ?? '').length >= 43, 'a code_challenge of the method S256', request);
    this.#resource(request, query);
    if (this.#expected.scopes.length > 0) {
      const scopes = (query.get('scope') ?? '').split(' ');
      visit.check(['authorization-53', 'authorization-54'], this.#expected.scopes.every((one) => scopes.includes(one)), `the scopes of the challenge: ${this.#expected.scopes.join(' ')}`, request);
    }
    const known = client === null ? undefined : this.registered.get(client);
    if (known) visit.check('authorization-46', known.includes(redirect), 'a redirect_uri that was registered', request);
    else if (client !== null && URL.canParse(client)) {
      const url = new URL(client);
      visit.check(['authorization-40', 'authorization-34'], url.protocol === 'https:' && url.pathname !== '/', 'a client_id that is an https URL with a path', request);
    }
    if (!URL.canParse(redirect)) return visit.respond(request, 400);
    const code = `hidden-code-${visit.seed}-${visit.number}-${++this.#count}`;
    this.logins.set(code, { client, redirect, challenge: query.get('code_challenge') });
    const to = new URL(redirect);
    const issuer = `${originOf(request)}${this.issuer.path}`;
    to.searchParams.set('code', code);
    const state = query.get('state');
    if (state !== null) to.searchParams.set('state', state);
    to.searchParams.set('iss', this.issuer.iss?.(issuer) ?? issuer);
    visit.respond(request, 302, { location: to.href });
  }

  /** 2025-11-25 basic/authorization#resource-parameter-implementation. */
  #resource(request: HiddenRequest, fields: URLSearchParams): void {
    const expected = this.#expected.resource(originOf(request));
    if (expected === undefined) return;
    const { visit } = this.#play;
    const given = fields.get('resource');
    visit.check('authorization-2', given !== null, `resource=${expected}`, request);
    if (given !== null) visit.check('authorization-67', given === expected || `${given}/` === expected || given === `${expected}/`, `resource=${expected}`, request);
  }

  async #token(request: HiddenRequest): Promise<void> {
    const { visit } = this.#play;
    this.tokenRequests.push(request);
    const form = new URLSearchParams(request.body);
    this.#resource(request, form);
    const login = this.logins.get(form.get('code') ?? '');
    const refresh = form.get('grant_type') === 'refresh_token';
    if (!refresh) {
      const verifier = form.get('code_verifier') ?? '';
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
      const challenge = btoa(String.fromCharCode(...digest)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
      visit.check('authorization-8', login?.challenge === challenge, 'the code_verifier of the code_challenge', request);
      this.logins.delete(form.get('code') ?? '');
      if (!login || login.challenge !== challenge) return this.#respond(request, 400, { error: 'invalid_grant' });
    }
    const token = `hidden-access-${visit.seed}-${visit.number}-${++this.#count}`;
    this.tokens.add(token);
    this.#respond(request, 200, { access_token: token, token_type: 'Bearer', expires_in: 3600, ...this.#expected.scopes.length > 0 && { scope: this.#expected.scopes.join(' ') } });
  }
}

/** 2025-11-25 basic/authorization#communication-security. RFC 8252 also allows private URI schemes of apps. */
function allowedRedirect(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === 'https:' || protocol !== 'http:' || hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
