// What is typed into the search of the wire, as a question to each entry: `method == tools/call && ms > 100 && error`.
import type { WireEntry } from '../../messages.ts';

/** Whether an entry is asked for. */
export type Test = (entry: WireEntry) => boolean;

/** A question that can be read, or why it cannot. */
export type ReadFilter = { readonly ok: true; readonly test: Test } | { readonly ok: false; readonly why: string };

/** Values of an entry that can be compared, by their names. */
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

/** Words that ask by themselves. In quotation marks they are text as any other. */
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

/** Longer questions are not read, and deeper ones neither. */
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

/** Whether somebody refused, failed or broke off. */
export function isError(entry: WireEntry): boolean {
  return entry.kind === 'message' ? entry.shape === 'error' || entry.shape === 'unreadable'
    : entry.kind === 'http' ? (entry.status ?? 0) >= 400 : false;
}

/** A tool that says of itself that it failed. */
const isToolError = (entry: WireEntry): boolean => entry.kind === 'message' && entry.shape === 'result' && entry.text.includes('"isError":true');

/**
 * Reads a question: `&&` (or a blank), `||`, `!`, brackets, comparisons such as `ms > 100`, flags such as `error`, and words or
 * "quoted words", which the text of an entry must hold. `textOf` gives that text, in small letters. Nothing typed lets all through.
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
      if (token.text !== '(') throw new SyntaxError(`"${token.text}" stands where a word is expected.`);
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
    if (!field) throw new SyntaxError(`There is no "${name.slice(0, 40)}" to compare: there are ${Object.keys(fields).join(', ')}.`);
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
    if (at < all.length) throw new SyntaxError(`"${all[at]?.text ?? ''}" stands where nothing is expected.`);
    return { ok: true, test };
  } catch (thrown) {
    return { ok: false, why: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** Signs between a field and a value; the longer ones first. */
const signs = ['==', '!=', '<=', '>=', '<', '>', '~'];

/** The text without the characters of a kind at its end. Linear, where a pattern that looks for the end would be quadratic. */
function withoutRun(text: string, kind: RegExp): string {
  let end = text.length;
  while (end > 0 && kind.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** How what was typed may go on: whole texts, for a list of suggestions. */
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
