import { applicatorChecks } from './applicators.ts';
import { arrayChecks, checkUnevaluatedItems } from './arrays.ts';
import { complete } from './defaults.ts';
import { equal } from './equality.ts';
import { explain, refusal } from './messages.ts';
import type { Keywords, Node } from './nodes.ts';
import { createLibrary, unready } from './nodes.ts';
import { checkUnevaluatedProperties, objectChecks } from './objects.ts';
import type { Check, Run } from './run.ts';
import { LimitReached, all, fail } from './run.ts';
import { compilePattern, numberChecks, stringChecks } from './scalars.ts';
import { typeCheck } from './typed.ts';
import type { CompileOptions, JsonSchema, SchemaLimits, Validate } from './types.ts';

/** What the keywords need of the compilation they are part of. */
export interface Compiler {
  /** The check of a subschema; `tracked` when it must log what it evaluates. */
  check(node: Node, tracked: boolean): Check;
  /** The target of a reference, compiled by the time a value comes; and the `$dynamicAnchor` it went by. */
  link(reference: string, from: Node, tracked: boolean): [target: Node, dynamicAnchor: string | undefined];
  pattern(source: string, path: string): RegExp;
  formats: CompileOptions['formats'];
}

const LIMITS: SchemaLimits = { depth: 256, subschemas: 10_000, work: 10_000_000, pattern: 2_000 };

/**
 * Compiles a JSON Schema (2020-12, or draft-07 by its `$schema`) into a function that judges values. Nothing is
 * generated or fetched: the result is closures, and a `$ref` finds what the schema or `options.schemas` has.
 * @throws SchemaError when the schema is malformed, too large, of an unknown dialect, or refers to nothing
 */
export function compile<T = unknown>(schema: JsonSchema, options: CompileOptions = {}): Validate<T> {
  const limits = { ...LIMITS, ...options.limits };
  const max = Math.max(1, options.maxErrors ?? 100);
  const library = createLibrary(options.schemas ?? {}, limits);
  const queue: [node: Node, tracked: boolean][] = [];
  let dynamic = false;
  const compiler: Compiler = {
    check(node, tracked) {
      const check = checkOf(node, tracked, compiler);
      const { resource } = node;
      if (node.path !== resource.path) return check;
      // Entering an embedded resource extends the dynamic scope, as a reference to it does.
      return (value, run) => {
        const { scope } = run;
        run.scope = { resource, outer: scope };
        const ok = check(value, run);
        run.scope = scope;
        return ok;
      };
    },
    link(reference, from, tracked) {
      const found = library.find(reference, from);
      queue.push([found[0], tracked]);
      dynamic ||= found[1] !== undefined;
      return found;
    },
    pattern: (source, path) => compilePattern(source, path, limits.pattern),
    formats: options.formats,
  };
  const root = library.root(schema);
  const check = checkOf(root, false, compiler);
  // References wait their turn, so that a long chain of them costs no stack.
  const drain = (): void => {
    for (let next = queue.pop(); next; next = queue.pop()) checkOf(next[0], next[1], compiler);
  };
  drain();
  if (dynamic) {
    // Any of these may be where a $dynamicRef ends. The map may grow while it is walked.
    for (const resource of library.resources()) {
      for (const node of resource.dynamic.values()) queue.push([node, false], [node, true]);
      drain();
    }
  }
  const withDefaults = options.defaults && library.hasDefaults();
  const scope = { resource: root.resource, outer: undefined };
  return (value) => {
    const run: Run = { errors: [], max, work: limits.work, depth: limits.depth, scope, seen: [], logStart: 0 };
    try {
      const subject = withDefaults ? complete(root, value, run) : value;
      // The caller vouches that T is the type the schema describes: see FromSchema.
      if (check(subject, run)) return { valid: true, value: subject as T };
      return { valid: false, errors: run.errors.map(explain) };
    } catch (error) {
      // Engines say "stack overflow" with a RangeError (V8, JavaScriptCore) or an InternalError (others).
      const name = error instanceof LimitReached ? error.message : /^(Range|Internal)Error$/.test(String((error as Error)?.name)) ? 'depth' : '';
      if (name !== 'work' && name !== 'depth') throw error;
      return { valid: false, errors: [refusal(name, limits[name])] };
    }
  };
}

function checkOf(node: Node, tracked: boolean, compiler: Compiler): Check {
  const form = tracked ? 'tracked' : 'check';
  if (node[form] === unready) node[form] = compileNode(node, tracked, compiler);
  return node[form];
}

function compileNode(node: Node, tracked: boolean, compiler: Compiler): Check {
  const { keywords } = node;
  if (keywords === true) return accept;
  if (keywords === false) return (value, run) => fail(run, node, 'false', value);
  const { unevaluatedItems, unevaluatedProperties } = keywords;
  const logging = tracked || !!unevaluatedItems || !!unevaluatedProperties;
  const checks: (Check | undefined)[] = [
    typeCheck(node, keywords.type, {
      string: all(stringChecks(node, keywords, compiler)),
      number: all(numberChecks(node, keywords)),
      array: all(arrayChecks(node, keywords, logging, compiler)),
      object: all(objectChecks(node, keywords, logging, compiler)),
    }),
    ...equalityChecks(node, keywords),
    ...applicatorChecks(node, keywords, logging, compiler),
  ];
  const check = all(checks.filter((check) => check !== undefined)) ?? accept;
  if (!unevaluatedItems && !unevaluatedProperties) return check;

  const items = unevaluatedItems && checkUnevaluatedItems(node, unevaluatedItems, compiler);
  const properties = unevaluatedProperties && checkUnevaluatedProperties(node, unevaluatedProperties, compiler);
  const rest = typeCheck(node, undefined, { array: items, object: properties }) ?? accept;
  return (value, run) => {
    const { length } = run.seen;
    const outer = run.logStart;
    run.logStart = length;
    // What a failed schema evaluated says nothing, so the rest is not judged by it.
    const ok = check(value, run) && rest(value, run);
    run.logStart = outer;
    if (!tracked) run.seen.length = length;
    return ok;
  };
}

function accept(): boolean {
  return true;
}

/** `const` and `enum`. */
function equalityChecks(node: Node, keywords: Keywords): Check[] {
  const checks: Check[] = [];
  if ('const' in keywords) {
    checks.push((value, run) => equal(value, keywords.const, run) || fail(run, node, 'const', value));
  }
  if (keywords.enum) {
    const scalars = new Set(keywords.enum);
    const composites = keywords.enum.filter((option) => typeof option === 'object' && option !== null);
    checks.push((value, run) =>
      scalars.has(value) ||
      (typeof value === 'object' && composites.some((option) => equal(option, value, run))) ||
      fail(run, node, 'enum', value),
    );
  }
  return checks;
}
