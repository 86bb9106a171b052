import { joinBytes } from '../../bounds/budget.ts';

/**
 * AES-256-GCM under one key. Sealed bytes are secret and authenticated, together with `bound`, which they do not contain: 12 random
 * bytes, the encrypted text, a tag of 16 bytes.
 */
export interface AesGcm {
  seal(bound: string, text: string): Uint8Array | Promise<Uint8Array>;
  /** Throws or rejects for bytes that were not sealed with this key and this `bound`. */
  open(bound: string, sealed: Uint8Array): string | Promise<string>;
}

export const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
/** `ivBytes + tagBytes`, as a literal: a bundler would keep an unused sum. */
const smallest = 28;

/**
 * Uses the runtime's implementation; without `secret`, with a new key. Node, Bun and Deno have a synchronous module; WebCrypto
 * passes each job to another thread and back, which takes several times as long as the job. Throws if the runtime has neither.
 */
export async function aesGcm(secret?: Uint8Array): Promise<AesGcm> {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (node) {
    const key = secret ?? node.randomBytes(keyBytes);
    const options = { authTagLength: tagBytes };
    // 256 at a time, which cost as much as one. Each is used once.
    let ivs = new Uint8Array(0);
    return {
      seal(bound, text) {
        if (ivs.length === 0) ivs = node.randomBytes(256 * ivBytes);
        const iv = ivs.subarray(0, ivBytes);
        ivs = ivs.subarray(ivBytes);
        const cipher = node.createCipheriv('aes-256-gcm', key, iv, options).setAAD(Buffer.from(bound));
        const encrypted = cipher.update(text, 'utf8');
        // GCM encrypts byte for byte: `final` returns nothing more.
        cipher.final();
        return Buffer.concat([iv, encrypted, cipher.getAuthTag()], smallest + encrypted.length);
      },
      open(bound, sealed) {
        if (sealed.length < smallest) throw new RangeError('too short');
        const decipher = node.createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), options);
        decipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(-tagBytes));
        const text = decipher.update(sealed.subarray(ivBytes, -tagBytes));
        // Throws if the tag does not fit. With an encoding both calls would need a decoder, which takes longer.
        decipher.final();
        return text.toString();
      },
    };
  }
  const { subtle } = globalThis.crypto ?? {};
  if (!subtle) {
    throw new Error('this runtime has no crypto.subtle, which questions to a 2026-07-28 client need');
  }
  const random = (length: number): Bytes => crypto.getRandomValues(new Uint8Array(length));
  const key = await subtle.importKey(
    'raw', secret as Bytes ?? random(keyBytes), 'AES-GCM', false, ['encrypt', 'decrypt'],
  );
  const by = (iv: Bytes, bound: string) => ({ name: 'AES-GCM', iv, additionalData: bytesOf(bound) });
  return {
    async seal(bound, text) {
      const iv = random(ivBytes);
      const sealed = new Uint8Array(await subtle.encrypt(by(iv, bound), key, bytesOf(text)));
      return joinBytes([iv, sealed], ivBytes + sealed.length);
    },
    async open(bound, sealed) {
      const bytes = sealed as Bytes;
      const text = await subtle.decrypt(by(bytes.subarray(0, ivBytes), bound), key, bytes.subarray(ivBytes));
      return new TextDecoder().decode(text);
    },
  };
}

/** WebCrypto takes no bytes in shared memory, and no bytes here are in it. */
type Bytes = Uint8Array<ArrayBuffer>;

const bytesOf = (text: string): Bytes => new TextEncoder().encode(text) as Bytes;
