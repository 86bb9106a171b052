// Which elicitation forms a revision allows, and how a newer form is written for an older revision. Source:
// client/elicitation, "Requested Schema", and schema.ts (PrimitiveSchemaDefinition) of 2025-06-18, 2025-11-25 and
// 2026-07-28. Where the page and schema.ts differ, schema.ts decides: `pattern`, which only the 2025-11-25 page shows,
// is refused; running a peer's regular expression would also be unsafe.
import { isObject } from '../jsonrpc/codec.ts';
import { cut, errorOf, formSchema, isText, optionsOf } from './form.ts';
import type { Unknowns } from './form.ts';
import type {
  Form, PrimitiveSchemaDefinition, RequestedSchema, TitledSingleSelectEnumSchema,
} from './form-schema.ts';
import { formFormats } from './form-formats.ts';

/** What one revision allows in a form. */
export interface FormRules {
  /**
   * Titled options (`oneOf`), multiple choice (`array`), defaults for all types (before, only for booleans), and
   * `$schema`. All came in 2025-11-25, and 2026-07-28 did not change them.
   */
  readonly richForms?: boolean;
}

/** A rule that a form breaks. `property` is the name of the property, or '' for the form itself. */
export interface FormFault {
  readonly property: string;
  readonly rule: string;
}
// The keywords of each kind of property, beside those that all properties have.
const kinds: Readonly<Record<string, string>> = {
  string: ' minLength maxLength format',
  number: ' minimum maximum',
  integer: ' minimum maximum',
  boolean: '',
  array: ' minItems maxItems items',
};
// What each keyword may hold, written as a field, so that one function checks both forms and answers.
const text: Unknowns = { type: 'string' };
const count: Unknowns = { type: 'integer', minimum: 0 };
const number: Unknowns = { type: 'number' };
const texts: Unknowns = { type: 'array', minItems: 1 };
let keywords: Unknowns | undefined;
// Made at the first use, since importing a module does nothing.
const ruleOf = (key: string): unknown =>
  (keywords ??= {
    type: { ...text, enum: Object.keys(kinds) },
    title: text,
    description: text,
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    minimum: number,
    maximum: number,
    format: { ...text, enum: Object.keys(formFormats) },
    enum: texts,
  })[key];
const newer = 'needs revision 2025-11-25';

// The first rule that one property breaks, or undefined.
function faultOf(field: unknown, rich: boolean): string | undefined {
  if (!isObject(field)) return 'must be an object';
  const { type, items, enumNames } = field;
  const isList = type === 'array';
  const select =
    type !== 'string' ? '' : 'enum' in field ? ' enum enumNames' : 'oneOf' in field ? ' oneOf' : '';
  const known = `type title description default${select || (isText(type) ? kinds[type] : '')}`.split(' ');
  for (const key of ['type', ...Object.keys(field)]) {
    const rule = ruleOf(key);
    const error = !known.includes(key)
      ? `is not a keyword of ${type}${select}`
      : isObject(rule)
        ? errorOf(rule, field[key])
        : undefined;
    if (error) return cut(`${key} ${error}`);
  }
  if (!rich && (isList || select === ' oneOf')) return `${select || type} ${newer}`.trim();
  if (isList && !(isObject(items) && (items.type === 'string') === 'enum' in items))
    return 'items must be { type: "string", enum } or { anyOf }';
  const options = optionsOf(field);
  const error = (isList || select) && errorOf(texts, options);
  if (error) return `choice ${error}`;
  if (
    enumNames &&
    !(Array.isArray(enumNames) && enumNames.every(isText) && enumNames.length === options?.length)
  )
    return 'enumNames must name each value of enum';
  for (const key of Object.keys(field)) {
    const most = key.startsWith('min') && `max${key.slice(3)}`;
    if (most && (field[key] as number) > (field[most] as number)) return `${key} is above ${most}`;
  }
  if (!('default' in field)) return undefined;
  const wrong = errorOf(field, field.default) ?? (rich || type === 'boolean' ? undefined : newer);
  return wrong && `default ${wrong}`;
}

/**
 * Checks strictly whether a form, whole or short, is allowed in a revision. A keyword that the revision's schema.ts
 * lacks is a fault, and so is a field that nobody could answer (no options, a minimum above its maximum, a default
 * that breaks its own rules). At most one fault for each property and 20 in all; an empty list means that the form is
 * allowed. A form has at most 100 properties.
 */
export function judgeForm(form: unknown, { richForms }: FormRules): FormFault[] {
  const faults: FormFault[] = [];
  const fault = (property: string, rule: string | undefined): unknown =>
    rule && faults.length < 20 && faults.push({ property: cut(property), rule });
  const whole: Unknowns = isObject(form) ? { ...formSchema(form as Form) } : {};
  const { type, properties, required = [], $schema = '', ...rest } = whole;
  if (type !== 'object' || !isObject(properties)) fault('', 'must be { type: "object", properties }');
  if (!isText($schema) || ($schema && !richForms)) fault('', `$schema ${newer}`);
  for (const key of Object.keys(rest)) fault('', `${cut(key)} is not a keyword of a form`);
  const fields = Object.entries(isObject(properties) ? properties : {});
  if (fields.length > 100) fault('', 'must have at most 100 properties');
  // `__proto__` would set a prototype in code that copies the content.
  else
    for (const [name, field] of fields)
      fault(name, name === '__proto__' ? 'must have another name' : faultOf(field, richForms === true));
  if (!Array.isArray(required) || !required.every(isText)) fault('', 'required must be a list of strings');
  else
    for (const name of required)
      if (!isObject(properties) || !Object.hasOwn(properties, name))
        fault(name, 'is required but not a property');
  return faults;
}

/**
 * The form as a revision can express it, or the faults for which it cannot be sent. For a revision without rich
 * forms, titled options become `enum` with `enumNames`; a default that cannot be sent is written into the description
 * (`completeForm`, given the original form, still applies it); `$schema` is left out. Multiple choice has no older
 * form and stays a fault.
 */
export function formFor(
  form: unknown,
  { richForms }: FormRules,
): { schema: RequestedSchema } | { faults: FormFault[] } {
  const faults = judgeForm(form, { richForms: true });
  if (richForms) return faults.length ? { faults } : { schema: formSchema(form as Form) };
  const { $schema: _, ...whole } = formSchema(Object(form) as Form);
  const properties: [string, PrimitiveSchemaDefinition][] = [];
  for (const [name, field] of faults.length ? [] : Object.entries(whole.properties)) {
    const { oneOf, default: lost, ...older } = field as Partial<TitledSingleSelectEnumSchema>;
    if (field.type === 'array') faults.push({ property: name, rule: `array ${newer}` });
    const plain = {
      ...older,
      ...(oneOf && {
        enum: oneOf.map((option) => option.const),
        enumNames: oneOf.map((option) => option.title),
      }),
      ...(lost !== undefined && { description: `${older.description ?? ''} (default: ${lost})`.trim() }),
    };
    properties.push([name, field.type === 'boolean' ? field : (plain as PrimitiveSchemaDefinition)]);
  }
  return faults.length ? { faults } : { schema: { ...whole, properties: Object.fromEntries(properties) } };
}
