import { isObject } from '../jsonrpc/codec.ts';
import { invalidParams } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Icon } from '../protocol/base.ts';
import type { GetPromptResult, Prompt, PromptMessage } from '../protocol/prompts.ts';
import { adaptContent } from './adapt.ts';
import type { Completer } from './completion.ts';
import type { Context } from './context.ts';
import type { Exchange } from './exchange.ts';
import { after, settle } from './run.ts';
import type { Outcome } from './run.ts';

export interface PromptArgumentDefinition {
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Suggestions for the value. */
  readonly complete?: Completer;
}

export interface PromptDefinition<A extends Record<string, PromptArgumentDefinition> = Record<string, PromptArgumentDefinition>> {
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

export type GetPrompt<A> = (args: PromptArguments<A>, ctx: Context) => Outcome<PromptReturn>;

export interface PromptEntry {
  readonly listed: Prompt;
  readonly definition: PromptDefinition;
  readonly run: GetPrompt<Record<string, PromptArgumentDefinition>>;
}

export function promptEntry(name: string, definition: PromptDefinition, run: PromptEntry['run']): PromptEntry {
  const { arguments: args, ...shown } = definition;
  const prompt: Prompt = { name, ...shown };
  if (args) {
    prompt.arguments = Object.entries(args).map(([argument, { complete, ...rest }]) => ({ name: argument, ...rest }));
  }
  return { listed: prompt, definition, run };
}

/** Answers `prompts/get`. 2025-11-25 server/prompts#error-handling: missing arguments are `-32602`. */
export function getPrompt(entry: PromptEntry, params: Params, exchange: Exchange): GetPromptResult | Promise<GetPromptResult> {
  const given = params['arguments'] ?? {};
  if (!isObject(given)) throw invalidParams('arguments must be an object');
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw invalidParams(`arguments.${name} must be a string`);
  }
  for (const [name, { required }] of Object.entries(entry.definition.arguments ?? {})) {
    if (required && !Object.hasOwn(given, name)) throw invalidParams(`arguments.${name} is missing`);
  }
  return after(settle(entry.run(given as Record<string, string>, exchange), exchange), (value) => {
    const result: GetPromptResult = typeof value === 'string'
      ? { messages: [{ role: 'user', content: { type: 'text', text: value } }] }
      : Array.isArray(value) ? { messages: value } : value;
    const { description } = entry.definition;
    const messages = result.messages.map(({ role, content }) => ({ role, content: adaptContent(content, exchange.rules) }));
    return { ...description !== undefined && { description }, ...result, messages };
  });
}
