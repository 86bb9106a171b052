import { isObject } from '../jsonrpc/internal-exports.ts';
import type { Revision } from '../protocol/index.ts';

/** All client capabilities of a revision, so that a server can use every feature. */
export function fullCapabilities({ place }: Revision): Record<string, unknown> {
  return {
    roots: place < 4 ? { listChanged: true } : {},
    sampling: place >= 3 ? { tools: {}, context: {} } : {},
    ...place === 2 && { elicitation: {} },
    ...place >= 3 && { elicitation: { form: {}, url: {} } },
  };
}

/** The judge's automatic answer to a request of the server. */
export function answerQuestion(method: string, params: Readonly<Record<string, unknown>>): { readonly result: unknown } | { readonly error: unknown } {
  switch (method) {
    case 'ping': return { result: {} };
    case 'roots/list': return { result: { roots: [{ uri: 'file:///judge', name: 'judge' }] } };
    case 'sampling/createMessage': return toolUse(params) ?? { result: { role: 'assistant', content: { type: 'text', text: 'This is the answer of the judge.' }, model: 'judge', stopReason: 'endTurn' } };
    case 'elicitation/create': return { result: params['mode'] === 'url' ? { action: 'decline' } : { action: 'accept', content: filled(params['requestedSchema']) } };
    default: return { error: { code: -32601, message: 'Method not found' } };
  }
}

/** Simulates a model: uses the first tool, unless the conversation already has an assistant message. */
function toolUse({ tools, messages }: Readonly<Record<string, unknown>>): { readonly result: unknown } | undefined {
  const [tool] = Array.isArray(tools) ? tools.filter(isObject) : [];
  const asked = Array.isArray(messages) && messages.every((one) => !isObject(one) || one['role'] !== 'assistant');
  if (!tool || !asked) return undefined;
  const use = { type: 'tool_use', id: 'judge-use-1', name: tool['name'], input: sampleArguments(tool['inputSchema']) };
  return { result: { role: 'assistant', content: [use], model: 'judge', stopReason: 'toolUse' } };
}

/** Sample values for all fields of a form. */
function filled(schema: unknown): Record<string, unknown> {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sample(field)]));
}

/** A value that probably fits the schema. */
export function sample(schema: unknown, depth: number = 0): unknown {
  if (!isObject(schema) || depth > 8) return 'judge';
  const first = (key: string): unknown => (Array.isArray(schema[key]) ? (schema[key] as unknown[])[0] : undefined);
  if ('const' in schema) return schema['const'];
  if ('default' in schema) return schema['default'];
  if (first('examples') !== undefined) return first('examples');
  if (first('enum') !== undefined) return first('enum');
  for (const key of ['oneOf', 'anyOf', 'allOf']) if (isObject(first(key))) return sample(first(key), depth + 1);
  const type = Array.isArray(schema['type']) ? (schema['type'] as unknown[]).find((one) => one !== 'null') : schema['type'];
  const minimum = typeof schema['minimum'] === 'number' ? schema['minimum'] : typeof schema['exclusiveMinimum'] === 'number' ? schema['exclusiveMinimum'] + 1 : undefined;
  switch (type) {
    case 'integer': case 'number': return minimum ?? (typeof schema['maximum'] === 'number' ? Math.min(1, schema['maximum']) : 1);
    case 'boolean': return true;
    case 'null': return null;
    case 'array': return Array.from({ length: typeof schema['minItems'] === 'number' ? Math.min(schema['minItems'], 8) : 0 }, () => sample(schema['items'], depth + 1));
    case 'object': return sampleArguments(schema, depth + 1);
    default: return sampleText(schema);
  }
}

/** Sample values for the required properties of a schema. */
export function sampleArguments(schema: unknown, depth: number = 0): Record<string, unknown> {
  if (!isObject(schema)) return {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].filter((one) => typeof one === 'string') : [];
  return Object.fromEntries(required.map((name) => [name, sample(Object.hasOwn(properties, name) ? properties[name] : undefined, depth)]));
}

function sampleText(schema: Readonly<Record<string, unknown>>): string {
  switch (schema['format']) {
    case 'email': return 'judge@example.com';
    case 'uri': return 'https://example.com/';
    case 'date': return '2026-01-01';
    case 'date-time': return '2026-01-01T00:00:00Z';
    default: {
      const least = typeof schema['minLength'] === 'number' ? Math.min(schema['minLength'], 1000) : 0;
      const longest = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : 1000;
      return 'judge'.padEnd(least, 'x').slice(0, Math.max(longest, least));
    }
  }
}
