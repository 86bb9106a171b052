import { visible } from '../explain/safe-text.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import { shorten } from '../bounds/quote.ts';
import type { Tool } from '../protocol/index.ts';
import { compile } from '../schema/full/index.ts';
import { WrongUse } from './exit-codes.ts';
import { didYouMean } from './near-miss.ts';

/** The most faults of arguments that are told at once. */
const maxFaults = 5;

/** Keywords by which a schema may know more names than stand in `properties`. */
const opening: readonly string[] = ['patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', '$dynamicRef', 'if', 'dependentSchemas', 'unevaluatedProperties'];

/** The names of all arguments that a tool has; undefined: its schema leaves that open. */
function argumentNames({ inputSchema }: Tool): readonly string[] | undefined {
  const { properties, additionalProperties = false } = inputSchema;
  return isObject(properties) && additionalProperties === false && !opening.some((keyword) => Object.hasOwn(inputSchema, keyword))
    ? Object.keys(properties) : undefined;
}

/**
 * Holds arguments against the schema of their tool before anything is sent. Throws `WrongUse` for a name that the schema
 * does not have, with the one that is most like it, and for values that it refuses. A schema that cannot be compiled judges
 * nothing: `barewire doctor` tells of it.
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
