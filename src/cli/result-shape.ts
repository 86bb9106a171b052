import { isObject } from '../jsonrpc/codec.ts';
import { compile } from '../schema/index.ts';
import type { JsonSchema, Validate } from '../schema/index.ts';
import { MalformedResult } from './exit-codes.ts';

const text: JsonSchema = { type: 'string' };
/** Some servers write null for what they leave out. */
const perhaps: JsonSchema = { type: ['string', 'null'] };
const object: JsonSchema = { type: 'object' };
const bag = (required: Readonly<Record<string, JsonSchema>>, others: Readonly<Record<string, JsonSchema>> = {}): JsonSchema & object =>
  ({ type: 'object', properties: { ...required, ...others }, required: Object.keys(required) });
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

const named = bag({ name: text }, { title: perhaps, description: perhaps });
const contents: JsonSchema = {
  ...bag({ uri: text }, { text, blob: text, mimeType: perhaps }),
  anyOf: [{ required: ['text'] }, { required: ['blob'] }],
};

/** The members of each result that the command prints. 2025-11-25 server/tools, server/resources, server/prompts. */
const results: Readonly<Record<string, JsonSchema>> = {
  'tools/list': bag({ tools: list({ allOf: [named, bag({ inputSchema: object })] }) }),
  'resources/list': bag({ resources: list({ allOf: [named, bag({ uri: text })] }) }),
  'resources/templates/list': bag({ resourceTemplates: list({ allOf: [named, bag({ uriTemplate: text })] }) }),
  'prompts/list': bag({ prompts: list({ ...named, properties: { name: text, arguments: list(named) } }) }),
  'tools/call': bag({ content: list(bag({ type: text })) }),
  'resources/read': bag({ contents: list(contents) }),
  'prompts/get': bag({ messages: list(bag({ role: text, content: bag({ type: text }) })) }),
  'completion/complete': bag({ completion: bag({ values: list(text) }) }),
};

/** The members of a block of content that the command prints, by its type. Blocks of other types are printed as JSON. */
const blocks: Readonly<Record<string, JsonSchema>> = {
  text: bag({ text }),
  image: bag({ data: text, mimeType: text }),
  audio: bag({ data: text, mimeType: text }),
  resource_link: bag({ uri: text }, { name: perhaps, title: perhaps }),
  resource: bag({ resource: contents }),
};

const compiled = new Map<JsonSchema, Validate>();

function judge(schema: JsonSchema | undefined, value: unknown, at: string, method: string): void {
  if (schema === undefined) return;
  let validate = compiled.get(schema);
  if (!validate) compiled.set(schema, validate = compile(schema));
  const verdict = validate(value);
  if (verdict.valid) return;
  const [fault] = verdict.errors;
  throw new MalformedResult(
    `the server's result of ${method} is malformed, at ${at}${fault?.path ?? ''}: ${fault?.message ?? ''}; --json shows it as it came`,
  );
}

/**
 * Throws `MalformedResult`, which names the place, where a result lacks what has to be printed of it. `McpClient` hands
 * results on as they came: their types are the server's promise.
 */
export function checkResult(method: string, result: unknown): void {
  // Another type than `complete` is an extension's: 2026-07-28 basic/index#resulttype.
  if (!isObject(result) || (result['resultType'] ?? 'complete') !== 'complete') return;
  judge(Object.hasOwn(results, method) ? results[method] : undefined, result, 'result', method);
  if (method !== 'tools/call' && method !== 'prompts/get') return;
  const found: unknown = result[method === 'tools/call' ? 'content' : 'messages'];
  for (const [i, one] of (found as Readonly<Record<string, unknown>>[]).entries()) {
    const block = method === 'tools/call' ? one : one['content'] as Readonly<Record<string, unknown>>;
    const type = String(block['type']);
    judge(
      Object.hasOwn(blocks, type) ? blocks[type] : undefined, block,
      method === 'tools/call' ? `result/content/${i}` : `result/messages/${i}/content`, method,
    );
  }
}
