import { metadataDocument } from '../authorization-server-metadata.ts';
import { OAuthError, shown, shownUrl } from '../errors.ts';
import { parseUrl } from '../fetch-json.ts';
import type { FetchOptions } from '../fetch-json.ts';
import { readFields } from '../metadata-fields.ts';
import type { Fields } from '../metadata-fields.ts';

/** What an MCP server says of its authorization, under the names of RFC 9728 section 2. */
export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers?: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly dpop_bound_access_tokens_required?: boolean;
}

const fields = {
  authorization_servers: 'strings',
  scopes_supported: 'strings',
  dpop_signing_alg_values_supported: 'strings',
  dpop_bound_access_tokens_required: 'boolean',
} as const satisfies Fields;
const wellKnown = '/.well-known/oauth-protected-resource';

/**
 * The metadata of the MCP server: at the address that its challenge names, which is then the only one asked; otherwise
 * at the well-known address with the server's path, then at the root
 * (2026-07-28 basic/authorization/authorization-server-discovery). Undefined where there is none.
 *
 * Rejects with `OAuthError`: `resource_mismatch` where `resource` does not cover the server, and what
 * `metadataDocument` rejects with.
 */
export async function protectedResourceMetadata(
  server: URL, challenged: string | undefined, options: FetchOptions,
): Promise<ProtectedResourceMetadata | undefined> {
  const path = server.pathname.replace(/\/$/, '');
  const urls = challenged !== undefined ? [challenged] : [
    ...path === '' && server.search === '' ? [] : [`${server.origin}${wellKnown}${path}${server.search}`],
    `${server.origin}${wellKnown}`,
  ];
  for (const url of urls) {
    const document = await metadataDocument(url, 'protected resource metadata', options);
    const what = `protected resource metadata at ${shownUrl(url)}`;
    if (document !== undefined) return read(document, server, what);
    if (challenged !== undefined) {
      throw new OAuthError('metadata_malformed', `${what}: no JSON object, and the server's challenge names this address`);
    }
  }
  return undefined;
}

function read(document: Readonly<Record<string, unknown>>, server: URL, what: string): ProtectedResourceMetadata {
  const { resource } = document;
  if (typeof resource !== 'string' || !covers(resource, server, what)) {
    throw new OAuthError('resource_mismatch', `${what}: resource is ${shown(resource)}, expected ${server.origin}${server.pathname}`);
  }
  return { resource, ...readFields(document, fields, what) };
}

/**
 * Whether a resource identifier is for this server: of the same origin, with the same path or one above it (RFC 8707
 * section 2 lets a token be for more than one path). Only compared here; what is sent on are its own bytes.
 */
function covers(resource: string, server: URL, what: string): boolean {
  const { origin, pathname, hash } = parseUrl(resource, `${what}: resource`);
  const path = pathname.replace(/\/$/, '');
  return origin === server.origin && hash === ''
    && (server.pathname === path || server.pathname.startsWith(`${path}/`));
}
