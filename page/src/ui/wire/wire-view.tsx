// The wire: a timeline, the list of messages, and the selected one.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useComputed, useSignal } from '@preact/signals';
import { useState } from '../context.ts';
import { bytes } from '../parts/controls.tsx';
import { late } from '../parts/late.tsx';
import { watchSize } from '../parts/size.ts';
import { lastFailure } from './shared-call.ts';
import { everyServer } from './wire-store.ts';
import { FilterBar } from './filter-bar.tsx';
import { Timeline } from './timeline.tsx';
import { WireList } from './wire-list.tsx';

const Sender = late(async () => (await import('./sender.tsx')).Sender);
const Steps = late(async () => (await import('./steps.tsx')).Steps);
const WireDetail = late(async () => (await import('./wire-detail.tsx')).WireDetail);

/** Below this height, in pixels, the detail replaces the list and everything else. */
const SMALL = 470;

export function WireView(): JSX.Element {
  const state = useState();
  const sending = useSignal(false);
  const unfolded = useSignal(false);
  const { wire } = state;
  const server = state.server.value;
  const hold = state.holds.value.get(server);
  const stepping = hold !== undefined && (hold.sent || hold.received);
  const sharing = useSignal('');
  const { value: filter } = wire.filter;
  const shownServer = filter.server === '' || filter.server === everyServer ? server : filter.server;
  const { Share } = state.parts;
  // Before the first entry there is no timeline.
  const began = useComputed(() => wire.version.value >= 0 && wire.entries.length + wire.memory.value.droppedEntries > 0);
  const at = useRef<HTMLDivElement>(null);
  // A layout effect runs with the first rendering: a key that is pressed after it must know whether the detail will cover the list.
  useLayoutEffect(() => watchSize(at.current, ({ clientHeight }) => { wire.small.value = clientHeight < SMALL; }), []);
  const { small: { value: small }, selected: { value: selected } } = wire;
  return (
    <div ref={at} class={`wire ${small ? 'small' : ''} ${small && selected > 0 ? 'covered' : ''}`}>
      <div class={`row wrap toolbar ${unfolded.value ? 'unfolded' : ''}`}>
        <FilterBar />
        {/* With little space this button hides the rest of the toolbar. */}
        <button type="button" class="small unfold" aria-expanded={unfolded.value} onClick={() => { unfolded.value = !unfolded.value; }}>{unfolded.value ? 'Less' : 'More'}</button>
        <span class="spring" />
        <button type="button" class="small" aria-pressed={stepping} disabled={server === ''} onClick={() => void state.run('hold.set', { server, sent: !stepping, received: !stepping })}>Step</button>
        <button type="button" class="small" aria-pressed={sending.value} disabled={server === ''} onClick={() => { sending.value = !sending.value; }}>Send raw</button>
        <button type="button" class="small" disabled={shownServer === ''} onClick={() => { sharing.value = shownServer; }}>Share</button>
        <button type="button" class="small" onClick={() => void state.run('wire.clear', {})}>Clear</button>
      </div>
      {stepping && <Steps hold={hold} key={server} />}
      {sending.value && <Sender server={server} onDone={() => { sending.value = false; }} />}
      {sharing.value !== '' && <Share server={sharing.value} only={lastFailure(state, sharing.value)} onDone={() => { sharing.value = ''; }} />}
      {began.value && <><Timeline /><Dropped /></>}
      <WireList />
      {selected > 0 && <WireDetail seq={selected} />}
    </div>
  );
}

/** The number of held entries, of those not loaded in this page, and of dropped ones. */
function Dropped(): JSX.Element {
  const state = useState();
  const { wire } = state;
  void wire.version.value;
  const memory = wire.memory.value;
  const first = wire.entries[0]?.seq ?? 0;
  const older = first === 0 ? 0 : first - 1 - memory.droppedEntries;
  const load = async (): Promise<void> => {
    const from = Math.max(first - 1000, memory.droppedEntries + 1);
    const page = await state.run('wire.page', { from, limit: first - from });
    if (page) wire.addOlder(page.entries, page.memory);
  };
  return (
    <p class="wire-count">
      <span>{wire.shown.length === wire.entries.length ? wire.entries.length.toLocaleString('en') : `${wire.shown.length.toLocaleString('en')} of ${wire.entries.length.toLocaleString('en')}`} entries, {bytes(memory.bytes)} held</span>
      {memory.droppedEntries > 0 && <span class="warn-text"> {memory.droppedEntries.toLocaleString('en')} older ones ({bytes(memory.droppedBytes)}) were cleared</span>}
      {older > 0 && <button type="button" class="small" onClick={() => void load()}>{Math.min(older, 1000).toLocaleString('en')} older</button>}
      <button type="button" class="small" title="By keyboard: e is the next one" onClick={() => state.firstError()}>First error</button>
      <label><input type="checkbox" checked={wire.flat.value} onChange={(event) => { wire.flat.value = event.currentTarget.checked; }} /> each message</label>
      <label><input type="checkbox" checked={wire.following.value} onChange={(event) => { wire.following.value = event.currentTarget.checked; }} /> follow</label>
    </p>
  );
}
