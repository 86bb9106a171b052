/**
 * A schema that cannot be used. `code` says why: `schema` (malformed), `keyword` (not in the small dialect), `dialect`
 * (unknown `$schema` or vocabulary), `reference` (a `$ref` that leads nowhere), `pattern` (malformed, or too long),
 * `limit` (a bound named in the message).
 */
export class SchemaError extends Error {
  readonly code: 'schema' | 'keyword' | 'dialect' | 'reference' | 'pattern' | 'limit';
  /** Where in the schema: address and JSON Pointer. */
  readonly path: string;

  constructor(code: SchemaError['code'], path: string, message: string) {
    super(`${path}: ${message}`);
    this.name = 'SchemaError';
    this.code = code;
    this.path = path;
  }
}
