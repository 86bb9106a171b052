import { nearest } from '../bounds/options.ts';
import { visible } from '../explain/safe-text.ts';

/** The most characters of a name, and the most names, that are compared. */
const maxLength = 80;
const maxNames = 2_000;

/**
 * Returns `; did you mean NAME?` with the most similar name, or '' if none is similar enough. Uses the measure that the
 * library uses for misspelt options. Names may come from a server.
 */
export function didYouMean(given: string, names: readonly string[], shown: (name: string) => string = (name) => name): string {
  const name = nearest(given.slice(0, maxLength), names.filter(({ length }) => length <= maxLength).slice(0, maxNames));
  if (!name) return '';
  return `; did you mean ${visible(shown(name))}?`;
}
