// The same call in a revision of each era: compares the results and the messages.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { CallToolResult } from 'barewire/protocol';
import type { CallView, ServerView, ToolView, WireMessage } from '../../messages.ts';
import { useState } from '../context.ts';
import type { FormModel } from '../form/form-model.ts';
import { isMembers } from '../form/shape.ts';
import { DiffTexts } from '../parts/diff.tsx';
import { intoView } from '../parts/into-view.ts';
import { lineDiff } from '../parts/line-diff.ts';
import { CallResult } from '../parts/result.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import type { State } from '../state.ts';
import { Took } from './took.tsx';
import { isJson, pretty } from '../../json/layout.ts';

type Era = 'legacy' | 'modern';
const eras: readonly Era[] = ['legacy', 'modern'];

interface Column {
  readonly era: Era;
  readonly revision: string;
  /** Undefined: the call was not possible, and `fault` says why. */
  readonly call: CallView | undefined;
  readonly fault: string;
}

export function Eras({ server: { name, era: before }, view, form }: { readonly server: ServerView; readonly view: ToolView; readonly form: FormModel }): JSX.Element {
  const state = useState();
  const columns = useSignal<readonly Column[]>([]);
  const busy = useSignal(false);
  const running = [...state.calls.value.values()].some((one) => one.server === name && one.endedAt === null);
  const run = async (): Promise<void> => {
    if (!form.submit()) return;
    busy.value = true;
    columns.value = [];
    for (const era of eras) columns.value = [...columns.value, await calledIn(state, era, name, view, form)];
    await state.run('server.reconnect', { server: name, era: before });
    busy.value = false;
  };
  void state.wire.version.value;
  const answers = columns.value.map(({ call }) => messagesOf(state, call).findLast(({ shape, direction }) => direction === 'received' && (shape === 'result' || shape === 'error')));
  const [left, right] = answers;
  const [one, other] = columns.value;
  const compared = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (columns.value.length > 0 && compared.current) intoView(compared.current);
  }, [columns.value.length]);
  return (
    <details class="section">
      <summary>Compare revisions</summary>
      <p class="hint">Calls the tool twice with the values of the form, in a revision of each era. The server is connected anew for each call, and at the end as before.</p>
      <button type="button" class="small" disabled={busy.value || running} onClick={() => void run()}>{busy.value ? 'Calling …' : 'Call in two revisions'}</button>
      <div class="compared" ref={compared}>
        {one?.call && other?.call && left && right && <Verdict same={outcomeOf(one.call) === outcomeOf(other.call)} before={withoutId(left)} after={withoutId(right)} names={[one.revision, other.revision]} />}
        <div class="eras">{columns.value.map((column) => <EraColumn key={column.era} column={column} />)}</div>
      </div>
    </details>
  );
}

/** Whether both results are equal, and where the messages differ. */
function Verdict({ same, before, after, names: [one, other] }: { readonly same: boolean; readonly before: string; readonly after: string; readonly names: readonly [string, string] }): JSX.Element {
  const places = useMemo(() => placesOf(before, after), [before, after]);
  return (
    <section aria-label="What differs in the answers">
      <p role="status"><strong>{same ? 'Both revisions give the same result.' : 'The results differ.'}</strong> {places === undefined ? 'The messages that carry them are very different.' : places === 0 ? 'The messages that carry them are the same, but for their ids.' : `The messages that carry them differ in ${places} ${places === 1 ? 'place' : 'places'}, ids left out:`}</p>
      {places !== 0 && <p class="hint">− is only in {one}, + only in {other}.</p>}
      {places !== 0 && <DiffTexts before={before} after={after} />}
    </section>
  );
}

/** The number of separate changes; undefined if there are too many. */
function placesOf(before: string, after: string): number | undefined {
  const parts = lineDiff(before, after);
  return parts?.filter(({ kind }, at) => kind !== 'same' && (parts[at - 1]?.kind ?? 'same') === 'same').length;
}

/** The outcome of a call as text, for comparison: without `_meta`, `resultType` and the order of members. */
function outcomeOf({ result, failure }: CallView): string {
  const { content, structuredContent, isError = false } = Object(result) as Partial<CallToolResult>;
  return JSON.stringify(failure ? { failed: failure.code, message: failure.message } : { content, structuredContent, isError }, (_, value: unknown) => (
    isMembers(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value));
}

/** A response, laid out with its original tokens, without its id: each connection has different ids. */
const withoutId = ({ text }: WireMessage): string => (isJson(text) ? pretty(text) : text).replace(/^ {2}"id": .*\n/m, '');

async function calledIn({ link }: State, era: Era, server: string, { tool, digest }: ToolView, form: FormModel): Promise<Column> {
  let revision = '';
  try {
    revision = (await link.act('server.reconnect', { server, era })).revision ?? '';
    const origin = form.origin.peek();
    const task = tool.execution?.taskSupport === 'required';
    return { era, revision, fault: '', call: await link.act('tool.call', { server, name: tool.name, digest, ...form.sent, ...task && { task }, ...origin && { origin } }) };
  } catch (thrown) {
    return { era, revision, call: undefined, fault: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The messages in the exchange of a call: each round, each question, the response. */
function messagesOf({ wire }: State, call: CallView | undefined): readonly WireMessage[] {
  const exchange = call?.wire == null ? undefined : wire.exchanges.of(call.wire);
  return exchange ? [exchange.lead, ...exchange.inside].filter((one): one is WireMessage => one.kind === 'message') : [];
}

function EraColumn({ column: { era, revision, call, fault } }: { readonly column: Column }): JSX.Element {
  const state = useState();
  const messages = messagesOf(state, call);
  return (
    <section class="era" aria-label={`${era} era`}>
      <h3>{revision || era} <span class={`badge ${era}`}>{era}</span></h3>
      {fault && <div class="outcome bad" role="alert"><SafeText text={fault} /></div>}
      {call && <p class="dim">{messages.length} messages<Took call={call} /></p>}
      {call && <CallResult call={call} />}
      {messages.map((one) => (
        <details key={one.seq}>
          <summary><span aria-label={one.direction}>{one.direction === 'sent' ? '→' : '←'}</span> <Safe text={one.sentence} most={200} /></summary>
          <SafeText text={one.whole && isJson(one.text) ? pretty(one.text) : one.text} class="code" label="The message as text" />
          <button type="button" class="small" onClick={() => state.showWire(one.seq)}>On the wire</button>
        </details>
      ))}
    </section>
  );
}
