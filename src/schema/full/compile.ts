import { checkOptions } from '../../bounds/options.ts';
import { compileShape } from '../checked.ts';
import { keywordCheck } from '../checks.ts';
import type { Check, Compiler, JsonSchema, Keywords, Node } from '../model.ts';
import type { Language, Reader } from '../reader.ts';
import { descend } from '../run.ts';
import type { Validate } from '../types.ts';
import { createValidator } from '../validator.ts';
import { moreArrayChecks } from './arrays.ts';
import { conditionChecks } from './conditions.ts';
import { createLibrary } from './references.ts';
import type { FullCompileOptions } from './options.ts';
import { goalOf, within } from './scope.ts';
import { unevaluatedCheck } from './unevaluated.ts';

// The same notation as in `../errors.ts`.
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
 * Compiles a JSON Schema (2020-12, or draft-07 by its `$schema`) into a function that validates values: every keyword
 * of the dialect, and the vocabularies of a metaschema in `options.schemas`. Nothing is generated or fetched: the
 * result consists of closures, made at the first use, and a `$ref` finds only schemas in this one or in
 * `options.schemas`.
 *
 * @throws SchemaError if the schema is malformed, too large, of an unknown dialect, or has an unresolved reference;
 * TypeError for an unknown or malformed option
 */
export function compile<T = unknown>(schema: JsonSchema, options: FullCompileOptions = {}): Validate<T> {
  checkOptions('compile: options', options, { ...compileShape, schemas: 'object' });
  const make = (reader: Reader): Language => ({ ...createLibrary(reader, options), check, sentences: SENTENCES });
  return createValidator(schema, make, options);
}

function check(node: Node, compiler: Compiler): Check {
  const { keywords, path, resource } = node;
  const made = typeof keywords === 'boolean' ? keywordCheck(node, keywords, compiler) : wholeCheck(node, keywords, compiler);
  // Entering a resource extends the dynamic scope. A whole document is entered by a reference, or is the root.
  return path !== resource?.path || path.endsWith('#') ? made : (value, run) => within(resource, made, value, run);
}

function wholeCheck(node: Node, keywords: Keywords, compiler: Compiler): Check {
  // The small dialect handles references within one resource.
  const { $ref, $dynamicRef, ...others } = keywords;
  const references: Check[] = [];
  if ($ref !== undefined) references.push(reference(node, false, compiler));
  if ($dynamicRef !== undefined) references.push(reference(node, true, compiler));
  const made = keywordCheck(node, others, compiler, {
    array: moreArrayChecks(node, keywords, compiler),
    references,
    conditions: conditionChecks(node, keywords, compiler),
  });
  const rest = unevaluatedCheck(node, keywords, compiler);
  // The evaluated parts of a failed schema mean nothing, so the rest is not checked.
  return rest ? (subject, run) => made(subject, run) && rest(subject, run) : made;
}

/** `$ref` and `$dynamicRef`. */
function reference(node: Node, dynamic: boolean, compiler: Compiler): Check {
  return (value, run) => {
    const goal = goalOf(node, dynamic, run);
    if (!goal) return true;
    descend(run);
    const ok = within(goal.resource, compiler.check(goal), value, run);
    run.depth++;
    return ok;
  };
}
