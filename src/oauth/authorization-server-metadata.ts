import { isObject } from '../jsonrpc/internal-exports.ts';
import { OAuthError, shown, shownUrl } from './errors.ts';
import { fetchJson, parseUrl } from './fetch-json.ts';
import type { FetchOptions } from './fetch-json.ts';
import { readFields } from './metadata-fields.ts';
import type { Fields } from './metadata-fields.ts';

/** The metadata of an authorization server, under the names of RFC 8414 section 2 and its registry. */
export interface AuthorizationServerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly registration_endpoint?: string;
  readonly introspection_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly jwks_uri?: string;
  readonly scopes_supported?: readonly string[];
  readonly grant_types_supported?: readonly string[];
  readonly code_challenge_methods_supported?: readonly string[];
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly token_endpoint_auth_signing_alg_values_supported?: readonly string[];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly client_id_metadata_document_supported?: boolean;
}

const fields = {
  issuer: 'string',
  authorization_endpoint: 'url',
  token_endpoint: 'url',
  registration_endpoint: 'url',
  introspection_endpoint: 'url',
  revocation_endpoint: 'url',
  jwks_uri: 'url',
  scopes_supported: 'strings',
  grant_types_supported: 'strings',
  code_challenge_methods_supported: 'strings',
  token_endpoint_auth_methods_supported: 'strings',
  token_endpoint_auth_signing_alg_values_supported: 'strings',
  dpop_signing_alg_values_supported: 'strings',
  authorization_response_iss_parameter_supported: 'boolean',
  client_id_metadata_document_supported: 'boolean',
} as const satisfies Fields;

/**
 * The possible addresses of an issuer's metadata, in the order of 2026-07-28
 * basic/authorization/authorization-server-discovery.
 */
export function authorizationServerMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = parseUrl(issuer, 'the issuer');
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`],
  ];
}

/**
 * Fetches the metadata of an authorization server, by RFC 8414 or OpenID Connect Discovery 1.0. Resolves with
 * undefined if none of the addresses has it (HTTP 4xx, or not a JSON object).
 *
 * Rejects with `OAuthError`: `issuer_mismatch` if the document names another issuer than the requested one, compared
 * as strings (RFC 8414 section 3.3); `metadata_malformed`, `metadata_unavailable` (HTTP 5xx); the codes of
 * `fetchJson`.
 */
export async function authorizationServerMetadata(
  issuer: string, options: FetchOptions = {},
): Promise<AuthorizationServerMetadata | undefined> {
  for (const url of authorizationServerMetadataUrls(issuer)) {
    const document = await metadataDocument(url, 'authorization server metadata', options);
    if (document === undefined) continue;
    const what = `authorization server metadata at ${shownUrl(url)}`;
    if (document['issuer'] !== issuer) {
      throw new OAuthError('issuer_mismatch', `${what}: issuer is ${shown(document['issuer'])}, expected ${shown(issuer)}`);
    }
    return { issuer, ...readFields(document, fields, what) };
  }
  return undefined;
}

/** A metadata document; undefined if this address has none. */
export async function metadataDocument(
  url: string, what: string, options: FetchOptions,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { status, value } = await fetchJson(url, what, {}, options);
  if (status >= 500) throw new OAuthError('metadata_unavailable', `${what} at ${shownUrl(url)}: HTTP ${status}`);
  // A web application answers every path with its page, so anything but a JSON object counts as missing.
  return status === 200 && isObject(value) ? value : undefined;
}

/**
 * The MCP server as its own authorization server, with default paths if it has no metadata (2025-03-26
 * basic/authorization#fallbacks-for-servers-without-metadata-discovery). That revision requires PKCE of every server,
 * and a server without metadata cannot say that it supports it.
 */
export async function legacyServer(origin: string, options: FetchOptions): Promise<AuthorizationServerMetadata> {
  const { fetch = globalThis.fetch } = options;
  // 2025-03-26 basic/authorization#server-metadata-discovery-headers. In a page this header would need a CORS
  // preflight, so it is left out.
  const versioned: typeof fetch = (url, init) => fetch(url, { ...init, headers: { 'mcp-protocol-version': '2025-03-26' } });
  return await authorizationServerMetadata(origin, 'location' in globalThis ? options : { ...options, fetch: versioned }) ?? {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  };
}
