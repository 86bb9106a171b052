// One message: what it is, where that is written, what it answers, and what can be done with it.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { WireEntry, WireMessage } from '../../messages.ts';
import { useState } from '../context.ts';
import { bytes, clock, CopyButton, duration, Facts } from '../parts/controls.tsx';
import { DiffLines } from '../parts/diff.tsx';
import { JsonTree } from '../parts/json-tree.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';
import { Sender } from './sender.tsx';

export function WireDetail({ seq }: { readonly seq: number }): JSX.Element {
  const { wire } = useState();
  const entry = wire.find(seq);
  const close = <button type="button" class="quiet close" aria-label="Close the message" onClick={() => { wire.selected.value = 0; }}>×</button>;
  if (!entry) return <section class="wire-detail" aria-label="Message">{close}<p class="dim">This entry was dropped.</p></section>;
  return (
    <section class="wire-detail" aria-label="Message">
      {close}
      {entry.kind === 'message' ? <Message key={seq} entry={entry} /> : <Other entry={entry} />}
    </section>
  );
}

function Message({ entry }: { readonly entry: WireMessage }): JSX.Element {
  const state = useState();
  const { wire } = state;
  const face = useSignal<'tree' | 'text'>('tree');
  const whole = useSignal<string | undefined>(entry.whole ? entry.text : undefined);
  const editing = useSignal<string | undefined>(undefined);
  const text = whole.value ?? entry.text;
  const parsed = useMemo(() => (whole.value === undefined ? undefined : read(whole.value)), [whole.value]);
  void wire.version.value;
  const answer = entry.shape === 'request' ? wire.entries.find((one) => one.kind === 'message' && one.answers === entry.seq && (one.shape === 'result' || one.shape === 'error')) : undefined;
  const joined = answer?.seq ?? entry.answers;
  const all = async (): Promise<string | undefined> => {
    if (whole.value !== undefined) return whole.value;
    const got = await state.run('wire.text', { seq: entry.seq });
    if (got) whole.value = got.text;
    return got?.text;
  };
  const marked = wire.marked.value;
  return (
    <>
      <p class="sentence"><Safe text={entry.sentence} most={600} /></p>
      <p class="row wrap">{entry.section && <Section section={entry.section} />}
        <span class="dim">{clock(entry.at)}, {bytes(entry.chars)}{entry.ms !== null && `, after ${duration(entry.ms)}`}{entry.event?.id != null && `, event ${entry.event.id}`}</span>
      </p>
      <div class="row wrap">
        {joined !== null && joined !== undefined && <button type="button" class="small" onClick={() => wire.reveal(joined)}>{answer ? 'Its answer' : 'Its request'}</button>}
        <button type="button" class="tab" aria-pressed={face.value === 'tree'} onClick={() => { face.value = 'tree'; }}>Tree</button>
        <button type="button" class="tab" aria-pressed={face.value === 'text'} onClick={() => { face.value = 'text'; }}>Text</button>
        <CopyButton text={all} />
        {entry.exchange !== null && entry.direction === 'sent' && <CopyButton text={async () => (await state.run('wire.curl', { seq: entry.seq }))?.text}>Copy as curl</CopyButton>}
        <CopyButton text={async () => (await state.run('wire.transcript', { server: entry.server, from: Math.min(entry.seq, joined ?? entry.seq), to: Math.max(entry.seq, joined ?? entry.seq) }))?.text}>Copy as transcript</CopyButton>
        <button type="button" class="small" onClick={() => void all().then((found) => { editing.value = found === undefined ? undefined : pretty(found); })}>Edit and send</button>
        <button type="button" class="small" aria-pressed={marked === entry.seq} onClick={() => { wire.marked.value = marked === entry.seq ? 0 : entry.seq; }}>{marked === entry.seq ? 'Marked' : 'Mark to compare'}</button>
      </div>
      {editing.value !== undefined && <Sender server={entry.server} text={editing.value} onDone={() => { editing.value = undefined; }} />}
      {marked > 0 && marked !== entry.seq && <Compared left={marked} right={entry} />}
      {whole.value === undefined && <p class="row"><span class="dim">The first {bytes(entry.text.length)} of {bytes(entry.chars)}.</span><button type="button" class="small" onClick={() => void all()}>Load the whole</button></p>}
      {face.value === 'tree' && parsed?.ok ? <JsonTree value={parsed.json} open={3} /> : <SafeText text={face.value === 'text' && parsed?.ok && entry.chars < 200_000 ? pretty(text) : text} class="code" />}
      {parsed?.ok === false && <p class="problems">{parsed.why}</p>}
      {entry.exchange !== null && <Carried entry={entry} exchange={entry.exchange} />}
    </>
  );
}

function read(text: string): { readonly ok: true; readonly json: unknown } | { readonly ok: false; readonly why: string } {
  try {
    return { ok: true, json: JSON.parse(text) };
  } catch (thrown) {
    return { ok: false, why: thrown instanceof Error ? thrown.message : 'this is not JSON' };
  }
}

function pretty(text: string): string {
  const found = read(text);
  return found.ok ? JSON.stringify(found.json, undefined, 2) : text;
}

/** The request and response that carried a message over HTTP. */
function Carried({ entry, exchange }: { readonly entry: WireMessage; readonly exchange: number }): JSX.Element {
  const { wire } = useState();
  const lines = wire.entries.filter((one) => one.kind === 'http' && one.exchange === exchange && one.server === entry.server);
  return (
    <details class="section">
      <summary>HTTP exchange {exchange}</summary>
      {lines.map((one) => <Other key={one.seq} entry={one} />)}
    </details>
  );
}

function Other({ entry }: { readonly entry: WireEntry }): JSX.Element | null {
  switch (entry.kind) {
    case 'http': return (
      <>
        <p class="sentence"><Safe text={entry.sentence} most={600} /></p>
        <p class="row wrap">{entry.section && <Section section={entry.section} />}<code>{entry.status === null ? `${entry.method} ` : `${entry.status} `}<Safe text={entry.status === null ? entry.path : ''} /></code></p>
        <Facts facts={Object.entries(entry.headers).map(([name, value]) => [name, <code><Safe text={value} most={1000} /></code>])} />
      </>
    );
    case 'event': return (
      <>
        <p class="sentence"><Safe text={entry.sentence} most={600} /></p>
        {entry.section && <p><Section section={entry.section} /></p>}
        <Facts facts={[['id', <Safe text={entry.event.id ?? '–'} />], ['event', <Safe text={entry.event.event ?? '–'} />], ['retry', entry.event.retry ?? '–']]} />
        <SafeText text={entry.data} class="code" />
      </>
    );
    case 'mark': return <p class="sentence">Connection {entry.connection} of <Safe text={entry.server} /> {entry.what}. <Safe text={entry.why} most={2000} /></p>;
    case 'message': return null;
  }
}

/** Two messages, line by line: the same call over two revisions, or before and after. */
function Compared({ left, right }: { readonly left: number; readonly right: WireMessage }): JSX.Element | null {
  const state = useState();
  const other = state.wire.find(left);
  if (other?.kind !== 'message') return null;
  const [one, two] = [read(other.text), read(right.text)];
  return (
    <section class="compared" aria-label="Comparison">
      <p class="dim">#{left} ({other.server}) beside #{right.seq} ({right.server})</p>
      <DiffLines before={one.ok ? one.json : other.text} after={two.ok ? two.json : right.text} />
    </section>
  );
}
