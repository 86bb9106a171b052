import type { JsonSchema } from 'barewire/schema';
import type { FormModel } from './form-model.ts';
import type { Problems } from './problems.ts';

/** The properties of a field, for one place of a form. */
export interface FieldProps {
  readonly form: FormModel;
  readonly schema: JsonSchema;
  /** The name of the member; '' for the whole value. */
  readonly name: string;
  readonly path: string;
  readonly required: boolean;
  readonly value: unknown;
  /** `undefined` removes the member. */
  readonly onChange: (value: unknown) => void;
  readonly problems: Problems;
  /** Its depth; fields below the form's limit are raw JSON. */
  readonly depth?: number;
  /** Its name is already shown: an object shows only its members. */
  readonly bare?: boolean;
}
