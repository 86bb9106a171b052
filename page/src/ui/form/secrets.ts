// Finds fields that only the person should read. This is a heuristic: it uses schema keywords and member names.
import type { JsonSchema } from 'barewire/schema';
import { isMembers, resolve } from './shape.ts';
import type { Members } from './shape.ts';

const secretName = /pass(?:word|wd|phrase|code)?$|secret|token$|api[-_]?key|credential|private[-_]?key|^pin$|^authorization$/i;

/** Whether a field is masked: `format: password`, `writeOnly`, or a name that suggests a secret. */
export const isSecret = (own: Members, name: string): boolean =>
  own.format === 'password' || own.writeOnly === true || secretName.test(name);

const maxDepth = 12;

/** A copy of a value without the masked members, for drafts, links and saved calls. */
export function withoutSecrets(value: unknown, schema: JsonSchema, root: JsonSchema, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > maxDepth) return Array.isArray(value) ? [] : {};
  const own = resolve(schema, root);
  if (Array.isArray(value)) {
    const first = Array.isArray(own.prefixItems) ? own.prefixItems as readonly unknown[] : [];
    return value.map((one: unknown, at) => withoutSecrets(one, asSchema(first[at] ?? own.items), root, depth + 1));
  }
  // In a union a member is masked if any alternative masks it.
  const alternatives = [own, ...[own.oneOf, own.anyOf].flatMap((all) => (Array.isArray(all) ? all as readonly unknown[] : [])).filter(isMembers).map((one) => resolve(one as JsonSchema, root))];
  const kept = Object.entries(value).flatMap(([name, one]: [string, unknown]): readonly (readonly [string, unknown])[] => {
    const schemas = alternatives.map(({ properties, additionalProperties }) => (isMembers(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties)).filter(isMembers);
    if ([...schemas.map((found) => resolve(found as JsonSchema, root)), {}].some((found) => isSecret(found, name))) return [];
    return [[name, withoutSecrets(one, asSchema(schemas[0]), root, depth + 1)]];
  });
  return Object.fromEntries(kept);
}

const asSchema = (value: unknown): JsonSchema => (isMembers(value) ? value as JsonSchema : true);
