import type { JSX } from 'preact';
import { Safe } from '../parts/safe-text.tsx';

/** The faults of a field. The live region stays in the page while it is empty, so that screen readers announce new text. */
export function Sentences({ id, sentences }: { readonly id: string; readonly sentences: readonly string[] }): JSX.Element {
  return (
    <div class="problems" {...id && { id }} aria-live="polite">
      {sentences.map((one, at) => <p key={at}><Safe text={one} /></p>)}
    </div>
  );
}
