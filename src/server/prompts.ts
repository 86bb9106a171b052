import { isObject } from '../jsonrpc/codec.ts';
import { invalidParams } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Icon } from '../protocol/base.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { GetPromptResult, Prompt, PromptMessage } from '../protocol/prompts.ts';
import { adaptContent, adaptListed } from './adapt.ts';
import type { Completable, Completer } from './completion.ts';
import type { Context, PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { Answer, Feature } from './feature.ts';
import { Registry } from './registry.ts';
import type { Handle } from './registry.ts';
import { after } from './run.ts';
import type { Outcome } from './run.ts';
import type { ServerCore } from './server-core.ts';

export interface PromptArgumentDefinition {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Suggestions for the value. */
  readonly complete?: Completer;
}

export interface PromptDefinition<
  A extends Record<string, PromptArgumentDefinition> = Record<string, PromptArgumentDefinition>,
> {
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: A;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
}

/** Required arguments are strings; the others may be missing. */
export type PromptArguments<A> = {
  [K in keyof A as A[K] extends { readonly required: true } ? K : never]: string;
} & {
  [K in keyof A as A[K] extends { readonly required: true } ? never : K]?: string;
};

/** A text (one message of the user's), messages, or a whole result. */
export type PromptReturn = string | PromptMessage[] | GetPromptResult;

export type GetPrompt<A, C extends PlainContext = Context> =
  (args: PromptArguments<A>, ctx: C) => Outcome<PromptReturn>;

/** Registers a prompt. */
export type AddPrompt<C extends PlainContext> = <const A extends Record<string, PromptArgumentDefinition>>(
  name: string,
  definition: PromptDefinition<A>,
  get: GetPrompt<A, C>,
) => Handle<PromptDefinition>;

/** The prompts of a server. 2025-11-25 server/prompts. */
export class Prompts<C extends PlainContext = PlainContext> implements Feature, Completable {
  /** Throws where the name is taken. */
  readonly add: AddPrompt<C>;
  readonly methods: Readonly<Record<string, Answer>>;
  readonly #entries: Registry<PromptEntry>;

  constructor(server: ServerCore<C>) {
    const entries = this.#entries = new Registry<PromptEntry>(
      'prompt', adaptListed, () => server.changed('prompts'),
    );
    this.add = (name, definition, get) => entries.register(name, definition as PromptDefinition, (changed) =>
      promptEntry(name, changed, get as unknown as PromptEntry['run']));
    this.methods = {
      'prompts/list': (params, { rules }) => server.list('prompts', entries, params, rules),
      'prompts/get': (params, exchange) => getPrompt(entries.require(params['name']), params, exchange),
    };
    server.add(this);
  }

  capabilities(): ServerCapabilities | undefined {
    return this.#entries.everHeld ? { prompts: { listChanged: true } } : undefined;
  }

  completes(): boolean {
    return [...this.#entries.values()].some(({ definition }) =>
      Object.values(definition.arguments ?? {}).some(({ complete }) => complete));
  }

  completer(ref: string, argument: string): Completer | undefined {
    const { arguments: args = {} } = this.#entries.require(ref).definition;
    if (!Object.hasOwn(args, argument)) throw invalidParams(`argument.name is no argument of prompt ${ref}`);
    return args[argument]?.complete;
  }
}

interface PromptEntry {
  readonly listed: Prompt;
  readonly definition: PromptDefinition;
  readonly run: GetPrompt<Record<string, PromptArgumentDefinition>, Exchange>;
}

function promptEntry(name: string, definition: PromptDefinition, run: PromptEntry['run']): PromptEntry {
  const { arguments: args, ...shown } = definition;
  const prompt: Prompt = { name, ...shown };
  if (args) {
    prompt.arguments = Object.entries(args).map(
      ([argument, { complete, ...rest }]) => ({ name: argument, ...rest }),
    );
  }
  return { listed: prompt, definition, run };
}

/** 2025-11-25 server/prompts#error-handling: missing arguments are `-32602`. */
function getPrompt(
  entry: PromptEntry,
  params: Params,
  exchange: Exchange,
): GetPromptResult | Promise<GetPromptResult> {
  const given = params['arguments'] ?? {};
  if (!isObject(given)) throw invalidParams('arguments must be an object');
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw invalidParams(`arguments.${name} must be a string`);
  }
  for (const [name, { required }] of Object.entries(entry.definition.arguments ?? {})) {
    if (required && !Object.hasOwn(given, name)) throw invalidParams(`arguments.${name} is missing`);
  }
  return after(exchange.settle(entry.run(given as Record<string, string>, exchange)), (value) => {
    const result: GetPromptResult = typeof value === 'string'
      ? { messages: [{ role: 'user', content: { type: 'text', text: value } }] }
      : Array.isArray(value) ? { messages: value } : value;
    const { description } = entry.definition;
    const messages = result.messages.map(
      ({ role, content }) => ({ role, content: adaptContent(content, exchange.rules) }),
    );
    return { ...description !== undefined && { description }, ...result, messages };
  });
}
