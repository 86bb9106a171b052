import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Inbound } from '../../jsonrpc/inbound.ts';
import type { Params } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/pending-requests.ts';
import { stopOf } from '../../jsonrpc/stop.ts';
import type { Stop } from '../../jsonrpc/stop.ts';
import { requestsOf } from '../../protocol/requests.ts';
import type { LegacyRequester } from '../requester.ts';
import { onReady } from './moments.ts';

/**
 * Sends a request to a legacy client on the stream of `inbound`, and gives its result. Waits first for
 * `notifications/initialized`. Rejects with the client's `RpcError`, with a `ConnectionError` when the time is up
 * or the connection closes, or with the reason when `inbound` is cancelled. A function, and no method of the
 * handshake: a server whose handlers do not ask does not carry it.
 */
export async function askClient(
  client: LegacyRequester, method: string, params: Params, inbound: Inbound, onLate?: RequestOptions['onLate'],
): Promise<Record<string, unknown>> {
  const { connection, server: { limits: { questionTimeoutMs: timeoutMs } } } = client;
  const signal = stopOf(inbound);
  await ready(client, method, signal);
  return requestsOf(connection).request(method, params, { signal, timeoutMs, maxTimeoutMs: 0, onLate }, inbound);
}

/** Resolves when the client may be asked. */
function ready(client: LegacyRequester, method: string, signal: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (fault?: unknown): void => {
      forget?.();
      if (timer !== undefined) clearTimeout(timer);
      signal.removeEventListener('abort', cancelled);
      if (fault === undefined) resolve();
      else reject(fault);
    };
    const cancelled = (): void => end(signal.reason);
    const forget = onReady(client, (isReady) => end(isReady ? undefined
      : new ConnectionError('closed', `${method}: the connection closed before the client was ready`)));
    if (forget === undefined) return resolve();
    signal.addEventListener('abort', cancelled, { once: true });
    const { questionTimeoutMs: ms } = client.server.limits;
    if (ms > 0 && typeof setTimeout === 'function') {
      timer = setTimeout(() => end(new ConnectionError(
        'timeout', `${method}: the client sent no notifications/initialized within ${ms} ms`,
      )), ms);
    }
  });
}
