import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { quote } from '../bounds/quote.ts';
import { HostError } from './errors.ts';
import { checkRule } from './rules.ts';
import type { Rule } from './rules.ts';

/**
 * Reads rules from JSON: a list of them, or `{ "rules": […] }`. An unknown member is refused, because a misspelt rule
 * would fit more calls than intended. Throws a `HostError` `bad-config` that names the place.
 */
export function readRules(value: unknown): Rule[] {
  const list = isObject(value) ? value['rules'] : value;
  if (!Array.isArray(list)) throw new HostError('bad-config', `rules: expected a list, got ${quote(list)}`);
  return list.map((one: unknown, at) => {
    const rule = one as Rule;
    try {
      checkRule(`rules[${at}]`, rule);
    } catch (thrown) {
      throw new HostError('bad-config', errorMessage(thrown), { cause: thrown });
    }
    return rule;
  });
}
