import { decodeUtf8, fromBase64Url, isObject, toBase64 } from '../jsonrpc/internal-exports.ts';
import { findAlgorithm } from './algorithms.ts';
import { shown, TokenError } from './errors.ts';
import { fits, importPublicKey } from './jwk.ts';
import type { Jwk, Key } from './jwk.ts';

/** The three parts of a JWT. Do not trust them before `verifyJwt` has returned true. */
export interface Jwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The signed text: header and claims as they were sent. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** Whether a text looks like a signed JWT; other tokens are opaque. */
export const looksLikeJwt = (text: string): boolean => /^[\w-]+\.[\w-]*\.[\w-]*$/.test(text);

/**
 * Parses a JWT in compact serialization (RFC 7515 section 3.1, RFC 7519). `what` names it in errors ("access token").
 * Throws `TokenError`: `jwt_malformed`, or `jwt_crit` if it requires an extension, since none is supported (RFC 7515
 * section 4.1.11).
 */
export function readJwt(text: string, what: string): Jwt {
  const parts = text.split('.', 4);
  const [header, claims, signature] = parts.map(fromBase64Url);
  if (parts.length !== 3 || header === undefined || claims === undefined || signature === undefined) {
    throw new TokenError('jwt_malformed', `the ${what} is not a JWT: expected three parts in base64url`);
  }
  const jwt = {
    header: jsonObject(header, `header of the ${what}`),
    claims: jsonObject(claims, `payload of the ${what}`),
    signed: text.slice(0, text.lastIndexOf('.')),
    signature,
  };
  if ('crit' in jwt.header) {
    throw new TokenError('jwt_crit', `the ${what} has a crit header, but no extension is supported`);
  }
  return jwt;
}

function jsonObject(bytes: Uint8Array, what: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(decodeUtf8(bytes));
  } catch {
    throw new TokenError('jwt_malformed', `the ${what} is not JSON in UTF-8`);
  }
  if (!isObject(value)) throw new TokenError('jwt_malformed', `the ${what} is not a JSON object`);
  return value;
}

/**
 * Whether one of `keys` made the signature. The header's algorithm must be in `allowed` and fit the key, so a token can
 * choose only among accepted algorithms. Throws `TokenError` with the code `jwt_algorithm`.
 */
export async function verifyJwt(jwt: Jwt, keys: Iterable<Jwk>, allowed: readonly string[], what: string): Promise<boolean> {
  const { alg } = jwt.header;
  const algorithm = findAlgorithm(alg);
  if (algorithm === undefined || !allowed.includes(alg as string)) {
    throw new TokenError('jwt_algorithm', `the alg of the ${what} is ${shown(alg)}, expected one of ${allowed.join(', ')}`);
  }
  const signed = new TextEncoder().encode(jwt.signed);
  const signature = jwt.signature as Uint8Array<ArrayBuffer>;
  for (const jwk of keys) {
    if (!fits(jwk, alg as string, algorithm)) continue;
    const key = await imported(jwk, alg as string);
    if (key && hasLength(signature, key) && await crypto.subtle.verify(algorithm, key, signature, signed)) return true;
  }
  return false;
}

/**
 * RFC 8017 sections 8.1.2 and 8.2.2: an RSA signature is as long as the modulus. OpenSSL also accepts a PSS signature
 * without its leading zero, which would be a second form of the same token.
 */
function hasLength(signature: Uint8Array, { algorithm }: Key): boolean {
  const { modulusLength: bits } = algorithm as { readonly modulusLength?: number };
  return bits === undefined || signature.length === Math.ceil(bits / 8);
}

/** Imported keys, for the lifetime of their document. */
const known = new WeakMap<Jwk, Map<string, Key | undefined>>();

/** The key for this algorithm; undefined if it does not fit. One bad key in a set does not affect the others. */
async function imported(jwk: Jwk, alg: string): Promise<Key | undefined> {
  let keys = known.get(jwk);
  if (keys === undefined) known.set(jwk, keys = new Map());
  if (!keys.has(alg)) {
    const algorithm = findAlgorithm(alg);
    keys.set(alg, algorithm && await importPublicKey(jwk, algorithm).catch(() => undefined));
  }
  return keys.get(alg);
}

/** Signs claims. `header.alg` names the algorithm, and `key` is a private key for it. */
export async function signJwt(
  header: Readonly<Record<string, unknown>> & { readonly alg: string },
  claims: Readonly<Record<string, unknown>>,
  key: Key,
): Promise<string> {
  const algorithm = findAlgorithm(header.alg);
  if (algorithm === undefined) throw new TypeError(`${shown(header.alg)} is not a supported signature algorithm`);
  const encoder = new TextEncoder();
  const part = (value: object): string => toBase64(encoder.encode(JSON.stringify(value)), 'base64url');
  const signed = `${part(header)}.${part(claims)}`;
  const signature = await crypto.subtle.sign(algorithm, key, encoder.encode(signed));
  return `${signed}.${toBase64(new Uint8Array(signature), 'base64url')}`;
}
