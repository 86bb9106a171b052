import type { Check, Compiler, Keywords, Node, Properties, Run } from '../model.ts';
import { each, restCheck, shown } from '../members.ts';
import { descend, quietly, spend } from '../run.ts';
import { matcher } from '../typed.ts';
import { goalOf, within } from './scope.ts';

type Keyword = 'unevaluatedProperties' | 'unevaluatedItems';

/** `unevaluatedProperties` and `unevaluatedItems`: check the properties or items that no other part of the schema has evaluated. */
export function unevaluatedCheck(node: Node, keywords: Keywords, compiler: Compiler): Check | undefined {
  const rest = (keyword: Keyword) => restCheck(node, keyword, keywords[keyword], compiler);
  const property = rest('unevaluatedProperties');
  const item = rest('unevaluatedItems');
  if (!property && !item) return undefined;
  return (value, run) => {
    const judge = Array.isArray(value) ? item : property;
    if (typeof value !== 'object' || !value || !judge) return true;
    const parts = value as Properties;
    const seen = new Set<string>();
    collect(node, keywords, parts, run, compiler, seen);
    return each(shown(parts, run), run, (key) => seen.has(key) || judge(parts[key], run, key));
  };
}

/**
 * Adds the names of the properties, or the indexes of the items, that a schema evaluates in a value that satisfies
 * it. Its own `unevaluated…` does not count, but those of its subschemas do. A second evaluation costs steps again.
 */
function collect(node: Node, keywords: Keywords, value: Properties, run: Run, compiler: Compiler, seen: Set<string>): void {
  const from = (child: Node | undefined): void => {
    if (!child || typeof child.keywords !== 'object') return;
    descend(run);
    const { keywords: inner, resource } = child;
    within(resource, () => {
      collect(child, inner, value, run, compiler, seen);
      if (Array.isArray(value) ? inner.unevaluatedItems : inner.unevaluatedProperties) keys.forEach((key) => seen.add(key));
    }, value, run);
    run.depth++;
  };
  const keeps = (child: Node, part: unknown = value): boolean => quietly(compiler.check(child), part, run);
  const keys = Object.keys(value);
  // Filling a set is slow.
  spend(run, 8 * keys.length);

  if (Array.isArray(value)) {
    const { prefixItems = [], items, contains } = keywords;
    keys.forEach((key, i) => {
      if (items || i < prefixItems.length || (contains && keeps(contains, value[i]))) seen.add(key);
    });
  } else {
    const { properties = [], patternProperties = [], additionalProperties } = keywords;
    const named = new Set(properties.map(([key]) => key));
    const patterns = patternProperties.map(([source]) => matcher(node, source));
    for (const key of keys) {
      if (additionalProperties || named.has(key) || patterns.some((matches) => matches(key, run))) seen.add(key);
    }
  }

  const { $ref, $dynamicRef, allOf = [], anyOf = [], oneOf = [], if: condition, dependentSchemas = [] } = keywords;
  if ($ref !== undefined) from(goalOf(node, false, run));
  if ($dynamicRef !== undefined) from(goalOf(node, true, run));
  allOf.forEach(from);
  for (const child of [...anyOf, ...oneOf]) if (keeps(child)) from(child);
  if (condition) {
    const kept = keeps(condition);
    if (kept) from(condition);
    from(kept ? keywords.then : keywords.else);
  }
  for (const [key, child] of dependentSchemas) if (value[key] !== undefined && Object.hasOwn(value, key)) from(child);
}
