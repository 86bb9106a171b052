import type { Auth } from '../../transport/internal-exports.ts';

type Lacks = NonNullable<Auth['lacks']>;

const texts = new WeakMap<Lacks, string>();
let numbers = 0;

/** Identifies as a text what the tokens of one `bearer` reach: tokens with the same text reach the same. */
export function createReach(): (lacks: Lacks, scopes: readonly string[]) => Lacks {
  const bearer = ++numbers;
  return (lacks, scopes) => {
    texts.set(lacks, JSON.stringify([bearer, ...[...new Set(scopes)].sort()]));
    return lacks;
  };
}

/** The text of this function; undefined if no `bearer` has made it. */
export const reachOf = (lacks: Lacks): string | undefined => texts.get(lacks);
