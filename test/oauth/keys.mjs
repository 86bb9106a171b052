import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';

/** A private key as JWK, with a key id. */
export async function privateJwk(alg = 'ES256') {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  return { ...await exportJWK(privateKey), kid: randomUUID(), use: 'sig', alg };
}
