import type { Format, Node, PatternTest, Run } from './model.ts';

export type { Format, JsonSchema, PatternTest } from './model.ts';

/** One thing wrong with a value. */
export interface ValidationError {
  /** JSON Pointer of the offending part of the value; `''` is the value itself. */
  path: string;
  /**
   * Where the broken rule stands: a JSON Pointer behind `#`, after the address of its schema if it has one.
   */
  schemaPath: string;
  /** The keyword that failed; the name of the limit (`depth`, `work`, `pattern`) when validation was refused. */
  keyword: string;
  /** A sentence to act on, without the path: see {@link describeErrors}. */
  message: string;
}

/** What a compiled schema says of a value. `value` is the input, or under `defaults` its completed copy. */
export type ValidationResult<T = unknown> =
  { valid: true; value: T } | { valid: false; errors: ValidationError[] };

/**
 * A compiled schema. Never throws: a value that exceeds a limit is invalid, and its error names the limit.
 */
export type Validate<T = unknown> = (value: unknown) => ValidationResult<T>;

/** What a schema and a validation may cost. A schema or value that needs more is refused, and told which. */
export interface SchemaLimits {
  /** How deep subschemas nest, and how deep `$ref` may recurse over a value. 256. */
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
   * How to match `pattern` and `patternProperties`, for an engine of your own. Default: the platform's where its worst
   * case is cheap, and else a matcher whose time is linear in the string and paid from the limit `work`. A pattern that
   * only the platform's engine can match (lookbehind, back references, modifiers) is refused by the limit `pattern`
   * for a string that is too long for it.
   */
  patterns?: (source: string) => PatternTest;
  /** `fillDefaults`, to answer with a copy in which absent properties have their `default`. */
  defaults?: (schema: Node, value: unknown, run: Run) => unknown;
  /** How many errors to list; 1 stops at the first. Default 100. */
  maxErrors?: number;
  /** What a schema and a validation may cost. */
  limits?: Partial<SchemaLimits>;
}
