// Shows foreign text safely: as plain text, with hidden characters visible, isolated in its direction, and limited in length.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { head, visible, visiblePieces } from 'barewire/explain';
import { save } from './save.ts';
import { Scroller } from './scroller.tsx';

/** Characters that are rendered at first; each press of the button adds five times as many. */
const PIECE = 20_000;

/** A short foreign text on one line: a name, a title, a sentence. */
export function Safe({ text, most = 300 }: { readonly text: string; readonly most?: number }): JSX.Element {
  const cut = text.length > most ? `${head(text, most)}…` : text;
  return <bdi>{visible(cut)}</bdi>;
}

/**
 * A long foreign text. The person can request further pieces of it. `end` is rendered after the last piece.
 */
export function SafeText({ text, class: name = '', label = 'Text', end: behind }: {
  readonly text: string; readonly class?: string; readonly label?: string; readonly end?: JSX.Element;
}): JSX.Element {
  const end = useSignal(PIECE);
  const rest = text.length - end.value;
  return (
    <Scroller class={`text ${name}`} label={label}>
      <pre dir="auto">{readable(head(text, end.value))}</pre>
      {rest <= 0 && behind}
      {rest > 0 && (
        <p class="row wrap">
          <span class="dim">{rest.toLocaleString('en')} characters more</span>
          <button type="button" onClick={() => { end.value += PIECE * 5; }}>Show more</button>
          <button type="button" onClick={() => save('text.txt', text)}>Save whole</button>
        </p>
      )}
    </Scroller>
  );
}

// A text with many escapes is rendered as one string, because an element for each would be too slow.
const MAX_MARKS = 500;

function readable(text: string): string | (string | JSX.Element)[] {
  // Line ends and tabs stay as layout; other hidden characters become escapes.
  const parts = visiblePieces(text, '\n\t');
  if (parts.length > MAX_MARKS * 2) return parts.join('');
  return parts.map((part, at) => (at % 2 === 0 ? part : <span class="escape" key={at}>{part}</span>));
}
