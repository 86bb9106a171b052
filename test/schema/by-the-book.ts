import type { JsonSchema } from '../../src/schema/index.ts';

/** The keywords in the generated schemas. */
interface Rules {
  readonly [keyword: string]: unknown;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minContains?: number;
  maxContains?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema;
  propertyNames?: JsonSchema;
  prefixItems?: JsonSchema[];
  items?: JsonSchema | JsonSchema[];
  additionalItems?: JsonSchema;
  contains?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  not?: JsonSchema;
  if?: JsonSchema;
  then?: JsonSchema;
  else?: JsonSchema;
  dependentSchemas?: Record<string, JsonSchema>;
  dependentRequired?: Record<string, string[]>;
  dependencies?: Record<string, JsonSchema | string[]>;
  unevaluatedProperties?: JsonSchema;
  unevaluatedItems?: JsonSchema;
  $ref?: string;
  $dynamicRef?: string;
}

/** Thrown for a reference that only leads to itself. */
export const endless: RangeError = new RangeError('endless');

/**
 * True if a value is valid, keyword by keyword by the specification: without errors, limits or speed, and with evaluated members
 * recorded as annotations (2020-12 core 7.7.1). It shares no code with `src/schema`.
 * @throws {@link endless}
 */
export function keeps(schema: JsonSchema, value: unknown): boolean {
  const root = schema as Rules;
  const draft7 = String(root['$schema']).includes('draft-07');
  return judge(schema, value, 0).valid;

  function judge(schema: JsonSchema, value: unknown, depth: number): { valid: boolean; seen: Set<string> } {
    const seen = new Set<string>();
    if (typeof schema === 'boolean') return { valid: schema, seen };
    if (depth > 100) throw endless;
    const rules = schema as Rules;
    const { $ref, $dynamicRef } = rules;
    const target = (to: string): JsonSchema => (to === '#' ? root : to.split('/').slice(1).reduce((at, step) => at[step] as Rules, root)) as JsonSchema;
    const sub = (child: JsonSchema, part: unknown): boolean => judge(child, part, depth + 1).valid;
    /** Applies a schema to the same value: if it is valid, its evaluated members count here too. */
    const here = (child: JsonSchema): boolean => {
      const { valid, seen: more } = judge(child, value, depth + 1);
      if (valid) for (const key of more) seen.add(key);
      return valid;
    };
    if (draft7 && $ref !== undefined) return { valid: here(target($ref)), seen };

    const said: boolean[] = [];
    if (rules.type !== undefined) said.push([rules.type].flat().some((type) => isOf(type, value)));
    if (rules.enum) said.push(rules.enum.some((one) => text(one) === text(value)));
    if ('const' in rules) said.push(text(rules.const) === text(value));
    if (typeof value === 'number') {
      const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = rules;
      said.push(value >= minimum, value <= maximum, value > exclusiveMinimum, value < exclusiveMaximum);
      if (rules.multipleOf !== undefined) said.push(value % rules.multipleOf === 0);
    }
    if (typeof value === 'string') {
      said.push(between([...value].length, rules.minLength, rules.maxLength));
      if (rules.pattern !== undefined) said.push(new RegExp(rules.pattern, 'u').test(value));
    }
    if ($ref !== undefined) said.push(here(target($ref)));
    if ($dynamicRef !== undefined) said.push(here(target($dynamicRef)));
    said.push(...(rules.allOf ?? []).map(here));
    if (rules.anyOf) said.push(rules.anyOf.map(here).includes(true));
    if (rules.oneOf) said.push(rules.oneOf.map(here).filter((kept) => kept).length === 1);
    if (rules.not !== undefined) said.push(!sub(rules.not, value));
    if (rules.if !== undefined) said.push(here(here(rules.if) ? rules.then ?? true : rules.else ?? true));
    if (Array.isArray(value)) said.push(...ofArray(rules, value, seen, sub));
    else if (typeof value === 'object' && value) said.push(...ofObject(rules, value as Record<string, unknown>, seen, sub, here));
    return { valid: !said.includes(false), seen };
  }

  function ofArray(rules: Rules, value: unknown[], seen: Set<string>, sub: (child: JsonSchema, part: unknown) => boolean): boolean[] {
    const listed = Array.isArray(rules.items);
    const prefix = (listed ? rules.items : rules.prefixItems) as JsonSchema[] | undefined ?? [];
    const rest = (listed ? rules.additionalItems : rules.items) as JsonSchema | undefined;
    const said = [between(value.length, rules.minItems, rules.maxItems)];
    value.forEach((item, i) => {
      const child = prefix[i] ?? rest;
      if (child === undefined) return;
      seen.add(String(i));
      said.push(sub(child, item));
    });
    if (rules.contains !== undefined) {
      const fits = value.map((item) => sub(rules.contains as JsonSchema, item));
      fits.forEach((fit, i) => fit && seen.add(String(i)));
      said.push(between(fits.filter((fit) => fit).length, rules.minContains ?? 1, rules.maxContains));
    }
    if (rules.uniqueItems) said.push(new Set(value.map(text)).size === value.length);
    return said.concat(others(rules.unevaluatedItems, value, seen, sub));
  }

  function ofObject(
    rules: Rules, value: Record<string, unknown>, seen: Set<string>,
    sub: (child: JsonSchema, part: unknown) => boolean, here: (child: JsonSchema) => boolean,
  ): boolean[] {
    const keys = Object.keys(value);
    const has = (key: string): boolean => keys.includes(key);
    const said = [between(keys.length, rules.minProperties, rules.maxProperties), ...(rules.required ?? []).map(has)];
    for (const key of keys) {
      const children = Object.entries(rules.patternProperties ?? {}).filter(([pattern]) => new RegExp(pattern, 'u').test(key)).map(([, child]) => child);
      if (rules.properties && Object.hasOwn(rules.properties, key)) children.push(rules.properties[key] as JsonSchema);
      if (children.length === 0 && rules.additionalProperties !== undefined) children.push(rules.additionalProperties);
      if (children.length > 0) seen.add(key);
      said.push(...children.map((child) => sub(child, value[key])));
      if (rules.propertyNames !== undefined) said.push(sub(rules.propertyNames, key));
    }
    for (const depends of [rules.dependentRequired, rules.dependentSchemas, rules.dependencies]) {
      for (const [key, needed] of Object.entries<JsonSchema | string[]>(depends ?? {})) {
        if (has(key)) said.push(Array.isArray(needed) ? needed.every(has) : here(needed));
      }
    }
    return said.concat(others(rules.unevaluatedProperties, value, seen, sub));
  }

  function others(child: JsonSchema | undefined, value: object, seen: Set<string>, sub: (child: JsonSchema, part: unknown) => boolean): boolean[] {
    if (child === undefined) return [];
    const left = Object.entries(value).filter(([key]) => !seen.has(key));
    for (const key of Object.keys(value)) seen.add(key);
    return left.map(([, part]) => sub(child, part));
  }
}

const between = (length: number, least = 0, most = Infinity): boolean => length >= least && length <= most;

/** A text that is the same only for equal values. */
function text(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(text).join()}]`;
  if (typeof value !== 'object' || !value) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}:${text(part)}`).sort().join()}}`;
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && value !== null && !Array.isArray(value);
}
