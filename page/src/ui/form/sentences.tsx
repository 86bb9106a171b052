import type { JSX } from 'preact';
import { Safe } from '../parts/safe-text.tsx';

/** What is wrong at a field. The place stays in the page while it is empty, so that what comes into it is read out. */
export function Sentences({ id, sentences }: { readonly id: string; readonly sentences: readonly string[] }): JSX.Element {
  return (
    <div class="problems" {...id && { id }} aria-live="polite">
      {sentences.map((one, at) => <p key={at}><Safe text={one} /></p>)}
    </div>
  );
}
