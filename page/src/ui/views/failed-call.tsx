// Help after a failed call: the server's log lines of that time, and a way to share its messages.
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import type { CallView, LogView } from '../../messages.ts';
import { useState } from '../context.ts';
import { SafeText } from '../parts/safe-text.tsx';
import { sharedCall } from '../wire/shared-call.ts';

/** The most milliseconds after the response in which a log line still counts for the call, because stderr may be late. */
const AFTER = 250;
const MOST = 12;

export function FailedCall({ call }: { readonly call: CallView }): JSX.Element | null {
  const state = useState();
  const { Share } = state.parts;
  const sharing = useSignal(false);
  void state.wire.version.value;
  const exchange = call.wire === null ? undefined : state.wire.exchanges.of(call.wire);
  const from = exchange?.lead.at ?? call.startedAt;
  const to = exchange?.answer?.at ?? call.endedAt ?? from;
  const lines = state.logs.value.filter(({ server, at }) => server === call.server && at >= from && at <= to + AFTER);
  if (!exchange && lines.length === 0) return null;
  return (
    <section class="why" aria-label="After the failure">
      {lines.length > 0 && (
        <>
          <p class="hint">Logged by the server during this call{lines.some(({ source }) => source === 'stderr') && ', on stderr'}{lines.length > MOST && `, the first ${MOST} of ${lines.length} lines`}:</p>
          <SafeText text={lines.slice(0, MOST).map(textOf).join('\n')} class="result-text" label="What the server logged" />
        </>
      )}
      <div class="row">
        {lines.length === 0 && <span class="hint">The server logged nothing during this call.</span>}
        <button type="button" class="small" onClick={() => state.visit(call.server, 'logs')}>All logs</button>
        {exchange && <button type="button" class="small" onClick={() => { sharing.value = true; }}>Share this call</button>}
      </div>
      {exchange && sharing.value && <Share server={call.server} only={sharedCall(state, call)} onDone={() => { sharing.value = false; }} />}
    </section>
  );
}

const textOf = ({ level, data }: LogView): string => `${level === null ? '' : `${level}: `}${typeof data === 'string' ? data : JSON.stringify(data) ?? ''}`;
