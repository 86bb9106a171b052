// Sends a text unchanged, even if it is malformed, to test the reaction.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { isJson, oneLine } from '../../json/layout.ts';
import { useState } from '../context.ts';

const example = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

export function Sender({ server, text = example, onDone }: { readonly server: string; readonly text?: string; readonly onDone: () => void }): JSX.Element {
  const state = useState();
  const typed = useSignal(text);
  const direction = useSignal<'sent' | 'received'>('sent');
  const send = async (): Promise<void> => {
    // The editor may show several lines, but on stdio a message is one line.
    const given = isJson(typed.value) ? oneLine(typed.value) : typed.value;
    const done = await state.run('wire.inject', { server, text: given, direction: direction.value });
    if (!done) return;
    if (done.seq !== null) state.wire.select(done.seq);
    // The answer appears at the end of the list.
    state.wire.following.value = true;
  };
  return (
    <form class="sender" onSubmit={(event) => { event.preventDefault(); void send(); }}>
      <label class="field">To <b>{server}</b>, unchanged
        <textarea class="code" rows={5} spellcheck={false} value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }} />
      </label>
      <div class="row wrap">
        <select aria-label="The sender of the message" value={direction.value} onChange={(event) => { direction.value = event.currentTarget.value as 'sent' | 'received'; }}>
          <option value="sent">from the client</option><option value="received">as if from the server</option>
        </select>
        <span class="hint">Ids are made to begin with <code>page-</code>.</span>
        <span class="spring" />
        <button type="button" class="small" onClick={onDone}>Close</button>
        <button type="submit" class="primary">Send</button>
      </div>
    </form>
  );
}
