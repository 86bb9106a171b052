// The schemas that a form may hold, with the names of schema.ts. One set of types serves all revisions and both roles:
// the form that an author writes, `requestedSchema` on the wire, and the form that a client's handler receives.
import type { FormFormat } from './form-formats.ts';

/** The members that every property of a form may carry. */
interface Labels {
  /** The label shown instead of the property's name. */
  readonly title?: string | undefined;
  /** The explanation shown with the title. */
  readonly description?: string | undefined;
}

/** Free text. Lengths count Unicode code points. */
export interface StringSchema extends Labels {
  readonly type: 'string';
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly format?: FormFormat | undefined;
  /** Since 2025-11-25. */
  readonly default?: string | undefined;
  // Without these two, options that are not strings would be accepted as unknown keywords of free text.
  readonly enum?: never;
  readonly oneOf?: never;
}

/** A number; `integer` takes only whole numbers. Both bounds are inclusive. */
export interface NumberSchema extends Labels {
  readonly type: 'number' | 'integer';
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** Since 2025-11-25. */
  readonly default?: number | undefined;
}

/** A yes or no. */
export interface BooleanSchema extends Labels {
  readonly type: 'boolean';
  readonly default?: boolean | undefined;
}

/** One of several strings. */
export interface UntitledSingleSelectEnumSchema extends Labels {
  readonly type: 'string';
  readonly enum: readonly string[];
  /** Since 2025-11-25. */
  readonly default?: string | undefined;
}

/** One of several strings, titled by `enumNames`; since 2025-11-25 see TitledSingleSelectEnumSchema. */
export interface LegacyTitledEnumSchema extends UntitledSingleSelectEnumSchema {
  /** The labels shown for the values of `enum`, in the same order. */
  readonly enumNames?: readonly string[] | undefined;
}

/** An option and its title for people. */
export interface TitledOption {
  readonly const: string;
  readonly title: string;
}

/** One of several titled strings. Since 2025-11-25. */
export interface TitledSingleSelectEnumSchema extends Labels {
  readonly type: 'string';
  readonly oneOf: readonly TitledOption[];
  readonly default?: string | undefined;
}

/** One of several strings, titled or not. */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

interface MultiSelect extends Labels {
  readonly type: 'array';
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly default?: readonly string[] | undefined;
}

/** A selection of several strings, each at most once. Since 2025-11-25. */
export interface UntitledMultiSelectEnumSchema extends MultiSelect {
  readonly items: { readonly type: 'string'; readonly enum: readonly string[] };
}

/** A selection of several titled strings, each at most once. Since 2025-11-25. */
export interface TitledMultiSelectEnumSchema extends MultiSelect {
  readonly items: { readonly anyOf: readonly TitledOption[] };
}

/** A selection of several strings, titled or not. */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/** A single or multiple choice. */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

/** One property of a form: the only schemas that a form may hold. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** The properties of a form, by name. */
export interface FormProperties {
  readonly [name: string]: PrimitiveSchemaDefinition;
}

/** The whole form, as it travels in `requestedSchema`. */
export interface RequestedSchema {
  /** Since 2025-11-25. */
  readonly $schema?: string | undefined;
  readonly type: 'object';
  readonly properties: FormProperties;
  readonly required?: readonly string[] | undefined;
}

/**
 * A form, written as a whole schema or only as its properties; then each property without a default is required. If
 * `type` is a string, it is a whole schema, and `type` is not a property.
 */
export type Form = RequestedSchema | FormProperties;
