// A hand-written OAuth client: plain requests, signed by `jose`. It stands between the authorization server and the resource where a test
// inspects or changes the messages.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { redirectListener, visit } from './person.mjs';

/** RFC 8414: the well-known segment goes between the host and the path. */
async function metadataOf(issuer) {
  const { origin, pathname } = new URL(issuer);
  return (await fetch(`${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`)).json();
}

/** A DPoP key, and its proofs. */
export async function dpopKey(alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    jkt: await calculateJwkThumbprint(jwk),
    proof: ({ method, url, token, nonce, ...claims }) => new SignJWT({
      htm: method, htu: url, jti: randomUUID(), ...nonce && { nonce },
      ...token && { ath: createHash('sha256').update(token).digest('base64url') }, ...claims,
    }).setProtectedHeader({ alg, typ: 'dpop+jwt', jwk }).setIssuedAt().sign(privateKey),
  };
}

/** Sends a request to the token endpoint. With a DPoP key, repeats it once with a required nonce. Rejects with the endpoint's error. */
export async function requestTokens(issuer, parameters, { dpop, secret } = {}) {
  const { token_endpoint: url } = await metadataOf(issuer);
  let nonce;
  for (let tries = 0; ; tries++) {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...secret && { authorization: `Basic ${btoa(`${parameters.client_id}:${secret}`)}` },
        ...dpop && { dpop: await dpop.proof({ method: 'POST', url, nonce }) },
      },
      body: new URLSearchParams(Object.entries(parameters).filter(([name]) => !secret || name !== 'client_id')),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    nonce = response.headers.get('dpop-nonce');
    if (answer.error !== 'use_dpop_nonce' || tries > 0) throw Object.assign(new Error(`${answer.error}: ${answer.error_description}`), answer);
  }
}

/** Registers a public client. */
export async function register(issuer, metadata = {}) {
  const { registration_endpoint: url } = await metadataOf(issuer);
  const response = await fetch(url, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'raw', grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
      token_endpoint_auth_method: 'none', application_type: 'native', ...metadata,
    }),
  });
  return response.json();
}

/** Logs a person in by authorization code with PKCE. */
export async function logIn(issuer, { resource, scope = 'trips:read', login = 'alice', dpop, clientId, person = visit } = {}) {
  const redirects = await redirectListener();
  try {
    const { authorization_endpoint: endpoint } = await metadataOf(issuer);
    const client = clientId ?? (await register(issuer, { redirect_uris: [redirects.url] })).client_id;
    const verifier = randomBytes(32).toString('base64url');
    const url = new URL(endpoint);
    url.search = new URLSearchParams({
      client_id: client, response_type: 'code', redirect_uri: redirects.url, scope, state: 'state', resource,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
    });
    await person(url, { login });
    const code = (await redirects.response).get('code');
    const tokens = await requestTokens(issuer, {
      grant_type: 'authorization_code', code, redirect_uri: redirects.url, code_verifier: verifier, client_id: client, resource,
    }, { dpop });
    return { ...tokens, client_id: client };
  } finally {
    redirects.close();
  }
}

/** Calls the MCP server with these credentials, in a new session or the given one. */
export async function mcp(url, token, { dpop, session, nonce, scheme = dpop ? 'DPoP' : 'Bearer', body = initialize } = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `${scheme} ${token}`, accept: 'application/json, text/event-stream', 'content-type': 'application/json',
      ...session && { 'mcp-session-id': session }, ...dpop && { dpop: await dpop.proof({ method: 'POST', url, token, nonce }) },
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status, challenge: response.headers.get('www-authenticate') ?? '', nonce: response.headers.get('dpop-nonce'),
    session: response.headers.get('mcp-session-id'), body: text === '' ? undefined : JSON.parse(text),
  };
}

export const initialize = {
  jsonrpc: '2.0', id: 1, method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

export const call = (name, args = {}) => ({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: args } });
