import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { publicMembers, sha256 } from '../jwk.ts';
import type { Jwk } from '../jwk.ts';
import { signJwt } from '../jwt.ts';
import { randomText } from './pkce.ts';
import type { AuthorizationStore, StoredKey } from './store.ts';

/** The place of a stored key: as a JWK in the text, or under this name in the store's `keys`. */
export type DpopReference = { readonly jwk: Jwk } | { readonly id: string };

/** The key that tokens are bound to (RFC 9449), and its public half as every proof carries it. */
export interface DpopKey extends StoredKey {
  readonly reference: DpopReference;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };

/** Makes a key for ES256. It is extractable only if the store cannot hold `CryptoKey` objects. */
export async function makeDpopKey({ keys }: AuthorizationStore): Promise<DpopKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, keys === undefined, ['sign', 'verify']);
  const key = { privateKey, jwk: publicMembers(await crypto.subtle.exportKey('jwk', publicKey) as Jwk) };
  if (keys === undefined) return { ...key, reference: { jwk: await crypto.subtle.exportKey('jwk', privateKey) as Jwk } };
  const id = randomText();
  await keys.put(id, key);
  return { ...key, reference: { id } };
}

/** The key of stored tokens. Undefined if it is lost; its tokens are then useless. */
export async function keptDpopKey({ keys }: AuthorizationStore, reference: DpopReference): Promise<DpopKey | undefined> {
  if ('id' in reference) {
    const key = await keys?.get(reference.id);
    return key && { ...key, reference };
  }
  try {
    const privateKey = await crypto.subtle.importKey('jwk', { ...reference.jwk }, algorithm, true, ['sign']);
    return { privateKey, jwk: publicMembers(reference.jwk), reference };
  } catch {
    return undefined;
  }
}

/** The thumbprint that binds an authorization code to the key (RFC 9449 section 10). */
export const thumbprintOf = ({ jwk }: DpopKey): Promise<string> => sha256(JSON.stringify(jwk));

/** The request that a proof is made for. */
export interface ProofOf {
  readonly method: string;
  readonly url: string;
  /** The last nonce of the server that receives the proof. */
  readonly nonce?: string | undefined;
  /** The access token that is sent with the proof. */
  readonly accessToken?: string | undefined;
}

/** A proof of possession for one request (RFC 9449 section 4.2). Every call makes a different one. */
export async function dpopProof({ privateKey, jwk }: DpopKey, { method, url, nonce, accessToken }: ProofOf, clock: Clock = systemClock): Promise<string> {
  const { origin, pathname } = new URL(url);
  return signJwt({ typ: 'dpop+jwt', alg: 'ES256', jwk }, {
    jti: randomText(),
    htm: method,
    htu: origin + pathname,
    iat: Math.floor(clock.now() / 1000),
    ...nonce !== undefined && { nonce },
    ...accessToken !== undefined && { ath: await sha256(accessToken) },
  }, privateKey);
}

/** The last nonce of each server, by origin (RFC 9449 sections 8 and 9). */
export class DpopNonces {
  private readonly byOrigin = new Map<string, string>();

  get(url: string): string | undefined {
    return this.byOrigin.get(new URL(url).origin);
  }

  /** Stores the nonce of a response. True if it is new. */
  note(url: string, nonce: string | undefined): boolean {
    const { origin } = new URL(url);
    // RFC 9449 section 8.1: NQCHAR. The length is limited, since the nonce is sent back with every request.
    if (nonce === undefined || !/^[\x21\x23-\x5b\x5d-\x7e]{1,1024}$/.test(nonce) || this.byOrigin.get(origin) === nonce) return false;
    this.byOrigin.set(origin, nonce);
    return true;
  }
}
