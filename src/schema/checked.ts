import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { compile as compileSchema } from './compile.ts';
import type { JsonSchema } from './model.ts';
import { defaultSchemaLimits } from './reader.ts';
import type { CompileOptions, Validate } from './types.ts';

// For `checkOptions`.
export const compileShape: Shape<CompileOptions> = {
  formats: 'object', patterns: 'function', defaults: 'function', maxErrors: 'number', limits: defaultSchemaLimits,
};

/**
 * Compiles a JSON Schema (2020-12, or draft-07 by its `$schema`) into a function that validates values: the part of
 * JSON Schema that tool arguments use. Any other keyword is refused by name; `compile` of `barewire/schema/full`
 * accepts all keywords, and gives the same results for every schema that both accept. A `$ref` must lead to a place
 * in the same schema (`#/$defs/…`). Nothing is generated or fetched: the result consists of closures, made at the
 * first use.
 *
 * @throws SchemaError if the schema is malformed, too large, has another keyword, or has an unresolved reference;
 * TypeError for an unknown or malformed option
 */
export function compile<T = unknown>(schema: JsonSchema, options: CompileOptions = {}): Validate<T> {
  checkOptions('compile: options', options, compileShape);
  return compileSchema<T>(schema, options);
}
