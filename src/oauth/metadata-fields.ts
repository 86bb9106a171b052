import { OAuthError, shown } from './errors.ts';

type FieldForm = 'string' | 'url' | 'strings' | 'boolean';
interface Kinds { string: string; url: string; strings: readonly string[]; boolean: boolean }
/** The fields to read from a document, with the required form of each. */
export type Fields = Readonly<Record<string, FieldForm>>;
type ReadFields<F extends Fields> = { readonly [K in keyof F]?: Kinds[F[K]] };

const expected: Readonly<Record<FieldForm, string>> = {
  string: 'a string', url: 'a URL', strings: 'a list of strings', boolean: 'true or false',
};

function has(value: unknown, kind: FieldForm): boolean {
  switch (kind) {
    case 'string': return typeof value === 'string';
    case 'url': return typeof value === 'string' && URL.canParse(value);
    case 'strings': return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'boolean': return typeof value === 'boolean';
  }
}

/**
 * Reads only the known fields of a metadata document; `null` counts as missing. Throws an `OAuthError`
 * (`metadata_malformed`) that names the document `what`, the field, and the expected form.
 */
export function readFields<F extends Fields>(document: Readonly<Record<string, unknown>>, fields: F, what: string): ReadFields<F> {
  const found: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(fields)) {
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    if (value === undefined || value === null) continue;
    if (!has(value, kind)) {
      throw new OAuthError('metadata_malformed', `${what}: ${name} is ${shown(value)}, expected ${expected[kind]}`);
    }
    found[name] = value;
  }
  return found as ReadFields<F>;
}
