import type { Failure } from './run.ts';
import type { ValidationError } from './types.ts';

// By keyword. @ is the value, # what the keyword says, % that without quotes, $ the detail of the failure; a detail
// that the sentence does not mention is what was expected.
const SENTENCES: Readonly<Record<string, string>> = {
  type: '@ is not of type %',
  enum: '@ is not one of #',
  const: '@ is not #',
  required: 'property @ is missing',
  dependentRequired: 'property @ needs property $',
  dependencies: 'property @ needs property $',
  additionalProperties: 'property @ is not allowed',
  unevaluatedProperties: 'property @ is not allowed',
  unevaluatedItems: 'item @ is not allowed',
  minimum: '@ is less than #',
  maximum: '@ is greater than #',
  exclusiveMinimum: '@ is not greater than #',
  exclusiveMaximum: '@ is not less than #',
  multipleOf: '@ is not a multiple of #',
  minLength: '@ is shorter than #',
  maxLength: '@ is longer than #',
  minItems: 'has less than # items',
  maxItems: 'has more than # items',
  minProperties: 'has less than # properties',
  maxProperties: 'has more than # properties',
  contains: 'no item fits "contains"',
  minContains: 'less than # items fit "contains"',
  maxContains: 'more than # items fit "contains"',
  pattern: '@ does not match the pattern %',
  format: '@ is not a valid %',
  uniqueItems: 'items $ are equal',
  not: '@ is excluded by "not"',
  anyOf: '@ fits none of the alternatives',
  oneOf: '@ fits $ alternatives, not exactly one',
  false: '@ is not allowed here',
};

const PARTS: Record<string, string[]> = {};

/** Puts a failure into words: once for each error that is reported, and not for those that are thrown away. */
export function explain({ path, node, keyword, value, detail }: Failure): ValidationError {
  const rule = (node.keywords as Readonly<Record<string, unknown>>)[keyword];
  let message = '';
  let hint = detail !== undefined;
  for (const part of (PARTS[keyword] ??= (SENTENCES[keyword] ?? keyword).split(/([@#%$])/))) {
    if (part === '@') message += quote(value);
    else if (part === '#') message += quoteAll(rule);
    else if (part === '%') message += rule;
    else if (part === '$') {
      message += quoteAll(detail);
      hint = false;
    } else message += part;
  }
  if (hint) message += ` (expected ${quoteAll(detail)})`;
  return { path, schemaPath: rule === undefined ? node.path : `${node.path}/${keyword}`, keyword, message };
}

/** Scalars as JSON, cut when long; composites by name. */
function quote(value: unknown): string {
  if (typeof value === 'object' && value) return Array.isArray(value) ? 'the array' : 'the object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 80 ? value.slice(0, 80) + '…' : value);
}

// Lists stand in schemas, and are said again for each value that breaks them.
const LISTS = /* @__PURE__ */ new WeakMap<readonly unknown[], string>();

function quoteAll(rule: unknown): string {
  if (!Array.isArray(rule)) return quote(rule);
  const text = LISTS.get(rule) ?? rule.slice(0, 20).map(quote) + (rule.length > 20 ? ', …' : '');
  LISTS.set(rule, text);
  return text;
}

/** Errors as lines of text, each with its place: `arguments/date: "tomorrow" is not a valid date`. */
export function describeErrors(errors: readonly ValidationError[], name = 'value'): string {
  return errors.map(({ path, message }) => `${name}${path}: ${message}`).join('\n');
}
