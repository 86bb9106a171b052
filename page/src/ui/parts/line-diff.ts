// Finds the equal, removed and added lines of two texts, with the smallest number of changes.

export interface LinePart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly lines: readonly string[];
}

/** The most removed and added lines; a larger difference is not worth reading line by line. */
const maxChanges = 1_500;

/** Undefined if the texts differ too much. Myers, "An O(ND) difference algorithm and its variations" (1986), greedy. */
export function lineDiff(before: string, after: string): readonly LinePart[] | undefined {
  const [a, b] = [before.split('\n'), after.split('\n')];
  // For each diagonal (removed minus added lines): the furthest line of `a` that is reached. One array for each number of changes.
  const reached: Int32Array[] = [];
  const furthest = new Int32Array(2 * maxChanges + 3);
  const middle = maxChanges + 1;
  const at = (where: Int32Array, diagonal: number): number => where[middle + diagonal] ?? 0;
  for (let changes = 0; changes <= Math.min(a.length + b.length, maxChanges); changes++) {
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const puts = diagonal === -changes || (diagonal !== changes && at(furthest, diagonal - 1) < at(furthest, diagonal + 1));
      let x = puts ? at(furthest, diagonal + 1) : at(furthest, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest[middle + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return backwards(a, b, reached, changes);
    }
    reached.push(furthest.slice(middle - changes, middle + changes + 1));
  }
  return undefined;
}

/** Collects the parts from the end to the beginning. `reached[n]` has the diagonals from -n to n. */
function backwards(a: readonly string[], b: readonly string[], reached: readonly Int32Array[], changes: number): readonly LinePart[] {
  const found: { readonly kind: LinePart['kind']; readonly lines: string[] }[] = [];
  const put = (kind: LinePart['kind'], line: string | undefined): void => {
    const last = found.at(-1);
    if (last?.kind === kind) last.lines.push(line ?? '');
    else found.push({ kind, lines: [line ?? ''] });
  };
  let [x, y] = [a.length, b.length];
  for (let left = changes; left > 0; left--) {
    const before = reached[left - 1];
    const far = (diagonal: number): number => before?.[diagonal + left - 1] ?? -1;
    const diagonal = x - y;
    const puts = diagonal === -left || (diagonal !== left && far(diagonal - 1) < far(diagonal + 1));
    const from = far(puts ? diagonal + 1 : diagonal - 1);
    const begin = puts ? from : from + 1;
    for (; x > begin; x--, y--) put('same', a[x - 1]);
    if (puts) put('added', b[--y]);
    else put('removed', a[--x]);
  }
  for (; x > 0; x--) put('same', a[x - 1]);
  return found.reverse().map(({ kind, lines }) => ({ kind, lines: lines.reverse() }));
}
