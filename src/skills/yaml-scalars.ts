/** A value of YAML that JSON can hold. */
export type YamlValue = string | number | boolean | null | YamlValue[] | { [key: string]: YamlValue };

/** The value of a plain scalar, by the core schema. Source: YAML 1.2.2 section 10.3.2. */
export function scalarOf(text: string): string | number | boolean | null {
  if (/^(?:~|null|Null|NULL)?$/.test(text)) return null;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  // `Number` reads `0o17` and `0x1f` like the schema, and allows no sign before them.
  if (/^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)$/.test(text)) return Number(text);
  if (/^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text)) return Number.NaN;
  return text;
}

/** Single characters behind a backslash in double quotes. Source: YAML 1.2.2 section 5.7. */
export const escapes: Readonly<Record<string, string>> = {
  0: '\0', a: '\x07', b: '\b', t: '\t', '\t': '\t', n: '\n', v: '\v', f: '\f', r: '\r', e: '\x1b', ' ': ' ', '"': '"', '/': '/',
  '\\': '\\', N: '\x85', _: '\xa0', L: '\u2028', P: '\u2029',
};

/** The number of hexadecimal digits behind `\x`, `\u` and `\U`. */
export const escapeDigits: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Joins the lines of a folded block scalar (`>`), without its end. Source: YAML 1.2.2 section 8.1.3. */
export function foldBlock(lines: readonly string[]): string {
  let text = '';
  let empty = 0;
  let before: string | undefined;
  for (const line of lines) {
    if (line === '') {
      empty++;
      continue;
    }
    if (before === undefined) text += '\n'.repeat(empty);
    // Lines that are indented more keep their line breaks.
    else if (isSpaced(line) || isSpaced(before)) text += '\n'.repeat(empty + 1);
    else text += breakOf(empty);
    text += line;
    before = line;
    empty = 0;
  }
  return text;
}

const isSpaced = (line: string): boolean => line.startsWith(' ') || line.startsWith('\t');

/** The text for a folded line break with this many empty lines behind it. Source: YAML 1.2.2 section 6.5. */
export const breakOf = (emptyLines: number): string => (emptyLines === 0 ? ' ' : '\n'.repeat(emptyLines));
