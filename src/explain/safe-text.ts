/** Makes text from the wire safe to show, and cuts it to a number of columns. */

// Controls, format characters, halves of surrogate pairs, private and unassigned characters; characters that Unicode
// draws as nothing (UAX #44, Default_Ignorable_Code_Point: variation selectors, tags, Hangul fillers); every space but
// U+0020; and letters and signs with an empty glyph, for which Unicode has no property.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u2d7f\ufffc\u{1107f}\u{13441}\u{13442}\u{16fe4}\u{1bc9d}\u{1d159}]|(?! )\p{Zs}/u;

/** Text that needs no further check: most text matches. */
const PLAIN = /^[\x20-\x7e]*$/;

const MARK = /\p{M}/u;
const PICTURE = /(?!\p{C})\p{Extended_Pictographic}/u;
const PICTURE_END = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;
// Scripts in which a joiner changes how the letters beside it are drawn.
const JOINED = /[\p{sc=Adlm}\p{sc=Arab}\p{sc=Beng}\p{sc=Deva}\p{sc=Gujr}\p{sc=Guru}\p{sc=Khmr}\p{sc=Knda}\p{sc=Mand}\p{sc=Mani}\p{sc=Mlym}\p{sc=Mong}\p{sc=Mymr}\p{sc=Nkoo}\p{sc=Orya}\p{sc=Phag}\p{sc=Rohg}\p{sc=Sinh}\p{sc=Syrc}\p{sc=Taml}\p{sc=Telu}\p{sc=Tibt}]/u;

/** The largest number of marks on one letter: more would cover the lines around it. */
const MAX_MARKS = 8;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes text from the wire safe to print: on one line, without control sequences for the terminal and without invisible characters.
 * A replaced character shows as an escape: `\x1b`, `\n`, `\u{202e}`. A joiner or a variation selector stays only if it changes how
 * the text is drawn: within an emoji, between letters that join. A mark stays only on a letter of the text.
 */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : visiblePieces(text).join('');
}

/** The same in pieces: those at even indexes are unchanged text, those at odd indexes escapes. Characters of `layout` stay. */
export function visiblePieces(text: string, layout: string = ''): string[] {
  const pieces: string[] = [''];
  for (const { came, shown } of glyphs(text, layout)) {
    if ((came === shown) !== (pieces.length % 2 === 1)) pieces.push('');
    pieces[pieces.length - 1] += shown;
  }
  return pieces;
}

/** A text character by character: the original and its visible form. Characters of `layout` stay unchanged. */
export function* glyphs(text: string, layout: string = ''): Generator<{ readonly came: string; readonly shown: string }> {
  let marks = MAX_MARKS;
  let before = '';
  for (let at = 0; at < text.length;) {
    const came = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += came.length;
    marks = MARK.test(came) ? marks + 1 : 0;
    if (!layout.includes(came) && (marks > MAX_MARKS || (UNSEEN.test(came) && !isDrawn(came, before, text, at)))) {
      before = '';
      marks = MAX_MARKS;
      yield { came, shown: escaped(came) };
    } else {
      before = came;
      yield { came, shown: came };
    }
  }
}

/** Whether a character without a glyph changes how its neighbours are drawn. Unicode 16 section 23.2; UTS #51, emoji sequences. */
function isDrawn(char: string, before: string, text: string, next: number): boolean {
  if (char === '\ufe0e' || char === '\ufe0f') {
    return PICTURE.test(before) || (/[0-9#*]/.test(before) && text.charAt(next) === '\u20e3');
  }
  if (char !== '\u200c' && char !== '\u200d') return false;
  const after = String.fromCodePoint(text.codePointAt(next) ?? 0);
  if (char === '\u200d' && PICTURE_END.test(before) && PICTURE.test(after)) return true;
  return JOINED.test(before) && (JOINED.test(after) || MARK.test(before));
}

function escaped(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  return NAMED[char] ?? (hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`);
}

/** The first `most` UTF-16 units of a text; one fewer if that would cut a surrogate pair. */
export function head(text: string, most: number): string {
  const kept = text.slice(0, most);
  return kept.length < text.length && isPair(text, most) ? kept.slice(0, -1) : kept;
}

/** Whether the position `at` is inside a surrogate pair. */
const isPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;

// Our own colours, the only escape sequences that may occur in text here.
const SGR = /\x1b\[[0-9;]*m/y;

const ZERO_WIDTH = /[\p{Mn}\p{Me}\u200c\u200d]/u;
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;

function charWidth(char: string): number {
  if (char < '\x7f') return 1;
  return ZERO_WIDTH.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
}

/** The end of the escape sequence that begins at `index`, or `index` if none begins there. */
function sequenceEnd(text: string, index: number): number {
  if (text.charCodeAt(index) !== 0x1b) return index;
  SGR.lastIndex = index;
  return SGR.test(text) ? SGR.lastIndex : index;
}

/** The number of columns of a text in a terminal; colours take none, East Asian characters and emoji take two. */
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
 * Cuts a text to a number of columns, with `…` as the last column if something was cut. Never splits a surrogate pair
 * or a colour, and closes the colours that are still open. Colours of `style` pass; make other text `visible` first.
 * Stops reading at the cut, so that a long line costs no more than a short one.
 */
export function truncate(text: string, columns: number): string {
  if (columns < 1) return '';
  let used = 0;
  let cut = 0;
  let coloured = false;
  for (let i = 0; i < text.length; ) {
    const end = sequenceEnd(text, i);
    if (end > i) {
      // A colour is kept only if text after it is kept too, or if it closes one.
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
 * One line of wire text for the screen: safe, and at most `columns` wide. Reads only the part that can be shown,
 * whatever the length of the text.
 */
export function wireLine(text: string, columns: number): string {
  // Marks have no width, so there may be any number of them: four units per column are more than honest text needs.
  const most = columns * 4;
  if (text.length <= most) return truncate(visible(text), columns);
  const line = truncate(visible(head(text, most)), columns);
  return line.endsWith('…') ? line : `${truncate(line, columns - 1).replace(/…$/, '')}…`;
}
