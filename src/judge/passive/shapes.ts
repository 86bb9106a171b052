import { isObject } from '../../jsonrpc/internal-exports.ts';

// Small checks of forms. Each returns the first fault as text, with its place, or undefined.

export type ShapeCheck = (value: unknown, at: string) => string | undefined;

export const text: ShapeCheck = (value, at) => (typeof value === 'string' ? undefined : `${at} is not a string`);
export const number: ShapeCheck = (value, at) => (typeof value === 'number' ? undefined : `${at} is not a number`);
export const flag: ShapeCheck = (value, at) => (typeof value === 'boolean' ? undefined : `${at} is not a boolean`);
export const anything: ShapeCheck = (value, at) => (value === undefined ? `${at} is missing` : undefined);

export const oneOf = (...words: readonly string[]): ShapeCheck => (value, at) => (words.includes(value as string) ? undefined : `${at} is not one of ${words.join(', ')}`);

export const list = (of: ShapeCheck): ShapeCheck => (value, at) => {
  if (!Array.isArray(value)) return `${at} is not a list`;
  for (const [i, one] of value.entries()) {
    const fault = of(one, `${at}[${i}]`);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

/** An object with these members; a name that ends with `?` may be missing. Further members are allowed. */
export const object = (members: Readonly<Record<string, ShapeCheck>> = {}): ShapeCheck => (value, at) => {
  if (!isObject(value)) return `${at} is not an object`;
  for (const [key, check] of Object.entries(members)) {
    const name = key.replace('?', '');
    if (value[name] === undefined) {
      if (key === name) return `${at}.${name} is missing`;
      continue;
    }
    const fault = check(value[name], `${at}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
};
