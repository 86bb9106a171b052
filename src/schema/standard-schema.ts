import type { JsonSchema } from './model.ts';
import { escapeToken } from './values.ts';
import type { FromSchema } from './from-schema.ts';
import type { Validate, ValidationError, ValidationResult } from './types.ts';

/**
 * The interfaces of schema libraries: Standard Schema (validation) and, if a library has it, Standard JSON Schema (conversion).
 * Both are version 1, of standardschema.dev.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Checks a value: returns the value after the library's conversions, or its issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: StandardConverter | undefined;
  };
}

type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface StandardConverter {
  readonly input: (options: { readonly target: string }) => Record<string, unknown>;
  readonly output: (options: { readonly target: string }) => Record<string, unknown>;
}

/** A library's schema for which the author gives the JSON Schema, because the library does not. */
export interface PairedSchema<S extends StandardSchema = StandardSchema> {
  readonly standard: S;
  readonly jsonSchema: JsonSchema;
}

/** A JSON Schema whose TypeScript type is an interface, as in TypeBox. */
interface SchemaInterface {
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly anyOf?: unknown;
  readonly allOf?: unknown;
  readonly $ref?: unknown;
}

/** Everything that is accepted as a schema. */
export type SchemaSource = JsonSchema | SchemaInterface | StandardSchema | PairedSchema;

/** The type of the values that a schema accepts. */
export type InferInput<S> =
  S extends PairedSchema<infer T> ? InferInput<T>
  : S extends { readonly '~standard': { readonly types?: infer T } } ? Side<T, 'input'>
  : S extends { static: infer T } ? T
  : FromSchema<S>;

/** The type of a schema's output: defaults filled in, strings parsed. */
export type InferOutput<S> =
  S extends PairedSchema<infer T> ? InferOutput<T>
  : S extends { readonly '~standard': { readonly types?: infer T } } ? Side<T, 'output'>
  : S extends { static: infer T } ? T
  : FromSchema<S>;

type Side<T, K extends 'input' | 'output'> =
  NonNullable<T> extends { readonly [P in K]: infer V } ? V : unknown;

/** A schema that is ready for use: its JSON Schema, and its check. */
export interface AdaptedSchema {
  jsonSchema: JsonSchema;
  /** Returns a promise only if the library does. */
  validate(value: unknown): ValidationResult | Promise<ValidationResult>;
}

/**
 * Adapts any kind of schema to one interface.
 * @param source a JSON Schema (TypeBox makes them), a schema of a library with the Standard Schema interface
 *   that can also convert itself (Zod 4.2, ArkType 2.1.28, Valibot by `toStandardJsonSchema`), or a {@link
 *   PairedSchema}
 * @param side which JSON Schema to ask for: of the input values, or of the output values
 * @param validator makes the check of a JSON Schema, such as `compile`; without it, anything is valid
 * @throws TypeError if a library's schema comes without a JSON Schema
 */
export function adaptSchema(
  source: SchemaSource,
  side: 'input' | 'output',
  validator?: (schema: JsonSchema) => Validate,
): AdaptedSchema {
  if (isStandard(source))
    return { jsonSchema: convert(source, side), validate: (value) => judge(source, value) };
  if (isPaired(source)) {
    return { jsonSchema: source.jsonSchema, validate: (value) => judge(source.standard, value) };
  }
  // Everything else is a JSON Schema, of any type; the validator checks it.
  const jsonSchema = source as JsonSchema;
  return { jsonSchema, validate: validator?.(jsonSchema) ?? ((value) => ({ valid: true, value })) };
}

// ArkType's schemas are functions.
function isStandard(source: unknown): source is StandardSchema {
  return '~standard' in Object(source);
}

function isPaired(source: SchemaSource): source is PairedSchema {
  return typeof source === 'object' && 'standard' in source && isStandard(source.standard);
}

function convert(source: StandardSchema, side: 'input' | 'output'): JsonSchema {
  const { vendor, jsonSchema } = source['~standard'];
  if (!jsonSchema) {
    throw new TypeError(`this ${vendor} schema has no JSON Schema: pass { standard, jsonSchema } instead`);
  }
  return jsonSchema[side]({ target: 'draft-2020-12' });
}

function judge(source: StandardSchema, value: unknown): ValidationResult | Promise<ValidationResult> {
  const { validate, vendor } = source['~standard'];
  const result = validate(value);
  return result instanceof Promise ? result.then((later) => read(later, vendor)) : read(result, vendor);
}

function read(result: StandardResult<unknown>, vendor: string): ValidationResult {
  if (!result.issues) return { valid: true, value: result.value };
  const errors = result.issues.slice(0, 100).map(({ message, path = [] }): ValidationError => {
    const steps = path.map((step) => String(typeof step === 'object' ? step.key : step));
    return {
      path: steps.map((step) => '/' + escapeToken(step)).join(''),
      schemaPath: '',
      keyword: vendor,
      message,
    };
  });
  return { valid: false, errors };
}
