// Moments in the life of a legacy connection, for those who have to wait for them.
import type { LifecycleState } from '../../protocol/lifecycle.ts';
import type { LegacyRequester } from '../requester.ts';

/** Calls the listener at every change of the client's state; returns what takes it away. */
function onChange(client: LegacyRequester, listener: (state: LifecycleState) => void): () => void {
  const listeners = client.listeners ??= new Set();
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener once the connection closes. */
export function onClose(client: LegacyRequester, listener: () => void): void {
  onChange(client, (state) => {
    if (state === 'closed') listener();
  });
}

/**
 * Calls the listener once the client has sent `notifications/initialized`, before which it must not be asked, or
 * with `false` once the connection closes. Returns what takes the listener away; undefined: there is nothing to
 * wait for.
 */
export function onReady(client: LegacyRequester, listener: (ready: boolean) => void): (() => void) | undefined {
  if (client.state !== 'initializing') return undefined;
  const forget = onChange(client, (state) => {
    forget();
    listener(state === 'ready');
  });
  return forget;
}
