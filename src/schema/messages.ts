import { isObject } from './nodes.ts';
import type { Failure } from './run.ts';
import type { ValidationError } from './types.ts';

type Sentence = (rule: unknown, value: string, detail: unknown, failure: Failure) => string;

const notAllowed =
  (what: string): Sentence =>
  (_rule, _value, detail) => `${what} ${JSON.stringify(detail)} is not allowed`;
const compared =
  (relation: string): Sentence =>
  (rule, value) => `${value} is ${relation} ${quote(rule)}`;
const counted =
  (what: string, relation: string): Sentence =>
  (rule, _value, detail, { value }) =>
    `has ${detail ?? (value as unknown[]).length} ${what}, ${relation} ${quote(rule)}`;
const needs: Sentence = (_rule, value, detail) => `property ${value} needs property ${quote(detail)}`;

// By keyword; the value that failed is already quoted.
const SENTENCES: Readonly<Record<string, Sentence>> = {
  type: (rule, value) => `${value} is not of type ${(rule as string[]).join(' or ')}`,
  enum: (rule, value) => `${value} is not one of ${list(rule as unknown[])}`,
  const: compared('not'),
  required: (_rule, _value, detail) => `property ${quote(detail)} is missing`,
  additionalProperties: (rule, value, detail, failure) => {
    const { keywords } = failure.node;
    const known = (typeof keywords === 'object' && keywords.properties) || [];
    const hint = known.length ? ` (known: ${list(known.map(([name]) => name))})` : '';
    return notAllowed('property')(rule, value, detail, failure) + hint;
  },
  unevaluatedProperties: notAllowed('property'),
  unevaluatedItems: notAllowed('item'),
  minimum: compared('less than'),
  maximum: compared('greater than'),
  exclusiveMinimum: compared('not greater than'),
  exclusiveMaximum: compared('not less than'),
  multipleOf: compared('not a multiple of'),
  minLength: counted('characters', 'fewer than'),
  maxLength: counted('characters', 'more than'),
  minItems: counted('items', 'fewer than'),
  maxItems: counted('items', 'more than'),
  minProperties: counted('properties', 'fewer than'),
  maxProperties: counted('properties', 'more than'),
  contains: () => 'no item fits "contains"',
  minContains: counted('items that fit "contains"', 'fewer than'),
  maxContains: counted('items that fit "contains"', 'more than'),
  pattern: (rule, value) => `${value} does not match the pattern ${String(rule)}`,
  format: (rule, value) => `${value} is not a valid ${String(rule)}${HINTS[String(rule)] ?? ''}`,
  uniqueItems: (_rule, _value, detail) => `items ${(detail as number[]).join(' and ')} are equal`,
  not: (_rule, value) => `${value} is excluded by "not"`,
  anyOf: (_rule, value, detail) => `${value} fits none of the ${String(detail)} alternatives`,
  oneOf: (_rule, value, detail) =>
    detail ? `${value} fits none of the ${String(detail)} alternatives` : `${value} fits more than one alternative`,
  dependentRequired: needs,
  dependencies: needs,
  false: (_rule, value) => `${value} is not allowed here`,
};

const HINTS: Readonly<Record<string, string>> = {
  date: ' (expected YYYY-MM-DD)',
  time: ' (expected hh:mm:ss and Z or an offset)',
  'date-time': ' (expected YYYY-MM-DDThh:mm:ss and Z or an offset)',
  duration: ' (expected for example P1DT12H)',
};

/** Puts a failure into words. */
export function explain(failure: Failure): ValidationError {
  const { path, node, keyword, value, detail } = failure;
  const rule = isObject(node.keywords) ? node.keywords[keyword] : undefined;
  const message = SENTENCES[keyword]?.(rule, quote(value), detail, failure) ?? keyword;
  return { path, schemaPath: rule === undefined ? node.path : `${node.path}/${keyword}`, keyword, message };
}

/** The one error of a validation that was given up. */
export function refusal(keyword: string, most: number): ValidationError {
  return { path: '', schemaPath: '#', keyword, message: `validation exceeds the limit "${keyword}" (${most})` };
}

/** Scalars as JSON, cut when long; composites by name. */
function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'the array' : 'the object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 80 ? value.slice(0, 80) + '…' : value);
}

function list(values: readonly unknown[]): string {
  return values.slice(0, 20).map(quote).join(', ') + (values.length > 20 ? ', …' : '');
}

/** Errors as lines of text, each with its place: `arguments/date: "tomorrow" is not a valid date`. */
export function describeErrors(errors: readonly ValidationError[], name = 'value'): string {
  return errors.map(({ path, message }) => `${name}${path}: ${message}`).join('\n');
}
