import type { ServerPort } from '../transport/port.ts';
import type { ConnectedServerSide } from './connected-client.ts';
import type { Guards } from './guards.ts';
import type { Hosting } from './hosting.ts';

/** What other files of this folder need of a server. */
export interface ServerInternals extends ConnectedServerSide {
  readonly hosting: Pick<Hosting<never>, 'guard' | 'isExtended'> & {
    /** What stands around handlers; whoever puts something there where nothing stands makes it. */
    guards: Pick<Guards, 'surround'> | undefined;
  };
}

/** By server. They are no members of it: an editor shows nothing that is not for users. */
export const internals: WeakMap<ServerPort, ServerInternals> = new WeakMap();

/** What is not for users: reached by other files of this folder, and by tasks. */
export function internalsOf(server: ServerPort): ServerInternals {
  return internals.get(server) as ServerInternals;
}

/** The same of whatever serves a transport; undefined: it is no server of ours. */
export const internalsOfPort = (server: ServerPort): ServerInternals | undefined => internals.get(server);
