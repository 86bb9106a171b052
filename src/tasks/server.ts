import { checkOptions } from '../bounds/options.ts';
import type { Context, ServerCore } from '../server/index.ts';
import { extend, LegacyExchange, surround } from '../server/internal-exports.ts';
import { aroundCalls, concernsTasks } from './task-creation.ts';
import { ExtensionTasks } from './extension/server.ts';
import { askAsTask, askingWith } from './legacy/server-requestor.ts';
import { LegacyTasks } from './legacy/server.ts';
import { defaultTaskLimits, taskLimitsShape } from './limits.ts';
import { memoryStore } from './memory-store.ts';
import type { TasksOptions } from './options.ts';
import { sealedStore } from './sealed-store.ts';
import type { TaskStore } from './store.ts';
import { Tasks } from './tasks.ts';
import { Worker } from './worker.ts';

/** The tasks of a server. */
export interface ServerTasks {
  /** The number of tasks that this process runs. */
  readonly running: number;
  /**
   * Stops the running handlers, gives their tasks back to the store, and closes the store. No task is lost in a durable
   * store.
   */
  close(): Promise<void>;
}

/**
 * Adds tasks to a server, in both protocols: the extension `io.modelcontextprotocol/tasks` of 2026-07-28 and the core
 * tasks of 2025-11-25. Calls of tools with `task` can then become tasks: the handler runs on a worker, a question ends
 * the run, and each further run finds the results of earlier runs. In a durable store, acknowledged tasks survive this
 * process.
 *
 * Throws if the server has tasks already.
 */
export function tasks(server: ServerCore<Context>, options: TasksOptions = {}): ServerTasks {
  checkOptions('tasks: options', options, {
    store: 'object', keys: 'list', work: 'boolean', remember: 'function', askWithTasks: 'boolean', limits: taskLimitsShape(),
  });
  const { store: given, keys, work = true, remember } = options;
  const store = storeOf(given ?? memoryStore({ clock: server.clock }), keys);
  const limits = { ...defaultTaskLimits, ...options.limits };
  const all = new Tasks(store, limits, server.clock);
  const ask = options.askWithTasks ? askAsTask(limits.ttlMs) : undefined;
  const legacy = new LegacyTasks(all, limits, ask);
  const extension = new ExtensionTasks(all);
  extension.begin(extend(server, { ...extension.extension, legacy: legacy.legacy }));
  const { internals } = server;
  const calls = aroundCalls({
    tasks: all, legacy, remember, report: (error, name) => internals.failures.report(error, { what: 'registration', name }),
  });
  if (ask) {
    surround(internals, askingWith(ask, calls, concernsTasks), (call) => call.ctx instanceof LegacyExchange || concernsTasks(call));
  } else surround(internals, calls, concernsTasks);
  const worker = work
    ? new Worker(server, store, { limits, notify: (id, notification) => legacy.notify(id, notification) })
    : undefined;
  return {
    get running() {
      return worker?.running ?? 0;
    },
    async close() {
      await worker?.close();
      extension.close();
      all.close();
      await store.close();
    },
  };
}

/**
 * Runs the tasks of a store with the tools of a server, which needs no transport. Any number of processes may do so,
 * and each may be killed at any time.
 */
export function runTasks(
  server: ServerCore<Context>, given: TaskStore, options: Pick<TasksOptions, 'keys' | 'limits'> = {},
): ServerTasks {
  checkOptions('runTasks: options', options, { keys: 'list', limits: taskLimitsShape() });
  const store = storeOf(given, options.keys);
  const limits = { ...defaultTaskLimits, ...options.limits };
  const worker = new Worker(server, store, { limits, others: true });
  return {
    get running() {
      return worker.running;
    },
    async close() {
      await worker.close();
      await store.close();
    },
  };
}

const storeOf = (store: TaskStore, keys: readonly Uint8Array[] | undefined): TaskStore =>
  (keys ? sealedStore(store, keys) : store);
