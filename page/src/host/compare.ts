/** The most differences that are returned. */
const most = 500;

/** The differences of two values as lines: `path: left → right`, or `path: only left`. */
export function differencesOf(left: unknown, right: unknown): string[] {
  const lines: string[] = [];
  compare('', left, right, lines);
  return lines;
}

function compare(path: string, left: unknown, right: unknown, lines: string[]): void {
  if (lines.length >= most || Object.is(left, right)) return;
  if (typeof left === 'object' && typeof right === 'object' && left !== null && right !== null && Array.isArray(left) === Array.isArray(right)) {
    const [one, two] = [left as Readonly<Record<string, unknown>>, right as Readonly<Record<string, unknown>>];
    for (const name of new Set([...Object.keys(one), ...Object.keys(two)])) {
      const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!Object.hasOwn(two, name)) lines.push(`${at}: only left, ${shown(one[name])}`);
      else if (!Object.hasOwn(one, name)) lines.push(`${at}: only right, ${shown(two[name])}`);
      else compare(at, one[name], two[name], lines);
      if (lines.length >= most) return;
    }
    return;
  }
  lines.push(`${path || '/'}: ${shown(left)} → ${shown(right)}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
