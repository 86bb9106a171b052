import type { Validate } from 'barewire/schema';

/** What is wrong with a value, in the validator's own words. */
export interface Fault {
  /** JSON Pointer of the offending part. */
  readonly path: string;
  readonly what: string;
}

/** At most 100 faults of a value. */
export function faultsOf(validate: Validate, value: unknown): Fault[] {
  const judged = validate(value);
  return judged.valid ? [] : judged.errors.slice(0, 100).map(({ path, message }) => ({ path, what: message }));
}
