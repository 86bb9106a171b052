import { createHash } from 'node:crypto';

/**
 * WebCrypto answers from other threads in an uncontrolled order, so digests are computed synchronously, with the same result. The pauses of
 * processes that wait for one another have no jitter.
 */
export function steadyRandom(): void {
  Math.random = () => 0.5;
  Object.defineProperty(crypto.subtle, 'digest', { value: digest, configurable: true });
}

async function digest(name: string, bytes: Uint8Array): Promise<ArrayBuffer> {
  if (name !== 'SHA-256') throw new Error(`the explorer makes no ${name}`);
  return new Uint8Array(createHash('sha256').update(bytes).digest()).buffer;
}
