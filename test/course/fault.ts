// A fault of a program in three parts: what was expected, what came, and the messages before.

/** Ends a check. */
export class Fault extends Error {
  readonly expected: string;
  readonly came: string;

  constructor(expected: string, came: string) {
    super(`expected ${expected}; came ${came}`);
    this.name = 'Fault';
    this.expected = expected;
    this.came = came;
  }
}

/** A member of a pattern that is checked by a function. */
export interface Rule {
  readonly says: string;
  holds(value: unknown): boolean;
}

export const rule = (says: string, holds: (value: unknown) => boolean): Rule => ({ says, holds });

export type Bag = Readonly<Record<string, unknown>>;
export const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value);
const isRule = (value: unknown): value is Rule => isBag(value) && typeof value['holds'] === 'function';

export const text: Rule = rule('a text', (value) => typeof value === 'string' && value !== '');
export const object: Rule = rule('an object', isBag);
export const natural: Rule = rule('an integer that is not negative', (value) => Number.isInteger(value) && Number(value) >= 0);
export const absent: Rule = rule('to be absent', (value) => value === undefined);
/** JSON-RPC 2.0 uses null, 2025-11-25 leaves the id out: both are accepted everywhere. */
export const noId: Rule = rule('to be absent, or null', (value) => value === undefined || value === null);
export const oneOf = (...values: readonly unknown[]): Rule =>
  rule(`one of ${values.map((value) => JSON.stringify(value)).join(', ')}`, (value) => values.includes(value));
/** A list with a member for each of the patterns; it may have more. */
export const having = (...patterns: readonly unknown[]): Rule => rule(
  `a list with ${patterns.map((pattern) => describe(pattern)).join(' and ')}`,
  (value) => Array.isArray(value) && patterns.every((pattern) => value.some((item) => mismatch(pattern, item, '') === undefined)),
);

function describe(pattern: unknown): string {
  if (isRule(pattern)) return pattern.says;
  if (Array.isArray(pattern)) return `[${pattern.map(describe).join(', ')}]`;
  if (isBag(pattern)) return `{${Object.entries(pattern).map(([name, value]) => `${name}: ${describe(value)}`).join(', ')}}`;
  return JSON.stringify(pattern);
}

/** The first place where a value does not match a pattern. An object may have more members than its pattern, a list may not. */
export function mismatch(pattern: unknown, value: unknown, path: string): Fault | undefined {
  const place = path === '' ? 'the message' : path;
  const fault = (): Fault => new Fault(`${place} to be ${describe(pattern)}`.replace('to be to be', 'to be'), value === undefined ? 'nothing there' : JSON.stringify(value).slice(0, 300));
  if (isRule(pattern)) return pattern.holds(value) ? undefined : fault();
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) return fault();
    return first(pattern.map((item, at) => () => mismatch(item, value[at], `${path}[${at}]`)));
  }
  if (isBag(pattern)) {
    if (!isBag(value)) return fault();
    return first(Object.entries(pattern).map(([name, inner]) => () =>
      mismatch(inner, Object.hasOwn(value, name) ? value[name] : undefined, path === '' ? name : `${path}.${name}`)));
  }
  return Object.is(pattern, value) ? undefined : fault();
}

function first(tries: readonly (() => Fault | undefined)[]): Fault | undefined {
  for (const attempt of tries) {
    const found = attempt();
    if (found) return found;
  }
  return undefined;
}

/** Throws if a value does not match a pattern. An error or tool failure in place of a result is reported as such. */
export function demand(pattern: unknown, value: unknown, path: string = ''): void {
  const found = mismatch(pattern, value, path);
  if (found) throw instead(pattern, value) ?? found;
}

function instead(pattern: unknown, value: unknown): Fault | undefined {
  if (!isBag(pattern) || !isBag(value) || !Object.hasOwn(pattern, 'result')) return undefined;
  const { result: wanted } = pattern;
  const { result, error } = value;
  const hoped = `the result of ${JSON.stringify(value['id']) ?? 'a request'} to be ${describe(wanted)}`;
  if (error !== undefined && result === undefined) return new Fault(hoped, `the error ${JSON.stringify(error).slice(0, 300)}`);
  const fails = isBag(result) && result['isError'] === true && !(isBag(wanted) && Object.hasOwn(wanted, 'isError'));
  return fails ? new Fault(hoped, `a tool that failed (isError): ${JSON.stringify(result['content'])?.slice(0, 300)}`) : undefined;
}
