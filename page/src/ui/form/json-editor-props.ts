import type { ReadonlySignal } from '@preact/signals';

/** What the editor of a whole value is given. */
export interface JsonEditorProps {
  readonly text: ReadonlySignal<string | undefined>;
  readonly label: string;
  readonly invalid: boolean;
  /** Why it is invalid; ''. */
  readonly fault: string;
  readonly onInput: (text: string) => void;
}
