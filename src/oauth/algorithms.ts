/**
 * A signature algorithm in the form that WebCrypto takes: one object for `importKey`, `generateKey`, `sign` and
 * `verify`.
 */
export interface Algorithm {
  /** The `kty` of its keys. */
  readonly kty: 'EC' | 'RSA' | 'OKP';
  /** The `crv` of its keys, if the `kty` has several curves. */
  readonly crv?: string;
  readonly name: string;
  readonly hash?: string;
  readonly namedCurve?: string;
  readonly saltLength?: number;
}

/**
 * The asymmetric signature algorithms of JWS by name (RFC 7518 section 3.1, RFC 8037, RFC 9864). `none` and the HMACs
 * are left out on purpose: a signature made with a shared secret is never accepted, so that nobody can use a public
 * key as such a secret.
 */
export const algorithms: Readonly<Record<string, Algorithm>> = {
  ES256: { kty: 'EC', crv: 'P-256', name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  ES384: { kty: 'EC', crv: 'P-384', name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  ES512: { kty: 'EC', crv: 'P-521', name: 'ECDSA', namedCurve: 'P-521', hash: 'SHA-512' },
  RS256: { kty: 'RSA', name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  RS384: { kty: 'RSA', name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' },
  RS512: { kty: 'RSA', name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' },
  PS256: { kty: 'RSA', name: 'RSA-PSS', hash: 'SHA-256', saltLength: 32 },
  PS384: { kty: 'RSA', name: 'RSA-PSS', hash: 'SHA-384', saltLength: 48 },
  PS512: { kty: 'RSA', name: 'RSA-PSS', hash: 'SHA-512', saltLength: 64 },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', name: 'Ed25519' },
  Ed25519: { kty: 'OKP', crv: 'Ed25519', name: 'Ed25519' },
};

/** Every name in `algorithms`. */
export const algorithmNames = (): string[] => Object.keys(algorithms);

/** The algorithm of this name; undefined for any other name (`__proto__`, `none`, `HS256`). */
export function findAlgorithm(name: unknown): Algorithm | undefined {
  return typeof name === 'string' && Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
}
