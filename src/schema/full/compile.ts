import { booleanCheck, keywordCheck } from '../checks.ts';
import type { Check, Compiler, JsonSchema, Keywords, Node, Run, Resource } from '../model.ts';
import type { Language, Reader } from '../reader.ts';
import { accept, descend } from '../run.ts';
import { typeCheck } from '../typed.ts';
import type { Validate } from '../types.ts';
import { createValidator } from '../validator.ts';
import { moreArrayChecks } from './arrays.ts';
import { conditionChecks } from './conditions.ts';
import { createLibrary, dynamicAnchor } from './library.ts';
import type { FullCompileOptions } from './options.ts';
import { unevaluatedCheck } from './unevaluated.ts';

// As in `messages.ts`.
const SENTENCES: Readonly<Record<string, string>> = {
  dependentRequired: 'property @ needs property $',
  dependencies: 'property @ needs property $',
  unevaluatedProperties: 'property @ is not allowed&',
  unevaluatedItems: 'item @ is not allowed&',
  contains: 'no item fits "contains"',
  minContains: 'less than # items fit "contains"',
  maxContains: 'more than # items fit "contains"',
  uniqueItems: 'items $ are equal',
  not: '@ is excluded by "not"',
};

/**
 * Compiles a JSON Schema (2020-12, or draft-07 by its `$schema`) into a function that judges values: every keyword of
 * the dialect, and the vocabularies of a metaschema that `options.schemas` has. Nothing is generated or fetched: the
 * result is closures, made at the first use, and a `$ref` finds what the schema or `options.schemas` has.
 * @throws SchemaError when the schema is malformed, too large, of an unknown dialect, or refers to nothing
 */
export function compile<T = unknown>(schema: JsonSchema, options: FullCompileOptions = {}): Validate<T> {
  const make = (reader: Reader): Language => ({ ...createLibrary(reader, options), check, sentences: SENTENCES });
  return createValidator(schema, make, options);
}

function check(node: Node, tracked: boolean, compiler: Compiler): Check {
  const made = booleanCheck(node) ?? rulesOf(node, node.keywords as Keywords, tracked, compiler);
  const { path, resource } = node;
  // Entering a resource extends the dynamic scope. A whole document is entered by reference, or is the root.
  return path !== resource?.path || path.endsWith('#') ? made : (value, run) => within(resource, made, value, run);
}

function rulesOf(node: Node, keywords: Keywords, tracked: boolean, compiler: Compiler): Check {
  const { $ref, $dynamicRef, unevaluatedItems, unevaluatedProperties } = keywords;
  const rules = unevaluatedItems ?? unevaluatedProperties;
  const logging = tracked || !!rules;
  const references: Check[] = [];
  // References within one resource are the small dialect's.
  if ($ref !== undefined) references.push(reference($ref, node.target, false, logging, compiler));
  if ($dynamicRef !== undefined) references.push(reference($dynamicRef, node.dynamicTarget, true, logging, compiler));
  const { $ref: _, ...others } = keywords;
  const made = keywordCheck(node, others, logging, compiler, {
    array: moreArrayChecks(node, keywords, logging, compiler),
    references,
    conditions: conditionChecks(node, keywords, logging, compiler),
  });
  if (!rules) return made;

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
    const ok = made(value, run) && rest(value, run);
    run.logStart = outer;
    if (!tracked) run.seen.length = length;
    return ok;
  };
}

/** `$ref` and `$dynamicRef` (2020-12 core 8.2.3.2). */
function reference(to: string, target: Node | undefined, dynamic: boolean, tracked: boolean, compiler: Compiler): Check {
  if (!target) return accept;
  const name = to.slice(to.indexOf('#') + 1);
  const roaming = dynamic && target.resource && dynamicAnchor(target.resource, name) === target;
  return (value, run) => {
    let goal = target;
    // The outermost resource that has the anchor wins.
    for (let { scope } = run; roaming && scope; scope = scope.outer) {
      goal = (scope.resource && dynamicAnchor(scope.resource, name)) ?? goal;
    }
    descend(run);
    const ok = within(goal.resource, compiler.check(goal, tracked), value, run);
    run.depth++;
    return ok;
  };
}

/** Judges a value with a resource as the innermost of the dynamic scope. */
function within(resource: Resource | undefined, check: Check, value: unknown, run: Run): boolean {
  const { scope } = run;
  if (scope?.resource !== resource) run.scope = { resource, outer: scope };
  const ok = check(value, run);
  run.scope = scope;
  return ok;
}
