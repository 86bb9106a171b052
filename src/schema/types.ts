import type { Format, Node, PatternTest, Run } from './model.ts';

export type { Format, JsonSchema, PatternTest } from './model.ts';

/** One error of a value. */
export interface ValidationError {
  /** JSON Pointer to the invalid part of the value; `''` is the value itself. */
  path: string;
  /** The place of the broken rule: a JSON Pointer after `#`, after the address of its schema if it has one. */
  schemaPath: string;
  /** The keyword that failed; the name of the limit (`depth`, `work`, `pattern`) when validation was refused. */
  keyword: string;
  /** A sentence that helps to correct the value, without the path: see {@link describeErrors}. */
  message: string;
}

/** The result of a validation. `value` is the input, or with `defaults` its completed copy. */
export type ValidationResult<T = unknown> =
  { valid: true; value: T } | { valid: false; errors: ValidationError[] };

/**
 * A compiled schema. Never throws: a value that exceeds a limit is invalid, and its error names the limit.
 */
export type Validate<T = unknown> = (value: unknown) => ValidationResult<T>;

/** Limits of a schema and a validation. A schema or value beyond a limit is refused; the error names the limit. */
export interface SchemaLimits {
  /** Nesting of subschemas, and of `$ref` recursion over a value. 256. */
  depth: number;
  /** Subschemas in a schema, together with the registered schemas it uses. 10,000. */
  subschemas: number;
  /** Steps of one validation (a subschema tried, an item visited, a value compared): about half a second. 5,000,000. */
  work: number;
  /** UTF-16 units in one `pattern`. 5,000. */
  pattern: number;
  /** UTF-16 units in all patterns of a schema; each `\p{…}`, which is slow to compile, counts as 500 more. 100,000. */
  patterns: number;
}

/** How to compile a schema. */
export interface CompileOptions {
  /**
   * Assert `format` with these checks; without them, `format` is an annotation. An unlisted format passes.
   */
  formats?: Readonly<Record<string, Format>>;
  /**
   * How to match `pattern` and `patternProperties`, for your own engine. Default: the platform's engine if its worst
   * case is cheap, and else a matcher whose time is linear in the string and charged to the limit `work`. A pattern
   * that only the platform's engine can match (lookbehind, back references, modifiers) is refused by the limit
   * `pattern` if the string is too long for it.
   */
  patterns?: (source: string) => PatternTest;
  /** `fillDefaults`, to return a copy in which missing properties have their `default`. */
  defaults?: (schema: Node, value: unknown, run: Run) => unknown;
  /** How many errors to list; 1 stops at the first. Default 100. */
  maxErrors?: number;
  /** Limits of the schema and the validation. */
  limits?: Partial<SchemaLimits>;
}
