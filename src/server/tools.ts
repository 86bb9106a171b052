import { checkOptions } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/message.ts';
import { invalidParams } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Icon } from '../protocol/base.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { ContentBlock } from '../protocol/content.ts';
import type { CallToolResult, Tool, ToolAnnotations, ToolExecution } from '../protocol/tools.ts';
import type { InferInput, InferOutput, SchemaSource } from '../schema/standard-schema.ts';
import type { JsonSchema, Validate, ValidationError, ValidationResult } from '../schema/types.ts';
import { adaptTool, adaptToolResult } from './older-revisions.ts';
import { checkDefinition, RawResult, Registry } from './registry.ts';
import type { EntryRunner, Guarded, EntryHandle, RegisteredHandler } from './registry.ts';
import type { Context, PlainContext, TaskSteps, Outcome } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { Feature, FeatureHost } from './feature.ts';
import type { ReadSchema, structured as makeStructured } from './structured-content.ts';

/** Makes a function that validates values by a JSON Schema: `compile` of `barewire/schema`, or another of the same type. */
export type Validator = (schema: JsonSchema) => Validate;

/** Decides for one call whether it becomes a task. */
export type TaskDecision<A = never, C = never> = (args: A, ctx: C) => boolean | Promise<boolean>;

/** `optional`: a call may be a task, if the client supports it. `required`: it must be one. */
export type TaskSupport<A = never, C = never> = 'optional' | 'required' | TaskDecision<A, C>;

/** The definition of a tool. */
export interface ToolDefinition<
  I extends SchemaSource = SchemaSource,
  O extends SchemaSource = SchemaSource,
> extends Guarded {
  readonly title?: string;
  readonly description?: string;
  /**
   * The arguments: a JSON Schema, or a schema of a library with the Standard Schema interface. Without it the tool takes no
   * arguments, and a validator refuses a call that has some.
   */
  readonly input?: I;
  /** The structured result, likewise. The handler then returns a value of it. */
  readonly output?: O;
  readonly annotations?: ToolAnnotations;
  /** 2025-11-25 only: whether a call may be a task, if code other than `task` handles it. */
  readonly execution?: ToolExecution;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
}

/** A tool whose calls may be tasks. */
export interface TaskDefinition<I, C extends PlainContext> {
  /**
   * Whether a call may, or must, be a task, if the server has `tasks` of `barewire/tasks`: its handler then runs on a worker. A
   * function decides for each call of a client of 2026-07-28, and may ask the client. Default: never.
   */
  readonly task: TaskSupport<ToolArguments<I>, C>;
  /**
   * Whether its tasks must survive the process. If the store cannot keep them, `onError` is called at the first task. Default:
   * false.
   */
  readonly durable?: boolean | undefined;
}

/** The context of a tool with `task`. */
export type TaskContext<C extends PlainContext> = Omit<C, keyof TaskSteps> & TaskSteps;

/** The definition of a tool, with or without `task`. */
type AnyDefinition = ToolDefinition & { readonly task?: TaskSupport | undefined; readonly durable?: boolean | undefined };

/** A result of a type that one of the server's extensions defines. */
export type ExtensionResult = { readonly resultType: string } & Readonly<Record<string, unknown>>;

/** The return value of a handler without an output schema: a text, content, or a whole result. */
export type ToolReturn = string | ContentBlock | ContentBlock[] | CallToolResult | ExtensionResult | void;

/** The arguments of a handler, typed by its input schema. */
export type ToolArguments<I> = [I] extends [never] ? Record<string, never> : InferOutput<I>;

/** The handler of a tool. */
export type ToolHandler<I extends SchemaSource, O extends SchemaSource, C = Context> = (
  args: ToolArguments<I>,
  ctx: C,
) => Outcome<[O] extends [never]
  ? ToolReturn
  : InferInput<O> | ExtensionResult
    | (CallToolResult & ({ structuredContent: unknown } | { isError: true }))>;

/** Registers a tool. The commonest overload comes first: the compiler tries each in turn, and infers the schema again. */
export interface AddTool<C extends PlainContext> {
  <const I extends SchemaSource = never>(
    name: string,
    definition: ToolDefinition<I> & { output?: undefined; task?: undefined },
    handler: ToolHandler<I, never, C>,
  ): EntryHandle<ToolDefinition>;
  <const I extends SchemaSource = never>(
    name: string,
    definition: ToolDefinition<I> & { output?: undefined } & TaskDefinition<NoInfer<I>, C>,
    handler: ToolHandler<I, never, TaskContext<C>>,
  ): EntryHandle<ToolDefinition>;
  <const I extends SchemaSource = never, const O extends SchemaSource = never>(
    name: string,
    definition: ToolDefinition<I, O> & TaskDefinition<NoInfer<I>, C>,
    handler: ToolHandler<I, O, TaskContext<C>>,
  ): EntryHandle<ToolDefinition>;
  <const I extends SchemaSource = never, const O extends SchemaSource = never>(
    name: string,
    definition: ToolDefinition<I, O> & { task?: undefined },
    handler: ToolHandler<I, O, C>,
  ): EntryHandle<ToolDefinition>;
}

/** Options of `tools`. */
export interface ToolsOptions {
  /** Validates arguments and structured results. Without it JSON Schemas are listed but not enforced. */
  readonly validator?: Validator | undefined;
  /**
   * Reads schemas of libraries with the Standard Schema interface: `adaptSchema` of `barewire/schema`. Without it schemas must be
   * JSON Schemas.
   */
  readonly schemas?: SchemaReader | undefined;
  /** Makes results of tools with `output`: `structured`. Without it no tool may have `output`. */
  readonly structured?: typeof makeStructured | undefined;
  /** Further checks of a tool: throws, for example, if HTTP cannot mirror its `x-mcp-header` properties. */
  readonly check?: ((tool: Tool) => void) | undefined;
}

/** Reads a schema of any kind. */
export type SchemaReader = (source: SchemaSource, side: 'input' | 'output', validator?: Validator) => ReadSchema;

/** The tools of a server. */
export interface Tools<C extends PlainContext = PlainContext> extends Feature<C> {
  /** Registers a tool. Throws if the name is taken, a schema is malformed, or the definition has an unknown member. */
  readonly add: AddTool<C>;
}

/** A registered tool, ready to be listed and called. */
interface ToolEntry extends RegisteredHandler<unknown> {
  readonly listed: Tool;
  readonly definition: AnyDefinition;
  /** Validates arguments. Undefined: they are not validated. */
  readonly checkArguments: ReadSchema['validate'];
}

/** 2026-07-28 server/tools#tool-names. */
const usualName = /^[\w.-]{1,128}$/;

/** Makes the feature that serves tools. 2025-11-25 server/tools. */
export function tools<C extends PlainContext = PlainContext>(options: ToolsOptions = {}): Tools<C> {
  checkOptions('tools: options', options, { validator: 'function', schemas: 'function', structured: 'function', check: 'function' });
  const entries = new Registry<ToolEntry>('tool', 'tools', adaptTool);
  const isExtensionResult: FeatureHost['isExtensionResult'] = (value, exchange) => entries.host?.isExtensionResult(value, exchange) === true;
  const warn = (name: string): void => {
    if (!usualName.test(name)) entries.host?.warn(`a tool name should match ${usualName.source}`, name);
  };
  return {
    add(name: string, definition: AnyDefinition, handler: unknown) {
      const handle = entries.register(name, definition, (changed) =>
        toolEntry(name, changed, handler as ToolEntry['handler'], options, isExtensionResult));
      warn(name);
      return handle;
    },
    attach(host) {
      entries.attach(host);
      for (const { name } of entries.values()) warn(name);
    },
    methods: {
      'tools/list': (params, exchange, host) => host.page('tools', entries, params, exchange),
      'tools/call': (params, exchange) => {
        const { checkArguments, definition, run } = entries.find('tools', params['name'], exchange);
        const args = params['arguments'] ?? {};
        if (!isObject(args)) throw invalidParams('arguments must be an object');
        // A tool without `input` takes no arguments: a call without arguments needs no check.
        const plain = definition.input === undefined && Object.keys(args).length === 0;
        if (plain || checkArguments === undefined) return run(args, params, exchange);
        const judged = checkArguments(args);
        return judged instanceof Promise
          ? judged.then((late) => callChecked(run, late, params, exchange)) : callChecked(run, judged, params, exchange);
      },
    },
    rechain: (host) => entries.rechain(host),
    capabilities: (_revision, { changes }) => entries.everHeld ? { tools: changes ? { listChanged: true } : {} } : undefined,
    toolInput(name, requester) {
      const entry = entries.get(name);
      return entry && requester && !entries.host?.shows('tools', entry, requester) ? undefined : entry?.listed.inputSchema;
    },
    get scoped() {
      return entries.scoped;
    },
  };
}

const readJsonSchema: SchemaReader = (source, _side, validator) => {
  if ('~standard' in Object(source) || 'standard' in Object(source)) {
    throw new TypeError('a library schema needs tools({ schemas: adaptSchema })');
  }
  const jsonSchema = source as JsonSchema;
  return { jsonSchema, validate: validator?.(jsonSchema) };
};

/** 2025-11-25 server/tools#tool recommends this schema for a tool without parameters. It is enforced like any other. */
const noArguments: JsonSchema = { type: 'object', additionalProperties: false };

function toolEntry(
  name: string,
  definition: AnyDefinition,
  handler: ToolEntry['handler'],
  { validator, check, schemas = readJsonSchema, structured }: ToolsOptions,
  isExtensionResult: FeatureHost['isExtensionResult'],
): ToolEntry {
  checkDefinition<AnyDefinition>('tool', name, definition, handler, {
    title: 'string', description: 'string', input: 'object or function', output: 'object or function', annotations: 'object', execution: 'object',
    task: 'function or "optional" or "required"', durable: 'boolean',
  });
  const { input: source, output: target, needs, scopes, data, task, ...shown } = definition;
  const input = schemas(source ?? noArguments, 'input', validator);
  const output = target === undefined ? undefined : schemas(target, 'output', validator);
  if (output && !structured) throw new TypeError('`output` needs tools({ structured })');
  const inputSchema = input.jsonSchema;
  // 2026-07-28 server/tools#tool: the input is an object at its root, in every revision.
  checkOptions<unknown>(`tool ${JSON.stringify(name)}.definition.input.type`, Object(inputSchema)['type'], '"object"');
  // 2025-11-25 server/tools#tool recommends a schema without `properties` if there are no parameters; but smolagents reads
  // `properties` of every tool, and if one tool lacks it, loads none.
  const tool: Tool = { name, ...shown, inputSchema: { properties: {}, ...inputSchema as Tool['inputSchema'] } };
  check?.(tool);
  if (task) tool.execution = { taskSupport: typeof task === 'function' ? 'optional' : task };
  if (isObject(output?.jsonSchema)) {
    tool.outputSchema = output.jsonSchema as NonNullable<Tool['outputSchema']>;
  }
  return {
    kind: 'tool', name, listed: tool, definition, handler, checkArguments: input.validate, failed,
    toResult(value, exchange) {
      if (typeof value === 'string' && !output) return { content: [{ type: 'text', text: value }] };
      if (value instanceof RawResult) return value.result;
      if (isObject(value) && isExtensionResult(value, exchange)) return value;
      const { revision } = exchange;
      const result = output && structured ? structured(value, output) : plainResult(value);
      return result instanceof Promise ? result.then((late) => adaptToolResult(late, revision)) : adaptToolResult(result, revision);
    },
  };
}

/** Calls a tool with checked arguments, or answers with their faults. */
const callChecked = (call: EntryRunner, judged: ValidationResult, params: Params, exchange: Exchange): object | Promise<object> =>
  judged.valid ? call(judged.value, params, exchange) : argumentFaults(judged.errors, params, exchange);

/**
 * 2025-11-25 server/tools#error-handling: the faults are a tool result, so that the model can correct itself. Earlier revisions
 * have an error.
 */
function argumentFaults(errors: ValidationError[], { task }: Params, { revision }: Exchange): CallToolResult {
  const faults = errors.map(({ path, message }) => `arguments${path.replaceAll('/', '.')}: ${message}`);
  // A client of 2025-11-25 that requested a task reads no other result.
  if (revisionTable.inputErrorResults(revision) && !(task && revisionTable.coreTasks(revision))) return failed({ message: faults.join('\n') });
  throw invalidParams(`${faults.join('; params.')}`, { errors });
}

/** The result of a failed tool, which the model reads. */
const failed = ({ message }: { message: string }): CallToolResult => ({
  content: [{ type: 'text', text: message }], isError: true,
});

function plainResult(value: unknown): CallToolResult {
  if (value === undefined) return { content: [] };
  if (Array.isArray(value)) return { content: value as ContentBlock[] };
  if (isObject(value)) {
    if (Array.isArray(value['content'])) return value as unknown as CallToolResult;
    if (typeof value['type'] === 'string') return { content: [value as unknown as ContentBlock] };
  }
  throw new TypeError(
    `the handler returned ${typeof value}, expected text, content or a result; others need \`output\``,
  );
}
