import type { PeerClient, Reply } from './peer-client.ts';
import { bag } from './peer.ts';

// 2025-11-25 basic/authorization: the login of the client for the scenes (peer-client.ts).

export interface LoginEdits {
  /** Whether it does not log in. */
  readonly never?: boolean;
  /** Where it looks for the metadata of the resource; default: the address of the challenge, then the well-known places. */
  readonly resource?: readonly string[];
  /** Where it looks for the metadata of an authorization server. Default: the places of the specification, in their order. */
  readonly places?: (path: string) => readonly string[];
  readonly registration?: object;
  /** Changes the parameters of a request. */
  readonly authorize?: (fields: URLSearchParams) => void;
  readonly token?: (fields: URLSearchParams) => void;
  readonly clientId?: string;
  /** Whether it goes on without PKCE, with another issuer, with another `iss`; whether it keeps the client id of another server. */
  readonly careless?: boolean;
  readonly keepsId?: boolean;
  /** The endpoints without any metadata; undefined: none. */
  readonly fallback?: string | undefined;
  /** Whether it goes to the token endpoint with its code. */
  readonly stopsAtCode?: boolean;
}

/** How much is going on that needs real time: digests. The made time stands still until it has ended. */
export const realWork: { going: number } = { going: 0 };

const ids = new WeakMap<PeerClient, string>();
const ran = new WeakMap<PeerClient, number>();

const encoded = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Gets a token after this challenge. Resolves with whether it has got one. */
export async function loggedIn(client: PeerClient, reply: Reply): Promise<boolean> {
  realWork.going++;
  try {
    return await login(client, reply);
  } finally {
    realWork.going--;
  }
}

async function login(client: PeerClient, { headers }: Reply): Promise<boolean> {
  const edits = client.edits.login ?? {};
  const count = (ran.get(client) ?? 0) + 1;
  ran.set(client, count);
  if (count > 3) return false;
  const challenge = headers['www-authenticate'] ?? '';
  const [, named] = /resource_metadata="([^"]*)"/.exec(challenge) ?? [];
  const [, scope] = /scope="([^"]*)"/.exec(challenge) ?? [];
  const origin = 'http://127.0.0.1:5';
  const first = (places: readonly string[]) => places.reduce<Promise<Reply | undefined>>(async (found, place) => {
    const before = await found;
    if (before) return before;
    const reply = await client.http('GET', place, '', { accept: 'application/json' });
    return reply.status === 200 ? reply : undefined;
  }, Promise.resolve(undefined));
  const wellKnown = '/.well-known/oauth-protected-resource';
  const legacyOnly = client.version === '2025-03-26';
  const resource = legacyOnly ? undefined : await first(edits.resource ?? [named === undefined ? `${wellKnown}/mcp` : new URL(named).pathname, wellKnown]);
  const issuer = resource ? String((bag(JSON.parse(resource.body))['authorization_servers'] as readonly string[])[0]) : origin;
  const path = issuer.slice(origin.length);
  const places = edits.places ?? ((below: string) => (below === '' ? ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']
    : [`/.well-known/oauth-authorization-server${below}`, `/.well-known/openid-configuration${below}`, `${below}/.well-known/openid-configuration`]));
  const found = await first(places(path));
  const metadata = found ? bag(JSON.parse(found.body)) : undefined;
  if (metadata && !edits.careless && (metadata['code_challenge_methods_supported'] === undefined || metadata['issuer'] !== issuer)) return false;
  if (!metadata && !('fallback' in edits)) return false;
  const base = metadata ? '' : edits.fallback ?? '';
  const at = (name: string, plain: string): string => (metadata ? new URL(String(metadata[name])).pathname : `${base}${plain}`);
  const clientId = edits.clientId ?? (edits.keepsId ? ids.get(client) : undefined) ?? await registered(client, at('registration_endpoint', '/register'), edits);
  if (clientId === undefined) return false;
  ids.set(client, clientId);
  const verifier = 'a-verifier-of-at-least-forty-three-characters-0123456789';
  const challenged = encoded(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
  const query = new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: 'http://127.0.0.1:9/callback', code_challenge: challenged, code_challenge_method: 'S256', state: 's', resource: `${origin}/mcp`, ...scope !== undefined && { scope } });
  edits.authorize?.(query);
  const redirect = await client.http('GET', `${at('authorization_endpoint', '/authorize')}?${query}`, '', {});
  if (redirect.status !== 302) return false;
  const back = new URL(redirect.headers['location'] ?? '').searchParams;
  if (back.get('state') !== query.get('state')) return false;
  if (edits.stopsAtCode || !edits.careless && metadata && back.get('iss') !== issuer) return false;
  const form = new URLSearchParams({ grant_type: 'authorization_code', code: back.get('code') ?? '', code_verifier: verifier, redirect_uri: 'http://127.0.0.1:9/callback', client_id: clientId, resource: `${origin}/mcp` });
  edits.token?.(form);
  const reply = await client.http('POST', at('token_endpoint', '/token'), String(form), { 'content-type': 'application/x-www-form-urlencoded' });
  if (reply.status !== 200) return false;
  client.token = String(bag(JSON.parse(reply.body))['access_token']);
  return true;
}

async function registered(client: PeerClient, path: string, { registration }: LoginEdits): Promise<string | undefined> {
  const body = JSON.stringify(registration ?? { redirect_uris: ['http://127.0.0.1:9/callback'], application_type: 'native', client_name: 'peer' });
  const reply = await client.http('POST', path, body, { 'content-type': 'application/json' });
  return reply.status === 201 ? String(bag(JSON.parse(reply.body))['client_id']) : undefined;
}
