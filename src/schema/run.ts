import type { Node, Resource } from './nodes.ts';

/** A compiled piece of schema: true when the value keeps the rule; else it has noted why in `run.errors`. */
export type Check<T = unknown> = (value: T, run: Run) => boolean;

/** An error as it is noted: where and what, put into words only when the list is final. */
export interface Failure {
  path: string;
  node: Node;
  keyword: string;
  /** The value, or the name of the property that the error is about. */
  value: unknown;
  /** What the sentence needs beside the value, or what was expected where the keyword does not say it. */
  detail: unknown;
}

/** The resources entered on the way to here, innermost first: the dynamic scope of `$dynamicRef`. */
export interface Scope {
  resource: Resource;
  outer: Scope | undefined;
}

/** The state of one validation. */
export interface Run {
  errors: Failure[];
  /** Errors wanted. Once the list is full, every rule stops at its first failure; 0 is a silent trial. */
  max: number;
  /** Steps left. */
  work: number;
  /** `$ref` levels left. */
  depth: number;
  scope: Scope | undefined;
  /**
   * Properties and items evaluated so far, for `unevaluated*`: a log that a failed branch cuts back to where
   * it began. Only checks compiled as `tracked` write to it.
   */
  seen: string[];
  /** Where in the log the schema with the current `unevaluated*` began. */
  logStart: number;
}

/** Pays for steps. The RangeError, which names the limit, ends the validation: see `limitOf`. */
export function spend(run: Run, steps: number): void {
  if ((run.work -= steps) < 0) throw new RangeError('work');
}

/** Goes one reference deeper; the caller comes back with `run.depth++`. */
export function descend(run: Run): void {
  spend(run, 1);
  if (--run.depth < 0) throw new RangeError();
}

/** Notes a failure, if there is room, and says false. */
export function fail(run: Run, node: Node, keyword: string, value: unknown, detail?: unknown): false {
  if (!full(run)) run.errors.push({ path: '', node, keyword, value, detail });
  return false;
}

/** True when a failure need not be followed by a look at the remaining rules. */
export function full(run: Run): boolean {
  return run.errors.length >= run.max;
}

/**
 * Puts a step before the paths of the errors noted since `from`, on the way out of a property or item: a
 * value that is valid never pays for a path. Returns the new end of the list.
 */
export function place(run: Run, from: number, step: string): number {
  const { errors } = run;
  const { length } = errors;
  for (let i = from; i < length; i++) {
    const error = errors[i];
    if (error) error.path = step + error.path;
  }
  return length;
}

/** A name as a step of a JSON Pointer, without the slash. */
export function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Tries a branch without noting errors. */
export function quietly<T>(check: Check<T>, value: T, run: Run): boolean {
  const { max } = run;
  run.max = 0;
  const ok = branch(check, value, run);
  run.max = max;
  return ok;
}

/** Tries a branch; if it fails, what it evaluated does not count. */
export function branch<T>(check: Check<T>, value: T, run: Run): boolean {
  const { length } = run.seen;
  const ok = check(value, run);
  if (!ok && run.seen.length > length) run.seen.length = length;
  return ok;
}

/** One check that keeps every rule; undefined for no rules. */
export function all<T>(checks: readonly Check<T>[]): Check<T> | undefined {
  const { length } = checks;
  const [first, second] = checks;
  if (length < 2) return first;
  if (first && second && length === 2) {
    return (value, run) =>
      first(value, run) ? second(value, run) : !full(run) && second(value, run) && false;
  }
  return (value, run) => {
    let ok = true;
    for (let i = 0; i < length; i++) {
      if (checks[i]?.(value, run) !== false) continue;
      if (full(run)) return false;
      ok = false;
    }
    return ok;
  };
}

/** Keeps every rule. */
export function accept(): true {
  return true;
}

/** Judges a value with a resource as the innermost of the dynamic scope. */
export function within(resource: Resource, check: Check, value: unknown, run: Run): boolean {
  const { scope } = run;
  if (scope?.resource !== resource) run.scope = { resource, outer: scope };
  const ok = check(value, run);
  run.scope = scope;
  return ok;
}
