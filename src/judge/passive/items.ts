import { isBase64, isObject } from '../../jsonrpc/internal-exports.ts';
import type { Arrival, JudgedConversation } from '../conversation.ts';
import { toolNameCharacters, toolNameLength } from '../listed.ts';
import type { SchemaCompiler } from '../options.ts';

// Checks of lists, of resources that are read, and of prompts.

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/;

const objects = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);

export function judgeItems(conversation: JudgedConversation, arrival: Arrival, compile: SchemaCompiler | undefined): void {
  const { json, answers } = arrival;
  if (!isObject(json) || !answers || !isObject(json['result'])) return;
  const { result } = json;
  switch (answers.method) {
    case 'tools/list': return judgeTools(conversation, arrival, objects(result['tools']), compile);
    case 'resources/list': {
      for (const { uri } of objects(result['resources'])) conversation.check('resources-4', typeof uri === 'string' && scheme.test(uri), 'a URI with a scheme', arrival);
      return;
    }
    case 'resources/read': {
      for (const { blob } of objects(result['contents'])) if (blob !== undefined) conversation.check('resources-12', isBase64(blob), 'a blob in base64', arrival);
      return;
    }
    case 'prompts/get': return objects(result['messages']).forEach(({ content }) => judgePromptContent(conversation, arrival, content));
    default:
  }
}

function judgeTools(conversation: JudgedConversation, arrival: Arrival, tools: readonly Record<string, unknown>[], compile: SchemaCompiler | undefined): void {
  const names = new Set<unknown>();
  for (const { name, inputSchema, outputSchema } of tools) {
    const shown = JSON.stringify(name)?.slice(0, 140);
    if (typeof name === 'string') {
      conversation.check('tools-25', toolNameLength(name), `a name of 1 to 128 characters, not ${shown}`, arrival);
      conversation.check('tools-23', toolNameCharacters(name), `a name of letters, digits, "_", "-" and ".", not ${shown}`, arrival);
    }
    conversation.check('tools-27', !names.has(name), `a name that no other tool has, not ${shown}`, arrival);
    names.add(name);
    conversation.check('tools-21', isObject(inputSchema), `an inputSchema that is a JSON Schema object, of the tool ${shown}`, arrival);
    // 2025-11-25 schema#Tool: the type at the root is "object".
    if (isObject(inputSchema) && inputSchema['type'] !== 'object') conversation.dispute('tools-21', `an inputSchema of the type object, of the tool ${shown}`, arrival);
    for (const schema of [inputSchema, outputSchema]) if (compile && isObject(schema)) {
      const fault = faultOf(compile, schema);
      conversation.check('base-78', fault === undefined, `a schema that is valid in its dialect, of the tool ${shown}: ${fault ?? ''}`, arrival);
    }
  }
}

function faultOf(compile: SchemaCompiler, schema: Record<string, unknown>): string | undefined {
  const { $schema: dialect } = schema;
  if (typeof dialect === 'string' && !/2020-12\/schema#?$/.test(dialect)) return undefined;
  try {
    compile(schema);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** 2025-11-25 server/prompts#promptmessage. */
function judgePromptContent(conversation: JudgedConversation, arrival: Arrival, content: unknown): void {
  if (!isObject(content)) return;
  const { type, data, mimeType, resource } = content;
  if (type === 'image' || type === 'audio') {
    const valid = isBase64(data) && typeof mimeType === 'string' && mediaType.test(mimeType);
    conversation.check(type === 'image' ? 'prompts-11' : 'prompts-1', valid, `${type} data in base64, with a mimeType`, arrival);
  }
  if (type !== 'resource' || !isObject(resource)) return;
  conversation.check('prompts-5', typeof resource['uri'] === 'string' && scheme.test(resource['uri']), 'an embedded resource with a URI', arrival);
  conversation.check('prompts-6', typeof resource['text'] === 'string' || isBase64(resource['blob']), 'an embedded resource with a text, or a blob in base64', arrival);
  conversation.check('prompts-7', typeof resource['mimeType'] === 'string' && mediaType.test(resource['mimeType']), 'an embedded resource with a mimeType', arrival);
}
