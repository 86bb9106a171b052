import type { Auth } from '../../transport/internal-exports.ts';

type Lacks = NonNullable<Auth['lacks']>;

const texts = new WeakMap<Lacks, string>();
let numbers = 0;

/** Labels the `lacks` functions of one `bearer` with a text: tokens with the same text have the same scopes. */
export function createReach(): (lacks: Lacks, scopes: readonly string[]) => Lacks {
  const bearer = ++numbers;
  return (lacks, scopes) => {
    texts.set(lacks, JSON.stringify([bearer, ...[...new Set(scopes)].sort()]));
    return lacks;
  };
}

/** The text of a `lacks` function; undefined if it is not from `bearer`. */
export const reachOf = (lacks: Lacks): string | undefined => texts.get(lacks);
