import { breakOf, escapeDigits, escapes, foldBlock } from './yaml-scalars.ts';

/** Characters with which a plain scalar cannot begin; `-`, `?` and `:` can, unless white space follows. */
const indicators = ',[]{}#&*!|>\'"%@`';

/** Messages for the indicators that this reader refuses. */
const refused: Readonly<Record<string, string>> = {
  '&': 'anchors are refused', '*': 'aliases are refused', '!': 'tags are refused', '%': 'directives are refused',
};

/** A position in a YAML text, with methods that read scalars from there. Each method reads forward, so a text takes linear time. */
export class Lines {
  readonly #text: string;
  readonly #onFault: (line: number, why: string) => never;
  #at = 0;
  #lineStart = 0;
  #line = 0;

  /** `onFault` throws; lines count from 0. */
  constructor(text: string, onFault: (line: number, why: string) => never) {
    this.#text = text.replaceAll('\r\n', '\n');
    this.#onFault = onFault;
    // YAML 1.2.2 section 5.1.
    this.#refuse(/[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u, 'a control character is refused');
    this.#refuse(/^(?:---|\.\.\.)(?:[ \t]|$)/m, 'a second document is refused');
  }

  #refuse(pattern: RegExp, why: string): void {
    const found = this.#text.search(pattern);
    if (found < 0) return;
    this.#line = this.#text.slice(0, found).split('\n').length - 1;
    this.fail(why);
  }

  fail(why: string): never {
    return this.#onFault(this.#line, why);
  }

  /** The current character; '' at the end. */
  get char(): string {
    return this.#text.charAt(this.#at);
  }

  /** Whether the current character is one of these. */
  isAt(chars: string): boolean {
    return !this.atEnd && chars.includes(this.char);
  }

  get column(): number {
    return this.#at - this.#lineStart;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  get isQuoted(): boolean {
    return this.isAt('"\'');
  }

  /** Whether only a comment, or nothing, follows on this line. */
  get atLineEnd(): boolean {
    const { char } = this;
    return char === '' || char === '\n' || (char === '#' && (this.column === 0 || isSpace(this.#text.charAt(this.#at - 1))));
  }

  take(count: number): void {
    this.#at += count;
  }

  /** Moves over a `-` and the spaces behind it. */
  takeEntry(): void {
    this.take(1);
    while (this.char === ' ') this.#at++;
    if (this.char === '\t') this.fail('a tab is not allowed after -');
  }

  skipSpaces(): void {
    while (isSpace(this.char)) this.#at++;
  }

  /** Moves to the first character of the next line that has content, or to the end. Does not move within such a line. */
  skipEmpty(): void {
    if (this.column > 0) this.skipSpaces();
    for (;;) {
      if (this.column === 0) this.#indentation();
      if (!this.atLineEnd || this.atEnd) return;
      this.#nextLine();
    }
  }

  /** Moves over the spaces at the beginning of a line. Refuses a tab there. */
  #indentation(): void {
    while (this.char === ' ') this.#at++;
    if (this.char === '\t') this.fail('a tab cannot indent a line');
  }

  #nextLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
    this.#lineStart = this.#at;
    this.#line++;
  }

  /** Moves over white space, line breaks and comments in a flow collection. Its lines are indented more than `parent`. */
  skipFlow(parent: number): void {
    this.skipSpaces();
    if (!this.atLineEnd) return;
    this.skipEmpty();
    if (this.atEnd) this.fail('a flow collection does not end');
    if (this.column <= parent) this.fail('a flow collection needs more indentation than its key');
  }

  /** Refuses anything but a comment on the rest of this line. */
  endLine(): void {
    this.skipSpaces();
    if (!this.atLineEnd) this.fail('text follows the value');
  }

  /** Whether `- ` stands here. */
  isEntry(): boolean {
    return this.char === '-' && this.#isBlankAt(this.#at + 1);
  }

  /** Whether a key of a block mapping stands here: text on this line, with a colon and white space behind it. */
  isKey(): boolean {
    const text = this.#text;
    const { char } = this;
    if (char === '[' || char === '{') return false;
    let at = this.#at;
    if (char === '"' || char === "'") {
      for (at++; text.charAt(at) !== char || (char === "'" && text.charAt(at + 1) === char); at++) {
        if (at >= text.length || text.charAt(at) === '\n') return false;
        if (text.charAt(at) === (char === '"' ? '\\' : char)) at++;
      }
      for (at++; isSpace(text.charAt(at)); at++);
      return text.charAt(at) === ':' && this.#isBlankAt(at + 1);
    }
    for (; at < text.length && text.charAt(at) !== '\n'; at++) {
      if (text.charAt(at) === ':' && this.#isBlankAt(at + 1)) return true;
      if (text.charAt(at) === '#' && isSpace(text.charAt(at - 1))) return false;
    }
    return false;
  }

  #isBlankAt(at: number): boolean {
    const char = this.#text.charAt(at);
    return char === '' || char === '\n' || isSpace(char);
  }

  /** A plain key, up to its colon. */
  plainKey(): string {
    this.#checkFirst('');
    const begin = this.#at;
    while (!(this.char === ':' && this.#isBlankAt(this.#at + 1))) this.#at++;
    return this.#text.slice(begin, this.#at).trimEnd();
  }

  /** Refuses characters with which no plain scalar begins. `more`: characters that count as white space here. */
  #checkFirst(more: string): void {
    const { char } = this;
    if (indicators.includes(char)) this.fail(refused[char] ?? `a value that begins with ${char} must be quoted`);
    const next = this.#text.charAt(this.#at + 1);
    if ('-?:'.includes(char) && (this.#isBlankAt(this.#at + 1) || more.includes(next))) {
      this.fail(char === '?' ? 'keys with ? are refused' : `${char} is not allowed here`);
    }
  }

  /** A plain scalar of a block collection. Further lines belong to it as long as they are indented more than `parent`. */
  plain(parent: number): string {
    this.#checkFirst('');
    let text = this.#plainLine();
    for (;;) {
      // A comment ends the scalar.
      if (this.char === '#' || this.atEnd) return text;
      const emptyLines = this.#continues(parent);
      if (emptyLines === undefined) return text;
      text += breakOf(emptyLines) + this.#plainLine();
    }
  }

  /** The text of a plain scalar on this line. */
  #plainLine(): string {
    const begin = this.#at;
    for (; !this.atLineEnd; this.#at++) {
      if (this.char === ':' && this.#isBlankAt(this.#at + 1)) this.fail('a value with a colon and a space must be quoted');
    }
    return this.#text.slice(begin, this.#at).trimEnd();
  }

  /**
   * Moves from the end of a line to the next line with content, and returns the number of empty lines between them.
   * Undefined, and does not move: that line is not indented more than `parent`, or is a comment outside of quotes.
   */
  #continues(parent: number, inQuotes: boolean = false): number | undefined {
    const before = [this.#at, this.#lineStart, this.#line] as const;
    let emptyLines = -1;
    do {
      this.#nextLine();
      emptyLines++;
      this.#indentation();
    } while (this.char === '\n');
    if (!this.atEnd && (inQuotes || this.char !== '#') && this.column > parent) return emptyLines;
    [this.#at, this.#lineStart, this.#line] = before;
    return undefined;
  }

  /** A plain scalar in a flow collection. It stands on one line. */
  flowPlain(): string {
    this.#checkFirst(',[]{}');
    const begin = this.#at;
    for (; !this.atLineEnd && !',[]{}'.includes(this.char); this.#at++) {
      if (this.char !== ':') continue;
      const next = this.#at + 1;
      if (this.#isBlankAt(next) || ',[]{}'.includes(this.#text.charAt(next))) break;
    }
    return this.#text.slice(begin, this.#at).trimEnd();
  }

  /** A scalar in quotes; further lines have to be indented more than `parent`. */
  quoted(parent: number): string {
    const quote = this.char;
    this.take(1);
    let text = '';
    // White space that was written as an escape is not trimmed at the end of a line.
    let fixed = 0;
    for (;;) {
      const { char } = this;
      if (char === '') this.fail('a quotation mark is missing');
      if (char === '\n') {
        let end = text.length;
        while (end > fixed && isSpace(text.charAt(end - 1))) end--;
        text = text.slice(0, end) + breakOf(this.#nextQuotedLine(parent));
        fixed = text.length;
        continue;
      }
      this.take(1);
      if (char === quote) {
        if (quote === '"' || this.char !== "'") return text;
        this.take(1);
      }
      if (quote !== '"' || char !== '\\') {
        text += char;
        continue;
      }
      text += this.char === '\n' ? '\n'.repeat(this.#nextQuotedLine(parent)) : this.#escape();
      fixed = text.length;
    }
  }

  #nextQuotedLine(parent: number): number {
    const emptyLines = this.#continues(parent, true);
    return emptyLines ?? this.fail('a quotation mark is missing, or this line needs more indentation');
  }

  #escape(): string {
    const { char } = this;
    this.take(1);
    const digits = Object.hasOwn(escapeDigits, char) ? escapeDigits[char] as number : 0;
    if (digits > 0) {
      const code = this.#text.slice(this.#at, this.#at + digits);
      const point = code.length === digits && /^[\da-fA-F]+$/.test(code) ? Number.parseInt(code, 16) : Infinity;
      if (point > 0x10ffff) this.fail(`\\${char} takes the ${digits} hexadecimal digits of a character`);
      this.take(digits);
      return String.fromCodePoint(point);
    }
    if (!Object.hasOwn(escapes, char)) this.fail(`the escape \\${char} is unknown`);
    return escapes[char] as string;
  }

  /** A literal or folded block scalar in a collection at the column `parent`. Source: YAML 1.2.2 section 8.1. */
  blockScalar(parent: number): string {
    const folded = this.char === '>';
    const [, digit = '', chomping = '', digitBehind = ''] = /^[|>]([1-9]?)([-+]?)([1-9]?)/.exec(this.#text.slice(this.#at, this.#at + 3)) ?? [];
    this.take(1 + digit.length + chomping.length + (digit === '' ? digitBehind.length : 0));
    this.endLine();
    this.#nextLine();
    const given = Number(digit || digitBehind);
    const lines = this.#blockLines(parent, given > 0 ? parent + given : undefined);
    let filled = lines.length;
    while (filled > 0 && lines[filled - 1] === '') filled--;
    // YAML readers disagree on whether such a line is empty.
    if (filled > 0 && lines[filled - 1]?.trim() === '') this.fail('the last line of a block scalar cannot have only spaces');
    const empty = lines.length - filled;
    const text = folded ? foldBlock(lines.slice(0, filled)) : lines.slice(0, filled).join('\n');
    if (chomping === '+') return filled === 0 ? '\n'.repeat(empty) : `${text}\n${'\n'.repeat(empty)}`;
    return text + (chomping === '-' || filled === 0 ? '' : '\n');
  }

  /** The lines of a block scalar without their indentation, which the first line with content sets if it is not given. */
  #blockLines(parent: number, given: number | undefined): string[] {
    const text = this.#text;
    const lines: string[] = [];
    let indentation = given;
    let longest = 0;
    while (!this.atEnd) {
      let end = text.indexOf('\n', this.#at);
      if (end < 0) end = text.length;
      const line = text.slice(this.#at, end);
      const spaces = spacesAtBegin.exec(line)?.[0].length ?? 0;
      const isEmpty = spaces === line.length;
      if (indentation === undefined && !isEmpty) {
        if (line.trim() === '') this.fail('a tab cannot indent a line');
        if (spaces <= parent) break;
        if (longest > spaces) this.fail('an empty line before this one has more spaces than it');
        indentation = spaces;
      }
      if (indentation === undefined) longest = Math.max(longest, spaces);
      else if (!isEmpty && spaces < indentation) {
        if (line.trim() === '') this.fail('a tab cannot indent a line');
        break;
      }
      lines.push(indentation === undefined ? '' : line.slice(indentation));
      this.#nextLine();
    }
    return lines;
  }
}

const isSpace = (char: string): boolean => char === ' ' || char === '\t';
const spacesAtBegin = /^ */;
