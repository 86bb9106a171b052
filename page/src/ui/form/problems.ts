// What is wrong with the values of a form, by the place where it is to be shown, in the validator's own words.
import { compile } from 'barewire/schema/full';
import type { CompileOptions, JsonSchema, Validate, ValidationError } from 'barewire/schema';
import { below } from '../../json/lexemes.ts';
import { isMembers } from './shape.ts';

/** Sentences by JSON Pointer. */
export type Problems = ReadonlyMap<string, readonly string[]>;

export const noProblems: Problems = new Map();

/**
 * A function that judges values of a schema. A schema that cannot be compiled judges nothing, and says so once: the
 * server may still take what the form cannot judge.
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

/** Whether a sentence says that a property is missing. */
export const saysMissing = (sentence: string): boolean => lacking.test(sentence);

// A missing property is shown where it would stand, not at the object that lacks it.
function placeOf({ keyword, path, message }: ValidationError): string {
  if (keyword !== 'required') return path;
  const [, quoted] = lacking.exec(message) ?? [];
  try {
    return quoted === undefined ? path : below(path, String(JSON.parse(quoted)));
  } catch {
    return path;
  }
}

/** What an own judgement of a part finds, at the place of that part. */
export function problemsBelow(path: string, schema: JsonSchema, value: unknown, formats: CompileOptions['formats']): Problems {
  const own = judge(schema, formats).problems(value);
  return new Map([...own].map(([place, sentences]) => [path + place, sentences]));
}

/** A copy of an object or an array with one member set, or without it where the value is undefined. */
export function withMember(value: unknown, name: string, member: unknown): Record<string, unknown> {
  const entries = Object.entries(isMembers(value) ? value : {}).filter(([key]) => key !== name || member !== undefined);
  if (member === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name));
  const at = entries.findIndex(([key]) => key === name);
  // fromEntries defines and runs no setter: `__proto__` is a name like any other.
  return Object.fromEntries(at < 0 ? [...entries, [name, member]] : entries.with(at, [name, member]));
}
