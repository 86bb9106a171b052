import type { CheckFailure, Sentence } from './model.ts';
import type { ValidationError } from './types.ts';

/**
 * A schema that cannot be used. `code` is the reason: `schema` (malformed), `keyword` (not in the small dialect), `dialect`
 * (unknown `$schema` or vocabulary), `reference` (an unresolved `$ref`), `pattern` (malformed, or too long), `limit` (a limit that
 * the message names).
 */
export class SchemaError extends Error {
  readonly code: 'schema' | 'keyword' | 'dialect' | 'reference' | 'pattern' | 'limit';
  /** The place in the schema: address and JSON Pointer. */
  readonly path: string;

  constructor(code: SchemaError['code'], path: string, message: string) {
    super(`${path}: ${message}`);
    this.name = 'SchemaError';
    this.code = code;
    this.path = path;
  }
}

// By keyword. @ is the value, $ the detail of the failure. The other signs never change: # is the value of the keyword, % the same
// without quotes, and & the detail as the expected value, if known.
const SENTENCES: Readonly<Record<string, string>> = {
  type: '@ is not of type %',
  enum: '@ is not one of #',
  const: '@ is not #',
  required: 'property @ is missing',
  additionalProperties: 'property @ is not allowed&',
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
  pattern: '@ does not match the pattern %',
  format: '@ is not a valid %&',
  anyOf: '@ fits none of the alternatives',
  oneOf: '@ fits $ alternatives, not exactly one',
  false: '@ is not allowed here',
};

/** The sentence of a failure, made at the first of its kind. */
function sentenceOf(failure: CheckFailure, more: typeof SENTENCES | undefined): Sentence {
  const { node, keyword } = failure;
  let sentence = node.sentences;
  while (sentence !== undefined && sentence.keyword !== keyword) sentence = sentence.next;
  return sentence ?? (node.sentences = prepare(failure, more));
}

function prepare({ node, keyword, detail }: CheckFailure, more: typeof SENTENCES | undefined): Sentence {
  const { keywords, path } = node;
  const rule = (keywords as Readonly<Record<string, unknown>>)[keyword];
  // Cut first: the keyword's value may contain signs.
  const parts = String(SENTENCES[keyword] ?? more?.[keyword])
    .split(/([@$])/)
    .map((part) =>
      part.replace(/[#%&]/g, (sign) =>
        sign === '#' ? quoteAll(rule)
        : sign === '%' ? String(rule)
        : detail ? ` (expected ${quoteAll(detail)})`
        : '',
      ),
    );
  return {
    keyword, schemaPath: rule === undefined ? path : `${path}/${keyword}`, parts, next: node.sentences,
    open: `${parts[0]}"`, close: parts.length === 3 ? `"${parts[2]}` : undefined,
  };
}

/** Puts a failure into words. Called only for errors that are reported. */
export function explain(failure: CheckFailure, more?: Readonly<Record<string, string>>): ValidationError {
  const { path, keyword, value, detail } = failure;
  const { schemaPath, parts, open, close } = sentenceOf(failure, more);
  // Most sentences have the value once, and most values are short texts: this joins two strings, not four.
  if (close !== undefined && typeof value === 'string' && isPlain(value)) {
    return { path, schemaPath, keyword, message: open + value + close };
  }
  let [message = ''] = parts;
  for (let i = 1; i < parts.length; i += 2)
    message += (parts[i] === '@' ? quote(value) : quoteAll(detail)) + parts[i + 1];
  return { path, schemaPath, keyword, message };
}

/** Whether JSON writes a text unchanged between its quotes. */
const isPlain = (text: string): boolean => text.length <= 80 && !/[^ !#-[\]-~]/.test(text);

/** Scalars as JSON, cut when long; composites by name. */
function quote(value: unknown): string {
  if (typeof value === 'object' && value) return Array.isArray(value) ? 'the array' : 'the object';
  if (typeof value !== 'string') return String(value);
  const text = value.length > 80 ? value.slice(0, 80) + '…' : value;
  return JSON.stringify(text);
}

function quoteAll(rule: unknown): string {
  if (!Array.isArray(rule)) return quote(rule);
  return rule.slice(0, 20).map(quote).join(', ') + (rule.length > 20 ? ', …' : '');
}

/** Errors as lines of text, each with its place: `arguments/date: "tomorrow" is not a valid date`. */
export function describeErrors(errors: readonly ValidationError[], name = 'value'): string {
  return errors.map(({ path, message }) => `${name}${path}: ${message}`).join('\n');
}
