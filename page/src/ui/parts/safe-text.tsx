// Text of others on the screen: as text, with nothing in it that is hidden or turns its direction, and only so much at once.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { head, visible, visiblePieces } from 'barewire/explain';
import { save } from './save.ts';
import { Scroller } from './scroller.tsx';

/** How much is drawn at first, and with each press of the button. */
const PIECE = 20_000;

/** A short text of others on one line: names, titles, sentences. */
export function Safe({ text, most = 300 }: { readonly text: string; readonly most?: number }): JSX.Element {
  const cut = text.length > most ? `${head(text, most)}…` : text;
  return <bdi>{visible(cut)}</bdi>;
}

/**
 * A long text of others. What is too long is drawn in pieces, as the person asks for them. `end` stands behind the whole of it.
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

// Marks of their own are for the few: a text that is full of them is one text again, with the same escapes.
const MAX_MARKS = 500;

function readable(text: string): string | (string | JSX.Element)[] {
  // Line ends and tabs are layout; all else that hides is shown as an escape.
  const parts = visiblePieces(text, '\n\t');
  if (parts.length > MAX_MARKS * 2) return parts.join('');
  return parts.map((part, at) => (at % 2 === 0 ? part : <span class="escape" key={at}>{part}</span>));
}
