import { withoutComments } from './json-with-comments.ts';

/** A member of an object in a text: the positions of its name and its value. */
interface Member {
  readonly name: string;
  readonly at: number;
  readonly valueAt: number;
  readonly end: number;
}

/** An object in a text: the positions of its braces, and its members. */
interface ObjectSpan {
  readonly at: number;
  /** The position of its closing brace. */
  readonly close: number;
  readonly members: readonly Member[];
}

/**
 * Sets the member `path[1]` of the object `path[0]` in a text of JSON with comments; undefined removes it. Everything else stays unchanged:
 * comments, order, indentation and unknown members. Throws a SyntaxError if the text is not JSON, and a TypeError if the text or `path[0]`
 * is not an object, or if one of the two members occurs several times.
 */
export function editJson(text: string, [outer, inner]: readonly [outer: string, inner: string], value: unknown): string {
  // Comments become blanks of the same length: a position in one text is a position in the other.
  const plain = withoutComments(text);
  const root: unknown = JSON.parse(plain);
  const step = /\n([ \t]+)"/.exec(plain)?.[1] ?? '  ';
  if (typeof root !== 'object' || root === null || Array.isArray(root)) throw new TypeError('the file is not an object');
  const document = objectAt(plain, plain.indexOf('{'));
  const parent = only(document, outer);
  if (!parent) return value === undefined ? text : withMember(text, document, outer, { [inner]: value }, step, 0);
  if (plain[parent.valueAt] !== '{') throw new TypeError(`${outer} is not an object`);
  const entries = objectAt(plain, parent.valueAt);
  const entry = only(entries, inner);
  if (value === undefined) return entry ? withoutMember(text, entries, entry) : text;
  return entry ? text.slice(0, entry.valueAt) + jsonOf(value, step, 2) + text.slice(entry.end) : withMember(text, entries, inner, value, step, 1);
}

/** The member with this name. Throws a TypeError if there are several: readers differ in which of them counts. */
function only({ members }: ObjectSpan, name: string): Member | undefined {
  const [first, second] = members.filter((one) => one.name === name);
  if (second) throw new TypeError(`${name} occurs several times`);
  return first;
}

const jsonOf = (value: unknown, step: string, depth: number): string => JSON.stringify(value, undefined, step).replaceAll('\n', `\n${step.repeat(depth)}`);

/** Adds a member after the others, on a separate line. `depth`: the nesting depth of the object. */
function withMember(text: string, { at, close, members }: ObjectSpan, name: string, value: unknown, step: string, depth: number): string {
  const before = members.at(-1);
  // After the last comment of the object.
  const end = at + 1 + text.slice(at + 1, close).trimEnd().length;
  const comma = before && text[nextAt(text, before.end)] !== ',' ? ',' : '';
  const head = before ? text.slice(0, before.end) + comma + text.slice(before.end, end) : text.slice(0, end);
  return `${head}\n${step.repeat(depth + 1)}${JSON.stringify(name)}: ${jsonOf(value, step, depth + 1)}\n${step.repeat(depth)}${text.slice(close)}`;
}

function withoutMember(text: string, { members }: ObjectSpan, member: Member): string {
  const next = nextAt(text, member.end);
  const follows = text[next] === ',';
  // Comments before its comma stay.
  const between = follows ? text.slice(member.end, next) : '';
  const end = follows ? next + 1 : member.end;
  // Its whole line, if the line has nothing else.
  let from = member.at;
  while (text[from - 1] === ' ' || text[from - 1] === '\t') from--;
  const rest = /^[ \t]*\r?\n/.exec(text.slice(end))?.[0].length ?? 0;
  const whole = rest > 0 && between === '' && text[from - 1] === '\n';
  const head = text.slice(0, whole ? from : member.at) + between;
  const tail = text.slice(end + (whole ? rest : 0));
  const before = members[members.indexOf(member) - 1];
  if (follows || !before) return head + tail;
  const comma = nextAt(text, before.end);
  return head.slice(0, comma) + head.slice(comma + 1) + tail;
}

/** The next position that is not in white space or a comment. */
function nextAt(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (at < text.length && /\s/.test(text[at] ?? '')) at++;
    if (text.startsWith('//', at)) at = endOf(text, '\n', at);
    else if (text.startsWith('/*', at)) at = endOf(text, '*/', at + 2);
    else return at;
  }
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

/** The members of the object that begins at `at`, in a text that `JSON.parse` accepts. */
function objectAt(text: string, at: number): ObjectSpan {
  const members: Member[] = [];
  let next = nextAt(text, at + 1);
  while (text[next] === '"') {
    const nameEnd = stringEnd(text, next);
    const valueAt = nextAt(text, nextAt(text, nameEnd) + 1);
    const end = valueEnd(text, valueAt);
    members.push({ name: JSON.parse(text.slice(next, nameEnd)) as string, at: next, valueAt, end });
    next = nextAt(text, end);
    if (text[next] === ',') next = nextAt(text, next + 1);
  }
  return { at, close: next, members };
}

function stringEnd(text: string, at: number): number {
  let end = at + 1;
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

function valueEnd(text: string, at: number): number {
  let depth = 0;
  for (let end = at; ; ) {
    const char = text[end] ?? '}';
    if (char === '"') end = stringEnd(text, end);
    else {
      if (depth === 0 && (char === ',' || char === '}' || char === ']' || /\s/.test(char))) return end;
      if (char === '{' || char === '[') depth++;
      if (char === '}' || char === ']') depth--;
      end++;
    }
    if (depth === 0 && (text[at] === '{' || text[at] === '[' || text[at] === '"')) return end;
  }
}
