import { SchemaError } from '../errors.ts';
import type { KeywordKind } from '../reader.ts';
import type { Dialect, JsonSchema } from '../model.ts';
import { isObject } from '../typed.ts';

/** A schema as it was given. */
export type Raw = Readonly<Record<string, unknown>>;

/** The prefix of the names of the metaschemas and vocabularies of 2020-12. */
export const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/';
/** The metaschema of draft-07. */
export const DRAFT_07 = 'http://json-schema.org/draft-07/schema';

// Vocabulary and kind, then the keywords. Draft-07 does not have keywords with +, 2020-12 not those with -.
const TABLE: readonly (readonly [vocabulary: string, kind: KeywordKind, keywords: string])[] = [
  ['core', 'a string', '$ref $anchor+ $dynamicAnchor+ $dynamicRef+'],
  ['core', 'an object', '$defs+ definitions'],
  ['applicator', 'a list of schemas', 'allOf anyOf oneOf prefixItems+'],
  ['applicator', 'a schema', 'not if then else contains additionalProperties propertyNames additionalItems-'],
  ['applicator', 'items', 'items'],
  ['applicator', 'an object', 'properties patternProperties'],
  ['applicator', 'dependencies', 'dependentSchemas+ dependencies'],
  ['unevaluated', 'a schema', 'unevaluatedItems+ unevaluatedProperties+'],
  ['validation', 'a type', 'type'],
  ['validation', 'any value', 'const default'],
  ['validation', 'a list', 'enum'],
  ['validation', 'a number', 'minimum maximum exclusiveMinimum exclusiveMaximum'],
  ['validation', 'a number above 0', 'multipleOf'],
  ['validation', 'a whole number from 0', 'minLength maxLength minItems maxItems'],
  ['validation', 'a whole number from 0', 'minProperties maxProperties minContains+ maxContains+'],
  ['validation', 'a string', 'pattern'],
  ['validation', 'a boolean', 'uniqueItems'],
  ['validation', 'a list of strings', 'required'],
  ['validation', 'dependencies', 'dependentRequired+'],
  ['format', 'a string', 'format'],
];

let keywords:
  | ReadonlyMap<string, readonly [vocabulary: string, kind: KeywordKind, mark: string | undefined]>
  | undefined;

/** By name. Made at the first use, since importing a module does nothing. */
const byName = (): NonNullable<typeof keywords> => keywords ??= new Map(
  TABLE.flatMap(([vocabulary, kind, names]) =>
    names.split(' ').map((marked) => {
      const [keyword = '', mark] = marked.split(/\b(?=[+-])/);
      return [keyword, [vocabulary, kind, mark]] as const;
    }),
  ),
);

/** The kind of a keyword in a dialect; undefined if the dialect lacks it (then it is ignored). */
export function kindOf(keyword: string, { draft7, vocabularies }: Dialect): KeywordKind | undefined {
  const [vocabulary = '', kind, mark] = byName().get(keyword) ?? [];
  if (mark === (draft7 ? '+' : '-')) return undefined;
  return !vocabularies || vocabulary === 'core' || vocabularies.has(vocabulary) ? kind : undefined;
}

/**
 * Resolves a reference against a base, as far as schema addresses need it (RFC 3986 section 5.2, without queries and
 * without `//authority` references): returns the address without its fragment, and the fragment.
 */
export function resolveUri(base: string, reference: string): [uri: string, fragment: string] {
  const [uri = '', fragment = ''] = reference.split(/#(.*)/s);
  if (!uri) return [base, fragment];
  if (/^[^:/?]+:/.test(uri)) return [uri, fragment];
  // Scheme, authority and the path's folders.
  const [, scheme = '', authority = '', folder = ''] = /^([^:/?]+:)?(\/\/[^/]*)?(.*\/)?/.exec(base) ?? [];
  const steps: string[] = [];
  for (const step of (uri.startsWith('/') ? uri : (folder || (authority && '/')) + uri).split('/')) {
    if (step === '..') steps.length > 1 && steps.pop();
    else if (step !== '.') steps.push(step);
  }
  return [scheme + authority + steps.join('/'), fragment];
}

/**
 * The dialect of a schema: that of its `$schema`, otherwise the inherited one. Throws a `SchemaError` for an unknown one.
 * `registered`: the schemas that a `$schema` may name, by address. `formats`: set if `format` is checked. `seen`: the chain of
 * schemas whose `$schema` led here, to find a cycle.
 */
export function dialectOf(
  raw: Raw, path: string, inherited: Dialect, registered: ReadonlyMap<string, JsonSchema>, formats: unknown, seen: readonly Raw[] = [],
): Dialect {
  if (!('$schema' in raw)) return inherited;
  const [uri] = resolveUri('', String(raw['$schema']));
  if (uri === DRAFT_2020_12 + 'schema') return {};
  if (uri === DRAFT_07) return { draft7: true };
  const meta = registered.get(uri);
  const met = [...seen, raw];
  if (!isObject(meta) || met.includes(meta)) throw new SchemaError('dialect', path, `unknown dialect "${uri}"`);
  const list = meta['$vocabulary'];
  if (!isObject(list)) return dialectOf(meta, path, inherited, registered, formats, met);
  const vocabularies = new Set<string>();
  for (const name of Object.keys(list)) {
    const [base, word = '', assertion] = name.split(/vocab\/(\w+)(-assertion)?/);
    if (base === DRAFT_2020_12 && (!assertion || formats)) vocabularies.add(word);
    else if (list[name]) throw new SchemaError('dialect', path, `unknown vocabulary "${name}"`);
  }
  return { vocabularies };
}
