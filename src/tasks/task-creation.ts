import { internalError } from '../jsonrpc/internal-exports.ts';
import { Cancelled, RpcError } from '../jsonrpc/index.ts';
import type { Bag } from '../jsonrpc/index.ts';
import { quote } from '../bounds/quote.ts';
import { resultType } from '../protocol/internal-exports.ts';
import { coreTasks, metaKeys } from '../protocol/index.ts';
import { ModernExchange } from '../server/internal-exports.ts';
import type { AskingExchange } from '../server/internal-exports.ts';
import type { AnyAround, Context, Exchange, Guarded, HandlerCall, Step, TaskSteps, TaskSupport } from '../server/index.ts';
import type { TaskView } from './journal.ts';
import { createdTask, declaresTasks, missingExtension } from './extension/server.ts';
import { missingTask, needlessTask } from './legacy/server.ts';
import type { LegacyTasks } from './legacy/server.ts';
import { rememberAuth } from './options.ts';
import type { TasksOptions } from './options.ts';
import { TaskExchange } from './task-exchange.ts';
import { ownerOf } from './tasks.ts';
import type { TaskOrder, Tasks } from './tasks.ts';
import { ttlOf } from './task-form.ts';

interface Parts {
  readonly tasks: Tasks;
  readonly legacy: LegacyTasks;
  readonly remember: TasksOptions['remember'];
  /** Reports an error to the author. */
  report(error: Error, tool: string): void;
}

/** Whether a call concerns tasks. All other calls are answered as if there were no tasks. */
export function concernsTasks({ kind, definition, params }: HandlerCall): boolean {
  return kind === 'tool' && ((definition as { task?: unknown }).task !== undefined || params['task'] !== undefined);
}

/**
 * Wraps the handlers of tools: a call becomes a task, is answered directly, or is refused, depending on the tool, the
 * client and the revision.
 */
export function aroundCalls({ tasks, legacy, remember = rememberAuth, report }: Parts): AnyAround {
  /** Durable tools for which the author was told that their tasks end with this process. */
  const told = new Set<string>();
  const begin = async (
    call: HandlerCall, exchange: Exchange, ttlMs?: number, named?: (id: string) => void,
  ): Promise<TaskView> => {
    const { name, definition } = call;
    if (!tasks.store.durable && (definition as { durable?: boolean }).durable && !told.has(name)) {
      told.add(name);
      report(new Error(`tool ${quote(name)} is durable, but its tasks end with this process: give tasks() a lasting store`), name);
    }
    const view = await tasks.create(ownerOf(exchange.auth), orderOf(call, exchange, remember), ttlMs, named).catch(notKept);
    const { inbound } = exchange;
    // The client cancelled the call before it could learn of the task.
    if (inbound.settled && inbound.signal.reason instanceof Cancelled) await tasks.cancel(exchange.auth, view.id);
    return view;
  };

  // Synchronous if the call is answered directly: tasks then cost it nothing.
  return (call, next) => {
    const exchange = call.ctx as unknown as AskingExchange;
    // A worker makes this call to run a task.
    if (exchange instanceof TaskExchange) return next();
    const { task: support } = call.definition as { task?: TaskSupport };
    const { revision } = exchange;
    const wanted = coreTasks(revision) ? call.params['task'] : undefined;
    if (wanted !== undefined) {
      if (!support) throw needlessTask(call.name);
      const ttlMs = ttlOf(wanted);
      return legacy.create(exchange, scopesOf(call), (named) => begin(call, exchange, ttlMs, named));
    }
    if (!support) return next();
    const declared = resultType(revision) && declaresTasks(exchange);
    if (support === 'required' && !declared) throw resultType(revision) ? missingExtension() : missingTask(call.name, revision);
    const plainly = (): unknown => next((call as HandlerCall).args, Object.assign(call.ctx, plainSteps(exchange)));
    if (!declared) return plainly();
    const asTask = (): Promise<object> => begin(call, exchange).then(createdTask);
    if (typeof support !== 'function') return asTask();
    const decided = support((call as HandlerCall).args as never, exchange as never);
    if (decided instanceof Promise) return decided.then((yes) => (yes ? asTask() : plainly()));
    return decided ? asTask() : plainly();
  };
}

/**
 * The store has failed, not the tool: the caller gets a protocol error and no tool result. The author also gets its
 * cause.
 */
function notKept(error: unknown): never {
  if (error instanceof RpcError) throw error;
  throw Object.assign(internalError('The task could not be stored'), { cause: error });
}

function orderOf(
  call: HandlerCall, exchange: Exchange, remember: (auth: NonNullable<Exchange['auth']>) => object,
): TaskOrder {
  const { name, params } = call;
  const { auth, capabilities, client, meta, revision } = exchange;
  const protocolKeys: readonly string[] = Object.values(metaKeys);
  const own = Object.entries(meta ?? {}).filter(([key]) => !protocolKeys.includes(key));
  const before = exchange instanceof ModernExchange ? exchange.remembered : undefined;
  return {
    tool: name,
    arguments: params['arguments'] ?? {},
    _meta: own.length > 0 ? Object.fromEntries(own) : undefined,
    revision: revision.version, client, capabilities,
    scopes: scopesOf(call),
    auth: auth && remember(auth) as TaskOrder['auth'],
    answers: before && filled(before.answers),
    made: before && filled(before.made),
  };
}

/** The tool's scopes. The caller has them: that was checked before. */
const scopesOf = ({ definition }: HandlerCall): readonly string[] => (definition as Guarded).scopes ?? [];

const filled = (bag: Readonly<Bag>): Readonly<Bag> | undefined => (Object.keys(bag).length > 0 ? bag : undefined);

/** The members of `TaskSteps` for a call that does not become a task. */
function plainSteps(ctx: Pick<Context, 'once'>): TaskSteps {
  const { once } = ctx;
  return {
    once: <T>(key: string, make: (step: Step) => T | Promise<T>): Promise<T> =>
      once.call(ctx, key, () => make({ attempt: 1, idempotencyKey: crypto.randomUUID() })) as Promise<T>,
    version: async (_key, current) => current,
    status: () => {},
  };
}
