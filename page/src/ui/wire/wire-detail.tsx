// One message: its explanation, the section of the specification, its request or response, and its actions.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { isJson, pretty } from '../../json/layout.ts';
import { lossesOf, nodeOfText } from '../../json/node.ts';
import type { JsonNode } from '../../json/node.ts';
import type { WireEntry, WireMessage } from '../../messages.ts';
import { hashOf } from '../address.ts';
import { useState } from '../context.ts';
import { characters, clock, CopyButton, duration, Facts } from '../parts/controls.tsx';
import { DiffTexts } from '../parts/diff.tsx';
import { NodeTree } from '../parts/json-tree.tsx';
import { levelTones } from '../parts/level-tones.ts';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';
import type { Verdict } from '../state.ts';
import { Sender } from './sender.tsx';

/** Longer messages are not laid out, and not checked for losses. */
const MAX_LAID_OUT = 200_000;

const faces = { tree: 'Tree', text: 'Text', raw: 'Raw' } as const;

export function WireDetail({ seq }: { readonly seq: number }): JSX.Element {
  const { wire } = useState();
  void wire.version.value;
  const entry = wire.find(seq);
  const at = useRef<HTMLElement>(null);
  const small = wire.small.value;
  // If the list is hidden, the keyboard focus moves here. The browser may not yet have taken it from the hidden list, which has no boxes.
  useEffect(() => {
    const { activeElement, body } = document;
    if (small && (activeElement === body || activeElement?.getClientRects().length === 0)) at.current?.focus();
  }, [small]);
  const leave = (): void => {
    wire.selected.value = 0;
    requestAnimationFrame(() => { if (document.activeElement === document.body) document.querySelector<HTMLElement>('.wire-list')?.focus(); });
  };
  const close = (
    <span class="close row">
      <button type="button" class="quiet" aria-label="Previous message" onClick={() => wire.move(-1, seq)}>↑</button>
      <button type="button" class="quiet" aria-label="Next message" onClick={() => wire.move(1, seq)}>↓</button>
      <button type="button" class="quiet" aria-label="Close the message" onClick={leave}>×</button>
    </span>
  );
  if (!entry) {
    // A message that was just sent arrives with the next news.
    const awaited = seq > wire.newest;
    return <section ref={at} tabIndex={-1} class="wire-detail" aria-label="Message">{close}<p class="dim" role="status">{awaited ? 'The message is on its way.' : wire.isCleared(seq) ? 'This message was cleared.' : 'This message is not loaded.'}</p></section>;
  }
  return (
    <section ref={at} tabIndex={-1} class="wire-detail" aria-label="Message">
      {close}
      {entry.kind === 'message' ? <Message key={seq} entry={entry} /> : <Other entry={entry} />}
    </section>
  );
}

function Message({ entry }: { readonly entry: WireMessage }): JSX.Element {
  const state = useState();
  const { wire } = state;
  const face = useSignal<'tree' | 'text' | 'raw'>('tree');
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
  // A message from a file has no server.
  const server = state.servers.value.get(entry.server);
  const { CopyButtons } = state.parts;
  return (
    <>
      <p class="sentence"><Safe text={entry.sentence} most={600} /></p>
      <p class="row wrap">{entry.section && <Section section={entry.section} />}
        <span class="dim">{clock(entry.at)}, {characters(entry.chars)}{entry.ms !== null && `, after ${duration(entry.ms)}`}{entry.event?.id != null && `, event ${entry.event.id}`}</span>
      </p>
      <div class="row wrap">
        {joined !== null && joined !== undefined && <button type="button" class="small" onClick={() => wire.reveal(joined)}>{answer ? 'Its answer' : 'Its request'}</button>}
        {(['tree', 'text', 'raw'] as const).map((one) => (
          <button key={one} type="button" class="tab" aria-pressed={face.value === one} onClick={() => { face.value = one; }}>{faces[one]}</button>
        ))}
        <CopyButton text={all} />
        <CopyButton text={() => location.href.split('#')[0] + hashOf({ kind: 'wire', seq: entry.seq })}>Copy link</CopyButton>
        {entry.exchange !== null && entry.direction === 'sent' && <CopyButton text={async () => (await state.run('wire.curl', { seq: entry.seq }))?.text}>Copy as curl</CopyButton>}
        <CopyButton text={async () => (await state.run('wire.transcript', { server: entry.server, from: Math.min(entry.seq, joined ?? entry.seq), to: Math.max(entry.seq, joined ?? entry.seq) }))?.text}>Copy as transcript</CopyButton>
        {server && CopyButtons && <CopyButtons entry={entry} server={server} text={all} />}
        {server && <button type="button" class="small" onClick={() => void all().then((found) => { editing.value = found === undefined ? undefined : isJson(found) ? pretty(found) : found; })}>Edit and send</button>}
        <button type="button" class="small" aria-pressed={marked === entry.seq} onClick={() => { wire.marked.value = marked === entry.seq ? 0 : entry.seq; }}>{marked === entry.seq ? 'Marked' : 'Mark to compare'}</button>
      </div>
      <Verdicts found={[...state.verdicts.value.get(entry.seq) ?? [], ...state.verdicts.value.get(joined ?? 0) ?? []]} />
      {editing.value !== undefined && <Sender server={entry.server} text={editing.value} onDone={() => { editing.value = undefined; }} />}
      {marked > 0 && marked !== entry.seq && <Compared left={marked} right={entry} />}
      {whole.value === undefined && <p class="row"><span class="dim">The first {entry.text.length.toLocaleString('en')} of {characters(entry.chars)}.</span><button type="button" class="small" onClick={() => void all()}>Load the whole</button></p>}
      {face.value === 'tree' && parsed?.ok && <Losses node={parsed.node} chars={text.length} />}
      {face.value === 'tree' && parsed?.ok ? <NodeTree node={parsed.node} open={3} /> : <SafeText text={face.value === 'text' && parsed?.ok && entry.chars < MAX_LAID_OUT ? pretty(text) : text} class="code" label="The message as text" />}
      {parsed?.ok === false && <p class="problems">{parsed.why}</p>}
      {entry.exchange !== null && <Carried entry={entry} exchange={entry.exchange} />}
    </>
  );
}

/** The findings of the doctor and the judge about this exchange. */
function Verdicts({ found }: { readonly found: readonly Verdict[] }): JSX.Element | null {
  if (found.length === 0) return null;
  return (
    <ul class="plain findings" aria-label="What was found here">
      {found.map(({ by, code, level, what, more, section }, at) => (
        <li key={at} class={levelTones[level]}><span class={`badge ${levelTones[level]}`}>{by}: {level}</span> <strong><Safe text={what} most={1000} /></strong> <span><Safe text={more} most={1000} /></span> <code class="dim">{code}</code> {section && <Section section={section} />}</li>
      ))}
    </ul>
  );
}

/** The losses if JavaScript parses the message. */
function Losses({ node, chars }: { readonly node: JsonNode; readonly chars: number }): JSX.Element | null {
  const { twice, rounded } = useMemo(() => (chars < MAX_LAID_OUT ? lossesOf(node) : { twice: 0, rounded: 0 }), [node]);
  if (twice + rounded === 0) return null;
  const words = [twice > 0 && `${twice} members share their name with another, and JSON.parse keeps the last`, rounded > 0 && `${rounded} ${rounded === 1 ? 'number is' : 'numbers are'} rounded in JavaScript`];
  return <p class="hint warn-text">Shown as it passed: {words.filter(Boolean).join('; ')}.</p>;
}

function read(text: string): { readonly ok: true; readonly node: JsonNode } | { readonly ok: false; readonly why: string } {
  try {
    return { ok: true, node: nodeOfText(text) };
  } catch (thrown) {
    return { ok: false, why: thrown instanceof Error ? thrown.message : 'this is not JSON' };
  }
}

/** The HTTP request and response that carried a message. */
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

/** Compares two messages line by line, such as the same call in two revisions. */
function Compared({ left, right }: { readonly left: number; readonly right: WireMessage }): JSX.Element | null {
  const state = useState();
  const other = state.wire.find(left);
  if (other?.kind !== 'message') return null;
  return (
    <section class="compared" aria-label="Comparison">
      <p class="dim">#{left} ({other.server}) beside #{right.seq} ({right.server})</p>
      <DiffTexts before={other.text} after={right.text} />
    </section>
  );
}
