import { isObject } from '../jsonrpc/codec.ts';
import { errorMessage, internalError, invalidParams, RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Icon } from '../protocol/base.ts';
import { MissingCapabilityError } from '../protocol/capabilities.ts';
import type { ContentBlock } from '../protocol/content.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { CallToolResult, Tool, ToolAnnotations } from '../protocol/tools.ts';
import { adaptSchema } from '../schema/standard-schema.ts';
import type { AdaptedSchema, InferInput, InferOutput, SchemaSource } from '../schema/standard-schema.ts';
import type { JsonSchema, Validate, ValidationError, ValidationResult } from '../schema/types.ts';
import { adaptTool, adaptToolResult } from './adapt.ts';
import type { Context, PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import { needExtension } from './extension.ts';
import type { ServerExtension } from './extension.ts';
import type { Answer, Feature } from './feature.ts';
import { Registry } from './registry.ts';
import type { Handle } from './registry.ts';
import { after } from './run.ts';
import type { Outcome } from './run.ts';
import type { ServerCore } from './server-core.ts';

/** Judges the values of a JSON Schema: `compile` of `barewire/schema`, or another of the same shape. */
export type Validator = (schema: JsonSchema) => Validate;

export interface ToolDefinition<
  I extends SchemaSource = SchemaSource,
  O extends SchemaSource = SchemaSource,
> {
  readonly title?: string;
  readonly description?: string;
  /**
   * The arguments: a JSON Schema, or a schema of a library with the Standard Schema interface.
   * None: no arguments.
   */
  readonly input?: I;
  /** The structured result, likewise. What the handler returns is then a value of it. */
  readonly output?: O;
  readonly annotations?: ToolAnnotations;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
}

/** A result of a type that an extension of the server's defines. */
export type ExtensionResult = { readonly resultType: string } & Readonly<Record<string, unknown>>;

/** What a handler without an output schema may return: a text, content, or a whole result. */
export type ToolReturn = string | ContentBlock | ContentBlock[] | CallToolResult | ExtensionResult | void;

export type ToolArguments<I> = [I] extends [never] ? Record<string, never> : InferOutput<I>;

export type ToolHandler<I extends SchemaSource, O extends SchemaSource, C extends PlainContext = Context> = (
  args: ToolArguments<I>,
  ctx: C,
) => Outcome<[O] extends [never]
  ? ToolReturn
  : InferInput<O> | ExtensionResult
    | (CallToolResult & ({ structuredContent: unknown } | { isError: true }))>;

/** Registers a tool. */
export interface AddTool<C extends PlainContext> {
  <const I extends SchemaSource = never>(
    name: string,
    definition: ToolDefinition<I> & { output?: undefined },
    handler: ToolHandler<I, never, C>,
  ): Handle<ToolDefinition>;
  <const I extends SchemaSource = never, const O extends SchemaSource = never>(
    name: string,
    definition: ToolDefinition<I, O>,
    handler: ToolHandler<I, O, C>,
  ): Handle<ToolDefinition>;
}

/** The tools of a server. 2025-11-25 server/tools. */
export class Tools<C extends PlainContext = PlainContext> implements Feature {
  /** Throws where the name is taken, or a schema is none. */
  readonly add: AddTool<C>;
  readonly methods: Readonly<Record<string, Answer>>;
  readonly #entries: Registry<ToolEntry>;

  constructor(server: ServerCore<C>) {
    const entries = this.#entries = new Registry<ToolEntry>('tool', adaptTool, () => server.changed('tools'));
    const { validator } = server.options;
    this.add = (name: string, definition: ToolDefinition, handler: unknown) =>
      entries.register(name, definition, (changed) => toolEntry(
        name, changed, handler as ToolEntry['run'], validator, server.extensions,
      ));
    this.methods = {
      'tools/list': (params, { rules }) => server.list('tools', entries, params, rules),
      'tools/call': (params, exchange) => callTool(entries.require(params['name']), params, exchange),
    };
    server.add(this);
  }

  capabilities(): ServerCapabilities | undefined {
    return this.#entries.everHeld ? { tools: { listChanged: true } } : undefined;
  }

  toolInput(name: string): Tool['inputSchema'] | undefined {
    return this.#entries.get(name)?.listed.inputSchema;
  }
}

/** A registered tool, ready to be listed and called. */
interface ToolEntry {
  readonly listed: Tool;
  readonly run: (args: never, ctx: Exchange) => Outcome<unknown>;
  readonly input: AdaptedSchema | undefined;
  readonly output: AdaptedSchema | undefined;
  /** By the names that they add, result types among them. */
  readonly extensions: ReadonlyMap<unknown, ServerExtension<never>>;
}

function toolEntry(
  name: string,
  definition: ToolDefinition,
  run: ToolEntry['run'],
  validator: Validator | undefined,
  extensions: ToolEntry['extensions'],
): ToolEntry {
  const { input: source, output: target, ...shown } = definition;
  const input = source === undefined ? undefined : adaptSchema(source, 'input', validator);
  const output = target === undefined ? undefined : adaptSchema(target, 'output', validator);
  const inputSchema = input?.jsonSchema ?? { type: 'object', additionalProperties: false };
  // 2026-07-28 server/tools#tool: the input is an object at its root, in every revision.
  if (!isObject(inputSchema) || inputSchema['type'] !== 'object') {
    throw new TypeError(`tool ${JSON.stringify(name)}: the input schema's type must be "object"`);
  }
  const tool: Tool = { name, ...shown, inputSchema: inputSchema as Tool['inputSchema'] };
  if (isObject(output?.jsonSchema)) {
    tool.outputSchema = output.jsonSchema as NonNullable<Tool['outputSchema']>;
  }
  return { listed: tool, run, input, output, extensions };
}

function callTool(
  entry: ToolEntry,
  params: Params,
  exchange: Exchange,
): CallToolResult | Promise<CallToolResult> {
  const args = params['arguments'] ?? {};
  if (!isObject(args)) throw invalidParams('arguments must be an object');
  const judged = entry.input?.validate(args);
  if (judged === undefined) return invoke(entry, args, exchange);
  return after(judged, (result) =>
    result.valid ? invoke(entry, result.value, exchange) : refuse(result.errors, exchange));
}

/**
 * 2025-11-25 server/tools#error-handling:
 * a model can correct itself where it sees what was wrong; before, an error.
 */
function refuse(errors: ValidationError[], { rules }: Exchange): CallToolResult {
  const faults = errors.map(({ path, message }) => `arguments${path.replaceAll('/', '.')}: ${message}`);
  if (rules.inputErrors === 'result') return failed(faults.join('\n'));
  throw invalidParams(`${faults.join('; params.')}`, { errors });
}

function invoke(
  entry: ToolEntry,
  args: unknown,
  exchange: Exchange,
): CallToolResult | Promise<CallToolResult> {
  let value: unknown;
  try {
    value = exchange.settle(entry.run(args as never, exchange));
  } catch (thrown) {
    return toFailure(thrown, exchange);
  }
  if (!(value instanceof Promise)) return toResult(entry, value, exchange);
  return value.then((settled) => toResult(entry, settled, exchange), (thrown) => toFailure(thrown, exchange));
}

/** An ordinary exception is for the model to see; an `RpcError` is for the protocol. */
function toFailure(thrown: unknown, { rules }: Exchange): CallToolResult {
  // -32021 is defined from 2026-07-28 on; before, the model is told.
  const protocolError = thrown instanceof RpcError
    && !(thrown instanceof MissingCapabilityError && rules.era === 'legacy');
  if (protocolError) throw thrown;
  return failed(errorMessage(thrown));
}

const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });

function toResult(
  entry: ToolEntry,
  value: unknown,
  exchange: Exchange,
): CallToolResult | Promise<CallToolResult> {
  const { rules } = exchange;
  if (typeof value === 'string' && entry.output === undefined) {
    return { content: [{ type: 'text', text: value }] };
  }
  const extension = isObject(value) && entry.extensions.get(value['resultType']);
  if (extension) {
    try {
      needExtension(extension, exchange);
    } catch (thrown) {
      return toFailure(thrown, exchange);
    }
    return value as unknown as CallToolResult;
  }
  const result = entry.output ? structuredResult(value) : plainResult(value, entry.listed.name);
  if (entry.output === undefined || result.isError) return adaptToolResult(result, rules);
  // 2025-06-18 server/tools#output-schema: the server MUST provide what conforms.
  return after(entry.output.validate(result.structuredContent), (judged: ValidationResult) => {
    if (judged.valid) return adaptToolResult({ ...result, structuredContent: judged.value }, rules);
    const faults = judged.errors
      .map(({ path, message }) => `structuredContent${path}: ${message}`)
      .join('; ');
    throw internalError(`Tool ${JSON.stringify(entry.listed.name)} broke its output schema: ${faults}`);
  });
}

/** With an output schema, only what also says so is a whole result; all else is the structured value. */
function structuredResult(value: unknown): CallToolResult {
  if (isObject(value) && Array.isArray(value['content'])
    && ('structuredContent' in value || value['isError'] === true)) {
    return value as unknown as CallToolResult;
  }
  // 2025-06-18 server/tools#structured-content: the JSON as text as well, for clients that do not look.
  return { content: [{ type: 'text', text: JSON.stringify(value) ?? 'null' }], structuredContent: value };
}

function plainResult(value: unknown, name: string): CallToolResult {
  if (value === undefined) return { content: [] };
  if (Array.isArray(value)) return { content: value as ContentBlock[] };
  if (isObject(value)) {
    if (Array.isArray(value['content'])) return value as unknown as CallToolResult;
    if (typeof value['type'] === 'string') return { content: [value as unknown as ContentBlock] };
  }
  throw internalError(`Tool ${JSON.stringify(name)} returned neither text nor content nor a result`);
}
