// Text of others on the screen: as text, with nothing in it that is hidden or turns its direction, and only so much at once.
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { visible } from 'barewire/explain';
import { save } from './save.ts';

// Line ends and tabs are layout; all else that `visible` replaces is shown as an escape.
const hidden = /((?![\u200c\u200d\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+)/u;

/** How much is drawn at first, and with each press of the button. */
const PIECE = 20_000;

/** A short text of others on one line: names, titles, sentences. */
export function Safe({ text, most = 300 }: { readonly text: string; readonly most?: number }): JSX.Element {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return <bdi>{visible(cut)}</bdi>;
}

/** A long text of others. What is too long is drawn in pieces, as the person asks for them. */
export function SafeText({ text, class: name = '' }: { readonly text: string; readonly class?: string }): JSX.Element {
  const end = useSignal(PIECE);
  const rest = text.length - end.value;
  return (
    <div class={`text ${name}`}>
      <pre dir="auto">{readable(rest > 0 ? text.slice(0, end.value) : text)}</pre>
      {rest > 0 && (
        <p class="row">
          <span class="dim">{rest.toLocaleString('en')} characters more</span>
          <button type="button" onClick={() => { end.value += PIECE * 5; }}>Show more</button>
          <button type="button" onClick={() => save('text.txt', text)}>Save whole</button>
        </p>
      )}
    </div>
  );
}

// Marks of their own are for the few: a text that is full of them is one text again, with the same escapes.
const MAX_MARKS = 500;

function readable(text: string): string | (string | JSX.Element)[] {
  const parts = text.split(hidden);
  if (parts.length > MAX_MARKS * 2) return parts.map((part, at) => (at % 2 === 0 ? part : visible(part))).join('');
  return parts.map((part, at) => (at % 2 === 0 ? part : <span class="escape" key={at}>{visible(part)}</span>));
}
