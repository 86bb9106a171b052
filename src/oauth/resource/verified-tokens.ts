import { BoundedMap } from '../../bounds/bounded-map.ts';
import { sha256 } from '../jwk.ts';
import type { Jwk } from '../jwk.ts';
import type { TokenClaims } from './access-token.ts';

interface Verified {
  readonly claims: TokenClaims;
  /** The issuer's published keys when the token was checked. */
  readonly keys: readonly Jwk[];
  /** Fetches the issuer's current keys. */
  readonly current: () => Promise<readonly Jwk[]>;
}

/**
 * Tokens whose signature was checked, by digest: clients send the same token with each request, and a digest costs a
 * fraction of a signature check. The token's times and audience are checked again each time.
 */
export interface VerifiedTokens {
  /** The claims of this token; undefined if it is unknown, or if its issuer has published other keys since. */
  find(token: string): Promise<TokenClaims | undefined>;
  keep(token: string, verified: Verified): Promise<void>;
}

/** Remembers the newest `max` tokens; 0: none. */
export function verifiedTokens(max: number): VerifiedTokens {
  const byDigest = new BoundedMap<string, Verified>(max);
  return {
    async find(token) {
      if (byDigest.size === 0) return undefined;
      const digest = await sha256(token);
      const known = byDigest.get(digest);
      if (known === undefined) return undefined;
      if (await known.current() === known.keys) return known.claims;
      byDigest.delete(digest);
      return undefined;
    },
    async keep(token, verified) {
      if (max > 0) byDigest.set(await sha256(token), verified);
    },
  };
}
