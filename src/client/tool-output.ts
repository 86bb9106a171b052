import { isObject } from '../jsonrpc/codec.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import type { Bag } from '../jsonrpc/message.ts';
import type { JsonSchema, Validate } from '../schema/types.ts';
import type { Outputs } from './parts.ts';

/** The part of a client that judges what tools return; `compile` is that of barewire/schema, or another. */
export function toolOutputs(compile: (schema: JsonSchema) => Validate): Outputs {
  return new ToolOutputs(compile);
}

/**
 * Holds what tools return against the output schemas that `tools/list` told. A tool that was never listed is
 * not judged. 2025-06-18 server/tools#output-schema: clients SHOULD validate.
 */
class ToolOutputs implements Outputs {
  readonly #compile: (schema: JsonSchema) => Validate;
  // Compiled at the first call.
  readonly #schemas = new Map<string, JsonSchema | Validate>();

  constructor(compile: (schema: JsonSchema) => Validate) {
    this.#compile = compile;
  }

  learn(tools: readonly unknown[]): void {
    for (const tool of tools) {
      if (!isObject(tool) || typeof tool['name'] !== 'string') continue;
      if (isObject(tool['outputSchema'])) this.#schemas.set(tool['name'], tool['outputSchema']);
      else this.#schemas.delete(tool['name']);
    }
  }

  forget(): void {
    this.#schemas.clear();
  }

  /** Throws where the result of a call breaks the tool's promise. */
  check(name: string, result: Bag, warn: (error: Error) => void): void {
    const schema = this.#schemas.get(name);
    // What an extension made of a result of its own type is not the tool's.
    if (schema === undefined || result['isError'] === true) return;
    if ((result['resultType'] ?? 'complete') !== 'complete') return;
    const validate = typeof schema === 'function' ? schema : this.#prepare(name, schema, warn);
    if (validate === undefined) return;
    if (result['structuredContent'] === undefined) {
      throw new Error(
        `the tool ${JSON.stringify(name)} has an output schema, but its result has no structuredContent`,
      );
    }
    const judged = validate(result['structuredContent']);
    if (judged.valid) return;
    const faults = judged.errors.slice(0, 10).map(
      ({ path, message }) => `structuredContent${path} ${message}`,
    );
    throw new Error(
      `the result of the tool ${JSON.stringify(name)} breaks its output schema: ${faults.join('; ')}`,
    );
  }

  /** A schema that cannot be used is reported once, and its tool not judged. */
  #prepare(name: string, schema: JsonSchema, warn: (error: Error) => void): Validate | undefined {
    try {
      const validate = this.#compile(schema);
      this.#schemas.set(name, validate);
      return validate;
    } catch (error) {
      this.#schemas.delete(name);
      const what = `the output schema of the tool ${JSON.stringify(name)}: ${errorMessage(error)}`;
      warn(new Error(what, { cause: error }));
      return undefined;
    }
  }
}
