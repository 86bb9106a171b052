import { isObject } from '../jsonrpc/codec.ts';
import { quote } from '../jsonrpc/quote.ts';
import { HostError } from './errors.ts';
import type { Rule, Verdict } from './rules.ts';

const verdicts: readonly Verdict[] = ['allow', 'ask', 'deny'];
const hints: readonly string[] = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
const members: readonly string[] = ['then', 'server', 'tool', 'annotations', 'args'];

/**
 * Reads rules from JSON: a list of them, or `{ "rules": […] }`. A member that no rule has is refused, because a rule that
 * is written wrong would fit more than was meant. Throws a `HostError` `bad-config` that names the place.
 */
export function readRules(value: unknown): Rule[] {
  const list = isObject(value) ? value['rules'] : value;
  if (!Array.isArray(list)) throw bad('rules', 'a list', list);
  return list.map((one: unknown, at) => readRule(`rules[${at}]`, one));
}

function readRule(at: string, value: unknown): Rule {
  if (!isObject(value)) throw bad(at, 'an object', value);
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined) throw new HostError('bad-config', `${at}: there is no ${quote(unknown)}; a rule has ${members.join(', ')}`);
  const { server, tool, annotations, args } = value;
  const then = verdicts.find((one) => one === value['then']);
  if (then === undefined) throw bad(`${at}.then`, verdicts.join(', '), value['then']);
  if (server !== undefined && typeof server !== 'string') throw bad(`${at}.server`, 'a string', server);
  if (tool !== undefined && typeof tool !== 'string') throw bad(`${at}.tool`, 'a string', tool);
  if (args !== undefined && !isObject(args)) throw bad(`${at}.args`, 'an object', args);
  return {
    then,
    ...server !== undefined && { server },
    ...tool !== undefined && { tool },
    ...annotations !== undefined && { annotations: readHints(`${at}.annotations`, annotations) },
    ...args !== undefined && { args },
  };
}

function readHints(at: string, value: unknown): Record<string, boolean> {
  if (!isObject(value)) throw bad(at, 'an object', value);
  return Object.fromEntries(Object.entries(value).map(([name, set]) => {
    if (!hints.includes(name)) throw new HostError('bad-config', `${at}: there is no ${quote(name)}; there are ${hints.join(', ')}`);
    if (typeof set !== 'boolean') throw bad(`${at}.${name}`, 'true or false', set);
    return [name, set];
  }));
}

const bad = (at: string, expected: string, came: unknown): HostError =>
  new HostError('bad-config', `${at}: expected ${expected}, got ${quote(came)}`);
