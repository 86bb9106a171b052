import type { BearerOptions } from './options.ts';

/** The metadata of a protected resource. RFC 9728 section 2. */
export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported?: readonly string[];
  readonly bearer_methods_supported: readonly string[];
  readonly dpop_signing_alg_values_supported?: readonly string[];
  readonly dpop_bound_access_tokens_required?: boolean;
  readonly resource_name?: string;
  readonly resource_documentation?: string;
  readonly resource_policy_uri?: string;
  readonly resource_tos_uri?: string;
  readonly [name: string]: unknown;
}

/** The URL of a resource's metadata: the well-known name is inserted between host and path. RFC 9728 section 3. */
export function metadataUrl(resource: string): URL {
  const url = new URL(resource);
  const path = url.pathname === '/' ? '' : url.pathname;
  url.pathname = `/.well-known/oauth-protected-resource${path}`;
  return url;
}

export function metadataOf({ resource, authorizationServers, scopes = [], dpop, metadata }: BearerOptions, algorithms: readonly string[]): ProtectedResourceMetadata {
  return {
    // First, so that it cannot replace the members that other options set.
    ...metadata,
    resource,
    authorization_servers: authorizationServers,
    ...scopes.length > 0 && { scopes_supported: scopes },
    bearer_methods_supported: ['header'],
    ...dpop && { dpop_signing_alg_values_supported: algorithms, dpop_bound_access_tokens_required: dpop.required ?? false },
  };
}
