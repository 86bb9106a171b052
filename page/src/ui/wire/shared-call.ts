// Failed calls, prepared for sharing.
import type { CallView } from '../../messages.ts';
import type { Shared } from '../page-parts.ts';
import type { State } from '../state.ts';

/** Whether the call failed, or its tool reports an error. */
export const hasFailed = ({ state, result }: CallView): boolean => state === 'failed' || state === 'done' && (Object(result) as { isError?: unknown }).isError === true;

/** The messages of a call on the wire; undefined if the page does not hold them. */
export function sharedCall({ wire }: State, { call, about, wire: seq }: CallView): Shared | undefined {
  const exchange = seq === null ? undefined : wire.exchanges.of(seq);
  return exchange && { call, name: about.kind === 'resource' ? about.uri : about.name, from: exchange.lead.seq, to: (exchange.inside.at(-1) ?? exchange.lead).seq };
}

/** The newest call of a server, if it failed: a person who shares most likely means this call. */
export function lastFailure(state: State, server: string): Shared | undefined {
  const newest = [...state.calls.value.values()].findLast((one) => one.server === server && one.wire !== null);
  return newest && hasFailed(newest) ? sharedCall(state, newest) : undefined;
}
