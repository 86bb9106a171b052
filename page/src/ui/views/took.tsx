// The duration of a call.
import type { JSX } from 'preact';
import type { CallView } from '../../messages.ts';
import { useState } from '../context.ts';
import { duration } from '../parts/controls.tsx';
import { tookOf } from '../wire/exchanges.ts';

/**
 * The time between the messages of a call, as on the wire. If it is unknown, the time from the press to the end, marked "in all", because
 * it includes consent, connecting and listing.
 */
export function Took({ call: { wire: seq, state, task, startedAt, endedAt } }: { readonly call: CallView }): JSX.Element | null {
  const { wire } = useState();
  // Messages arrive some time after the news of a call.
  void wire.version.value;
  const exchange = seq === null ? undefined : wire.exchanges.of(seq);
  const between = exchange && tookOf(exchange);
  if (endedAt === null) return null;
  const coming = between === undefined && state === 'done' && seq !== null && (exchange !== undefined || seq > wire.newest);
  return (
    <>
      {between !== undefined && `, ${duration(between)}`}
      {(task !== null || between === undefined && !coming) && `, ${duration(endedAt - startedAt)} in all`}
    </>
  );
}
