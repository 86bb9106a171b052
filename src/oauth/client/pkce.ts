import { toBase64 } from '../../jsonrpc/internal-exports.ts';
import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import { OAuthError, shown } from '../errors.ts';
import { sha256 } from '../jwk.ts';

/** 256 random bits as text for a URL: 43 characters. */
export function randomText(): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(32)), 'base64url');
}

/** The S256 challenge of a code verifier (RFC 7636 section 4.2). A verifier is a `randomText()`. */
export const challengeOf = (verifier: string): Promise<string> => sha256(verifier);

/**
 * Throws unless the authorization server has a login page and supports PKCE with S256. 2026-07-28
 * basic/authorization/security-considerations#authorization-code-protection.
 */
export function checkOffers({ issuer, authorization_endpoint, code_challenge_methods_supported: methods }: AuthorizationServerMetadata): void {
  const what = `authorization server metadata of ${shown(issuer)}`;
  if (authorization_endpoint === undefined) throw new OAuthError('unsupported', `${what}: authorization_endpoint is missing`);
  if (!methods?.includes('S256')) {
    const came = methods === undefined ? 'missing' : methods.slice(0, 5).map(shown).join(', ') || 'empty';
    throw new OAuthError('pkce_unsupported', `${what}: code_challenge_methods_supported is ${came}, expected S256`);
  }
}
