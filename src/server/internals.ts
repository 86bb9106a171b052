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

/** What is not for users: reached by other files of this folder, and by tasks. An editor shows its type as `HttpSide`. */
export function internalsOf(server: ServerPort): ServerInternals {
  return server.side as ServerInternals;
}

/** The same of whatever serves a transport; undefined: it is no server of ours. */
export const internalsOfPort = (server: ServerPort): ServerInternals | undefined =>
  'hosting' in server.side ? internalsOf(server) : undefined;
