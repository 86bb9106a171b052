import { timingSafeEqual } from 'node:crypto';

/** Compares in a time that does not depend on what is given. */
export function isToken(given: unknown, token: string): boolean {
  if (typeof given !== 'string') return false;
  const [one, two] = [Buffer.from(given), Buffer.from(token)];
  return one.length === two.length && timingSafeEqual(one, two);
}
