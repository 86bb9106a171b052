// Step mode: each message is held until the person releases it, unchanged or edited.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { HeldMessage, HoldView } from '../../messages.ts';
import { useState } from '../context.ts';
import { Safe } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';

export function Steps({ hold }: { readonly hold: HoldView }): JSX.Element {
  const state = useState();
  const { server, sent, received, waiting } = hold;
  const [first] = waiting;
  const set = (change: Partial<Pick<HoldView, 'sent' | 'received'>>): void => void state.run('hold.set', { server, sent, received, ...change });
  return (
    <section class="steps-bar" aria-label="Step mode">
      <div class="row wrap">
        <strong>Step mode of <Safe text={server} most={60} /></strong>
        <label><input type="checkbox" checked={sent} onChange={(event) => set({ sent: event.currentTarget.checked })} /> hold sent messages</label>
        <label><input type="checkbox" checked={received} onChange={(event) => set({ received: event.currentTarget.checked })} /> hold received messages</label>
        <span class="spring" />
        <span role="status">{waiting.length === 0 ? 'Nothing is held.' : `${waiting.length} held; timeouts are paused.`}</span>
      </div>
      {first && <Held key={first.held} server={server} held={first} />}
    </section>
  );
}

function Held({ server, held }: { readonly server: string; readonly held: HeldMessage }): JSX.Element {
  const state = useState();
  const text = useSignal(held.text);
  const changed = text.value !== held.text;
  const next = (): void => void state.run('hold.next', { server, direction: held.direction, ...changed && { text: text.value } });
  return (
    <form onSubmit={(event) => { event.preventDefault(); next(); }}>
      <p class="sentence"><span class="arrow" aria-label={held.direction}>{held.direction === 'sent' ? '→' : '←'}</span> <Safe text={held.sentence} most={400} /> {held.section && <Section section={held.section} />}</p>
      <textarea class="code" rows={3} spellcheck={false} aria-label="The message that is held" readOnly={!held.whole} value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} />
      <div class="row">
        {!held.whole && <span class="hint">It is too long to be edited here.</span>}
        <span class="spring" />
        <button type="button" class="small danger" onClick={() => void state.run('hold.drop', { server, direction: held.direction })}>Discard</button>
        <button type="submit" class="primary" autofocus>{changed ? 'Next, as edited' : 'Next'}</button>
      </div>
    </form>
  );
}
