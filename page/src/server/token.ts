import { timingSafeEqual } from 'node:crypto';

/** Compares in constant time, so that the duration tells nothing about the token. */
export function isToken(given: unknown, token: string): boolean {
  if (typeof given !== 'string') return false;
  const [one, two] = [Buffer.from(given), Buffer.from(token)];
  return one.length === two.length && timingSafeEqual(one, two);
}
