import type { Validate } from 'barewire/schema';

/** One fault of a value, in the validator's own words. */
export interface Fault {
  /** JSON Pointer of the offending part. */
  readonly path: string;
  readonly what: string;
}

/** The faults of a value, at most 100. */
export function faultsOf(validate: Validate, value: unknown): Fault[] {
  const judged = validate(value);
  return judged.valid ? [] : judged.errors.slice(0, 100).map(({ path, message }) => ({ path, what: message }));
}
