import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A test's own answer for a path; undefined: the default answer. */
export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown;

export interface Party {
  readonly origin: string;
  /** `GET /path` or `POST /path` of every received request. */
  readonly requests: string[];
  /** Path => a test's own answer. */
  readonly answers: Map<string, Answer>;
}

/** A server on 127.0.0.1 that ends with the test. `handle` answers paths that have no `answers` entry. */
export async function party(t: TestContext, handle: (party: Party, path: string) => Answer | undefined): Promise<Party> {
  const requests: string[] = [];
  const answers = new Map<string, Answer>();
  const server: Server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname;
    requests.push(`${request.method} ${path}`);
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = answers.get(path) ?? handle(self, path);
    if (answer) await answer(request, response, body);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const self: Party = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, answers };
  return self;
}

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Answer => (_, response) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
};

export interface Grant { readonly scope: string; readonly client: string; readonly resource: string | null }

export interface AuthorizationServer extends Party {
  /** Merged into its metadata. */
  metadata: Record<string, unknown>;
  /** Merged into its token responses; a function receives the scope. */
  token: Record<string, unknown> | ((scope: string) => Promise<Record<string, unknown>>);
  /** Changes the redirect of the authorization endpoint. */
  redirect: (to: URL) => void;
  /** Valid access tokens. */
  readonly valid: Map<string, Grant>;
  /** Refresh tokens: true while unused. */
  readonly refreshTokens: Map<string, boolean>;
  /** How often a used refresh token was sent again. */
  reuses: number;
  /** The forms that the token endpoint received. */
  readonly forms: URLSearchParams[];
  readonly logins: URLSearchParams[];
  readonly registrations: Record<string, unknown>[];
  /** Texts that must never appear in an error. */
  readonly secrets: Set<string>;
}

/** A correct authorization server, until a test changes it. */
export async function authorizationServer(t: TestContext): Promise<AuthorizationServer> {
  const codes = new Map<string, URLSearchParams>();
  const make = (kind: string): string => {
    const secret = `${kind}-${randomUUID()}`;
    self.secrets.add(secret);
    return secret;
  };
  const handlers: Record<string, Answer> = {
    '/.well-known/oauth-authorization-server': (request, response, body) => json({
      issuer: self.origin,
      authorization_endpoint: `${self.origin}/authorize`,
      token_endpoint: `${self.origin}/token`,
      registration_endpoint: `${self.origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'private_key_jwt'],
      authorization_response_iss_parameter_supported: true,
      ...self.metadata,
    })(request, response, body),
    '/register': (request, response, body) => {
      self.registrations.push(JSON.parse(body));
      json({ client_id: `client-${self.registrations.length}`, redirect_uris: JSON.parse(body).redirect_uris }, 201)(request, response, body);
    },
    '/authorize': (request, response) => {
      const query = new URL(request.url ?? '', self.origin).searchParams;
      self.logins.push(query);
      const code = make('code');
      codes.set(code, query);
      const to = new URL(query.get('redirect_uri') ?? '');
      to.searchParams.set('code', code);
      to.searchParams.set('state', query.get('state') ?? '');
      to.searchParams.set('iss', self.origin);
      self.redirect(to);
      response.writeHead(302, { location: to.href }).end();
    },
    '/token': async (request, response, body) => {
      const form = new URLSearchParams(body);
      self.forms.push(form);
      const refuse = (error: string): unknown => json({ error }, 400)(request, response, body);
      let scope = form.get('scope') ?? '';
      switch (form.get('grant_type')) {
        case 'authorization_code': {
          const login = codes.get(form.get('code') ?? '');
          codes.delete(form.get('code') ?? '');
          const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
          if (!login || login.get('code_challenge') !== challenge || login.get('redirect_uri') !== form.get('redirect_uri')) {
            return refuse('invalid_grant');
          }
          scope = login.get('scope') ?? '';
          break;
        }
        case 'refresh_token': {
          const presented = form.get('refresh_token') ?? '';
          if (self.refreshTokens.get(presented) === false) self.reuses++;
          if (self.refreshTokens.get(presented) !== true) return refuse('invalid_grant');
          self.refreshTokens.set(presented, false);
          break;
        }
        default:
      }
      const access = make('access');
      const refresh = make('refresh');
      self.refreshTokens.set(refresh, true);
      const own = typeof self.token === 'function' ? await self.token(scope) : self.token;
      scope = (own['scope'] as string | undefined) ?? scope;
      self.valid.set(access, { scope, client: form.get('client_id') ?? '', resource: form.get('resource') });
      return json({
        access_token: access, token_type: 'Bearer', expires_in: 3600, refresh_token: refresh, ...scope && { scope }, ...own,
      })(request, response, body);
    },
  };
  const self: AuthorizationServer = Object.assign(await party(t, (_, path) => handlers[path]), {
    metadata: {}, token: {}, redirect: () => {}, valid: new Map(), refreshTokens: new Map(), reuses: 0, forms: [], logins: [],
    registrations: [], secrets: new Set<string>(),
  });
  return self;
}

export interface ProtectedResource extends Party {
  readonly url: string;
  /** Merged into its metadata. */
  metadata: Record<string, unknown>;
  /** Scopes that a request needs. */
  needs: string;
  /** The access tokens of accepted requests. */
  readonly accepted: string[];
}

/** The authorization part of an MCP server: it accepts tokens that `from` has issued. */
export async function protectedResource(t: TestContext, from: () => AuthorizationServer): Promise<ProtectedResource> {
  const self: ProtectedResource = Object.assign(await party(t, (_, path) => {
    switch (path) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json({ resource: self.url, authorization_servers: [from().origin], ...self.metadata });
      case '/mcp': return (request, response) => {
        const token = (request.headers.authorization ?? '').split(' ')[1] ?? '';
        const grant = from().valid.get(token);
        const metadata = `resource_metadata="${self.origin}/.well-known/oauth-protected-resource/mcp"`;
        const need = self.needs === '' ? '' : `, scope="${self.needs}"`;
        if (!grant) return response.writeHead(401, { 'www-authenticate': `Bearer ${metadata}${need}` }).end();
        const lacks = self.needs.split(' ').some((scope) => scope !== '' && !grant.scope.split(' ').includes(scope));
        if (lacks) {
          return response.writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", ${metadata}${need}` }).end();
        }
        self.accepted.push(token);
        return response.end('{}');
      };
      default: return undefined;
    }
  }), { url: '', metadata: {}, needs: '', accepted: [] });
  return Object.assign(self, { url: `${self.origin}/mcp` });
}

/** An authorization server and a resource that refer to each other. */
export async function pair(t: TestContext): Promise<{ as: AuthorizationServer; rs: ProtectedResource }> {
  const as = await authorizationServer(t);
  return { as, rs: await protectedResource(t, () => as) };
}
