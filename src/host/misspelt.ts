import { quote } from '../bounds/quote.ts';
import { HostError } from './errors.ts';

/**
 * Throws a `HostError` with code `bad-config` for a member that is almost a known one. Files that several hosts share
 * have members for other hosts, which are ignored; but a misspelt `disabled` would start the server.
 */
export function refuseMisspelt(at: string, given: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    const meant = known.includes(name) ? undefined : known.find((one) => isAlmost(name.toLowerCase(), one.toLowerCase()));
    if (meant !== undefined) throw new HostError('bad-config', `${at}: ${quote(name)} is unknown, did you mean ${meant}?`);
  }
}

/** Whether the names differ by one letter that is missing, added, replaced, or swapped with the next. */
function isAlmost(a: string, b: string): boolean {
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [mine, theirs] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return mine.length <= 1 && theirs.length <= 1 || mine.length === 2 && theirs === `${mine[1]}${mine[0]}`;
}
