import type { JsonSchema } from 'barewire/schema';
import type { FormModel } from './form-model.ts';
import type { Problems } from './problems.ts';

/** What a place of a form is given. */
export interface FieldProps {
  readonly form: FormModel;
  readonly schema: JsonSchema;
  /** The name of the member; '' for the whole. */
  readonly name: string;
  readonly path: string;
  readonly required: boolean;
  readonly value: unknown;
  /** Undefined takes the member away. */
  readonly onChange: (value: unknown) => void;
  readonly problems: Problems;
  /** How deep it stands; deeper than the form goes it is raw JSON. */
  readonly depth?: number;
  /** Its name is said already: an object shows its members alone. */
  readonly bare?: boolean;
}
