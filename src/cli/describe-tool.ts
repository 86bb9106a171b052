import { visible } from '../explain/safe-text.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';
import type { Prompt, Tool } from '../protocol/index.ts';
import type { Style } from '../host/node/style.ts';
import { makeArguments } from './arguments.ts';
import { textLines } from './render.ts';
import { shellWord } from './shell-word.ts';
import { table } from './terminal.ts';

/** Options for the description of a tool or prompt. */
export interface DescribeOptions {
  readonly style: Style;
  readonly columns: number;
  /** The target as written before and behind the words of a call: `files`, or `` and `-- node server.mjs`. */
  readonly target: readonly [before: string, behind: string];
}

/** Describes a tool for a person: signature, description, each argument with type, default and bounds, and an example. */
export function describeTool(tool: Tool, { style, columns, target }: DescribeOptions): string[] {
  const { properties, required } = tool.inputSchema;
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(isObject(properties) ? properties : {});
  const signature = fields.map(([name, schema]) => {
    const word = `${visible(name)}=${typeOf(schema).toUpperCase()}`;
    return needed.includes(name) ? word : `[${word}]`;
  });
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  const says = readOnlyHint === true ? 'it only reads' : destructiveHint === false ? 'it is not destructive' : 'nothing, so it may be destructive';
  return [
    [style.bold(visible(tool.name)), ...signature].join(' '), '',
    ...tool.description ? [...textLines(tool.description), ''] : [],
    ...fields.length === 0 ? ['It takes no arguments.'] : table(['argument', 'type', 'description'], fields.map(([name, schema]) => [
      visible(name), [typeOf(schema), ...needed.includes(name) ? ['required'] : [], ...boundsOf(schema)].join(', '), aboutOf(schema),
    ]), { columns, head: style.dim, wrap: true, whole: [0] }),
    ...tool.outputSchema ? ['', `It returns ${typeOf(tool.outputSchema)}${isObject(tool.outputSchema['properties']) ? ` of ${Object.keys(tool.outputSchema['properties']).map(visible).join(', ')}` : ''}.`] : [],
    '', style.dim(`The server says of it: ${says}.`),
    '', `Example:  ${exampleOf(tool, target)}`,
  ];
}

/** Describes a prompt for a person: its description, and each argument. */
export function describePrompt(prompt: Prompt, { style, columns, target: [before, behind] }: DescribeOptions): string[] {
  const { arguments: fields = [] } = prompt;
  const words = fields.filter(({ required }) => required).map(({ name }) => `${visible(name)}=…`);
  return [
    [style.bold(visible(prompt.name)), ...fields.map(({ name, required }) => (required ? `${visible(name)}=TEXT` : `[${visible(name)}=TEXT]`))].join(' '), '',
    ...prompt.description ? [...textLines(prompt.description), ''] : [],
    ...fields.length === 0 ? ['It takes no arguments.'] : table(['argument', '', 'description'], fields.map(({ name, required, description = '' }) =>
      [visible(name), required ? 'required' : '', visible(description)]), { columns, head: style.dim, wrap: true, whole: [0] }),
    '', `Example:  ${['barewire get', before, shellWord(prompt.name), ...words, behind].filter((word) => word !== '').join(' ')}`,
  ];
}

/** A command line that calls the tool with the fewest arguments that its schema accepts. */
function exampleOf({ name, inputSchema }: Tool, [before, behind]: DescribeOptions['target']): string {
  const made = makeArguments(inputSchema, false);
  const words = 'problem' in made ? ['…'] : Object.entries(made.args).map(([key, value]) =>
    shellWord(typeof value === 'string' ? `${key}=${value.startsWith('@') ? '@' : ''}${value}` : `${key}${typeof value === 'object' ? ':' : ''}=${JSON.stringify(value)}`));
  return ['barewire call', before, shellWord(name), ...words, behind].filter((word) => word !== '').join(' ');
}

/** A schema in a few words: `string`, `integer`, `list of string`, `a | b`. */
function typeOf(schema: unknown): string {
  if (!isObject(schema)) return 'any';
  const { type, items, anyOf, oneOf, enum: choices, const: only } = schema;
  if (only !== undefined) return visible(JSON.stringify(only));
  if (Array.isArray(choices)) return `${choices.slice(0, 12).map((one: unknown) => visible(typeof one === 'string' ? one : JSON.stringify(one))).join(' | ')}${choices.length > 12 ? ' | …' : ''}`;
  if (type === 'array') return isObject(items) ? `list of ${typeOf(items)}` : 'list';
  if (typeof type === 'string') return visible(type);
  if (Array.isArray(type)) return type.map((one: unknown) => visible(String(one))).join(' | ');
  const branches: unknown = anyOf ?? oneOf;
  return Array.isArray(branches) ? [...new Set(branches.slice(0, 12).map(typeOf))].join(' | ') : 'any';
}

const bounds: readonly (readonly [keyword: string, words: string])[] = [
  ['minimum', 'from'], ['exclusiveMinimum', 'above'], ['maximum', 'to'], ['exclusiveMaximum', 'below'], ['multipleOf', 'in steps of'],
  ['minLength', 'characters from'], ['maxLength', 'characters to'], ['minItems', 'items from'], ['maxItems', 'items to'], ['format', 'as'], ['pattern', 'like'], ['default', 'default'],
];

function boundsOf(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  return bounds.filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, words]) => `${words} ${visible(typeof schema[keyword] === 'string' && keyword !== 'default' ? schema[keyword] : JSON.stringify(schema[keyword]))}`);
}

const aboutOf = (schema: unknown): string => visible(isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : '');
