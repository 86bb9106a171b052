import type { Clock, Timer } from '../bounds/clock.ts';
import { internalsOf, tellUpdated } from '../server/internal-exports.ts';
import type { ServerInternals } from '../server/internal-exports.ts';
import type { ListName } from '../server/index.ts';
import type { ServerPort } from '../transport/internal-exports.ts';
import type { Change } from './messages.ts';

/** Milliseconds in which the changes of one list, in any processes, are joined into one notification. */
const joinMs = 100;

/** Notifies the clients of this process of changes of lists and resources in any process. */
export interface JoinedChanges {
  /** From now on, tells all processes about changes in this server. */
  share(server: ServerPort): void;
  /** Called for a change in another process. */
  hear(change: Change): void;
  /** When a list last changed, in milliseconds since the epoch; 0: no change is known. */
  readonly changed: number;
  /** Called when any list or resource may have changed. */
  everything(): void;
  /** Lets each server notify its own clients at once again. */
  end(): void;
}

/**
 * `tell` tells the other processes; `report` gets an error for each server whose changes cannot be observed. Long
 * function: its short functions share the servers that have joined.
 */
export function joinChanges(tell: (change: Change) => void, report: (error: Error) => void, clock: Clock): JoinedChanges {
  const servers = new Set<ServerInternals>();
  const lists = new Set<ListName>();
  let timer: Timer | undefined;
  let changed = 0;

  function flush(): void {
    timer = undefined;
    for (const { changes } of servers) for (const list of lists) changes?.announce(list);
    lists.clear();
  }

  function hear(change: Change): void {
    if ('uri' in change) {
      for (const server of servers) tellUpdated(server, change.uri);
      return;
    }
    changed = clock.now();
    lists.add(change.list);
    timer ??= clock.after(joinMs, flush);
  }

  return {
    share(port) {
      const server = internalsOf(port);
      if (server === undefined) {
        return report(new Error(
          'the server was made by another copy of barewire: its list and resource changes do not reach other processes',
        ));
      }
      if (servers.has(server)) return;
      servers.add(server);
      const { changes } = server;
      if (changes) changes.divert = (change) => {
        hear(change);
        tell(change);
      };
    },
    hear,
    get changed() {
      return changed;
    },
    everything() {
      for (const list of ['tools', 'prompts', 'resources'] as const) hear({ list });
      for (const server of servers) {
        const uris = new Set<string>();
        // `tell` calls the predicate with the filter of each listener of 2026-07-28. It collects the URIs and returns
        // false, so that nothing is sent.
        server.changes?.tell('resourceSubscriptions', '', undefined, (agreed) => {
          for (const uri of agreed as readonly string[]) uris.add(uri);
          return false;
        });
        for (const uri of uris) tellUpdated(server, uri);
      }
    },
    end() {
      if (timer !== undefined) {
        timer.stop();
        flush();
      }
      for (const { changes } of servers) if (changes) changes.divert = undefined;
      servers.clear();
    },
  };
}
