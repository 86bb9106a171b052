import { quote } from '../bounds/quote.ts';
import { Lines } from './yaml-lines.ts';
import { scalarOf } from './yaml-scalars.ts';
import type { YamlValue } from './yaml-scalars.ts';

/** A `SKILL.md`: the fields of its front matter, and the Markdown behind it. */
export interface SkillDocument {
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The largest front matter, in UTF-16 units. */
const maxLength = 65_536;
/** How deep values may be nested. */
const maxDepth = 32;

/** A front matter that cannot be read. The message names the line of the file. */
export class FrontMatterError extends Error {
  constructor(line: number, why: string) {
    super(`front matter, line ${line}: ${why}`);
    this.name = 'FrontMatterError';
  }
}

/**
 * Reads a `SKILL.md`. Its front matter is YAML 1.2 with the types of the core schema, between two lines `---`: block and flow
 * collections, all five kinds of scalars, and comments. Throws a `FrontMatterError` for syntax that YAML readers interpret
 * differently and for values that JSON cannot hold: anchors, aliases, tags, directives, keys that are not strings, duplicate keys,
 * infinities; also for more than 65,536 characters and 32 levels.
 */
export function readSkillDocument(text: string): SkillDocument {
  const whole = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (!/^---\r?\n/.test(whole)) throw new FrontMatterError(1, 'the file does not begin with a line ---');
  const begin = whole.indexOf('\n') + 1;
  let end = begin;
  while (end - begin <= maxLength) {
    const next = whole.indexOf('\n', end);
    const line = whole.slice(end, next < 0 ? undefined : next);
    if (/^---[ \t]*\r?$/.test(line)) return { frontmatter: readYaml(whole.slice(begin, end)), body: next < 0 ? '' : whole.slice(next + 1) };
    if (next < 0) throw new FrontMatterError(1, 'the closing line --- is missing');
    end = next + 1;
  }
  throw new FrontMatterError(1, `it is longer than ${maxLength} characters`);
}

/** Reads the YAML between the two lines. Its root is a mapping. */
function readYaml(yaml: string): Record<string, unknown> {
  const lines = new Lines(yaml, (line, why) => {
    // Lines count from 1, and the first is `---`.
    throw new FrontMatterError(line + 2, why);
  });
  lines.skipEmpty();
  if (lines.atEnd) return {};
  if (!lines.isKey()) lines.fail('expected a key with a colon');
  const root = new BlockReader(lines).mapping();
  if (!lines.atEnd) lines.fail('this line is indented less than the lines before');
  return root;
}

/** Reads block collections: a collection lasts while its lines begin at the same column. */
class BlockReader {
  readonly #lines: Lines;
  #depth = 0;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  /** Any node; `parent` is the column of the collection that holds it. */
  #node(parent: number): YamlValue {
    const lines = this.#lines;
    if (lines.isEntry()) return this.#sequence();
    return lines.isKey() ? this.mapping() : this.#value(parent);
  }

  #sequence(): YamlValue[] {
    const lines = this.#lines;
    const { column } = lines;
    const items: YamlValue[] = [];
    this.#enter();
    do {
      lines.takeEntry();
      items.push(lines.atLineEnd ? this.#below(column) : this.#node(column));
    } while (this.#hasSibling(column) && lines.isEntry());
    this.#depth--;
    return items;
  }

  mapping(): Record<string, YamlValue> {
    const lines = this.#lines;
    const { column } = lines;
    const members: Record<string, YamlValue> = {};
    this.#enter();
    do {
      if (!lines.isKey()) lines.fail('expected a key with a colon');
      const key = this.#newKey(members, lines.isQuoted ? lines.quoted(Infinity) : scalarOf(lines.plainKey()));
      lines.skipSpaces();
      lines.take(1);
      lines.skipSpaces();
      members[key] = lines.atLineEnd ? this.#below(column, column - 1) : this.#value(column);
    } while (this.#hasSibling(column));
    this.#depth--;
    return members;
  }

  #enter(): void {
    if (++this.#depth > maxDepth) this.#lines.fail(`values are nested more than ${maxDepth} deep`);
  }

  #newKey(members: object, key: unknown): string {
    const lines = this.#lines;
    if (typeof key !== 'string') return lines.fail('a key must be a string: quote it');
    if (key === '__proto__') lines.fail('the key __proto__ is refused');
    if (key === '<<') lines.fail('the key << is refused: YAML 1.2 does not merge');
    if (Object.hasOwn(members, key)) lines.fail(`the key ${quote(key)} occurs twice`);
    return key;
  }

  /** Moves to the next line with content. Returns whether it begins at this column. */
  #hasSibling(column: number): boolean {
    const lines = this.#lines;
    lines.skipEmpty();
    if (lines.atEnd || lines.column < column) return false;
    if (lines.column > column) lines.fail('this line is indented more than the lines before');
    return true;
  }

  /** The value on the lines below a key or a `-` at this column. A list may begin at any column right of `list`. */
  #below(column: number, list: number = column): YamlValue {
    const lines = this.#lines;
    lines.skipEmpty();
    if (lines.atEnd) return null;
    if (lines.column > column) return this.#node(column);
    return lines.column > list && lines.isEntry() ? this.#sequence() : null;
  }

  /** A node that is not a block collection. */
  #value(parent: number): YamlValue {
    const lines = this.#lines;
    if (lines.isAt('|>')) return lines.blockScalar(parent);
    if (!lines.isAt('[{"\'')) return this.#plain(lines.plain(parent));
    const value = this.#flowNode(parent);
    lines.endLine();
    return value;
  }

  #plain(text: string): YamlValue {
    const value = scalarOf(text);
    return typeof value === 'number' && !Number.isFinite(value) ? this.#lines.fail(`${quote(text)} is not a JSON number`) : value;
  }

  /** A node of a flow collection, whose lines are indented more than `parent`. */
  #flowNode(parent: number): YamlValue {
    const lines = this.#lines;
    if (lines.isQuoted) return lines.quoted(parent);
    if (!lines.isAt('[{')) return this.#plain(lines.flowPlain());
    const close = lines.isAt('[') ? ']' : '}';
    const items: YamlValue[] = [];
    const members: Record<string, YamlValue> = {};
    this.#enter();
    lines.take(1);
    lines.skipFlow(parent);
    while (!lines.isAt(close)) {
      if (close === ']') items.push(this.#flowNode(parent));
      else this.#flowMember(members, parent);
      lines.skipFlow(parent);
      if (lines.isAt(',')) lines.take(1);
      else if (!lines.isAt(close)) lines.fail(`expected "," or "${close}"`);
      lines.skipFlow(parent);
    }
    lines.take(1);
    this.#depth--;
    return close === ']' ? items : members;
  }

  #flowMember(members: Record<string, YamlValue>, parent: number): void {
    const lines = this.#lines;
    const key = this.#newKey(members, lines.isQuoted ? lines.quoted(parent) : scalarOf(lines.flowPlain()));
    lines.skipFlow(parent);
    if (!lines.isAt(':')) lines.fail('expected ":"');
    lines.take(1);
    lines.skipFlow(parent);
    members[key] = lines.isAt(',}') ? null : this.#flowNode(parent);
  }
}
