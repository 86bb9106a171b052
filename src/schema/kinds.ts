/** The kind of a keyword's value: subschemas in some arrangement, or a value that is checked as a whole. */
export type KeywordKind = 'a schema' | 'a list of schemas' | 'items' | 'an object' | 'dependencies' | ValueKind;

/** The kinds that are not subschemas. */
export type ValueKind =
  | 'any value'
  | 'a string'
  | 'a boolean'
  | 'a list'
  | 'a list of strings'
  | 'a type'
  | 'a number'
  | 'a number above 0'
  | 'a whole number from 0';

/** Whether a value is of a kind. Errors use the name of the kind. */
export function isOfKind(kind: ValueKind, value: unknown): boolean {
  switch (kind) {
    case 'a list':
      return Array.isArray(value);
    case 'a list of strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'a type':
      return [value].flat().every((type) =>
        typeof type === 'string' && /^(null|boolean|object|array|number|integer|string)$/.test(type));
    case 'a number':
      return Number.isFinite(value);
    case 'a number above 0':
      return Number.isFinite(value) && (value as number) > 0;
    case 'a whole number from 0':
      return Number.isInteger(value) && (value as number) >= 0;
    default:
      return kind === 'any value' || kind === `a ${typeof value}`;
  }
}
