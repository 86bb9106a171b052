import { keywordCheck } from './checks.ts';
import { SchemaError } from './errors.ts';
import type { KeywordKind, Language, Reader } from './reader.ts';
import type { JsonSchema } from './model.ts';
import { escapeToken, tokensOf } from './values.ts';
import type { CompileOptions, Validate } from './types.ts';
import { createValidator } from './validator.ts';

/** The keywords of the small dialect: those of tool arguments and of zod's schemas. */
const KEYWORDS: readonly (readonly [kind: KeywordKind, names: string])[] = [
  ['a string', '$ref pattern format'],
  ['an object', '$defs definitions properties patternProperties'],
  ['a list of schemas', 'allOf anyOf oneOf prefixItems'],
  ['a schema', 'items additionalProperties propertyNames'],
  ['a type such as "string"', 'type'],
  ['any value', 'const default'],
  ['a list', 'enum'],
  ['a list of strings', 'required'],
  ['a number', 'minimum maximum exclusiveMinimum exclusiveMaximum'],
  ['a number above 0', 'multipleOf'],
  ['a whole number from 0', 'minLength maxLength minItems maxItems minProperties maxProperties'],
];

/** Keywords that do not affect validity, and names that programs add (`x-…`). */
const ANNOTATION = /^(\$schema|\$id|\$comment|title|description|examples|deprecated|readOnly|writeOnly|content[A-Z]\w+|x-.*)$/s;

/**
 * `compile` of `barewire/schema` (checked.ts), after the check of its options. A client loads this file at its first
 * output schema, so it shares no module with the files that are loaded before.
 */
export function compile<T = unknown>(schema: JsonSchema, options: CompileOptions = {}): Validate<T> {
  return createValidator(schema, (reader) => smallDialect(reader, schema), options);
}

function smallDialect({ read, nodeOf }: Reader, root: JsonSchema): Language {
  let draft7 = false;
  // With an `$id`, an address may refer to this very schema. Without one, every address refers to another schema.
  let addressed = false;

  function refuse(keyword: string, path: string, code: 'keyword' | 'reference' = 'keyword'): never {
    throw new SchemaError(
      code, path,
      `${JSON.stringify(keyword.slice(0, 100))} is not in the small dialect: an argument belongs in "properties"; for other keywords give compile of barewire/schema/full as "validator"`,
    );
  }

  return {
    root: () => read(root, '#', undefined, 0),
    names(raw, { path }) {
      const { $schema, $id, $ref } = raw;
      if (path === '#' && $schema !== undefined) {
        const [, version] = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft-07)\/schema#?$/.exec(String($schema)) ?? [];
        if (!version) refuse(`$schema: ${$schema}`, path);
        draft7 = version === 'draft-07';
      }
      addressed ||= $id !== undefined;
      // It would change the target of `#`.
      if (path !== '#' && $id !== undefined) refuse('$id', path);
      // In draft-07 the keywords next to a $ref are ignored.
      return draft7 && typeof $ref === 'string' ? ['$ref'] : Object.keys(raw);
    },
    kindOf(keyword, { path }) {
      const [kind] = KEYWORDS.find(([, names]) => names.split(' ').includes(keyword)) ?? [];
      // Draft-07 does not have these keywords.
      if (!kind ? !ANNOTATION.test(keyword) : draft7 && /^(prefixItems|\$defs)$/.test(keyword)) refuse(keyword, path);
      return kind;
    },
    find(reference, from) {
      if (reference !== '#' && !reference.startsWith('#/')) {
        refuse(`$ref: ${reference}`, from.path, addressed || reference.startsWith('#') ? 'keyword' : 'reference');
      }
      let raw: unknown = root;
      let path = '#';
      for (const token of tokensOf(reference)) {
        path += '/' + escapeToken(token);
        raw = typeof raw === 'object' && raw && Object.hasOwn(raw, token) ? raw[token as never] : undefined;
      }
      if (raw === undefined) throw new SchemaError('reference', from.path, `unresolved reference "${reference}"`);
      return nodeOf(raw) ?? read(raw, path, undefined, 0);
    },
    check: (node, compiler) => keywordCheck(node, node.keywords, compiler),
  };
}
