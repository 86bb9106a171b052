// The expression language of the wire's search: `method == tools/call && ms > 100 && error`.
import type { WireEntry } from '../../messages.ts';

/** Whether an entry matches. */
export type Test = (entry: WireEntry) => boolean;

/** A parsed expression, or why it is invalid. */
export type ReadFilter = { readonly ok: true; readonly test: Test } | { readonly ok: false; readonly why: string };

/** Fields of an entry that can be compared, by name. */
const fields: Readonly<Record<string, (entry: WireEntry) => string | number | null>> = {
  method: (entry) => ('method' in entry ? entry.method : ''),
  server: ({ server }) => server,
  shape: (entry) => (entry.kind === 'message' ? entry.shape : entry.kind),
  direction: ({ direction }) => direction,
  id: (entry) => (entry.kind === 'message' ? entry.rpcId.replace(/^"(.*)"$/, '$1') : ''),
  ms: (entry) => (entry.kind === 'message' ? entry.ms : null),
  size: (entry) => (entry.kind === 'message' ? entry.chars : null),
  status: (entry) => (entry.kind === 'http' ? entry.status : null),
  number: ({ seq }) => seq,
};

/** Words that are tests by themselves. In quotation marks they are ordinary text. */
const flags: Readonly<Record<string, Test>> = {
  error: (entry) => isError(entry) && !(entry.kind === 'message' && entry.method === 'server/discover' && entry.shape === 'error') || isToolError(entry),
  request: (entry) => entry.kind === 'message' && entry.shape === 'request',
  notification: (entry) => entry.kind === 'message' && entry.shape === 'notification',
  result: (entry) => entry.kind === 'message' && entry.shape === 'result',
  http: (entry) => entry.kind === 'http' || entry.kind === 'event',
};

const compares: Readonly<Record<string, (one: string | number, other: string | number) => boolean>> = {
  '==': (one, other) => one === other, '!=': (one, other) => one !== other, '~': (one, other) => String(one).includes(String(other)),
  '>': (one, other) => one > other, '>=': (one, other) => one >= other, '<': (one, other) => one < other, '<=': (one, other) => one <= other,
};

/** The greatest length and nesting depth of an expression. */
const maxChars = 2_000;
const maxDepth = 20;

const tokens = /\s*(?:("(?:[^"\\]|\\.)*"?)|(&&|\|\||==|!=|>=|<=|[()!<>~])|((?:(?!&&|\|\||==|!=|>=|<=)[^\s()"!<>~])+))/gy;

interface Token {
  readonly kind: 'text' | 'sign' | 'word';
  readonly text: string;
}

function tokensOf(source: string): Token[] {
  return [...source.matchAll(tokens)].map(([, text, sign, word]) => (text !== undefined ? { kind: 'text', text: text.replace(/^"|"$/g, '').replaceAll(/\\(.)/g, '$1') }
    : sign !== undefined ? { kind: 'sign', text: sign } : { kind: 'word', text: word ?? '' }));
}

/** Whether the entry is an error, an invalid message, or an HTTP status of 400 and above. */
export function isError(entry: WireEntry): boolean {
  return entry.kind === 'message' ? entry.shape === 'error' || entry.shape === 'unreadable'
    : entry.kind === 'http' ? (entry.status ?? 0) >= 400 : false;
}

/** Whether a tool's result has `isError`. */
const isToolError = (entry: WireEntry): boolean => entry.kind === 'message' && entry.shape === 'result' && entry.text.includes('"isError":true');

/**
 * Parses an expression: `&&` (or a blank), `||`, `!`, brackets, comparisons such as `ms > 100`, flags such as `error`, and words or
 * "quoted words" that the entry's text must contain. `textOf` returns this text in lower case. An empty expression matches all.
 */
export function readFilter(source: string, textOf: (entry: WireEntry) => string): ReadFilter {
  if (source.length > maxChars) return { ok: false, why: `A filter has at most ${maxChars} characters.` };
  const all = tokensOf(source);
  let at = 0;
  const isSign = (text: string): boolean => all[at]?.kind === 'sign' && all[at]?.text === text;

  function either(depth: number): Test {
    if (depth > maxDepth) throw new SyntaxError('There are too many brackets.');
    const tests = [both(depth)];
    for (; isSign('||');) {
      at++;
      tests.push(both(depth));
    }
    return tests.length === 1 && tests[0] ? tests[0] : (entry) => tests.some((one) => one(entry));
  }

  function both(depth: number): Test {
    const tests = [one(depth)];
    while (at < all.length && !isSign('||') && !isSign(')')) {
      if (isSign('&&')) at++;
      tests.push(one(depth));
    }
    return (entry) => tests.every((test) => test(entry));
  }

  function one(depth: number): Test {
    const token = all[at++];
    if (!token) throw new SyntaxError('Something is missing at the end.');
    if (token.kind === 'sign') {
      if (token.text === '!') {
        if (depth > maxDepth) throw new SyntaxError('There are too many "!".');
        const inner = one(depth + 1);
        return (entry) => !inner(entry);
      }
      if (token.text !== '(') throw new SyntaxError(`Expected a word, got "${token.text}".`);
      const inner = either(depth + 1);
      if (!isSign(')')) throw new SyntaxError('A bracket is not closed.');
      at++;
      return inner;
    }
    const sign = all[at]?.kind === 'sign' ? all[at]?.text ?? '' : '';
    if (token.kind === 'word' && Object.hasOwn(compares, sign)) return compared(token.text, sign);
    if (token.kind === 'word' && Object.hasOwn(flags, token.text)) return flags[token.text] as Test;
    const word = token.text.toLowerCase();
    return (entry) => textOf(entry).includes(word);
  }

  function compared(name: string, sign: string): Test {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) throw new SyntaxError(`There is no field "${name.slice(0, 40)}": expected ${Object.keys(fields).join(', ')}.`);
    at++;
    const value = all[at++];
    if (!value || value.kind === 'sign') throw new SyntaxError(`A value is missing behind "${name} ${sign}".`);
    const compare = compares[sign] ?? (() => false);
    const number = Number(value.text);
    if (/[<>]/.test(sign) && Number.isNaN(number)) throw new SyntaxError(`"${name} ${sign}" needs a number.`);
    return (entry) => {
      const found = field(entry);
      return found !== null && compare(found, typeof found === 'number' ? number : value.text);
    };
  }

  try {
    if (all.length === 0) return { ok: true, test: () => true };
    const test = either(0);
    if (at < all.length) throw new SyntaxError(`Expected the end, got "${all[at]?.text ?? ''}".`);
    return { ok: true, test };
  } catch (thrown) {
    return { ok: false, why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Operators between a field and a value, longer ones first. */
const signs = ['==', '!=', '<=', '>=', '<', '>', '~'];

/** The text without trailing characters of a kind. A loop is linear; a regular expression anchored at the end would be quadratic. */
function withoutRun(text: string, kind: RegExp): string {
  let end = text.length;
  while (end > 0 && kind.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Completions of an unfinished expression: whole texts for a list of suggestions. */
export function completions(source: string, methods: Iterable<string>, servers: Iterable<string>): string[] {
  const before = withoutRun(source, /[^\s()!&|=<>~"]/);
  const last = source.slice(before.length);
  const compared = before.trimEnd();
  const sign = signs.find((one) => compared.endsWith(one));
  const named = sign === undefined ? '' : compared.slice(0, -sign.length).trimEnd();
  const field = named.slice(withoutRun(named, /[a-z]/).length) || undefined;
  const quoted = (one: string): string => (/^[^\s()"!<>~&|=]+$/.test(one) ? one : JSON.stringify(one));
  const values = field === 'method' ? [...methods] : field === 'server' ? [...servers] : field === 'direction' ? ['sent', 'received']
    : field === 'shape' ? ['request', 'result', 'error', 'notification', 'batch', 'unreadable', 'http', 'event', 'mark']
      : field === undefined ? [...Object.keys(flags), ...Object.keys(fields).map((name) => `${name} ${name === 'ms' || name === 'size' ? '>' : '=='} `)] : [];
  return values.filter((one) => one.startsWith(last) && one !== last).slice(0, 30).map((one) => `${before}${field === undefined ? one : quoted(one)}`);
}
