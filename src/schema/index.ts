export { compile } from './compile.ts';
export { SchemaError } from './errors.ts';
export { describeErrors } from './messages.ts';
export { metaschemas } from './metaschemas.ts';
export type {
  CompileOptions, FormatCheck, JsonSchema, SchemaLimits, Validate, ValidationError, ValidationResult,
} from './types.ts';
