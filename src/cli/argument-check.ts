import { visible } from '../explain/safe-text.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import { shorten } from '../bounds/quote.ts';
import type { Tool } from '../protocol/index.ts';
import { compile } from '../schema/full/index.ts';
import { WrongUse } from './exit-codes.ts';
import { didYouMean } from './near-miss.ts';

/** The most invalid arguments that one error message lists. */
const maxFaults = 5;

/** Keywords that can allow names which are not in `properties`. */
const opening: readonly string[] = ['patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', '$dynamicRef', 'if', 'dependentSchemas', 'unevaluatedProperties'];

/** The names of all arguments that a tool accepts; undefined if its schema may accept others. */
function argumentNames({ inputSchema }: Tool): readonly string[] | undefined {
  const { properties, additionalProperties = false } = inputSchema;
  return isObject(properties) && additionalProperties === false && !opening.some((keyword) => Object.hasOwn(inputSchema, keyword))
    ? Object.keys(properties) : undefined;
}

/**
 * Checks arguments against the tool's schema before anything is sent. Throws `WrongUse` for an unknown name, with the
 * most similar known one, and for invalid values. If the schema does not compile, values are not checked: `barewire
 * doctor` reports such a schema.
 */
export function checkArguments(tool: Tool, args: Readonly<Record<string, unknown>>): void {
  const names = argumentNames(tool);
  const unknown = names && Object.keys(args).find((name) => !names.includes(name));
  if (names && unknown !== undefined) {
    const hint = didYouMean(unknown, names) || `; ${names.length > 0 ? `there are ${names.slice(0, 30).map(visible).join(', ')}` : 'it takes none'}`;
    throw new WrongUse(`${visible(tool.name)} has no argument ${visible(shorten(unknown, 80))}${hint}`);
  }
  const faults = faultsOf(tool.inputSchema, args);
  if (faults.length === 0) return;
  throw new WrongUse(`${visible(tool.name)}: ${faults.slice(0, maxFaults).join('; ')}${faults.length > maxFaults ? `; and ${faults.length - maxFaults} more` : ''}`);
}

function faultsOf(schema: Tool['inputSchema'], args: Readonly<Record<string, unknown>>): string[] {
  try {
    const judged = compile(schema)(args);
    return judged.valid ? [] : judged.errors.map(({ path, message }) => visible(shorten(`${path.replace(/^[./]/, '').replaceAll('/', '.')} ${message}`.trim(), 200)));
  } catch {
    return [];
  }
}
