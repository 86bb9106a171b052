// One call in both eras, beside each other: what passed, and where the answers differ.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { CallView, ServerView, ToolView, WireMessage } from '../../messages.ts';
import { useState } from '../context.ts';
import type { FormModel } from '../form/form-model.ts';
import { DiffTexts } from '../parts/diff.tsx';
import { duration } from '../parts/controls.tsx';
import { intoView } from '../parts/into-view.ts';
import { CallResult } from '../parts/result.tsx';
import { Safe, SafeText } from '../parts/safe-text.tsx';
import type { State } from '../state.ts';
import { isJson, pretty } from '../../json/layout.ts';

type Era = 'legacy' | 'modern';
const eras: readonly Era[] = ['legacy', 'modern'];

interface Column {
  readonly era: Era;
  readonly revision: string;
  /** Undefined: it came to none, and `fault` says why. */
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
  const compared = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (columns.value.length > 0 && compared.current) intoView(compared.current);
  }, [columns.value.length]);
  return (
    <details class="section">
      <summary>Both eras</summary>
      <p class="hint">Calls the tool twice with what the form holds, once in each era. The server is connected anew for each, and at the end as it was.</p>
      <button type="button" class="small" disabled={busy.value || running} onClick={() => void run()}>{busy.value ? 'It is called …' : 'Call in both eras'}</button>
      <div class="eras" ref={compared}>{columns.value.map((column) => <EraColumn key={column.era} column={column} />)}</div>
      {left && right && <section aria-label="What differs in the answers"><h3>What differs in the answers</h3><DiffTexts before={left.text} after={right.text} /></section>}
    </details>
  );
}

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

/** The messages of the exchange of a call: each round, each question, the answer. */
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
      {call && <p class="dim">{messages.length} messages{call.endedAt !== null && `, ${duration(call.endedAt - call.startedAt)}`}</p>}
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
