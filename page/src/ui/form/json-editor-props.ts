import type { ReadonlySignal } from '@preact/signals';

/** The properties of the editor for a whole value. */
export interface JsonEditorProps {
  readonly text: ReadonlySignal<string | undefined>;
  readonly label: string;
  readonly invalid: boolean;
  /** Why it is invalid; '' if it is valid. */
  readonly fault: string;
  readonly onInput: (text: string) => void;
}
