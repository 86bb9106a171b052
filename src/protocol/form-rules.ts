// Which elicitation forms a revision allows, and how a newer form is converted for an older revision. Source:
// client/elicitation, "Requested Schema", and schema.ts (PrimitiveSchemaDefinition) of 2025-06-18, 2025-11-25 and
// 2026-07-28. If the page and schema.ts differ, schema.ts decides: `pattern`, which only the 2025-11-25 page shows,
// is refused; running a peer's regular expression would also be unsafe.
import { isObject } from '../jsonrpc/message.ts';
import { cut, errorOf, formSchema, isText, optionsOf } from './form.ts';
import type { Unknowns } from './form.ts';
import type {
  Form, PrimitiveSchemaDefinition, RequestedSchema, TitledSingleSelectEnumSchema,
} from './form-schema.ts';
import { formFormats } from './form-formats.ts';

/** The form features of one revision. */
export interface FormRules {
  /**
   * Titled options (`oneOf`), multiple choice (`array`), defaults for all types (before, only for booleans), and
   * `$schema`. All were added in 2025-11-25, and are unchanged in 2026-07-28.
   */
  readonly richForms?: boolean;
}

/** A rule that a form breaks. `property` is the name of the property, or '' for the form itself. */
export interface FormFault {
  readonly property: string;
  readonly rule: string;
}
// The keywords of each type of property, in addition to the common keywords.
const kinds: Readonly<Record<string, string>> = {
  string: ' minLength maxLength format',
  number: ' minimum maximum',
  integer: ' minimum maximum',
  boolean: '',
  array: ' minItems maxItems items',
};
// The keywords of `kinds` that bound a value from both sides.
const bounds = [['minLength', 'maxLength'], ['minimum', 'maximum'], ['minItems', 'maxItems']] as const;
// The allowed values of each keyword, written as form fields, so that `errorOf` checks both forms and answers.
const text: Unknowns = { type: 'string' };
const count: Unknowns = { type: 'integer', minimum: 0 };
const number: Unknowns = { type: 'number' };
const texts: Unknowns = { type: 'array', minItems: 1 };
let keywords: Unknowns | undefined;
// Created at the first call, because importing a module must have no effect.
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
  for (const [least, most] of bounds)
    if ((field[least] as number) > (field[most] as number)) return `${least} is above ${most}`;
  if (!('default' in field)) return undefined;
  const wrong = errorOf(field, field.default) ?? (rich || type === 'boolean' ? undefined : newer);
  return wrong && `default ${wrong}`;
}

/**
 * Checks strictly whether a revision allows a form, whole or short. A keyword that the revision's schema.ts lacks is a
 * fault, and so is a field without a valid answer (no options, a minimum above its maximum, a default that breaks the
 * rules of its field). Returns at most one fault for each property and 20 in total; an empty list means that the form
 * is allowed. A form has at most 100 properties.
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
 * Converts a form for a revision, or returns the faults that prevent this. For a revision without rich forms, titled
 * options become `enum` with `enumNames`; an unsupported default is appended to the description (`completeForm`, given
 * the original form, still applies it); `$schema` is removed. Multiple choice cannot be converted and is a fault.
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
