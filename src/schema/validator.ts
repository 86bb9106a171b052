import { explain, SchemaError } from './errors.ts';
import type { Check, Compiler, JsonSchema, Run } from './model.ts';
import { defaultSchemaLimits, readSchema } from './reader.ts';
import type { Language, Reader } from './reader.ts';
import type { CompileOptions, SchemaLimits, Validate, ValidationError } from './types.ts';

/**
 * Compiles a schema of a language. The schema is read at once; closures are made when a value first needs them, so
 * that registering a tool does not pay for them.
 *
 * @throws SchemaError if the schema is malformed, too large, of an unknown dialect, or has an unresolved reference
 */
export function createValidator<T>(
  schema: JsonSchema,
  make: (reader: Reader) => Language,
  options: CompileOptions,
): Validate<T> {
  const limits = { ...defaultSchemaLimits, ...options.limits };
  const { root, language } = read();
  const compiler: Compiler = {
    check: (node) => node.check ??= language.check(node, compiler),
    formats: options.formats ?? {},
  };
  const scope = { resource: root.resource, outer: undefined };
  const { maxErrors, defaults } = options;
  // `Infinity` would not count down, so a finite number stands for all errors.
  const most = Math.min(maxErrors || 100, 2 ** 32);
  let check: Check | undefined;
  return (value) => {
    const run: Run = {
      last: undefined,
      room: most,
      work: limits.work,
      depth: limits.depth,
      scope,
    };
    try {
      check ??= compiler.check(root);
      const subject = defaults ? defaults(root, value, run) : value;
      // The caller guarantees that T is the type that the schema describes: see FromSchema.
      if (check(subject, run)) return { valid: true, value: subject as T };
      // Each noted error took one from `room`. The list has the newest first.
      let at = most - run.room;
      const errors = new Array<ValidationError>(at);
      for (let error = run.last; error; error = error.before) errors[--at] = explain(error, language.sentences);
      return { valid: false, errors };
    } catch (error) {
      const name = limitOf(error as Error);
      if (!name) throw error;
      const message = `validation exceeds the limit "${name}" (${limits[name]})`;
      return { valid: false, errors: [{ path: '', schemaPath: root.path, keyword: name, message }] };
    }
  };

  function read(): ReturnType<typeof readSchema> {
    try {
      return readSchema(schema, make, limits, options);
    } catch (error) {
      // V8 keeps ten frames of a stack, and a nested schema would take all of them: keep the frames of the caller.
      if (error instanceof SchemaError) Error.captureStackTrace?.(error, createValidator);
      throw error;
    }
  }
}

/** The limit that an exception names. Engines report a stack overflow as a RangeError or an InternalError. */
function limitOf({ name, message }: Error): keyof SchemaLimits | undefined {
  return (
    message === 'work' || message === 'pattern' ? message
    : /Range|Internal/.test(name) ? 'depth'
    : undefined
  );
}
