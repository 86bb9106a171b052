import { isObject } from '../../jsonrpc/internal-exports.ts';
import { RpcError } from '../../jsonrpc/index.ts';
import { longestTimerMs } from '../../bounds/options.ts';
import { requestsOf } from '../../protocol/internal-exports.ts';
import { coreTasks } from '../../protocol/index.ts';
import type { AnyAround, HandlerCall, LegacyRequester } from '../../server/index.ts';
import { askClient, LegacyExchange } from '../../server/internal-exports.ts';

/**
 * Asks a client of 2025-11-25 with a task, where it has declared that it takes such questions so, and plainly
 * otherwise. The client says at once that it has the question; the answer is waited for by `tasks/result`, as long
 * as the task is kept. Whoever stops waiting cancels the task. 2025-11-25 basic/utilities/tasks#creating-tasks.
 */
export function askAsTask(ttlMs: number): typeof askClient {
  const ownMs = Math.min(ttlMs, longestTimerMs);
  return async (client, method, params, inbound) => {
    if (!takesAsTask(client, method)) return askClient(client, method, params, inbound);
    const created = await askClient(
      client, method, { ...params, task: { ttl: ownMs } }, inbound, (late) => cancel(client, late['task']),
    );
    const { task } = created;
    if (!isObject(task) || typeof task['taskId'] !== 'string') {
      throw new Error(`${method}: the client was asked with a task, and its result has none`);
    }
    const { taskId, ttl } = task;
    const timeoutMs = typeof ttl === 'number' && ttl > 0 ? Math.min(ttl, ownMs) : ownMs;
    const signal = typeof AbortController === 'function' ? inbound.signal : undefined;
    try {
      const waited = { signal, timeoutMs, maxTimeoutMs: 0 };
      return await requestsOf(client.connection).request('tasks/result', { taskId }, waited, inbound);
    } catch (error) {
      // An error of the client's is the answer. All else: nobody waits for one any more.
      if (!(error instanceof RpcError)) cancel(client, task);
      throw error;
    }
  };
}

/** Tells a client that its task is not wanted any more. It goes outside of the request that asked, which is over. */
function cancel({ connection, capabilities }: LegacyRequester, task: unknown): void {
  if (connection.closed || !capabilities.tasks?.cancel || !isObject(task)) return;
  const { taskId } = task;
  if (typeof taskId === 'string') requestsOf(connection).request('tasks/cancel', { taskId }).catch(() => {});
}

/** "Requestors SHOULD only augment requests with a task if the corresponding capability has been declared" */
function takesAsTask({ revision, capabilities: { tasks } }: LegacyRequester, method: string): boolean {
  if (!revision || !coreTasks(revision)) return false;
  if (method === 'sampling/createMessage') return tasks?.requests?.sampling?.createMessage !== undefined;
  return method === 'elicitation/create' && tasks?.requests?.elicitation?.create !== undefined;
}

/** Lets all handlers ask in this way, and goes on with what else stands around calls. */
export function askingWith(
  ask: typeof askClient, calls: AnyAround, wants: (call: HandlerCall) => boolean,
): AnyAround {
  return (call, next) => {
    const { ctx } = call as { ctx: object };
    if (ctx instanceof LegacyExchange) ctx.askWith = ask;
    return wants(call as HandlerCall) ? calls(call, next) : next();
  };
}
