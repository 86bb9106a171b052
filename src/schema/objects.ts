import type { Compiler } from './compile.ts';
import type { Keywords, Node } from './nodes.ts';
import type { Check, Run } from './run.ts';
import { escapeToken, fail, full, place, spend } from './run.ts';
import { range } from './scalars.ts';

export type Properties = Readonly<Record<string, unknown>>;

/**
 * A property of the value's own. One that is undefined is absent, as it will be in JSON. Only names that
 * `Object.prototype` has need the slower look: for all others nothing can be inherited.
 */
export function own(value: Properties, key: string): unknown {
  return key in Object.prototype && !Object.hasOwn(value, key) ? undefined : value[key];
}

/** The names of the properties that JSON would show. */
export function names(value: Properties): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** The rules for objects, without those that apply to the object itself (`dependentSchemas`, `unevaluated…`). */
export function objectChecks(
  node: Node,
  keywords: Keywords,
  tracked: boolean,
  compiler: Compiler,
): Check<Properties>[] {
  const checks: Check<Properties>[] = [];
  const { propertyNames } = keywords;
  const others = otherProperties(node, keywords, tracked, compiler);
  if (keywords.properties || keywords.required) {
    checks.push(namedProperties(node, keywords, tracked, compiler, others));
  } else if (others) checks.push(others);
  range(checks, node, 'minProperties', 'maxProperties', (value) => names(value).length);
  if (propertyNames) {
    const check = compiler.check(propertyNames, false);
    checks.push((value, run) => each(names(value), run, (key) => check(key, run)));
  }
  return checks;
}

/** Judges each key, and puts it before the paths of what it finds. */
export function each(keys: readonly string[], run: Run, judge: (key: string) => boolean): boolean {
  spend(run, keys.length);
  let ok = true;
  let mark = run.errors.length;
  for (const key of keys) {
    if (judge(key)) continue;
    ok = false;
    mark = place(run, mark, '/' + escapeToken(key));
    if (full(run)) break;
  }
  return ok;
}

/**
 * `properties` and `required` in one walk. Where nothing else is allowed (`closed`), counting is enough to know
 * that nothing else is there; only when there is more does `others` look for it.
 */
function namedProperties(
  node: Node,
  keywords: Keywords,
  tracked: boolean,
  compiler: Compiler,
  others: Check<Properties> | undefined,
): Check<Properties> {
  const { properties = [], required = [] } = keywords;
  const named = new Map(properties);
  const needed = new Set(required);
  const entries = [...new Set([...named.keys(), ...needed])].map((key) => {
    const child = named.get(key);
    return {
      key,
      check: child && compiler.check(child, false),
      required: needed.has(key),
      inherited: key in Object.prototype,
      place: '/' + escapeToken(key),
    };
  });
  const { length } = entries;
  const closed =
    keywords.additionalProperties?.keywords === false &&
    !keywords.patternProperties &&
    entries.length === named.size;
  return (value, run) => {
    spend(run, length);
    let ok = true;
    let missing = length;
    let mark = run.errors.length;
    for (let i = 0; i < length; i++) {
      const entry = entries[i];
      if (entry === undefined) break;
      const { key, check } = entry;
      const property = entry.inherited && !Object.hasOwn(value, key) ? undefined : value[key];
      if (property === undefined) {
        if (!entry.required) continue;
        fail(run, node, 'required', value, key);
        mark = run.errors.length;
      } else {
        missing--;
        if (check === undefined) continue;
        if (tracked) run.seen.push(key);
        if (check(property, run)) continue;
        mark = place(run, mark, entry.place);
      }
      ok = false;
      if (full(run)) return false;
    }
    if (others === undefined || (closed && length - missing === countKeys(value))) return ok;
    return others(value, run) && ok;
  };
}

function countKeys(value: Properties): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

/** `patternProperties` and `additionalProperties`. */
function otherProperties(
  node: Node,
  { properties = [], patternProperties = [], additionalProperties }: Keywords,
  tracked: boolean,
  compiler: Compiler,
): Check<Properties> | undefined {
  if (!patternProperties.length && (!additionalProperties || (additionalProperties.keywords === true && !tracked))) {
    return undefined;
  }
  const patterns = patternProperties.map(
    ([source, child]) => [compiler.pattern(source, node.path), compiler.check(child, false)] as const,
  );
  const named = new Map(properties);
  const rest = additionalProperties && restCheck(node, 'additionalProperties', additionalProperties, compiler);
  return (value, run) =>
    each(names(value), run, (key) => {
      let matched = named.has(key);
      let ok = true;
      for (const [pattern, check] of patterns) {
        if (!pattern(key, run)) continue;
        matched = true;
        ok = check(value[key], run) && ok;
      }
      if (!matched && rest) ok = rest(value[key], run, key);
      if (tracked && (matched || rest)) run.seen.push(key);
      return ok;
    });
}

/** Judges what no other keyword has judged; where nothing may be left, the error names the property or item. */
function restCheck(
  node: Node,
  keyword: 'additionalProperties' | 'unevaluatedProperties' | 'unevaluatedItems',
  child: Node,
  compiler: Compiler,
): (value: unknown, run: Run, key: string) => boolean {
  if (child.keywords !== false) return compiler.check(child, false);
  const known = (node.keywords as Keywords).properties?.map(([key]) => key);
  return (value, run, key) => fail(run, node, keyword, value, key, known);
}

/**
 * `unevaluatedProperties` and `unevaluatedItems`: what nothing has evaluated since this schema began, which is
 * where the log stood at `run.logStart`.
 */
export function unevaluatedCheck(
  node: Node,
  keyword: 'unevaluatedProperties' | 'unevaluatedItems',
  child: Node,
  compiler: Compiler,
): Check<object> {
  const check = restCheck(node, keyword, child, compiler);
  return (value, run) => {
    // A set is slow to make.
    spend(run, 8 * (run.seen.length - run.logStart));
    const seen = new Set<unknown>(run.seen.slice(run.logStart));
    const left = names(value as Properties).filter((key) => !seen.has(key));
    run.seen.push(...left);
    return each(left, run, (key) => check((value as Properties)[key], run, key));
  };
}
