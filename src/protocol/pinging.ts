import type { Connection } from '../jsonrpc/connection.ts';
import { ConnectionError, need } from '../jsonrpc/errors.ts';
import { checkOptions } from '../bounds/options.ts';
import { inBackground } from '../bounds/times.ts';
import type { LifecycleState } from './lifecycle.ts';
import { requestsOf } from './requests.ts';

/** When a silent peer is asked whether it is there. Both are above 0. */
export interface PingOptions {
  /** Milliseconds: an interval in which nothing came is followed by a ping. 30 seconds. */
  readonly intervalMs?: number | undefined;
  /** Milliseconds within which something must come then. 10 seconds. */
  readonly timeoutMs?: number | undefined;
}

/** Asks a silent peer whether it is there: see `pinging`. */
export interface Pinging {
  /** Watches a connection until it closes. `lost` is called where a ping is not answered, and has to close it. */
  watch(connection: Connection, lost: (error: ConnectionError) => void): void;
  /** Called at each change of a client's state, by its server. Once ready the client is pinged, unless it came over HTTP. */
  moved(client: PingedClient): void;
}

/** What `pinging` needs of a legacy client of a server. */
export interface PingedClient {
  readonly state: LifecycleState;
  readonly connection: Connection;
  readonly options: {
    /** Tells the channel that nobody is at its other end. */
    readonly lost?: ((why: string) => void) | undefined;
    /** Whether requests that stand alone may come by the same channel. */
    readonly modern?: boolean | undefined;
  };
  /** Tells the server's author. */
  error(error: Error): void;
  /** Ends the session, and what runs for it with `cause`. */
  close(why: string, cause: unknown): void;
}

/**
 * Finds out when the other side of a legacy connection has gone silent, and ends the connection: a part of a client
 * or a server, handed in as `pinging`. Whatever arrives is a sign of life, also an error in answer to the ping. The
 * timer keeps no process alive. 2026-07-28 has no pings. Throws a RangeError for a time that is none.
 * 2025-11-25 basic/utilities/ping#behavior-requirements; the same in 2024-11-05, 2025-03-26 and 2025-06-18.
 */
export function pinging(options: PingOptions = {}): Pinging {
  checkOptions('pinging: options', options, { intervalMs: 0, timeoutMs: 0 });
  const { intervalMs = 30_000, timeoutMs = 10_000 } = options;
  if (intervalMs === 0 || timeoutMs === 0) throw new RangeError('intervalMs and timeoutMs must be above 0');
  const watch: Pinging['watch'] = (connection, lost) => {
    need('setTimeout', 'pinging');
    let heard = false;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      heard = false;
      timer = inBackground(setTimeout(look, intervalMs));
    };
    const look = (): void => {
      if (heard) return wait();
      requestsOf(connection).request('ping', undefined, { timeoutMs, maxTimeoutMs: 0 }).catch((error: unknown) => {
        if (heard || connection.closed || !(error instanceof ConnectionError)) return;
        lost(new ConnectionError('timeout', `the other side has not answered a ping within ${timeoutMs} ms`));
      }).finally(() => {
        if (!connection.closed) wait();
      });
    };
    connection.monitor = {
      heard: () => {
        heard = true;
      },
      end: () => clearTimeout(timer),
    };
    wait();
  };
  return {
    watch,
    moved(client) {
      // Over HTTP a client need not have a stream open that a ping could reach; its session ends by being idle.
      if (client.state !== 'ready' || client.options.modern === false) return;
      watch(client.connection, (error) => {
        client.error(error);
        client.close(error.message, error);
        client.options.lost?.(error.message);
      });
    },
  };
}
