import { isObject } from '../../jsonrpc/internal-exports.ts';
import { RpcError } from '../../jsonrpc/index.ts';
import { longestTimerMs } from '../../bounds/options.ts';
import { requestsOf } from '../../protocol/internal-exports.ts';
import { coreTasks } from '../../protocol/index.ts';
import type { AnyAround, HandlerCall, LegacyRequester } from '../../server/index.ts';
import { askClient, LegacyExchange } from '../../server/internal-exports.ts';

/**
 * Returns an `askClient` that asks a client of 2025-11-25 with a task if it has declared this, and directly otherwise.
 * The client creates the task at once; `tasks/result` waits for the answer, as long as the task is kept. If the handler
 * stops waiting, the task is cancelled. 2025-11-25 basic/utilities/tasks#creating-tasks.
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
      throw new Error(`${method}: requested as a task, but the result has no task`);
    }
    const { taskId, ttl } = task;
    const timeoutMs = typeof ttl === 'number' && ttl > 0 ? Math.min(ttl, ownMs) : ownMs;
    const signal = typeof AbortController === 'function' ? inbound.signal : undefined;
    try {
      const waited = { signal, timeoutMs, maxTimeoutMs: 0 };
      return await requestsOf(client.connection).request('tasks/result', { taskId }, waited, inbound);
    } catch (error) {
      // An `RpcError` is the client's answer. After any other error, nobody waits for an answer any more.
      if (!(error instanceof RpcError)) cancel(client, task);
      throw error;
    }
  };
}

/** Asks the client to cancel its task. The request that asked the question is over, so this goes outside of it. */
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

/** Lets all handlers ask with `ask`, and applies `calls` to the calls that `wants` selects. */
export function askingWith(
  ask: typeof askClient, calls: AnyAround, wants: (call: HandlerCall) => boolean,
): AnyAround {
  return (call, next) => {
    const { ctx } = call as { ctx: object };
    if (ctx instanceof LegacyExchange) ctx.askWith = ask;
    return wants(call as HandlerCall) ? calls(call, next) : next();
  };
}
