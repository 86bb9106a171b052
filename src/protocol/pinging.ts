import type { Timer } from '../bounds/clock.ts';
import type { Connection } from '../jsonrpc/connection.ts';
import { ConnectionError, needTimers } from '../jsonrpc/errors.ts';
import { checkOptions } from '../bounds/options.ts';
import type { LifecycleState } from './lifecycle.ts';
import { requestsOf } from './progress.ts';

/** When to ping a silent peer. Both times are above 0. */
export interface PingOptions {
  /** Milliseconds without a message from the peer, after which a ping is sent. 30 seconds. */
  readonly intervalMs?: number | undefined;
  /** Milliseconds in which a message must arrive after the ping. 10 seconds. */
  readonly timeoutMs?: number | undefined;
}

/** Pings a silent peer: see `pinging`. */
export interface Pinging {
  /** Watches a connection until it closes. Calls `lost`, which must close it, if a ping is not answered. */
  watch(connection: Connection, lost: (error: ConnectionError) => void): void;
  /**
   * A server calls this at each change of a client's state. A client in state `ready` is pinged, unless it is connected
   * over HTTP.
   */
  moved(client: PingedClient): void;
}

/** The part of a server's legacy client that `pinging` uses. */
export interface PingedClient {
  readonly state: LifecycleState;
  readonly connection: Connection;
  readonly options: {
    /** Called when the peer has gone. */
    readonly onSilent?: ((why: string) => void) | undefined;
    /** True if the channel may also carry modern requests; false over HTTP. */
    readonly modern?: boolean | undefined;
  };
  /** Reports to the server's author. */
  error(error: Error): void;
  /** Ends the session, and aborts its requests with `cause`. */
  close(why: string, cause: unknown): void;
}

/**
 * Closes a legacy connection if the other side is silent and does not answer a ping: a part of a client or a server,
 * passed as `pinging`. Every message counts as a sign of life, also an error response to the ping. The timer does not
 * keep a process alive. 2026-07-28 has no pings. Throws a RangeError for a time of 0. 2025-11-25
 * basic/utilities/ping#behavior-requirements; the same in 2024-11-05, 2025-03-26 and 2025-06-18.
 */
export function pinging(options: PingOptions = {}): Pinging {
  checkOptions('pinging: options', options, { intervalMs: 0, timeoutMs: 0 });
  const { intervalMs = 30_000, timeoutMs = 10_000 } = options;
  if (intervalMs === 0 || timeoutMs === 0) throw new RangeError('intervalMs and timeoutMs must be above 0');
  const watch: Pinging['watch'] = (connection, lost) => {
    needTimers(connection.clock, 'pinging');
    let heard = false;
    let timer: Timer | undefined;
    const wait = (): void => {
      heard = false;
      timer = connection.clock.after(intervalMs, look, true);
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
      end: () => timer?.stop(),
    };
    wait();
  };
  return {
    watch,
    moved(client) {
      // Over HTTP a client may have no open stream to carry a ping; its session ends by the idle timeout.
      if (client.state !== 'ready' || client.options.modern === false) return;
      watch(client.connection, (error) => {
        client.error(error);
        client.close(error.message, error);
        client.options.onSilent?.(error.message);
      });
    },
  };
}
