import { isObject } from '../jsonrpc/message.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import type { Bag } from '../jsonrpc/message.ts';
import type { JsonSchema, Validate } from '../schema/types.ts';
import type { Outputs } from './parts.ts';

type Compile = (schema: JsonSchema) => Validate;

/** The part of a client that checks structured results of tools; `compile`: of barewire/schema, or another validator. */
export function toolOutputs(compile: (schema: JsonSchema) => Validate): Outputs {
  return new ToolOutputs(() => compile);
}

/**
 * The same with a validator that is loaded at the first result to check; default: that of barewire/schema. A client
 * of tools without output schemas never loads it. If it cannot be loaded, the call rejects.
 */
export function loadedToolOutputs(load: () => Promise<Compile> = loadSmallDialect): Outputs {
  return new ToolOutputs(load);
}

async function loadSmallDialect(): Promise<Compile> {
  const { compile } = await import('../schema/compile.ts');
  return compile;
}

/**
 * Checks structured results against the output schemas of `tools/list`. Results of a tool that was never listed are
 * not checked. 2025-06-18 server/tools#output-schema: clients SHOULD validate.
 */
class ToolOutputs implements Outputs {
  readonly #load: () => Compile | Promise<Compile>;
  // Schemas are compiled at the first call.
  readonly #schemas = new Map<string, JsonSchema | Validate>();

  constructor(load: () => Compile | Promise<Compile>) {
    this.#load = load;
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

  check(name: string, result: Bag, warn: (error: Error) => void): Promise<void> | undefined {
    const schema = this.#schemas.get(name);
    // A result of another type belongs to an extension, and is not checked against the tool's schema.
    if (schema === undefined || result['isError'] === true || (result['resultType'] ?? 'complete') !== 'complete') return;
    return typeof schema === 'function' ? judge(name, result, schema) : this.#judgeFirst(name, result, schema, warn);
  }

  /**
   * An unusable schema is reported once, and its tool is not checked. Rejects if `compile` cannot be loaded, and if a
   * reference of the schema is unresolved: 2026-07-28 basic/index#ref-resolution.
   */
  async #judgeFirst(name: string, result: Bag, schema: JsonSchema, warn: (error: Error) => void): Promise<void> {
    const compile = await this.#load();
    // The list may have another schema by now.
    const current = this.#schemas.get(name) === schema;
    let validate: Validate;
    try {
      validate = compile(schema);
    } catch (error) {
      const refused = new Error(`the output schema of the tool ${JSON.stringify(name)}: ${errorMessage(error)}`, { cause: error });
      if (!isObject(error) || error['code'] !== 'reference') {
        if (current) this.#schemas.delete(name);
        return warn(refused);
      }
      validate = () => {
        throw refused;
      };
    }
    if (current) this.#schemas.set(name, validate);
    judge(name, result, validate);
  }
}

/** Throws if the result of a call breaks the output schema of the tool. */
function judge(name: string, { structuredContent }: Bag, validate: Validate): undefined {
  if (structuredContent === undefined) {
    throw new Error(`the tool ${JSON.stringify(name)} has an output schema, but its result has no structuredContent`);
  }
  const judged = validate(structuredContent);
  if (judged.valid) return;
  const faults = judged.errors.slice(0, 10).map(({ path, message }) => `structuredContent${path} ${message}`);
  throw new Error(`the result of the tool ${JSON.stringify(name)} breaks its output schema: ${faults.join('; ')}`);
}
