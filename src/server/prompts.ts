import { checkOptions } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/message.ts';
import { invalidParams } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { shorten } from '../bounds/quote.ts';
import type { Icon } from '../protocol/base.ts';
import { checkMeta } from '../protocol/meta.ts';
import type { GetPromptResult, Prompt, PromptMessage } from '../protocol/prompts.ts';
import type { Revision } from '../protocol/revisions.ts';
import { adaptContent, adaptListed } from './older-revisions.ts';
import { checkDefinition, RawResult, Registry } from './registry.ts';
import type { RunnableEntry, Guarded, EntryHandle, RegisteredHandler } from './registry.ts';
import type { Completable, Completer } from './completion.ts';
import type { Context, PlainContext, Outcome } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { Feature } from './feature.ts';
import { checkScopes } from './guards.ts';

/** One argument of a prompt. */
export interface PromptArgumentDefinition {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Suggestions for the value. */
  readonly complete?: Completer;
}

/** The definition of a prompt. */
export interface PromptDefinition<
  A extends Record<string, PromptArgumentDefinition> = Record<string, PromptArgumentDefinition>,
> extends Guarded {
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: A;
  readonly icons?: Icon[];
  readonly _meta?: Record<string, unknown>;
}

/** The arguments of a prompt. Required ones are strings; the others may be missing. */
export type PromptArguments<A> = {
  [K in keyof A as A[K] extends { readonly required: true } ? K : never]: string;
} & {
  [K in keyof A as A[K] extends { readonly required: true } ? never : K]?: string;
};

/** The return value of a prompt's handler: a text (one user message), messages, or a whole result. */
export type PromptReturn = string | PromptMessage[] | GetPromptResult;

/** The handler of a prompt: returns its messages. */
export type GetPrompt<A, C extends PlainContext = Context> =
  (args: PromptArguments<A>, ctx: C) => Outcome<PromptReturn>;

/** Registers a prompt. */
export type AddPrompt<C extends PlainContext> = <const A extends Record<string, PromptArgumentDefinition>>(
  name: string,
  definition: PromptDefinition<A>,
  get: GetPrompt<A, C>,
) => EntryHandle<PromptDefinition>;

/** The prompts of a server. */
export interface Prompts<C extends PlainContext = PlainContext> extends Feature<C>, Completable {
  /** Registers a prompt. Throws if the name is taken, or the definition has an unknown member. */
  readonly add: AddPrompt<C>;
}

interface PromptEntry extends RegisteredHandler<PromptReturn> {
  readonly listed: Prompt;
  readonly definition: PromptDefinition;
}

/** Makes the feature that serves prompts. 2025-11-25 server/prompts. */
export function prompts<C extends PlainContext = PlainContext>(): Prompts<C> {
  const entries = new Registry<PromptEntry>('prompt', 'prompts', adaptListed);
  return {
    attach: (host) => entries.attach(host),
    rechain: (host) => entries.rechain(host),
    add(name, definition, get) {
      return entries.register(name, definition as PromptDefinition, (changed) =>
        promptEntry(name, changed, get as unknown as PromptEntry['handler']));
    },
    methods: {
      'prompts/list': (params, exchange, host) => host.page('prompts', entries, params, exchange),
      'prompts/get': (params, exchange) => getPrompt(entries.find('prompts', params['name'], exchange), params, exchange),
    },
    capabilities: (_revision, { changes }) => entries.everHeld ? { prompts: changes ? { listChanged: true } : {} } : undefined,
    get scoped() {
      return entries.scoped;
    },
    completes: () => [...entries.values()].some(({ definition }) =>
      Object.values(definition.arguments ?? {}).some(({ complete }) => complete)),
    completer(ref, argument, exchange) {
      const { definition } = entries.find('prompts', ref, exchange);
      checkScopes(definition, exchange);
      const { arguments: args = {} } = definition;
      if (!Object.hasOwn(args, argument)) {
        throw invalidParams(`argument.name is not an argument of prompt ${shorten(ref)}`);
      }
      return args[argument]?.complete;
    },
  };
}

function promptEntry(name: string, definition: PromptDefinition, handler: PromptEntry['handler']): PromptEntry {
  checkDefinition<PromptDefinition>('prompt', name, definition, handler, { title: 'string', description: 'string', arguments: 'object' });
  const { arguments: args, needs, scopes, data, ...shown } = definition;
  for (const [argument, one] of Object.entries(args ?? {})) {
    checkOptions(`prompt ${JSON.stringify(name)}.definition.arguments.${argument}`, one, {
      title: 'string', description: 'string', required: 'boolean', complete: 'function',
    });
  }
  const prompt: Prompt = { name, ...shown };
  checkMeta(`prompt ${JSON.stringify(name)}`, prompt._meta);
  if (args) {
    prompt.arguments = Object.entries(args).map(
      ([argument, { complete, ...rest }]) => ({ name: argument, ...rest }),
    );
  }
  return { kind: 'prompt', name, listed: prompt, definition, handler, toResult: (value, { revision }) => toResult(value, definition, revision) };
}

/** 2025-11-25 server/prompts#error-handling: missing arguments are `-32602`. */
function getPrompt(
  { definition, run }: RunnableEntry<PromptEntry>, params: Params, exchange: Exchange,
): object | Promise<object> {
  const given = params['arguments'] ?? {};
  if (!isObject(given)) throw invalidParams('arguments must be an object');
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw invalidParams(`arguments.${shorten(name)} must be a string`);
  }
  for (const [argument, { required }] of Object.entries(definition.arguments ?? {})) {
    if (required && !Object.hasOwn(given, argument)) throw invalidParams(`arguments.${argument} is missing`);
  }
  return run(given, params, exchange);
}

function toResult(value: PromptReturn, { description }: PromptDefinition, revision: Revision): object {
  if (value as unknown instanceof RawResult) return (value as unknown as RawResult).result;
  const result: GetPromptResult = typeof value === 'string'
    ? { messages: [{ role: 'user', content: { type: 'text', text: value } }] }
    : Array.isArray(value) ? { messages: value } : value;
  if (!Array.isArray(result?.messages)) {
    throw new TypeError('the handler must return text, messages or a result with messages');
  }
  const messages = result.messages.map((message, at) => {
    const { role, content } = Object(message) as PromptMessage;
    if ((role !== 'user' && role !== 'assistant') || typeof content?.type !== 'string') {
      throw new TypeError(`the handler returned messages[${at}] without role or content`);
    }
    return { role, content: adaptContent(content, revision) };
  });
  return { ...description !== undefined && { description }, ...result, messages };
}
