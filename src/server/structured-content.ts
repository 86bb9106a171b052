import { isObject } from '../jsonrpc/message.ts';
import type { CallToolResult } from '../protocol/tools.ts';
import type { AdaptedSchema } from '../schema/standard-schema.ts';
import type { ValidationResult } from '../schema/types.ts';

/** A schema as clients see it, and a function that validates values, if there is one. */
export interface ReadSchema {
  readonly jsonSchema: AdaptedSchema['jsonSchema'];
  readonly validate: AdaptedSchema['validate'] | undefined;
}

/**
 * Makes the structured results of tools with `output`, as `tools({ structured })`: returns the result for the value of the handler.
 * Throws a TypeError for a value that does not fit the schema.
 */
export function structured(value: unknown, { validate }: ReadSchema): CallToolResult | Promise<CallToolResult> {
  const whole = wholeResult(value);
  if (whole?.isError) return whole;
  // From the validated value, so that the text too has what the schema strips or completes.
  const made = (structuredContent: unknown): CallToolResult => (whole ? { ...whole, structuredContent } : both(structuredContent));
  const given = whole ? whole.structuredContent : value;
  if (!validate) return made(given);
  // 2025-06-18 server/tools#output-schema: the server MUST provide conforming results.
  const conforming = (judged: ValidationResult): CallToolResult => {
    if (judged.valid) return made(judged.value);
    const faults = judged.errors.map(({ path, message }) => `structuredContent${path}: ${message}`);
    throw new TypeError(`the result breaks the output schema: ${faults.join('; ')}`);
  };
  const judged = validate(given);
  return judged instanceof Promise ? judged.then(conforming) : conforming(judged);
}

/** A whole result only if `content` comes with `structuredContent` or `isError: true`; else the value is structured content. */
const wholeResult = (value: unknown): CallToolResult | undefined => (isObject(value) && Array.isArray(value['content'])
  && ('structuredContent' in value || value['isError'] === true) ? value as unknown as CallToolResult : undefined);

/** 2025-06-18 server/tools#structured-content: the JSON is sent as text too, for clients that ignore `structuredContent`. */
function both(structuredContent: unknown): CallToolResult {
  const text = JSON.stringify(structuredContent) ?? 'null';
  if (text.includes('null')) checkNumbers(structuredContent, 'structuredContent');
  return { content: [{ type: 'text', text }], structuredContent };
}

/** JSON writes NaN and Infinity as null, which is another value. Throws a TypeError that names the place. */
function checkNumbers(value: unknown, path: string): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`${path} is ${value}, which is not a JSON value`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) checkNumbers(item, `${path}.${key}`);
}
