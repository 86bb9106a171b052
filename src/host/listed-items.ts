import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import { canonicalJson } from '../skills/digest.ts';

/** Limits on a server's lists. An item beyond a limit is left out and reported; the rest stays. */
export interface ListingLimits {
  /** The largest number of tools, prompts, resources and templates of one server, each. 10,000. */
  readonly maxListed: number;
  /** Characters of a name. 1024. */
  readonly maxNameChars: number;
  /** Characters of one item's whole definition, as JSON. 1 Mi. */
  readonly maxDefinitionChars: number;
}

/** Defaults of `ListingLimits`. */
export const defaultListingLimits: ListingLimits = { maxListed: 10_000, maxNameChars: 1024, maxDefinitionChars: 1_048_576 };

/** The kind of a list's items. */
export type ItemKind = 'tool' | 'prompt' | 'resource' | 'template';

/** The number of reasons that are reported for one list. */
const maxTold = 5;

/**
 * The items of a server's list that can be kept, each tool once, and a sentence about those that were left out; '' if
 * all are kept. Nothing is truncated: half a definition would be a different one.
 */
export function admitted<T extends { readonly name: string }>(kind: ItemKind, items: readonly T[], limits: ListingLimits): { readonly kept: T[]; readonly left: string } {
  const kept: T[] = [];
  const seen = new Set<string>();
  const reasons: string[] = [];
  for (const item of items) {
    const why = kept.length >= limits.maxListed ? `more than ${limits.maxListed}` : faultOf(kind, item, seen, limits);
    if (why === undefined) kept.push(item);
    else reasons.push(why);
  }
  if (reasons.length === 0) return { kept, left: '' };
  const told = reasons.slice(0, maxTold).join('; ');
  return { kept, left: `${reasons.length} of ${items.length} ${kind}s were left out: ${told}${reasons.length > maxTold ? `; and ${reasons.length - maxTold} more` : ''}` };
}

/** Why an item cannot be kept; undefined: it can. The client has already checked the members of its type. */
function faultOf(kind: ItemKind, item: { readonly name: string }, seen: Set<string>, limits: ListingLimits): string | undefined {
  const { name } = item;
  if (name.length > limits.maxNameChars) return `${quote(name)} has ${name.length} characters, and ${limits.maxNameChars} are allowed`;
  if (kind === 'tool' && seen.has(name)) return `${quote(name)} is listed twice`;
  try {
    const { length } = canonicalJson(item);
    if (length > limits.maxDefinitionChars) return `${quote(name)} takes ${length} characters, and ${limits.maxDefinitionChars} are allowed`;
  } catch (thrown) {
    return `${quote(name)}: ${errorMessage(thrown)}`;
  }
  seen.add(name);
  return undefined;
}
