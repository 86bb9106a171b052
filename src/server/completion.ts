import { isObject } from '../jsonrpc/message.ts';
import { invalidParams } from '../jsonrpc/errors.ts';
import { shorten } from '../bounds/quote.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { CompleteResult } from '../protocol/completion.ts';
import type { Exchange } from './exchange.ts';
import type { Feature, FeatureHost } from './feature.ts';
import { attachTo } from './registry.ts';

/**
 * Suggests values for an argument. `value` is the text typed so far, `settled` the arguments that are already known (from
 * 2025-06-18 on). Best first; only 100 are sent, with the number of all.
 */
export type Completer = (
  value: string,
  settled: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>;

/** Completers by the name of the argument. */
export type Completers<Names extends string = string> = { readonly [Name in Names]?: Completer };

/** 2025-11-25 server/utilities/completion#completion-results. */
const maxValues = 100;

/** A feature whose arguments can be completed. */
export interface Completable {
  /** Whether any argument has a completer. */
  completes(): boolean;
  /** The completer of an argument; undefined: it has none. Throws `-32602` if the reference or the argument does not exist. */
  completer(ref: string, argument: string, exchange: Exchange): Completer | undefined;
}

/**
 * Makes a feature that completes the arguments of prompts and resource templates. Those two features must be given to the server
 * too. 2025-11-25 server/utilities/completion.
 */
export function completion(prompts: Completable, resources: Completable): Feature {
  let attached: FeatureHost | undefined;
  return {
    attach(to) {
      attached = attachTo(to, attached);
    },
    methods: {
      'completion/complete': ({ ref, argument, context }, exchange, host) => {
        if (!isObject(ref)) throw invalidParams('ref must be an object');
        const { type } = ref;
        if (type !== 'ref/prompt' && type !== 'ref/resource') {
          throw invalidParams('ref.type must be "ref/prompt" or "ref/resource"');
        }
        const [among, member] = type === 'ref/prompt' ? [prompts, 'name'] : [resources, 'uri'];
        const target = text(ref, member, 'ref');
        if (!isObject(argument)) throw invalidParams('argument must be an object');
        const name = text(argument, 'name', 'argument');
        const value = text(argument, 'value', 'argument');
        const settled = (isObject(context) ? context['arguments'] : context) ?? {};
        if (!isObject(settled)) throw invalidParams('context.arguments must be an object');
        for (const key of Object.keys(settled)) text(settled, key, 'context.arguments');
        const completer = among.completer(target, name, exchange);
        return host.guard(
          exchange, () => completer?.(value, settled as Record<string, string>) ?? [], complete,
        );
      },
    },
    /** Before 2025-03-26 this method needed no capability. */
    capabilities(revision) {
      if (!revisionTable.completionsCapability(revision)) return {};
      return prompts.completes() || resources.completes() ? { completions: {} } : undefined;
    },
  };
}

/** Returns a member that must be a string. Throws `-32602` otherwise. */
function text(object: Record<string, unknown>, member: string, path: string): string {
  const value = object[member];
  if (typeof value !== 'string') throw invalidParams(`${path}.${shorten(member)} must be a string`);
  return value;
}

const complete = (found: readonly string[]): CompleteResult => {
  if (!Array.isArray(found)) throw new TypeError('the completer must return a list of strings');
  return {
    completion: { values: found.slice(0, maxValues), total: found.length, hasMore: found.length > maxValues },
  };
};
