// The faults of a form's values, by the path where they are shown, in the validator's own words.
import { compile } from 'barewire/schema/full';
import type { CompileOptions, JsonSchema, Validate, ValidationError } from 'barewire/schema';
import { below } from '../../json/lexemes.ts';
import { isMembers } from './shape.ts';

/** Sentences by JSON Pointer. */
export type Problems = ReadonlyMap<string, readonly string[]>;

export const noProblems: Problems = new Map();

/**
 * Compiles a schema to a function that finds faults. If that fails, the function finds none, and `fault` says why: the server may still
 * accept values that the form cannot validate.
 */
export function judge(schema: JsonSchema, formats: CompileOptions['formats']): { readonly problems: (value: unknown) => Problems; readonly fault: string } {
  try {
    const validate = compile(schema, { ...formats && { formats } });
    return { problems: (value) => problemsOf(validate, value), fault: '' };
  } catch (thrown) {
    return { problems: () => noProblems, fault: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

function problemsOf(validate: Validate, value: unknown): Problems {
  const verdict = validate(value);
  if (verdict.valid) return noProblems;
  const found = new Map<string, string[]>();
  for (const error of verdict.errors) {
    const path = placeOf(error);
    found.set(path, [...found.get(path) ?? [], error.message]);
  }
  return found;
}

const lacking = /^property (".*") is missing$/s;

/** Whether a sentence reports a missing property. */
export const saysMissing = (sentence: string): boolean => lacking.test(sentence);

// A missing property is reported at its own path, not at the object without it.
function placeOf({ keyword, path, message }: ValidationError): string {
  if (keyword !== 'required') return path;
  const [, quoted] = lacking.exec(message) ?? [];
  try {
    return quoted === undefined ? path : below(path, String(JSON.parse(quoted)));
  } catch {
    return path;
  }
}

/** The faults of a part that is validated separately, by their path in the whole. */
export function problemsBelow(path: string, schema: JsonSchema, value: unknown, formats: CompileOptions['formats']): Problems {
  const own = judge(schema, formats).problems(value);
  return new Map([...own].map(([place, sentences]) => [path + place, sentences]));
}

/** A copy of an object with one member set, or without it if `member` is undefined. */
export function withMember(value: unknown, name: string, member: unknown): Record<string, unknown> {
  const entries = Object.entries(isMembers(value) ? value : {}).filter(([key]) => key !== name || member !== undefined);
  if (member === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name));
  const at = entries.findIndex(([key]) => key === name);
  // fromEntries calls no setter, so `__proto__` is an ordinary name.
  return Object.fromEntries(at < 0 ? [...entries, [name, member]] : entries.with(at, [name, member]));
}
