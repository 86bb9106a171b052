// The wire: a timeline, the messages as they pass, and the one that is looked at.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { useState } from '../context.ts';
import { bytes } from '../parts/controls.tsx';
import { save } from '../parts/save.ts';
import { Sender } from './sender.tsx';
import { Steps } from './steps.tsx';
import { Timeline } from './timeline.tsx';
import { WireDetail } from './wire-detail.tsx';
import { noFilter } from './wire-store.ts';
import type { WireFilter } from './wire-store.ts';
import { WireList } from './wire-list.tsx';

/** Pixels below which list and detail are not shown at once: the detail takes the place of all else. */
const SMALL = 470;

export function WireView(): JSX.Element {
  const state = useState();
  const sending = useSignal(false);
  const { wire } = state;
  const server = state.server.value;
  const hold = state.holds.value.get(server);
  const stepping = hold !== undefined && (hold.sent || hold.received);
  const transcript = async (): Promise<void> => {
    const found = await state.run('wire.transcript', { server });
    if (found) save(`${server}.wire`, found.text);
  };
  const at = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const found = at.current;
    if (!found) return undefined;
    const observer = new ResizeObserver(() => { wire.small.value = found.clientHeight < SMALL; });
    observer.observe(found);
    return () => observer.disconnect();
  }, []);
  const { small: { value: small }, selected: { value: selected } } = wire;
  return (
    <div ref={at} class={`wire ${small ? 'small' : ''} ${small && selected > 0 ? 'covered' : ''}`}>
      <div class="row wrap toolbar">
        <Filter />
        <span class="spring" />
        <button type="button" class="small" aria-pressed={stepping} disabled={server === ''} onClick={() => void state.run('hold.set', { server, sent: !stepping, received: !stepping })}>Step</button>
        <button type="button" class="small" aria-pressed={sending.value} disabled={server === ''} onClick={() => { sending.value = !sending.value; }}>Send raw</button>
        <button type="button" class="small" disabled={server === ''} onClick={() => void transcript()}>Transcript</button>
        <button type="button" class="small" onClick={() => void state.run('wire.clear', {})}>Clear</button>
      </div>
      {stepping && <Steps hold={hold} key={server} />}
      {sending.value && <Sender server={server} onDone={() => { sending.value = false; }} />}
      <Timeline />
      <Dropped />
      <WireList />
      {selected > 0 && <WireDetail seq={selected} />}
    </div>
  );
}

function Filter(): JSX.Element {
  const state = useState();
  const { wire } = state;
  const filter = wire.filter.value;
  const set = (change: Partial<WireFilter>): void => wire.setFilter({ ...filter, ...change });
  const [one = ''] = filter.servers;
  return (
    <>
      <input type="search" placeholder="Search" aria-label="Search the wire" value={filter.words} onInput={(event) => set({ words: event.currentTarget.value })} />
      <select aria-label="Which messages" value={filter.kinds} onChange={(event) => set({ kinds: event.currentTarget.value as WireFilter['kinds'] })}>
        <option value="all">everything</option><option value="messages">messages</option><option value="errors">errors</option><option value="http">HTTP</option>
      </select>
      <select aria-label="Direction" value={filter.direction} onChange={(event) => set({ direction: event.currentTarget.value as WireFilter['direction'] })}>
        <option value="both">both ways</option><option value="sent">sent →</option><option value="received">received ←</option>
      </select>
      {state.servers.value.size > 1 && (
        <select aria-label="Server on the wire" value={one} onChange={({ currentTarget: { value } }) => set({ servers: new Set(value === '' ? [] : [value]) })}>
          <option value="">every server</option>{[...state.servers.value.keys()].map((name) => <option key={name}>{name}</option>)}
        </select>
      )}
      {filter !== noFilter && <button type="button" class="quiet" aria-label="Lift the filter" onClick={() => wire.setFilter(noFilter)}>×</button>}
    </>
  );
}

/** What is held, what is not in this page yet, and what was let go. */
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
      <label><input type="checkbox" checked={wire.flat.value} onChange={(event) => { wire.flat.value = event.currentTarget.checked; }} /> each message</label>
      <label><input type="checkbox" checked={wire.following.value} onChange={(event) => { wire.following.value = event.currentTarget.checked; }} /> follow</label>
    </p>
  );
}
