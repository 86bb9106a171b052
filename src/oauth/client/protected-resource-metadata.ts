import { metadataDocument } from '../authorization-server-metadata.ts';
import { OAuthError, shown, shownUrl } from '../errors.ts';
import { parseUrl } from '../fetch-json.ts';
import type { FetchOptions } from '../fetch-json.ts';
import { readFields } from '../metadata-fields.ts';
import type { Fields } from '../metadata-fields.ts';

/** The authorization metadata of an MCP server, under the names of RFC 9728 section 2. */
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
 * The metadata of the MCP server. If a challenge names its address, only that address is asked; otherwise the
 * well-known address with the server's path, then the one at the root (2026-07-28
 * basic/authorization/authorization-server-discovery). Undefined if there is no metadata.
 *
 * Rejects with `OAuthError`: `resource_mismatch` if `resource` does not cover the server, and the errors of
 * `metadataDocument`.
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
      throw new OAuthError('metadata_malformed', `${what}: not a JSON object, but the challenge names this address`);
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
 * Whether a resource identifier covers this server: the same origin, and the same path or a parent path (RFC 8707 section
 * 2 allows a token for several paths). Normalization is only for this comparison; requests carry the identifier
 * unchanged.
 */
function covers(resource: string, server: URL, what: string): boolean {
  const { origin, pathname, hash } = parseUrl(resource, `${what}: resource`);
  const path = pathname.replace(/\/$/, '');
  return origin === server.origin && hash === ''
    && (server.pathname === path || server.pathname.startsWith(`${path}/`));
}
