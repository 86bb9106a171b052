import { isObject } from '../jsonrpc/internal-exports.ts';
import type { Bag } from '../jsonrpc/index.ts';
import type { ArgumentSource } from './argument-source.ts';
import { WrongUse } from './exit-codes.ts';

/**
 * Parses tool arguments: `key=value`, `key:=JSON`, `nested.key=value`, or one JSON object. The property's schema decides
 * the type of a value: a string property takes it as text, others take it as JSON if it is JSON. `@FILE` or `-` in place
 * of an object or value reads a file or stdin (`key=@-`); `@@` stands for a literal @.
 */
export function readArguments(words: readonly string[], schema: Readonly<Record<string, unknown>>, source: ArgumentSource): Bag {
  // defineProperty calls no setter, so the name `__proto__` is safe.
  const args: Bag = {};
  for (const word of words) {
    if (isWholeObject(word)) {
      const value = parse(word.startsWith('@') ? source(word.slice(1)) : word === '-' ? source('-') : word);
      if (!isObject(value)) throw new WrongUse(`${word} is not a JSON object`);
      for (const [name, one] of Object.entries(value)) put(args, [name], one);
      continue;
    }
    const [, name, json, written] = /^([^=:]+(?::[^=:]+)*)(:?)=(.*)$/s.exec(word) ?? [];
    if (name === undefined || written === undefined) throw new WrongUse(`${word}: an argument is key=value, key:=JSON, or a JSON object`);
    const text = written.startsWith('@@') ? written.slice(1) : written.startsWith('@') ? source(written.slice(1)) : written;
    const path = Object.hasOwn(propertiesOf(schema), name) ? [name] : name.split('.');
    if (json === ':') {
      const value = parse(text);
      if (value === undefined) throw new WrongUse(`${name}: ${written} is not JSON`);
      put(args, path, value);
    } else put(args, path, coerce(text, typesAt(schema, path)));
  }
  return args;
}

/** Whether a word holds all arguments: a JSON object, a file or stdin. */
export const isWholeObject = (word: string): boolean => /^(?:\s*\{|@|-$)/.test(word);

function put(target: Bag, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  let next = value;
  if (rest.length > 0) {
    const inner = Object.hasOwn(target, name) ? target[name] : undefined;
    const nested: Bag = isObject(inner) ? inner : {};
    put(nested, rest, value);
    next = nested;
  }
  Object.defineProperty(target, name, { value: next, writable: true, enumerable: true, configurable: true });
}

function propertiesOf(schema: unknown): Bag {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? properties : {};
}

/** The types that a property may have; empty if every type is allowed. */
function typesAt(schema: unknown, path: readonly string[]): readonly unknown[] {
  let at: unknown = schema;
  for (const name of path) {
    const properties = propertiesOf(at);
    at = Object.hasOwn(properties, name) ? properties[name] : undefined;
  }
  if (!isObject(at)) return [];
  const { type, anyOf, oneOf, enum: choices } = at;
  if (type !== undefined) return Array.isArray(type) ? type as unknown[] : [type];
  if (Array.isArray(choices)) return [...new Set(choices.map((one: unknown) => typeof one))];
  const branches = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return branches.flatMap((branch: unknown) => (isObject(branch) ? [branch['type']].flat() : []));
}

function coerce(text: string, types: readonly unknown[]): unknown {
  if (types.length > 0 && types.every((type) => type === 'string')) return text;
  const value = parse(text);
  if (value === undefined) return text;
  // If the schema allows strings, the text is parsed only if it also allows the parsed type.
  const fits = (type: unknown): boolean => type === typeof value || (type === 'integer' && Number.isInteger(value))
    || (type === 'null' && value === null) || (type === 'array' && Array.isArray(value))
    || (type === 'object' && isObject(value));
  return types.length === 0 || types.some(fits) || !types.includes('string') ? value : text;
}

/** The parsed JSON; undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
