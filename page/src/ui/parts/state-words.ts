import type { ServerState } from '../../messages.ts';

/** A server's state, in words for a person. */
export const stateWords: Readonly<Record<ServerState, string>> = {
  resting: 'not connected', starting: 'starting', ready: 'connected', down: 'stopped with an error', broken: 'keeps failing',
};
