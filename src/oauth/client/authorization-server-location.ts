import { authorizationServerMetadata, legacyServer } from '../authorization-server-metadata.ts';
import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import { OAuthError, shown } from '../errors.ts';
import type { FetchOptions } from '../fetch-json.ts';
import type { OAuthChallenge } from './challenge.ts';
import { protectedResourceMetadata } from './protected-resource-metadata.ts';
import type { ProtectedResourceMetadata } from './protected-resource-metadata.ts';

/** The authorization server of an MCP server, and the resource that tokens are for. */
export interface Discovery {
  /** The resource identifier, byte for byte as in the metadata. */
  readonly resource: string;
  /** Undefined for a server of 2025-03-26, which has no such document. */
  readonly protectedResource: ProtectedResourceMetadata | undefined;
  readonly authorizationServer: AuthorizationServerMetadata;
  /** The address that the challenge named. */
  readonly resourceMetadata?: string | undefined;
}

/** Chooses among the authorization servers of a resource (RFC 9728 section 7.6). */
export type ChooseIssuer = (issuers: readonly string[]) => string;

/**
 * Finds the authorization server of an MCP server. Rejects with `OAuthError`: `metadata_missing`, or the error of one
 * of the two documents.
 */
export async function discover(
  server: URL, challenge: OAuthChallenge, choose: ChooseIssuer, options: FetchOptions,
): Promise<Discovery> {
  const { resourceMetadata } = challenge;
  const protectedResource = await protectedResourceMetadata(server, resourceMetadata, options);
  if (protectedResource === undefined) {
    return { resource: canonical(server), protectedResource, authorizationServer: await legacyServer(server.origin, options) };
  }
  const { resource, authorization_servers: issuers = [] } = protectedResource;
  if (issuers.length === 0) {
    throw new OAuthError('metadata_malformed', `protected resource metadata of ${shown(resource)}: authorization_servers is empty, expected one issuer at least`);
  }
  return { resource, protectedResource, resourceMetadata, authorizationServer: await knownServer(choose(issuers), options) };
}

/** The metadata of an issuer; rejects if it has none. */
export async function knownServer(issuer: string, options: FetchOptions): Promise<AuthorizationServerMetadata> {
  const metadata = await authorizationServerMetadata(issuer, options);
  if (metadata === undefined) {
    throw new OAuthError('metadata_missing', `no authorization server metadata of ${shown(issuer)}: neither RFC 8414 nor OpenID Connect Discovery`);
  }
  return metadata;
}

/** The canonical URI of a server without metadata: no slash after a bare host (2026-07-28 basic/authorization#canonical-server-uri). */
function canonical({ origin, pathname, search }: URL): string {
  return origin + (pathname === '/' ? '' : pathname) + search;
}
