import { isObject } from '../jsonrpc/codec.ts';
import { invalidParams } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { CompleteResult } from '../protocol/completion.ts';
import { after } from './run.ts';

/**
 * Suggests values for an argument: `value` is what has been typed, `settled` the arguments that are already known
 * (from 2025-06-18 on). Best first; what is more than 100 is cut and counted.
 */
export type Completer = (
  value: string,
  settled: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

export type Completers<Names extends string = string> = { readonly [Name in Names]?: Completer };

/** 2025-11-25 server/utilities/completion#completion-results. */
const maxValues = 100;

/** What a completion request asks for, checked. */
export interface CompletionTarget {
  readonly kind: 'prompt' | 'resource';
  /** The prompt's name, or the template's text. */
  readonly ref: string;
  readonly argument: string;
  readonly value: string;
  readonly settled: Readonly<Record<string, string>>;
}

/** Reads the parameters of `completion/complete`. Throws `-32602`, naming the member that is wrong. */
export function completionTarget({ ref, argument, context }: Params): CompletionTarget {
  if (!isObject(ref)) throw invalidParams('ref must be an object');
  const type = ref['type'];
  if (type !== 'ref/prompt' && type !== 'ref/resource') throw invalidParams('ref.type must be "ref/prompt" or "ref/resource"');
  const kind = type === 'ref/prompt' ? 'prompt' : 'resource';
  const name = ref[kind === 'prompt' ? 'name' : 'uri'];
  if (typeof name !== 'string') throw invalidParams(`ref.${kind === 'prompt' ? 'name' : 'uri'} must be a string`);
  if (!isObject(argument)) throw invalidParams('argument must be an object');
  const { name: argumentName, value } = argument;
  if (typeof argumentName !== 'string') throw invalidParams('argument.name must be a string');
  if (typeof value !== 'string') throw invalidParams('argument.value must be a string');
  const settled = isObject(context) && isObject(context['arguments']) ? context['arguments'] : {};
  for (const [key, given] of Object.entries(settled)) {
    if (typeof given !== 'string') throw invalidParams(`context.arguments.${key} must be a string`);
  }
  return { kind, ref: name, argument: argumentName, value, settled: settled as Record<string, string> };
}

/** Answers `completion/complete`. An argument that has no completer has no suggestions; that is no error. */
export function complete(completer: Completer | undefined, { value, settled }: CompletionTarget): CompleteResult | Promise<CompleteResult> {
  return after(completer?.(value, settled) ?? [], (found) => ({
    completion: { values: found.slice(0, maxValues), total: found.length, hasMore: found.length > maxValues },
  }));
}
