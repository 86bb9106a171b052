import type { Node, Resource } from './nodes.ts';

/** A compiled piece of schema: true when the value keeps the rule; else it has noted why in `run.last`. */
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
  /** The one noted before this. */
  before: Failure | undefined;
}

/** The resources entered on the way to here, innermost first: the dynamic scope of `$dynamicRef`. */
export interface Scope {
  resource: Resource;
  outer: Scope | undefined;
}

/** The state of one validation. */
export interface Run {
  /** The newest of the errors noted; the list is linked because most lists stay empty or short. */
  last: Failure | undefined;
  /** Errors still wanted. At 0 none is noted, and every rule stops at its first failure. */
  room: number;
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
  if (run.room > 0) {
    run.room--;
    run.last = { path: '', node, keyword, value, detail, before: run.last };
  }
  return false;
}

/**
 * Puts a step before the paths of the errors noted after `mark`, on the way out of a property or item: a
 * value that is valid never pays for a path. Returns the new mark.
 */
export function place(run: Run, mark: Failure | undefined, step: string): Failure | undefined {
  for (let error = run.last; error && error !== mark; error = error.before) error.path = step + error.path;
  return run.last;
}

/** A name as a step of a JSON Pointer, without the slash. */
export function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Tries a branch without noting errors. */
export function quietly<T>(check: Check<T>, value: T, run: Run): boolean {
  const { room } = run;
  run.room = 0;
  const ok = branch(check, value, run);
  run.room = room;
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
      first(value, run) ? second(value, run) : run.room > 0 && second(value, run) && false;
  }
  return (value, run) => {
    let ok = true;
    for (let i = 0; i < length; i++) {
      if (checks[i]?.(value, run) !== false) continue;
      if (!run.room) return false;
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
