import { visible } from '../explain/safe-text.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { shorten } from '../bounds/quote.ts';
import { toolNameCharacters, toolNameLength } from '../judge/listed.ts';
import { uriTemplate } from '../protocol/index.ts';
import { finding } from './finding.ts';
import type { Finding, FindingCode } from './finding.ts';

/** Throws if a value is not a valid JSON Schema: `compile` of barewire/schema/full. */
export type SchemaCheck = (schema: Record<string, unknown>) => unknown;

/** The most names in a finding. */
const maxNamed = 5;
/** The most subschemas that are checked of one schema. */
const maxSubschemas = 2_000;

/** Collects the problems of many items into one finding per code. */
class Gathered {
  readonly #found = new Map<FindingCode, string[]>();
  readonly #noun: string;
  readonly #of: number;

  constructor(noun: string, of: number) {
    this.#noun = noun;
    this.#of = of;
  }

  add(code: FindingCode, name: string, detail: string = ''): void {
    const said = `${visible(shorten(name, 80))}${detail === '' ? '' : ` (${visible(shorten(detail, 160))})`}`;
    const list = this.#found.get(code);
    if (list) list.push(said);
    else this.#found.set(code, [said]);
  }

  findings(): Finding[] {
    return [...this.#found].map(([code, names]) => finding(code,
      `${names.length} of ${this.#of} ${this.#noun}: ${names.slice(0, maxNamed).join(', ')}${names.length > maxNamed ? ', ...' : ''}.`,
      // The rule is about tools only.
      code === 'duplicate-name' && this.#noun !== 'tools' ? { rule: undefined } : {}));
  }
}

const nameOf = (item: unknown, at: number): string => (isObject(item) && typeof item['name'] === 'string' ? item['name'] : `number ${at + 1}`);

/** Checks a server's tools, as it lists them: names, schemas, descriptions, hints. */
export function examineTools(tools: readonly unknown[], check?: SchemaCheck): Finding[] {
  const found = new Gathered('tools', tools.length);
  const seen = new Set<string>();
  tools.forEach((tool, at) => {
    const name = nameOf(tool, at);
    if (!isObject(tool) || typeof tool['name'] !== 'string') return found.add('name-invalid', name, 'it has no name');
    if (seen.has(name)) found.add('duplicate-name', name);
    seen.add(name);
    if (!toolNameLength(name) || !toolNameCharacters(name)) found.add('name-invalid', name);
    else if (name.length > 64 || name.includes('.')) found.add('name-long', name);
    if (typeof tool['description'] !== 'string' || tool['description'].trim() === '') found.add('description-missing', name);
    const { annotations } = tool;
    if (isObject(annotations) && annotations['readOnlyHint'] === true && annotations['destructiveHint'] === true) found.add('annotations-contradict', name, 'readOnlyHint and destructiveHint');
    if (tool['inputSchema'] === undefined) found.add('schema-missing', name, 'inputSchema');
    else examineSchema(tool['inputSchema'], 'inputSchema', name, found, check);
    if (tool['outputSchema'] !== undefined) examineSchema(tool['outputSchema'], 'outputSchema', name, found, check);
  });
  return [...found.findings(), ...tools.length > 40 ? [finding('many-tools', `It offers ${tools.length} tools.`)] : []];
}

function examineSchema(schema: unknown, member: 'inputSchema' | 'outputSchema', name: string, found: Gathered, check: SchemaCheck | undefined): void {
  if (!isObject(schema) || schema['type'] !== 'object') return found.add('schema-not-object', name, `${member} has no type "object"`);
  const combined = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'if'].filter((keyword) => schema[keyword] !== undefined);
  const why = combined.length > 0 ? `${combined.join(', ')} at the top` : rejected(schema);
  // A schema that refers to another document cannot be checked here.
  const elsewhere = why?.includes('$ref') === true;
  try {
    if (!elsewhere) check?.(schema);
  } catch (thrown) {
    return found.add('schema-invalid', name, `${member}: ${errorMessage(thrown)}`);
  }
  if (why !== undefined && (member === 'inputSchema' || elsewhere)) found.add('schema-rejected', name, why);
}

/** Why clients refuse a schema that JSON Schema allows; undefined: they accept it. */
function rejected(schema: Record<string, unknown>): string | undefined {
  const left: (readonly [at: string, schema: unknown])[] = [['', schema]];
  for (let looked = 0; left.length > 0 && looked < maxSubschemas; looked++) {
    const [at, one] = left.pop() ?? ['', undefined];
    if (!isObject(one)) continue;
    const { $ref, type, items, prefixItems, properties } = one;
    if (typeof $ref === 'string' && !$ref.startsWith('#')) return `${at || '/'}: $ref points outside the schema`;
    if (type === 'array' && items === undefined && prefixItems === undefined) return `${at}: an array without items`;
    for (const [key, value] of Object.entries(isObject(properties) ? properties : {})) {
      if (!/^[\w.-]{1,64}$/.test(key)) return `${at}/${key}: property name not allowed`;
      left.push([`${at}/${key}`, value]);
    }
    if (isObject(items)) left.push([`${at}/items`, items]);
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
      const list = one[keyword];
      if (Array.isArray(list)) list.forEach((inner: unknown, i) => left.push([`${at}/${keyword}/${i}`, inner]));
    }
  }
  return undefined;
}

/** Checks a server's resources, as it lists them. */
export function examineResources(resources: readonly unknown[]): Finding[] {
  const found = new Gathered('resources', resources.length);
  const seen = new Set<string>();
  resources.forEach((resource, at) => {
    const uri = isObject(resource) && typeof resource['uri'] === 'string' ? resource['uri'] : undefined;
    if (uri === undefined || !URL.canParse(uri)) return found.add('uri-invalid', uri ?? nameOf(resource, at), uri === undefined ? 'no uri' : 'not an absolute URI');
    if (seen.has(uri)) found.add('duplicate-name', uri);
    seen.add(uri);
  });
  return found.findings();
}

/** Checks a server's resource templates, as it lists them. */
export function examineTemplates(templates: readonly unknown[]): Finding[] {
  const found = new Gathered('templates', templates.length);
  templates.forEach((template, at) => {
    const text = isObject(template) && typeof template['uriTemplate'] === 'string' ? template['uriTemplate'] : undefined;
    if (text === undefined) return found.add('template-invalid', nameOf(template, at), 'no uriTemplate');
    try {
      uriTemplate(text);
    } catch (thrown) {
      found.add('template-invalid', text, errorMessage(thrown));
    }
  });
  return found.findings();
}

/** Checks a server's prompts, as it lists them. */
export function examinePrompts(prompts: readonly unknown[]): Finding[] {
  const found = new Gathered('prompts', prompts.length);
  const seen = new Set<string>();
  prompts.forEach((prompt, at) => {
    const name = nameOf(prompt, at);
    if (!isObject(prompt) || typeof prompt['name'] !== 'string') return found.add('prompt-malformed', name, 'it has no name');
    if (seen.has(name)) found.add('duplicate-name', name);
    seen.add(name);
    const { arguments: wanted = [] } = prompt;
    const whole = Array.isArray(wanted) && wanted.every((one) => isObject(one) && typeof one['name'] === 'string');
    if (!whole) found.add('prompt-malformed', name, 'its arguments are not a list of objects with names');
  });
  return found.findings();
}
