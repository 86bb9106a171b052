/**
 * A schema that cannot be used. `code` says why: `schema` (malformed), `keyword` (not in the small dialect),
 * `dialect` (unknown `$schema` or vocabulary), `reference` (an unresolved `$ref`), `pattern` (malformed, or too
 * long), `limit` (a limit that the message names).
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
