import type { JsonSchema } from '../model.ts';
import type { CompileOptions } from '../types.ts';

/** The options for a schema that may refer to others. */
export interface FullCompileOptions extends CompileOptions {
  /** The schemas that `$ref` and `$schema` may name, by their `$id` without fragment. Nothing is ever fetched. */
  schemas?: Readonly<Record<string, JsonSchema>>;
}
