import { toBase64 } from '../../jsonrpc/internal-exports.ts';
import { sha256 } from '../jwk.ts';

/** 256 random bits as text for a URL: 43 characters. */
export function randomText(): string {
  return toBase64(crypto.getRandomValues(new Uint8Array(32)), 'base64url');
}

/** The S256 challenge of a code verifier (RFC 7636 section 4.2). A verifier is a `randomText()`. */
export const challengeOf = (verifier: string): Promise<string> => sha256(verifier);
