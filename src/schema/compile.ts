import { applicatorChecks } from './applicators.ts';
import { arrayChecks } from './arrays.ts';
import { equal } from './equality.ts';
import { explain } from './messages.ts';
import type { Keywords, Node } from './nodes.ts';
import { createLibrary, unready } from './nodes.ts';
import { objectChecks, unevaluatedCheck } from './objects.ts';
import type { Check, Run } from './run.ts';
import { accept, all, fail, spend, within } from './run.ts';
import { SchemaError } from './errors.ts';
import { boundedPattern, weightOf } from './patterns.ts';
import { numberChecks, stringChecks } from './scalars.ts';
import { typeCheck } from './typed.ts';
import type { CompileOptions, JsonSchema, SchemaLimits, Validate, ValidationError } from './types.ts';

/** What the keywords need of the compilation they are part of. */
export interface Compiler {
  /** The check of a subschema; `tracked` when it must log what it evaluates. */
  check(node: Node, tracked: boolean): Check;
  /** The target of a reference, compiled by the time a value comes. */
  link(reference: string, from: Node, tracked: boolean): Node;
  pattern(source: string, path: string): (text: string, run: Run) => boolean;
  formats: CompileOptions['formats'];
}

const LIMITS: SchemaLimits = { depth: 256, subschemas: 10_000, work: 10_000_000, pattern: 5_000, patterns: 100_000 };

/**
 * Compiles a JSON Schema (2020-12, or draft-07 by its `$schema`) into a function that judges values. Nothing
 * is generated or fetched: the result is closures, and a `$ref` finds what the schema or `options.schemas`
 * has.
 * @throws SchemaError when the schema is malformed, too large, of an unknown dialect, or refers to nothing
 */
export function compile<T = unknown>(schema: JsonSchema, options: CompileOptions = {}): Validate<T> {
  const limits = { ...LIMITS, ...options.limits };
  const max = options.maxErrors || 100;
  const library = createLibrary(options, limits);
  // Targets of references wait their turn, so that a long chain of them costs no stack.
  const queue: [node: Node, tracked: boolean][] = [];
  let room = limits.patterns;
  const compiler: Compiler = {
    check(node, tracked) {
      const form = tracked ? 'tracked' : 'check';
      const { path, resource } = node;
      if (node[form] === unready) {
        const check = compileNode(node, tracked, compiler);
        // Entering a resource extends the dynamic scope. A whole document is entered by reference, or is the
        // root.
        node[form] =
          path !== resource.path || path.endsWith('#') ?
            check
          : (value, run) => within(resource, check, value, run);
      }
      return node[form];
    },
    link(reference, from, tracked) {
      const target = library.find(reference, from);
      queue.push([target, tracked]);
      return target;
    },
    pattern(source, path) {
      try {
        const over =
          source.length > limits.pattern ? 'pattern' : (room -= weightOf(source)) < 0 && 'patterns';
        if (over) throw new Error(`exceeds the limit "${over}" (${limits[over]})`);
        const test = (options.patterns ?? boundedPattern)(source);
        return (text, run) => test(text, (steps) => spend(run, steps));
      } catch (error) {
        throw new SchemaError('pattern', path, (error as Error).message);
      }
    },
    formats: options.formats,
  };
  const root = library.root(schema);
  const check = compiler.check(root, false);
  const drain = (): void => {
    for (let next; (next = queue.pop());) compiler.check(...next);
  };
  drain();
  // Any anchor may be where a $dynamicRef ends. The map may grow while it is walked.
  for (const { anchors } of library.resources.values()) {
    for (const node of anchors.values()) queue.push([node, false], [node, true]);
    drain();
  }
  const scope = { resource: root.resource, outer: undefined };
  return (value) => {
    const run: Run = {
      last: undefined,
      room: max,
      work: limits.work,
      depth: limits.depth,
      scope,
      seen: [],
      logStart: 0,
    };
    try {
      const subject = options.defaults ? options.defaults(root, value, run) : value;
      // The caller vouches that T is the type the schema describes: see FromSchema.
      if (check(subject, run)) return { valid: true, value: subject as T };
      const errors: ValidationError[] = [];
      for (let error = run.last; error; error = error.before) errors.push(explain(error));
      return { valid: false, errors: errors.reverse() };
    } catch (error) {
      const name = limitOf(error as Error);
      if (!name) throw error;
      const message = `validation exceeds the limit "${name}" (${limits[name]})`;
      return { valid: false, errors: [{ path: '', schemaPath: root.path, keyword: name, message }] };
    }
  };
}

/** The limit that an exception tells of. Engines report a full stack as a RangeError or an InternalError. */
function limitOf({ name, message }: Error): keyof SchemaLimits | undefined {
  return (
    message === 'work' || message === 'pattern' ? message
    : /Range|Internal/.test(name) ? 'depth'
    : undefined
  );
}

function compileNode(node: Node, tracked: boolean, compiler: Compiler): Check {
  const { keywords } = node;
  if (keywords === true) return accept;
  if (keywords === false) return (value, run) => fail(run, node, 'false', value);
  const { unevaluatedItems, unevaluatedProperties } = keywords;
  const rules = unevaluatedItems ?? unevaluatedProperties;
  const logging = tracked || !!rules;
  const checks = [
    typeCheck(node, keywords, {
      string: all(stringChecks(node, keywords, compiler)),
      number: all(numberChecks(node, keywords)),
      array: all(arrayChecks(node, keywords, logging, compiler)),
      object: all(objectChecks(node, keywords, logging, compiler)),
    }),
    'const' in keywords && equalityCheck(node, 'const', [keywords.const]),
    keywords.enum && equalityCheck(node, 'enum', keywords.enum),
    ...applicatorChecks(node, keywords, logging, compiler),
  ];
  const check = all(checks.filter((check) => !!check)) ?? accept;
  if (!rules) return check;

  // An array's keys are its indexes, so both keywords are one rule.
  const rest =
    typeCheck(
      node,
      {},
      {
        array: unevaluatedItems && unevaluatedCheck(node, 'unevaluatedItems', unevaluatedItems, compiler),
        object:
          unevaluatedProperties &&
          unevaluatedCheck(node, 'unevaluatedProperties', unevaluatedProperties, compiler),
      },
    ) ?? accept;
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

/** `const` and `enum`. */
function equalityCheck(node: Node, keyword: 'const' | 'enum', options: readonly unknown[]): Check {
  const scalars = new Set(options);
  return (value, run) =>
    scalars.has(value) ||
    (typeof value === 'object' && options.some((option) => equal(option, value, run))) ||
    fail(run, node, keyword, value);
}
