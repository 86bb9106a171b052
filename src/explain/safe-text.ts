/** Text from the wire, made safe to show, and cut to a number of columns. */

// Control characters; format characters, which hide in text or turn its direction; halves of a surrogate
// pair; line separators. U+200C and U+200D stay: languages and emoji need them, and they move nothing.
const UNSAFE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text from the wire, made safe to print: on one line, with nothing in it that a terminal obeys or a reader
 * cannot see. What is replaced shows as an escape: `\x1b`, `\n`, `\u{202e}`.
 */
export function visible(text: string): string {
  return text.replace(UNSAFE, (char) => {
    const hex = (char.codePointAt(0) ?? 0).toString(16);
    return NAMED[char] ?? (hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`);
  });
}

// Our own colours, the only escape sequences that text may hold here.
const SGR = /\x1b\[[0-9;]*m/y;

const ZERO_WIDTH = /[\p{Mn}\p{Me}\u200c\u200d]/u;
const WIDE = new RegExp(
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f' +
    '\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1f64f}\\u{1f680}-\\u{1f6ff}' +
    '\\u{1f900}-\\u{1f9ff}\\u{20000}-\\u{3fffd}]',
  'u',
);

function charWidth(char: string): number {
  if (char < '\x7f') return 1;
  return ZERO_WIDTH.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
}

/** The end of the escape sequence that begins at `index`, or `index` where none does. */
function sequenceEnd(text: string, index: number): number {
  if (text.charCodeAt(index) !== 0x1b) return index;
  SGR.lastIndex = index;
  return SGR.test(text) ? SGR.lastIndex : index;
}

/** How many columns text takes in a terminal; colours take none, East Asian characters and emoji take two. */
export function width(text: string): number {
  let columns = 0;
  for (let i = 0; i < text.length; ) {
    const end = sequenceEnd(text, i);
    if (end > i) {
      i = end;
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(i) ?? 0);
    columns += charWidth(char);
    i += char.length;
  }
  return columns;
}

/**
 * Text cut to so many columns, with `…` as the last where something was cut. It never cuts a surrogate pair
 * or a colour in two, and ends the colours that it leaves open. Colours of `style` pass; make other text
 * `visible` first. Stops reading where it cuts, so a long line costs no more than a short one.
 */
export function truncate(text: string, columns: number): string {
  if (columns < 1) return '';
  let used = 0;
  let cut = 0;
  let coloured = false;
  for (let i = 0; i < text.length; ) {
    const end = sequenceEnd(text, i);
    if (end > i) {
      // A colour belongs to what was kept only when something after it is kept too, or when it closes.
      i = end;
      coloured = true;
      if (used < columns) cut = i;
      continue;
    }
    const char = String.fromCodePoint(text.codePointAt(i) ?? 0);
    used += charWidth(char);
    i += char.length;
    if (used > columns) return `${text.slice(0, cut)}…${coloured ? '\x1b[0m' : ''}`;
    if (used < columns) cut = i;
  }
  return text;
}

/**
 * One line of wire text for the screen: safe, and at most so many columns. Looks only at as much of it as
 * can be shown, whatever its length.
 */
export function wireLine(text: string, columns: number): string {
  // Marks of no width could go on for ever: four units a column is more than honest text needs.
  const most = columns * 4;
  if (text.length <= most) return truncate(visible(text), columns);
  const line = truncate(visible(text.slice(0, most).replace(/[\ud800-\udbff]$/, '')), columns);
  return line.endsWith('…') ? line : `${truncate(line, columns - 1).replace(/…$/, '')}…`;
}
