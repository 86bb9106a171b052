import type { Compiler } from './compile.ts';
import type { Keywords, Node } from './nodes.ts';
import type { Check } from './run.ts';
import { fail, full, place, spend } from './run.ts';

export type Properties = Readonly<Record<string, unknown>>;

/**
 * A property of the value's own. One that is undefined is absent, as it will be in JSON. Only names that
 * `Object.prototype` has need the slower look: for all others nothing can be inherited.
 */
export function own(value: Properties, key: string): unknown {
  return key in Object.prototype && !Object.hasOwn(value, key) ? undefined : value[key];
}

/** The rules for objects, without those that apply to the object itself (`dependentSchemas`, `unevaluated…`). */
export function objectChecks(
  node: Node,
  keywords: Keywords,
  tracked: boolean,
  compiler: Compiler,
): Check<Properties>[] {
  const checks: Check<Properties>[] = [];
  const { minProperties = 0, maxProperties = Infinity, propertyNames, dependentRequired } = keywords;
  if (keywords.properties || keywords.required) checks.push(namedProperties(node, keywords, tracked, compiler));
  if (keywords.patternProperties || keywords.additionalProperties) {
    const check = otherProperties(node, keywords, tracked, compiler);
    if (check) checks.push(check);
  }
  if (minProperties > 0 || maxProperties < Infinity) {
    checks.push((value, run) => {
      const { length } = names(value);
      return (
        length < minProperties ? fail(run, node, 'minProperties', value, length)
        : length > maxProperties ? fail(run, node, 'maxProperties', value, length)
        : true
      );
    });
  }
  if (propertyNames) {
    const check = compiler.check(propertyNames, false);
    checks.push((value, run) => {
      const keys = names(value);
      spend(run, keys.length);
      let ok = true;
      for (let i = 0, mark = run.errors.length; i < keys.length && (ok || !full(run)); i++) {
        const key = keys[i] ?? '';
        if (check(key, run)) continue;
        ok = false;
        mark = place(run, mark, key);
      }
      return ok;
    });
  }
  for (const [key, needed] of [...(dependentRequired ?? []), ...(keywords.dependencies ?? [])]) {
    if (!Array.isArray(needed)) continue;
    const keyword = dependentRequired ? 'dependentRequired' : 'dependencies';
    checks.push((value, run) => {
      if (own(value, key) === undefined) return true;
      spend(run, needed.length);
      let ok = true;
      for (const name of needed) if (own(value, name) === undefined) ok = fail(run, node, keyword, key, name);
      return ok;
    });
  }
  return checks;
}

export function names(value: Properties): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** `properties` and `required` in one walk, and `additionalProperties: false` where a count can tell. */
function namedProperties(node: Node, keywords: Keywords, tracked: boolean, compiler: Compiler): Check<Properties> {
  const checks = new Map<string, Check | undefined>();
  for (const [key, child] of keywords.properties ?? []) checks.set(key, compiler.check(child, false));
  const required = new Set(keywords.required);
  for (const key of required) if (!checks.has(key)) checks.set(key, undefined);
  const entries = [...checks].map(([key, check]) => ({
    key,
    check,
    required: required.has(key),
    inherited: key in Object.prototype,
  }));
  return (value, run) => {
    spend(run, entries.length);
    let ok = true;
    let mark = run.errors.length;
    for (const { key, check, required, inherited } of entries) {
      const property = inherited && !Object.hasOwn(value, key) ? undefined : value[key];
      if (property !== undefined) {
        if (check !== undefined) {
          if (tracked) run.seen.push(key);
          if (check(property, run)) continue;
          mark = place(run, mark, key);
        } else continue;
      } else if (required) {
        fail(run, node, 'required', value, key);
        mark = run.errors.length;
      } else continue;
      ok = false;
      if (full(run)) break;
    }
    return ok;
  };
}

/** `patternProperties` and `additionalProperties`. */
function otherProperties(
  node: Node,
  keywords: Keywords,
  tracked: boolean,
  compiler: Compiler,
): Check<Properties> | undefined {
  const { additionalProperties } = keywords;
  const patterns = (keywords.patternProperties ?? []).map(
    ([source, child]) => [compiler.pattern(source, `${node.path}/patternProperties`), compiler.check(child, false)] as const,
  );
  if (!tracked && !patterns.length && additionalProperties?.keywords === true) return undefined;
  const named = new Set((keywords.properties ?? []).map(([key]) => key));
  const rest = additionalProperties && compiler.check(additionalProperties, false);
  return (value, run) => {
    let ok = true;
    let mark = run.errors.length;
    for (const key in value) {
      const known = named.has(key);
      if (known && !patterns.length) continue;
      const property = value[key];
      if (property === undefined || !Object.hasOwn(value, key)) continue;
      spend(run, 1 + patterns.length);
      let matched = known;
      let fine = true;
      for (const [pattern, check] of patterns) {
        if (!pattern.test(key)) continue;
        matched = true;
        fine = check(property, run) && fine;
      }
      if (!matched && rest) {
        if (additionalProperties?.keywords === false) {
          fail(run, node, 'additionalProperties', value, key);
          ok = false;
          mark = run.errors.length;
        } else fine = rest(property, run);
      }
      if (tracked && (matched || rest)) run.seen.push(key);
      if (!fine) {
        ok = false;
        mark = place(run, mark, key);
      }
      if (!ok && full(run)) break;
    }
    return ok;
  };
}

/** `unevaluatedProperties`: the properties that nothing has evaluated since the log stood at `from`. */
export function checkUnevaluatedProperties(
  node: Node,
  child: Node,
  compiler: Compiler,
): Check<Properties> {
  const check = compiler.check(child, false);
  return (value, run) => {
    const from = run.logStart;
    const keys = names(value);
    spend(run, keys.length + run.seen.length - from);
    const done = new Set<unknown>(run.seen.slice(from));
    let ok = true;
    for (const key of keys) {
      if (done.has(key)) continue;
      const mark = run.errors.length;
      run.seen.push(key);
      if (child.keywords === false) ok = fail(run, node, 'unevaluatedProperties', value, key);
      else if (!check(value[key], run)) (ok = false), place(run, mark, key);
      if (!ok && full(run)) break;
    }
    return ok;
  };
}
