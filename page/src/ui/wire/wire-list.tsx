// The messages, one a row. Only visible rows are rendered. All rows have the same height, so a division finds the visible ones: a list
// library would add 4 KiB to the playground.
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal, useSignalEffect } from '@preact/signals';
import { nodeOfText } from '../../json/node.ts';
import type { WireEntry, WireMessage } from '../../messages.ts';
import { useState } from '../context.ts';
import { clock, duration } from '../parts/controls.tsx';
import { levelTones } from '../parts/level-tones.ts';
import { Safe } from '../parts/safe-text.tsx';
import { watchSize } from '../parts/size.ts';
import type { Verdict } from '../state.ts';
import { standingOf, tookOf } from './exchanges.ts';
import type { Exchange, Standing } from './exchanges.ts';
import { isError } from './filter-language.ts';
import type { WireItem } from './wire-store.ts';

/** The height of a row, in pixels; the same as in style/wire.css. */
const ROW = 40;
/** Rows that are rendered above and below the visible ones. */
const BEYOND = 8;
/** Rows that PageUp and PageDown move. */
const PAGE = 10;
/** The longest batch that a row summarizes, in characters, and the most parts that it names. */
const MAX_BATCH = 20_000;
const MOST_OF_BATCH = 4;

export function WireList(): JSX.Element {
  const state = useState();
  const { wire } = state;
  const at = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(0);
  void wire.version.value;
  const all = wire.rows;
  const count = all.length;
  const first = Math.max(Math.floor(top.value / ROW) - BEYOND, 0);
  const rows = all.slice(first, Math.ceil((top.value + height.value) / ROW) + BEYOND);
  useLayoutEffect(() => watchSize(at.current, ({ clientHeight }) => { height.value = clientHeight; }), []);
  // After the next rendering, when the list has the height of its rows.
  const scroll = (to: (list: HTMLElement) => number): void => void requestAnimationFrame(() => {
    if (at.current) at.current.scrollTop = to(at.current);
  });
  useSignalEffect(() => {
    void [wire.version.value, height.value];
    if (wire.following.value) scroll(({ scrollHeight }) => scrollHeight);
  });
  useSignalEffect(() => {
    // Keeps the current row visible when the detail takes space from the list.
    void height.value;
    const index = wire.shownAt(wire.cursor.value);
    if (index >= 0 && !wire.following.peek()) scroll(({ scrollTop, clientHeight }) => Math.max(Math.min(scrollTop, index * ROW), (index + 1) * ROW - clientHeight));
  });

  const cursor = wire.cursor.value;
  const keys = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: PAGE, PageUp: -PAGE, Home: -Infinity, End: Infinity }[event.key];
    const exchange = wire.exchanges.of(cursor);
    const does = by !== undefined ? () => wire.move(by) : {
      'Enter': () => { if (cursor > 0) wire.select(cursor); },
      'ArrowRight': () => { if (exchange) wire.expand(exchange, true); },
      'ArrowLeft': () => {
        if (!exchange || wire.flat.peek()) return;
        if (exchange.lead.seq !== cursor) wire.select(exchange.lead.seq);
        wire.expand(exchange, false);
      },
      'f': () => { wire.flat.value = !wire.flat.peek(); },
      'e': () => {
        const wrong = wire.nextError(cursor);
        if (wrong) wire.reveal(wrong.seq);
      },
      'E': () => state.firstError(),
      '/': () => document.querySelector<HTMLElement>('.toolbar input[type="search"]')?.focus(),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  };
  return (
    <div ref={at} class="wire-list" role="listbox" tabIndex={0} aria-label="Messages" title="Right and left show and hide what is inside; f: each message; e: the next error; /: search" aria-activedescendant={wire.shownAt(cursor) >= 0 ? `wire-${cursor}` : undefined} onKeyDown={keys}
      onScroll={(event) => { top.value = event.currentTarget.scrollTop; }} onWheel={() => { wire.following.value = false; }}>
      <div class="wire-rows" style={{ height: `${count * ROW}px` }} role="presentation">
        {rows.map((item, place) => <Row key={item.entry.seq} item={item} index={first + place} size={count} />)}
      </div>
      {count === 0 && <div role="option" aria-selected="false" aria-disabled="true" class="empty">{wire.entries.length > 0 ? 'Nothing that fits the server and the filter above has passed.' : 'Nothing has passed yet. Connect a server, or drop a transcript here.'}</div>}
    </div>
  );
}

function Row({ item: { entry, exchange, inside }, index, size }: { readonly item: WireItem; readonly index: number; readonly size: number }): JSX.Element {
  const { wire, verdicts } = useState();
  const { seq } = entry;
  const standing = exchange ? standingOf(exchange) : 'single';
  const bad = standing === 'single' ? isError(entry) : standing === 'error' || standing === 'tool error';
  const whole = wire.exchanges.of(seq);
  const tone = [entry.kind, entry.direction, bad && 'bad', seq === wire.marked.value && 'marked', inside && 'inside', standing === 'probe' && 'probe', whole !== undefined && wire.lit.value === whole && whole.inside.length > 0 && 'lit'];
  return (
    <div id={`wire-${seq}`} role="option" aria-selected={seq === wire.cursor.value} aria-setsize={size} aria-posinset={index + 1} class={`wire-row ${tone.filter(Boolean).join(' ')}`} style={{ transform: `translateY(${index * ROW}px)` }}
      onClick={() => wire.select(seq)} onPointerEnter={() => { wire.lit.value = whole; }} onPointerLeave={() => { wire.lit.value = undefined; }}>
      <span class="arrow" aria-label={entry.direction}>{entry.kind === 'mark' ? '•' : entry.direction === 'sent' ? '→' : '←'}</span>
      <span class="wire-main"><RowHead entry={entry} />{whole?.lead === entry && answersNothing(entry) && <span class="badge warn">answers no request</span>}{exchange && standing !== 'single' && <Ended exchange={exchange} standing={standing} />}<Worst found={foundIn(verdicts.value, entry, exchange)} /></span>
      <span class="wire-say"><Safe text={sayingOf((standing === 'login' ? undefined : exchange?.answer) ?? exchange?.refused ?? entry)} most={220} /></span>
      <span class="wire-side"><span>{clock(entry.at)}</span><span>{exchange ? sizeOf(exchange) : entry.kind === 'message' && entry.ms !== null ? duration(entry.ms) : ''}</span></span>
      {exchange && exchange.inside.length > 0 && <Fold exchange={exchange} />}
    </div>
  );
}

/** The findings about an entry and all entries inside its exchange. */
function foundIn(verdicts: ReadonlyMap<number, readonly Verdict[]>, { seq }: WireEntry, exchange: Exchange | undefined): readonly Verdict[] {
  return verdicts.size === 0 ? [] : [seq, ...exchange?.inside.map((one) => one.seq) ?? []].flatMap((one) => verdicts.get(one) ?? []);
}

/** The worst finding of the doctor, and of the judge. */
function Worst({ found }: { readonly found: readonly Verdict[] }): JSX.Element {
  return (
    <>
      {(['doctor', 'judge'] as const).map((by) => {
        const worst = (['error', 'warning', 'note'] as const).find((level) => found.some((one) => one.by === by && one.level === level));
        return worst && <span key={by} class={`badge ${levelTones[worst]}`}>{by}: {worst}</span>;
      })}
    </>
  );
}

const standings: Readonly<Record<Standing, readonly [words: string, tone: string]>> = {
  'single': ['', ''], 'open': ['waits', 'live'], 'done': ['ok', 'good'], 'tool error': ['tool error', 'bad'], 'error': ['error', 'bad'], 'login': ['wants a login', 'warn'],
  'input': ['asks for input', 'warn'], 'cancelled': ['cancelled', 'warn'], 'lost': ['no answer', 'warn'], 'probe': ['probe', ''],
};

/** The outcome of an exchange, and the question asked within it. */
function Ended({ exchange, standing }: { readonly exchange: Exchange; readonly standing: Standing }): JSX.Element {
  const [words, tone] = standings[standing];
  const asked = exchange.inside.find((one) => one.kind === 'message' && one.shape === 'request' && one.direction !== exchange.lead.direction);
  return (
    <>
      <span class={`badge ${tone}`}>{words}</span>
      {exchange.cancelled && exchange.answer && <span class="badge warn">cancelled</span>}
      {exchange.rounds > 1 && <span class="badge">{exchange.rounds} rounds</span>}
      {exchange.retries > 0 && <span class="badge warn">sent {exchange.retries + 1} times</span>}
      {asked?.kind === 'message' && <span class="badge">asks <Safe text={asked.method} most={40} /></span>}
    </>
  );
}

/** The duration of the whole exchange, and the length of its messages. */
function sizeOf(exchange: Exchange): string {
  const { lead, inside } = exchange;
  const took = tookOf(exchange);
  const chars = [lead, ...inside].reduce((sum, one) => sum + (one.kind === 'message' ? one.chars : 0), 0);
  return [took !== undefined && duration(took), chars > 0 && `${chars.toLocaleString('en')} chars`].filter(Boolean).join(', ');
}

/** Folds and unfolds an exchange, and shows its position within the whole time. */
function Fold({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const { wire } = useState();
  const { lead, inside, answer } = exchange;
  const open = wire.expanded.value.has(exchange);
  const from = wire.entries[0]?.at ?? 0;
  const wide = Math.max((wire.entries.at(-1)?.at ?? 0) - from, 1);
  const left = Math.min(Math.max((lead.at - from) / wide, 0), 1);
  const width = Math.max(((answer ?? inside.at(-1) ?? lead).at - lead.at) / wide, 0);
  return (
    <>
      <span class="fold" aria-hidden="true" title={`${inside.length} inside`} onClick={(event) => { event.stopPropagation(); wire.expand(exchange); }}>{open ? '▾' : '▸'}</span>
      <span class="unseen">{inside.length} inside, {open ? 'shown' : 'folded'}</span>
      <span class="waterfall" aria-hidden="true" style={{ '--from': `${left * 100}%`, '--wide': `${Math.min(width, 1 - left) * 100}%` }} />
    </>
  );
}

function RowHead({ entry }: { readonly entry: WireEntry }): JSX.Element {
  const server = <span class="asker"><Safe text={entry.server} most={24} /></span>;
  switch (entry.kind) {
    case 'message': return (
      <>
        {server}<span class={`shape ${entry.shape}`}>{entry.shape}</span><b><Safe text={entry.method || (entry.shape === 'batch' ? batchWords(entry) : '–')} most={60} /></b>
        {entry.rpcId !== '' && <span class="dim">#<Safe text={entry.rpcId} most={24} /></span>}
        {entry.origin !== 'peer' && <span class="badge warn">{entry.origin}</span>}
      </>
    );
    case 'http': return <>{server}<span class="shape http">http</span><b><Safe text={entry.status === null ? `${entry.method} ${entry.path}` : String(entry.status)} most={60} /></b></>;
    case 'event': return <>{server}<span class="shape http">event</span><b><Safe text={entry.event.event ?? 'message'} most={40} /></b></>;
    case 'mark': return <>{server}<span class="shape">{entry.what}</span></>;
  }
}

/** A response without a known request. */
const answersNothing = (entry: WireEntry): boolean => entry.kind === 'message' && (entry.shape === 'result' || entry.shape === 'error') && entry.answers === null;

/** The content of a batch in few words. 2025-03-26 basic/index#batching */
function batchWords({ text, whole }: WireMessage): string {
  if (!whole || text.length > MAX_BATCH) return '–';
  const parts = nodeOfText(text).entries();
  const methods = parts.slice(0, MOST_OF_BATCH).map(({ node }) => node.entries().find(({ name }) => name === 'method')?.node.text ?? 'answer');
  return `${parts.length}: ${methods.join(', ')}${parts.length > MOST_OF_BATCH ? ', …' : ''}`;
}

export function sayingOf(entry: WireEntry): string {
  switch (entry.kind) {
    case 'message': case 'http': case 'event': return entry.sentence;
    case 'mark': return entry.why || `Connection ${entry.connection} of ${entry.server}`;
  }
}
