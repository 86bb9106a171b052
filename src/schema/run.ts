import type { Check, CheckFailure, Node, Run } from './model.ts';

/** Charges for steps. The RangeError, which names the limit, ends the validation: see `limitOf`. */
export function spend(run: Run, steps: number): void {
  if ((run.work -= steps) < 0) throw new RangeError('work');
}

/** Goes one reference deeper; the caller returns with `run.depth++`. */
export function descend(run: Run): void {
  spend(run, 1);
  if (--run.depth < 0) throw new RangeError();
}

/** Notes a failure, if there is room, and returns false. */
export function fail(run: Run, node: Node, keyword: string, value: unknown, detail?: unknown): false {
  if (run.room > 0) {
    run.room--;
    run.last = { path: '', node, keyword, value, detail, before: run.last };
  }
  return false;
}

/**
 * Prepends a step to the paths of the errors noted after `mark`, on the way out of a property or item, so that a
 * valid value never pays for a path. Returns the new mark.
 */
export function place(run: Run, mark: CheckFailure | undefined, step: string): CheckFailure | undefined {
  for (let error = run.last; error && error !== mark; error = error.before) error.path = step + error.path;
  return run.last;
}

/** Tries a branch without noting errors. */
export function quietly<T>(check: Check<T>, value: T, run: Run): boolean {
  const { room } = run;
  run.room = 0;
  const ok = check(value, run);
  run.room = room;
  return ok;
}

/** One check for all rules; undefined if there are no rules. */
export function all<T>(checks: readonly Check<T>[]): Check<T> | undefined {
  const [first, second] = checks;
  if (checks.length < 2) return first;
  if (first && second && checks.length === 2) {
    return (value, run) => first(value, run) ? second(value, run) : run.room > 0 && second(value, run) && false;
  }
  return (value, run) => {
    let ok = true;
    for (const check of checks) {
      if (check(value, run)) continue;
      if (!run.room) return false;
      ok = false;
    }
    return ok;
  };
}

/** Accepts every value. */
export function accept(): true {
  return true;
}
