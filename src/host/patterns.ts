/**
 * Whether a name or a text fits a pattern: `*` is any run of characters, every other character is itself. Linear in
 * the text for each star, without a regular expression.
 */
export function fitsName(pattern: string, text: string): boolean {
  return fitsParts(pattern.split('*'), text);
}

function fitsParts(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * Whether a path fits a pattern: `*` is any run within one segment, a segment `**` is any number of segments,
 * including zero. Both are split at `/`; the path must be normal (no `.`, no `..`).
 */
export function fitsPath(pattern: string, path: string): boolean {
  const wanted = segments(pattern);
  const given = segments(path);
  // reach[i]: the patterns so far fit the first i segments. One pass for each pattern segment, so the work is bounded.
  let reach = [true, ...given.map(() => false)];
  for (const one of wanted) {
    const next: boolean[] = reach.map(() => false);
    for (let i = 0; i <= given.length; i++) {
      if (one === '**') next[i] = Boolean(reach[i]) || (i > 0 && Boolean(next[i - 1]));
      else if (i > 0) next[i] = Boolean(reach[i - 1]) && fitsName(one, given[i - 1] ?? '');
    }
    reach = next;
  }
  return Boolean(reach[given.length]);
}

const segments = (path: string): string[] => path.split('/').filter((segment, i) => segment !== '' || i === 0);
