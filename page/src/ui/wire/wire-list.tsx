// The messages, one a row. Only the rows that are in sight are in the page, however many there are. All rows are of one
// height, so that which are in sight is a division: no library for lists is worth 4 KiB of the playground here.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useSignal, useSignalEffect } from '@preact/signals';
import type { WireEntry } from '../../messages.ts';
import { useState } from '../context.ts';
import { clock, duration } from '../parts/controls.tsx';
import { Safe } from '../parts/safe-text.tsx';
import { isError } from './wire-store.ts';

/** The height of a row, in pixels; style.css says the same. */
const ROW = 40;
/** Rows that are drawn above and below those in sight. */
const BEYOND = 8;
/** Rows that PageUp and PageDown go. */
const PAGE = 10;

export function WireList(): JSX.Element {
  const { wire } = useState();
  const at = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(0);
  void wire.version.value;
  const count = wire.shown.length;
  const first = Math.max(Math.floor(top.value / ROW) - BEYOND, 0);
  const rows = wire.shown.slice(first, Math.ceil((top.value + height.value) / ROW) + BEYOND);
  useEffect(() => {
    const found = at.current;
    if (!found) return undefined;
    const observer = new ResizeObserver(() => { height.value = found.clientHeight; });
    observer.observe(found);
    return () => observer.disconnect();
  }, []);
  // After the drawing: the place is as high then as its rows.
  const scroll = (to: (list: HTMLElement) => number): void => void requestAnimationFrame(() => {
    if (at.current) at.current.scrollTop = to(at.current);
  });
  useSignalEffect(() => {
    void wire.version.value;
    if (wire.following.value) scroll(({ scrollHeight }) => scrollHeight);
  });
  useSignalEffect(() => {
    const index = wire.shownAt(wire.selected.value);
    if (index >= 0) scroll(({ scrollTop, clientHeight }) => Math.max(Math.min(scrollTop, index * ROW), (index + 1) * ROW - clientHeight));
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
      onScroll={(event) => { top.value = event.currentTarget.scrollTop; }} onWheel={() => { wire.following.value = false; }}>
      <div class="wire-rows" style={{ height: `${count * ROW}px` }} role="presentation">
        {rows.map((entry, place) => (
          <Row key={entry.seq} entry={entry} top={(first + place) * ROW} selected={entry.seq === wire.selected.value} marked={entry.seq === wire.marked.value} index={first + place} size={count}
            onPick={() => { wire.following.value = false; wire.selected.value = entry.seq; }} />
        ))}
      </div>
      {count === 0 && <div role="option" aria-selected="false" aria-disabled="true" class="empty">Nothing has passed.</div>}
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
