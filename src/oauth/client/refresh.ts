import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import type { FetchOptions } from '../fetch-json.ts';
import type { ClientInformation } from './client-authentication.ts';
import type { DpopNonces } from './dpop.ts';
import type { Granted } from './grant.ts';
import { requestToken, TokenRefused } from './token-endpoint.ts';
import type { Tokens } from './tokens.ts';

/** The tokens to refresh, and the server to ask. */
export interface RefreshRequest {
  readonly tokens: Tokens;
  readonly client: ClientInformation;
  readonly server: AuthorizationServerMetadata;
  readonly resource: string | undefined;
  readonly nonces: DpopNonces;
  readonly options: FetchOptions;
}

/** The data that the server no longer knows: the refresh token, or the whole client. */
export type Lost = 'grant' | 'client';

/**
 * Exchanges the refresh token for new tokens (RFC 6749 section 6). If the response has no refresh token, the old one
 * stays valid; otherwise the old one is invalid. `Lost`: a new login is needed.
 */
export async function refresh({ tokens, client, server, resource, nonces, options }: RefreshRequest): Promise<Granted | Lost> {
  try {
    const fresh = await requestToken({ server, client, options, nonces, dpop: tokens.key }, {
      grant_type: 'refresh_token', refresh_token: tokens.refresh_token, resource,
    });
    const { refresh_token = tokens.refresh_token, scope = tokens.scope } = fresh;
    return { client, tokens: { ...fresh, refresh_token, scope } };
  } catch (thrown) {
    switch (thrown instanceof TokenRefused ? thrown.error : undefined) {
      case 'invalid_grant': return 'grant';
      case 'invalid_client':
      case 'unauthorized_client': return 'client';
      default: throw thrown;
    }
  }
}

/**
 * The time to refresh tokens, in milliseconds since the epoch: in the last tenth of their lifetime, at most a minute
 * before they expire, and different in each process (`random`, from 0 to 1). Undefined if their lifetime is unknown.
 */
export function refreshTime({ expires_at, issued_at }: Tokens, random: number): number | undefined {
  if (expires_at === undefined) return undefined;
  const ahead = Math.min(60_000, (expires_at - issued_at) / 10);
  return expires_at - ahead * (0.5 + random / 2);
}
