/**
 * `barewire/schema`: `compile`: the JSON Schema of tool arguments, without `eval`; `FromSchema`.
 *
 * @module
 */

export { compile } from './checked.ts';
export { defaultSchemaLimits } from './reader.ts';
export { fillDefaults } from './defaults.ts';
export { SchemaError, describeErrors } from './errors.ts';
export { formats } from './formats.ts';
export type { FromSchema } from './from-schema.ts';
export { adaptSchema } from './standard-schema.ts';
export type {
  AdaptedSchema,
  InferInput,
  InferOutput,
  PairedSchema,
  SchemaSource,
  StandardSchema,
} from './standard-schema.ts';
export type {
  CompileOptions,
  Format,
  JsonSchema,
  PatternTest,
  SchemaLimits,
  Validate,
  ValidationError,
  ValidationResult,
} from './types.ts';
