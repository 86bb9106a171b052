// URI templates, RFC 6570 levels 1 to 3: expansion and matching. The specification requires them in server/resources,
// "Resource Templates". RFC 6570, 1.4, leaves matching open; see `match` for the rule here.

import { checkOptions } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';

/** Limits of a template and of the cost of a match, which is variables times characters. */
export interface UriTemplateLimits {
  /** Characters of the template. Default 2048. */
  readonly maxLength?: number;
  /** Variables of the template. Default 32. */
  readonly maxVariables?: number;
  /** Characters of a URI to match; a longer one does not match. Default 8192. */
  readonly maxUriLength?: number;
}

type Names<E extends string> = E extends `${infer A},${infer B}` ? A | Names<B> : E;
type Inside<T extends string> = T extends `${string}{${infer E}}${infer R}` ? E | Inside<R> : never;
type Optional<E extends string> = E extends `${'#' | '.' | '/' | ';' | '?' | '&'}${infer L}`
  ? Names<L>
  : E extends `${string},${infer L}`
    ? Names<L>
    : never;
type RequiredVariables<E extends string> = E extends `${'#' | '.' | '/' | ';' | '?' | '&'}${string}`
  ? never
  : E extends `+${infer L}`
    ? RequiredVariables<L>
    : E extends `${infer A},${string}`
      ? A
      : E;
/**
 * The type of a match: `{ city: string; units?: string }` for `weather://{city}{?units}`. The first variable of an
 * expression without a prefix is always present.
 */
export type UriVariables<T extends string> = string extends T
  ? { [name: string]: string }
  : { [K in RequiredVariables<Inside<T>>]: string } & {
      [K in Exclude<Optional<Inside<T>>, RequiredVariables<Inside<T>>>]?: string;
    };

/** A template, compiled for matching. */
export interface UriTemplate<T extends string = string> {
  /** The names of its variables, in the order of the template. */
  readonly variables: readonly string[];
  /**
   * The decoded values for which the template gives this URI; undefined if there are none, or if a value has
   * malformed percent-encoding. If several values fit, each variable, from left to right, takes as few characters as
   * possible, and is present rather than missing. A value ends where the next part of a URI begins: at
   * "/", "?" or "#" for `{x}` `{.x}` `{/x}` (and `;` for `{;x}`), at "&" or "#" for `{?x}` `{&x}`, nowhere for `{+x}`
   * `{#x}`. `{x}` and `{+x}` hold at least one character. Named variables are expected in the order of the template.
   * A name that occurs twice in the template must have one value.
   *
   * A URI does not match if a decoded value of `{x}` `{.x}` `{/x}` `{;x}` has a "/", "\\" or control character, or one of
   * `{x}` `{/x}` is "." or "..": so `file:///{name}` cannot leave its folder. `{+x}` `{#x}` `{?x}` `{&x}` return the
   * value unchanged, "../" included: check it before you use it as a path.
   */
  match(uri: string): UriVariables<T> | undefined;
}

// A literal, or one variable of an expression.
interface TemplateStep {
  /** The variable, or undefined for a literal. */
  readonly name?: string;
  /** A literal, or the first variable of its expression. */
  readonly head: boolean;
  /**
   * The text before the value: `first` for the first present variable of its expression, `later` for the others. Or the
   * literal.
   */
  readonly opens: readonly [first: string, later: string];
  /** Characters that end the value. Undefined: a literal, which has no value. */
  readonly stop?: string;
  readonly operator?: string;
}

// The text that begins an expression and the text between its variables (RFC 6570, appendix A), and the characters that
// end a value in a match.
const operators: Readonly<Record<string, readonly [first: string, separator: string, stop: string]>> = {
  '': ['', ',', '/?#'],
  '+': ['', ',', ''],
  '#': ['#', ',', ''],
  '.': ['.', '.', '/?#'],
  '/': ['/', '/', '/?#'],
  ';': [';', ';', ';/?#'],
  '?': ['?', '&', '&#'],
  '&': ['&', '&', '&#'],
};

/** Characters that are forbidden in a decoded value if its operator is for a part of one path segment. */
const separators = /[/\\\u0000-\u001f\u007f-\u009f]/;
const dots = /^\.{1,2}$/;

function leavesSegment(operator: string | undefined, value: string): boolean {
  if (operator === '' || operator === '/') return dots.test(value) || separators.test(value);
  return (operator === '.' || operator === ';') && separators.test(value);
}

const encode = (value: string): string =>
  encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
// RFC 6570, 3.2.3: reserved and percent-encoded characters stay unchanged.
const encodeRaw = (value: string): string =>
  value.replace(/%(?![\dA-Fa-f]{2})|[^\w:/?#[\]@!$&'()*+,;=.~%-]/gu, encodeURIComponent);

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function parse(text: string, limits: UriTemplateLimits): TemplateStep[] {
  checkOptions('uriTemplate: limits', limits, { maxLength: 0, maxVariables: 0, maxUriLength: 0 });
  const { maxLength = 2048, maxVariables = 32 } = limits;
  const steps: TemplateStep[] = [];
  let at = 0;
  const check = (holds: boolean, why: string): void => {
    if (!holds) throw new SyntaxError(`URI template, at ${at}: ${why}`);
  };
  check(text.length <= maxLength, `more than ${maxLength} characters`);
  for (const [i, part] of text.split('{').entries()) {
    const [inside = '', literal = inside, more] = i ? part.split('}') : ['', part];
    check(
      more === undefined && (!i || part.includes('}')) && !literal.includes('}'),
      'an unpaired brace',
    );
    const operator = i && operators[inside.charAt(0)] ? inside.charAt(0) : '';
    const [first = '', separator = '', stop = ''] = operators[operator] ?? [];
    const names = i ? inside.slice(operator.length).split(',') : [];
    for (const [j, name] of names.entries()) {
      check(
        /^(?:\w|%[\dA-Fa-f]{2})(?:\.?(?:\w|%[\dA-Fa-f]{2}))*$/.test(name),
        `${quote(name)} is not a variable of levels 1 to 3`,
      );
      const named = separator === ';' || separator === '&' ? `${name}=` : '';
      steps.push({
        name,
        head: !j,
        opens: [first + named, separator + named],
        // A variable that is not the last also ends where the next one begins.
        stop: j < names.length - 1 ? stop + separator : stop,
        operator,
      });
    }
    if (literal) steps.push({ head: true, opens: [encodeRaw(literal), ''] });
    at += part.length + (i && 1);
  }
  check(steps.filter((step) => step.name).length <= maxVariables, `more than ${maxVariables} variables`);
  return steps;
}

/**
 * Expands a template to a URI with these values. A missing variable is left out, as RFC 6570, 2.3, says. Throws like
 * `uriTemplate`, and a URIError for a value with half a surrogate pair.
 */
export function expandUriTemplate(
  text: string,
  values: { readonly [name: string]: string | undefined },
  limits: UriTemplateLimits = {},
): string {
  let uri = '';
  let later: 0 | 1 = 0;
  for (const { name, head, opens, operator } of parse(text, limits)) {
    if (head) later = 0;
    const value = name === undefined ? '' : Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) continue;
    // RFC 6570, 3.2.7: an empty path parameter is written as only its name.
    uri += operator === ';' && !value ? opens[later].slice(0, -1) : opens[later];
    uri += operator === '+' || operator === '#' ? encodeRaw(value) : encode(value);
    later = 1;
  }
  return uri;
}

/**
 * Compiles a template for matching. Levels 1 to 3 of RFC 6570; level 4 (`{x:3}`, `{x*}`) is refused. Throws a
 * SyntaxError with the position if the template is invalid or exceeds a limit.
 */
export function uriTemplate<const T extends string>(text: T, limits: UriTemplateLimits = {}): UriTemplate<T> {
  const { maxUriLength = 8192 } = limits;
  const steps = parse(text, limits);

  // From the last step to the first, a row has for each position in the URI the end of the step if it starts there and
  // the rest matches, or -1. A variable has two rows: as the first present one of its expression, and as a later one.
  // Each row takes one pass, so that a match costs at most steps times characters.
  function match(uri: string): UriVariables<T> | undefined {
    const size = uri.length;
    if (size > maxUriLength || (steps[0] && !steps[0].name && !uri.startsWith(steps[0].opens[0])))
      return undefined;
    const last = new Int32Array(size + 1).fill(-1);
    last[size] = size;
    let rest: readonly [Int32Array, Int32Array] = [last, last];
    const rows = [...steps].reverse().map(({ name, head, opens, stop, operator }) => {
      const [fresh, after] = rest;
      const fits = (p: number): boolean => (after[p] ?? -1) >= 0;
      // The end of the shortest value that starts at a position; `grown`: of the shortest with at least one character.
      const ends = after.slice();
      const grown = (p: number): number =>
        stop?.includes(uri.charAt(p)) === false ? (ends[p + 1] ?? -1) : -1;
      // A value does not end inside the bytes of one percent-encoded character.
      const torn = (p: number): boolean =>
        uri[p - 1] === '%' || uri[p - 2] === '%' || /^%[89ab]/i.test(uri.slice(p, p + 2));
      for (let p = size; p >= 0; p--) ends[p] = fits(p) && !torn(p) ? p : grown(p);
      const row = (open: string, absent: Int32Array): Int32Array =>
        after.map((_, p) => {
          if (!open) return grown(p);
          const at = p + open.length;
          const end = uri.startsWith(open, p) ? (ends[at] ?? -1) : -1;
          if (end >= 0 || !name) return end;
          if (operator === ';' && fits(at - 1) && uri.startsWith(open.slice(0, -1), p)) return at - 1;
          return (absent[p] ?? -1) < 0 ? -1 : p;
        });
      const first = row(opens[0], fresh);
      return (rest = [first, head ? first : row(opens[1], after)]);
    });
    const values = new Map<string, string>();
    let at = 0;
    let later: 0 | 1 = 0;
    for (const { name, head, opens, operator } of steps) {
      if (head) later = 0;
      const end = rows.pop()?.[later][at] ?? -1;
      if (end < 0) return undefined;
      if (name !== undefined && end > at) {
        const value = decode(uri.slice(at + opens[later].length, end));
        if (value === undefined || (values.get(name) ?? value) !== value) return undefined;
        if (leavesSegment(operator, value)) return undefined;
        values.set(name, value);
        later = 1;
      }
      at = end;
    }
    // fromEntries defines properties and calls no setter, so `__proto__` is an ordinary name.
    return at < size ? undefined : (Object.fromEntries(values) as UriVariables<T>);
  }

  const variables = new Set(steps.flatMap(({ name = [] }) => name));
  return { variables: [...variables], match };
}
