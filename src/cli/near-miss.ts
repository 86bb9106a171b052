import { unlikeness } from '../bounds/options.ts';
import { visible } from '../explain/safe-text.ts';

/** The most characters of a name, and the most names, that are compared. */
const maxLength = 80;
const maxNames = 2_000;

/**
 * Returns `; did you mean NAME?` with the most similar name, or '' if none is similar enough. Uses the measure that the
 * library uses for misspelt options. Names may come from a server.
 */
export function didYouMean(given: string, names: readonly string[], shown: (name: string) => string = (name) => name): string {
  const short = given.slice(0, maxLength);
  const [name] = names.filter(({ length }) => length <= maxLength).slice(0, maxNames)
    .map((one) => ({ one, distance: unlikeness(short, one) })).sort((a, b) => a.distance - b.distance).map(({ one }) => one);
  if (name === undefined || unlikeness(short, name) > Math.max(1, Math.min(short.length, name.length) / 3)) return '';
  return `; did you mean ${visible(shown(name))}?`;
}
