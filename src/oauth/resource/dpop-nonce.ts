import { fromBase64Url, toBase64 } from '../../jsonrpc/internal-exports.ts';

/** Nonces for DPoP proofs (RFC 9449 section 9). A nonce encodes only the time when this server issued it. */
export interface Nonces {
  /** Issues a nonce that is valid from now on. */
  issue(): Promise<string>;
  /** The time when a nonce was issued, in milliseconds since the epoch; undefined if it is not ours or too old. */
  issuedAt(nonce: string): Promise<number | undefined>;
  /** The lifetime of a nonce, in milliseconds. */
  readonly lifetimeMs: number;
}

type NonceBytes = Uint8Array<ArrayBuffer>;

/**
 * Makes stateless nonces: a time and its HMAC-SHA-256. Processes with the same `secret` (32 bytes) accept each other's
 * nonces; without a secret, each process generates its own.
 */
export function nonces(secret: Uint8Array | undefined, lifetimeMs: number, now: () => number): Nonces {
  let made: ReturnType<typeof crypto.subtle.importKey> | undefined;
  const key = (): NonNullable<typeof made> => made ??= crypto.subtle.importKey(
    'raw', (secret ?? crypto.getRandomValues(new Uint8Array(32))) as NonceBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'],
  );
  return {
    lifetimeMs,
    async issue() {
      const bytes = new Uint8Array(8 + 32);
      new DataView(bytes.buffer).setFloat64(0, now());
      bytes.set(new Uint8Array(await crypto.subtle.sign('HMAC', await key(), bytes.subarray(0, 8))), 8);
      return toBase64(bytes, 'base64url');
    },
    async issuedAt(nonce) {
      const bytes = nonce.length > 100 ? undefined : fromBase64Url(nonce) as NonceBytes | undefined;
      if (bytes?.length !== 40) return undefined;
      const at = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0);
      const age = now() - at;
      const genuine = await crypto.subtle.verify('HMAC', await key(), bytes.subarray(8), bytes.subarray(0, 8));
      return genuine && age >= 0 && age < lifetimeMs ? at : undefined;
    },
  };
}
