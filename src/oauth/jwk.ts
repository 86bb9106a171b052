import { fromBase64Url, isObject, toBase64 } from '../jsonrpc/internal-exports.ts';
import type { Algorithm } from './algorithms.ts';
import { shown, TokenError } from './errors.ts';

/** A JSON Web Key (RFC 7517) from the wire, not validated. */
export type Jwk = Readonly<Record<string, unknown>>;

/** A key of WebCrypto. */
export type Key = Parameters<typeof crypto.subtle.verify>[1];

/** The members that define a public key, in the order of RFC 7638 section 3.2. */
const members: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/** The longest accepted modulus, in bits: longer ones make signature checks too slow. */
const maxModulusBits = 8192;

/** The public members, in their order. Throws `TokenError` if one is missing or `kty` is unknown. */
export function publicMembers(jwk: Jwk): Record<string, string> {
  const { kty } = jwk;
  const names = typeof kty === 'string' && Object.hasOwn(members, kty) ? members[kty] : undefined;
  if (names === undefined) throw new TokenError('jwk_invalid', `the key's kty is ${shown(kty)}, expected EC, OKP or RSA`);
  const own: Record<string, string> = {};
  for (const name of names) {
    const value = jwk[name];
    if (typeof value !== 'string' || value === '') {
      throw new TokenError('jwk_invalid', `the key's ${name} is ${shown(value)}, expected a string`);
    }
    own[name] = value;
  }
  return own;
}

/** The SHA-256 thumbprint of a public key, in base64url. RFC 7638. */
export async function thumbprint(jwk: Jwk): Promise<string> {
  return sha256(JSON.stringify(publicMembers(jwk)));
}

/** SHA-256 of a text's UTF-8 bytes, in base64url. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return toBase64(new Uint8Array(digest), 'base64url');
}

/** Whether the key's members allow it to check signatures of this algorithm (`kty`, `crv`, `alg`, `use`, `key_ops`). */
export function fits(jwk: Jwk, name: string, { kty, crv }: Algorithm): boolean {
  const { alg, use, key_ops: operations } = jwk;
  return jwk['kty'] === kty && (crv === undefined || jwk['crv'] === crv)
    && (alg === undefined || alg === name)
    && (use === undefined || use === 'sig')
    && (!Array.isArray(operations) || operations.includes('verify'));
}

/**
 * Imports a public key for checking signatures. Throws `TokenError` (`jwk_invalid`) for a key of another kind, a private
 * key, and an RSA modulus below 2048 bits (RFC 7518 section 3.3) or above 8192.
 */
export async function importPublicKey(jwk: Jwk, algorithm: Algorithm): Promise<Key> {
  if (!isObject(jwk) || jwk['kty'] !== algorithm.kty) {
    throw new TokenError('jwk_invalid', `the key's kty is ${shown(jwk['kty'])}, expected ${algorithm.kty}`);
  }
  // A published private key is compromised.
  if ('d' in jwk) throw new TokenError('jwk_invalid', 'the key is a private one, expected a public key');
  const own = publicMembers(jwk);
  if (own['n'] !== undefined) {
    const bits = bitLength(own['n']);
    if (bits < 2048 || bits > maxModulusBits) {
      throw new TokenError('jwk_invalid', `the key's modulus has ${bits} bits, expected 2048 to ${maxModulusBits}`);
    }
    // A long exponent only makes each check slow.
    if (bitLength(own['e'] ?? '') > 32) throw new TokenError('jwk_invalid', 'the key\'s exponent is above 32 bits');
  }
  try {
    return await crypto.subtle.importKey('jwk', own, algorithm, false, ['verify']);
  } catch (cause) {
    throw new TokenError('jwk_invalid', `the key is not a valid ${algorithm.kty} key for ${algorithm.name}`, { cause });
  }
}

/** The number of bits of a base64url number; 0 if it is malformed. */
function bitLength(text: string): number {
  const bytes = fromBase64Url(text) ?? new Uint8Array();
  const first = bytes.findIndex((byte) => byte !== 0);
  // `clz32` counts 24 more leading zero bits than a byte has.
  return first < 0 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] as number) + 24;
}
