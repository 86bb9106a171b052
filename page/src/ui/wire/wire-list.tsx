// The messages, one a row. Only the rows that are in sight are in the page, however many there are.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal, useSignalEffect } from '@preact/signals';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { WireEntry } from '../../messages.ts';
import { useState } from '../context.ts';
import { clock, duration } from '../parts/controls.tsx';
import { Safe } from '../parts/safe-text.tsx';
import { isError } from './wire-store.ts';

const ROW = 40;
/** Rows that PageUp and PageDown go. */
const PAGE = 10;

export function WireList(): JSX.Element {
  const { wire } = useState();
  const at = useRef<HTMLDivElement>(null);
  const drawn = useSignal(0);
  const virtual = useRef<Virtualizer<HTMLDivElement, Element>>(undefined);
  const options = {
    count: wire.shown.length,
    getScrollElement: () => at.current,
    estimateSize: () => ROW,
    overscan: 8,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => { drawn.value++; },
  };
  const list = virtual.current ??= new Virtualizer(options);
  void wire.version.value;
  void drawn.value;
  list.setOptions(options);
  // After each drawing: the place that scrolls is there then.
  useLayoutEffect(() => list._willUpdate());
  useEffect(() => list._didMount(), []);
  useSignalEffect(() => {
    void wire.version.value;
    if (wire.following.value && wire.shown.length > 0) {
      requestAnimationFrame(() => list.scrollToIndex(wire.shown.length - 1, { align: 'end' }));
    }
  });
  useSignalEffect(() => {
    const index = wire.shownAt(wire.selected.value);
    if (index >= 0) requestAnimationFrame(() => list.scrollToIndex(index, { align: 'auto' }));
  });

  const chosen = wire.shownAt(wire.selected.value);
  const move = (event: KeyboardEvent): void => {
    const last = wire.shown.length - 1;
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen < 0 ? last : chosen - 1, PageDown: chosen + PAGE, PageUp: chosen - PAGE, Home: 0, End: last }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    wire.following.value = false;
    wire.selected.value = wire.shown[Math.min(Math.max(to, 0), last)]?.seq ?? 0;
  };
  return (
    <div ref={at} class="wire-list" role="listbox" tabIndex={0} aria-label="Messages" aria-activedescendant={chosen >= 0 ? `wire-${wire.selected.value}` : undefined} onKeyDown={move}
      onWheel={() => { wire.following.value = false; }}>
      <div class="wire-rows" style={{ height: `${list.getTotalSize()}px` }} role="presentation">
        {list.getVirtualItems().map(({ index, start }) => {
          const entry = wire.shown[index];
          return entry && <Row key={entry.seq} entry={entry} top={start} selected={entry.seq === wire.selected.value} marked={entry.seq === wire.marked.value} index={index} size={wire.shown.length}
            onPick={() => { wire.following.value = false; wire.selected.value = entry.seq; }} />;
        })}
      </div>
      {wire.shown.length === 0 && <div role="option" aria-selected="false" aria-disabled="true" class="empty">Nothing has passed.</div>}
    </div>
  );
}

interface RowProps {
  readonly entry: WireEntry;
  readonly top: number;
  readonly selected: boolean;
  readonly marked: boolean;
  readonly index: number;
  readonly size: number;
  readonly onPick: () => void;
}

function Row({ entry, top, selected, marked, index, size, onPick }: RowProps): JSX.Element {
  const tone = `${entry.kind} ${entry.direction} ${isError(entry) ? 'bad' : ''} ${marked ? 'marked' : ''}`;
  return (
    <div id={`wire-${entry.seq}`} role="option" aria-selected={selected} aria-setsize={size} aria-posinset={index + 1} class={`wire-row ${tone}`} style={{ transform: `translateY(${top}px)` }} onClick={onPick}>
      <span class="arrow" aria-label={entry.direction}>{entry.kind === 'mark' ? '•' : entry.direction === 'sent' ? '→' : '←'}</span>
      <span class="wire-main"><RowHead entry={entry} /></span>
      <span class="wire-say"><Safe text={sayingOf(entry)} most={220} /></span>
      <span class="wire-side"><span>{clock(entry.at)}</span><span>{entry.kind === 'message' && entry.ms !== null ? duration(entry.ms) : ''}</span></span>
    </div>
  );
}

function RowHead({ entry }: { readonly entry: WireEntry }): JSX.Element {
  const server = <span class="asker"><Safe text={entry.server} most={24} /></span>;
  switch (entry.kind) {
    case 'message': return (
      <>
        {server}<span class={`shape ${entry.shape}`}>{entry.shape}</span><b><Safe text={entry.method || '–'} most={60} /></b>
        {entry.rpcId !== '' && <span class="dim">#<Safe text={entry.rpcId} most={24} /></span>}
        {entry.origin !== 'peer' && <span class="badge warn">{entry.origin}</span>}
      </>
    );
    case 'http': return <>{server}<span class="shape http">http</span><b><Safe text={entry.status === null ? `${entry.method} ${entry.path}` : String(entry.status)} most={60} /></b></>;
    case 'event': return <>{server}<span class="shape http">event</span><b><Safe text={entry.event.event ?? 'message'} most={40} /></b></>;
    case 'mark': return <>{server}<span class="shape">{entry.what}</span></>;
  }
}

export function sayingOf(entry: WireEntry): string {
  switch (entry.kind) {
    case 'message': case 'http': case 'event': return entry.sentence;
    case 'mark': return entry.why || `Connection ${entry.connection} of ${entry.server}`;
  }
}
