import { checkOptions } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import type { CallToolResult, Tool } from '../protocol/index.ts';
import type { CatalogueTool } from './catalogue.ts';
import { findTools } from './find-tools.ts';
import type { Host } from './host.ts';
import { hostCallShape } from './tool-calls.ts';
import type { HostCallOptions } from './tool-calls.ts';

/** The options of `findAndCall`. */
export interface FindAndCallOptions {
  /** The largest number of tools that one search finds. Default: 5. */
  readonly limit?: number;
  /** The largest number of characters of input schemas in one answer; further tools come without schemas. Default: 6,000. */
  readonly maxSchemaChars?: number;
  /** The largest number of characters of each description. Default: 300. */
  readonly maxDescriptionChars?: number;
}

/** Two tools that replace all tools of a host. */
export interface FindAndCall {
  /** `find_tools` and `call_tool`, to offer to a model. */
  readonly tools: readonly [find: { readonly name: string; readonly tool: Tool }, call: { readonly name: string; readonly tool: Tool }];
  /** Runs one of the two by its name, with the model's arguments. `call_tool` is a call of the host: rules and consent apply. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>, options?: HostCallOptions) => Promise<CallToolResult>;
}

const findTool: Tool = {
  name: 'find_tools',
  description: 'Finds tools for a task, or one by its name. Call a found tool with call_tool.',
  inputSchema: { type: 'object', properties: { request: { type: 'string', description: 'The task, in a few words' } }, required: ['request'] },
  annotations: { readOnlyHint: true },
};

const callTool: Tool = {
  name: 'call_tool',
  description: 'Calls a tool that find_tools has found.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, arguments: { type: 'object', description: 'Arguments that fit the schema of the tool' } },
    required: ['name'],
  },
};

/** For a host with more tools than a model should read: the model searches them, and reads only the schemas of found tools. */
export function findAndCall(
  host: Pick<Host, 'tools' | 'call' | 'catalogue'>,
  options: FindAndCallOptions = {},
): FindAndCall {
  checkOptions('findAndCall: options', options, { limit: 'number', maxSchemaChars: 'number', maxDescriptionChars: 'number' });
  const { limit = 5, maxSchemaChars = 6_000, maxDescriptionChars = 300 } = options;

  async function find(request: string): Promise<CallToolResult> {
    const catalogue = await host.catalogue();
    const named = catalogue.tools().find(({ name, server, tool }) => name === request || `${server}/${tool.name}` === request);
    const found = named ? [named] : await findTools(host, request, limit);
    let left = maxSchemaChars;
    const told = found.map(({ name, tool }, at) => {
      const schema = compact(tool);
      left -= JSON.stringify(schema).length;
      // The first tool comes with its schema, however long: otherwise the model could not call it.
      return { name, description: (tool.description ?? '').slice(0, maxDescriptionChars), ...left >= 0 || at === 0 ? { inputSchema: schema } : { inputSchema: 'find it by its name' } };
    });
    return text(told.length > 0 ? told.map((one) => JSON.stringify(one)).join('\n') : `No tool fits ${quote(request)}. Try other words.`);
  }

  return {
    tools: [{ name: findTool.name, tool: findTool }, { name: callTool.name, tool: callTool }],
    async call(name, args, options = {}) {
      checkOptions('FindAndCall.call: options', options, hostCallShape);
      if (name === findTool.name) return typeof args['request'] === 'string' ? find(args['request']) : wrong('request', 'a text');
      if (name !== callTool.name) return { ...text(`There is no tool ${quote(name)}: there are ${findTool.name} and ${callTool.name}.`), isError: true };
      const { name: wanted, arguments: given = {} } = args;
      if (typeof wanted !== 'string') return wrong('name', 'a text');
      if (!isObject(given)) return wrong('arguments', 'an object');
      return host.call(wanted, given, options);
    },
  };
}

/** The input schema without the members that only people read. */
function compact({ inputSchema }: CatalogueTool['tool']): Record<string, unknown> {
  const { $schema: _, title: __, ...schema } = inputSchema;
  return schema;
}

const text = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

const wrong = (argument: string, kind: string): CallToolResult => ({ ...text(`The argument ${argument} must be ${kind}.`), isError: true });
