/** What stands behind a keyword, and so how it is read. */
export type Kind =
  | 'schema' | 'schemas' | 'schemaMap' | 'items' | 'dependencies'
  | 'any' | 'list' | 'types' | 'strings' | 'stringsMap'
  | 'number' | 'positive' | 'count' | 'string' | 'pattern' | 'boolean';

/** A set of keywords with one meaning, chosen by `$schema`. */
export interface Dialect {
  /** Draft-07 has another `items`, `$id: "#name"` for anchors, and ignores what stands beside a `$ref`. */
  draft7: boolean;
  /** Vocabularies in force, by the last part of their address; undefined: all of them. */
  vocabularies: ReadonlySet<string> | undefined;
}

export const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema';
export const DRAFT_07 = 'http://json-schema.org/draft-07/schema';
export const VOCABULARY = 'https://json-schema.org/draft/2020-12/vocab/';

// vocabulary, kind, keywords. `new` is unknown to draft-07 and `old` to 2020-12; both belong to the applicators.
const TABLE: readonly (readonly [vocabulary: string, kind: Kind, keywords: string])[] = [
  ['core', 'string', '$ref'],
  ['core new', 'string', '$anchor $dynamicAnchor $dynamicRef'],
  ['core new', 'schemaMap', '$defs'],
  ['core', 'schemaMap', 'definitions'],
  ['applicator', 'schemas', 'allOf anyOf oneOf'],
  ['applicator new', 'schemas', 'prefixItems'],
  ['applicator', 'schema', 'not if then else contains additionalProperties propertyNames'],
  ['applicator', 'items', 'items'],
  ['applicator old', 'schema', 'additionalItems'],
  ['applicator', 'schemaMap', 'properties patternProperties'],
  ['applicator new', 'schemaMap', 'dependentSchemas'],
  ['applicator', 'dependencies', 'dependencies'],
  ['unevaluated new', 'schema', 'unevaluatedItems unevaluatedProperties'],
  ['validation', 'types', 'type'],
  ['validation', 'any', 'const'],
  ['validation', 'list', 'enum'],
  ['validation', 'number', 'minimum maximum exclusiveMinimum exclusiveMaximum'],
  ['validation', 'positive', 'multipleOf'],
  ['validation', 'count', 'minLength maxLength minItems maxItems minProperties maxProperties'],
  ['validation new', 'count', 'minContains maxContains'],
  ['validation', 'pattern', 'pattern'],
  ['validation', 'boolean', 'uniqueItems'],
  ['validation', 'strings', 'required'],
  ['validation new', 'stringsMap', 'dependentRequired'],
  ['format-annotation', 'string', 'format'],
  ['meta-data', 'any', 'default'],
];

const KEYWORDS: ReadonlyMap<string, readonly [kind: Kind, vocabulary: string, era: string | undefined]> =
  /* @__PURE__ */ new Map(
    TABLE.flatMap(([where, kind, keywords]) => {
      const [vocabulary = '', era] = where.split(' ');
      return keywords.split(' ').map((keyword) => [keyword, [kind, vocabulary, era]] as const);
    }),
  );

/** The kind of a keyword in a dialect; undefined when the dialect does not have it (it is then ignored). */
export function kindOf(keyword: string, { draft7, vocabularies }: Dialect): Kind | undefined {
  const [kind, vocabulary, era] = KEYWORDS.get(keyword) ?? [];
  if (era && (era === 'old') !== draft7) return undefined;
  if (vocabularies && vocabulary && vocabulary !== 'core' && !vocabularies.has(vocabulary)) return undefined;
  return kind;
}
