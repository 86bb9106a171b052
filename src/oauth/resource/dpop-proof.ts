import { isObject } from '../../jsonrpc/internal-exports.ts';
import { shown, TokenError } from '../errors.ts';
import { sha256, thumbprint } from '../jwk.ts';
import type { Jwk } from '../jwk.ts';
import { readJwt, verifyJwt } from '../jwt.ts';
import type { Nonces } from './dpop-nonce.ts';
import type { ProofReplays } from './proof-replays.ts';

/** The values that a proof must match. */
export interface ExpectedProof {
  readonly method: string;
  /** The URL of the request; its query and fragment are ignored. */
  readonly url: string;
  /** The access token that came with the proof. */
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string;
  /** The principal of the token. */
  readonly principal: string;
}

/** The rules for proofs. */
export interface ProofRules {
  readonly algorithms: readonly string[];
  /** The most characters of a proof. */
  readonly maxProofLength: number;
  /** Milliseconds after which a proof is too old. */
  readonly maxProofAgeMs: number;
  /** The allowed difference between clocks, in milliseconds. */
  readonly leewayMs: number;
  /** If given, a proof must contain one of our nonces. */
  readonly nonces: Nonces | undefined;
  readonly replays: ProofReplays;
  readonly now: () => number;
}

const maxJtiLength = 256;

/** The error code for a proof without one of our nonces. The response then contains one. */
export const useDpopNonce = 'use_dpop_nonce';

/** A refused DPoP proof. */
export class ProofError extends TokenError {}

/**
 * Checks a DPoP proof by all points of RFC 9449 section 4.3. Throws `ProofError`: `dpop_missing`, `dpop_malformed`,
 * `dpop_crit`, `dpop_algorithm`, `dpop_type`, `dpop_key`, `dpop_signature`, `dpop_method`, `dpop_url`, `dpop_time`,
 * `dpop_token`, `dpop_binding`, `dpop_replayed`, `use_dpop_nonce`.
 */
export async function checkProof(proof: string | undefined, expected: ExpectedProof, rules: ProofRules): Promise<void> {
  try {
    await check(proof, expected, rules);
  } catch (thrown) {
    if (!(thrown instanceof TokenError) || thrown instanceof ProofError) throw thrown;
    throw new ProofError(thrown.code.replace(/^jwt_/, 'dpop_').replace('jwk_invalid', 'dpop_key'), thrown.message, { cause: thrown });
  }
}

async function check(proof: string | undefined, expected: ExpectedProof, rules: ProofRules): Promise<void> {
  if (proof === undefined || proof === '') throw new ProofError('dpop_missing', 'there is no DPoP header, and the token is bound to a key');
  // 1. Several header fields arrive as one, joined by commas.
  if (proof.includes(',')) throw new ProofError('dpop_malformed', 'there is more than one DPoP header');
  if (proof.length > rules.maxProofLength) {
    throw new ProofError('dpop_malformed', `the DPoP proof has ${proof.length} characters, the limit is ${rules.maxProofLength}`);
  }
  // 2.
  const jwt = readJwt(proof, 'DPoP proof');
  const { header, claims } = jwt;
  // 3.
  const [jti, htm, htu] = ['jti', 'htm', 'htu'].map((name) => textClaim(claims, name)) as [string, string, string];
  if (jti.length > maxJtiLength) throw new ProofError('dpop_malformed', `the DPoP proof's jti is longer than ${maxJtiLength} characters`);
  const iat = claims['iat'];
  if (typeof iat !== 'number' || !Number.isFinite(iat)) {
    throw new ProofError('dpop_malformed', `the DPoP proof's iat is ${shown(iat)}, expected a number`);
  }
  // 4.
  if (header['typ'] !== 'dpop+jwt') {
    throw new ProofError('dpop_type', `the DPoP proof's typ is ${shown(header['typ'])}, expected "dpop+jwt"`);
  }
  // 7.
  const { jwk } = header;
  if (!isObject(jwk) || ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'].some((name) => name in jwk)) {
    throw new ProofError('dpop_key', 'the DPoP proof\'s jwk is not a public key');
  }
  // 8. and 9., before the signature check, which costs more.
  if (htm !== expected.method) {
    throw new ProofError('dpop_method', `the DPoP proof's htm is ${shown(htm)}, the request's method is ${expected.method}`);
  }
  if (normalized(htu) !== normalized(expected.url)) {
    throw new ProofError('dpop_url', `the DPoP proof's htu is ${shown(htu)}, expected ${shown(expected.url)}`);
  }
  // 5. and 6.
  if (!await verifyJwt(jwt, [jwk as Jwk], rules.algorithms, 'DPoP proof')) {
    throw new ProofError('dpop_signature', 'the DPoP proof is not signed by its own jwk');
  }
  // 10. and 11. Our nonce gives the time of the proof, independently of the client's clock.
  const now = rules.now();
  const created = rules.nonces ? await nonceTime(claims['nonce'], rules.nonces) : iat * 1000;
  if (!rules.nonces && (created > now + rules.leewayMs || created <= now - rules.maxProofAgeMs)) {
    const off = Math.round((now - created) / 1000);
    throw new ProofError('dpop_time', off < 0 ? `the DPoP proof was made ${-off} s in the future` : `the DPoP proof was made ${off} s ago`);
  }
  // 12.
  if (claims['ath'] !== await sha256(expected.token)) {
    throw new ProofError('dpop_token', 'the DPoP proof\'s ath is not the hash of the access token');
  }
  const key = await thumbprint(jwk);
  if (key !== expected.jkt) throw new ProofError('dpop_binding', 'the DPoP proof is signed by another key than the token is bound to');
  // Last, so that only a sender with the token and its key can fill the memory.
  const expires = created + (rules.nonces?.lifetimeMs ?? rules.maxProofAgeMs);
  if (!await rules.replays.add({ principal: expected.principal, key, jti, created, expires })) {
    throw new ProofError('dpop_replayed', 'the DPoP proof was used before');
  }
}

function textClaim(claims: Readonly<Record<string, unknown>>, name: string): string {
  const value = claims[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new ProofError('dpop_malformed', `the DPoP proof's ${name} is ${shown(value)}, expected a string`);
}

async function nonceTime(nonce: unknown, { issuedAt }: Nonces): Promise<number> {
  const at = typeof nonce === 'string' ? await issuedAt(nonce) : undefined;
  if (at !== undefined) return at;
  throw new ProofError(useDpopNonce, `the DPoP proof's nonce is ${nonce === undefined ? 'missing' : 'not a current one'}`);
}

/** RFC 9449 section 4.3: ignores query and fragment, and normalizes the URL for comparison (RFC 3986 section 6). */
function normalized(url: string): string | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return undefined;
  }
  const path = parsed.pathname.replaceAll(/%[\da-f]{2}/gi, (code) => {
    const char = String.fromCharCode(parseInt(code.slice(1), 16));
    // Percent-encoding does not change the meaning of unreserved characters.
    return /[\w.~-]/.test(char) ? char : code.toUpperCase();
  });
  return `${parsed.protocol}//${parsed.host}${path}`;
}
