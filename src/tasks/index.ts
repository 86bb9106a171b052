/**
 * `barewire/tasks`: `tasks`, `runTasks`; `memoryStore`, `sealedStore`.
 *
 * @module
 */

export { tasks, runTasks } from './server.ts';
export type { ServerTasks } from './server.ts';
export type { TasksOptions } from './options.ts';
export { defaultReceivedTaskLimits, defaultTaskLimits } from './limits.ts';
export type { ReceivedTaskLimits, TaskLimits } from './limits.ts';
export { receiveTasks } from './legacy/client-receiver.ts';
export { memoryStore } from './memory-store.ts';
export type { MemoryStoreOptions } from './memory-store.ts';
export { sealedStore } from './sealed-store.ts';
export { isWaiting, LeaseLost, pageOf, placeOf, Watchers } from './store.ts';
export type { Lease, LeasedTask, ListedTask, NewTask, StoredTask, TaskChange, TaskStore } from './store.ts';
export type { Step, TaskSteps } from '../server/index.ts';
export { TaskClient } from './task-client.ts';
export type { Started, TaskClientOptions } from './task-client.ts';
export { TaskCancelled, TaskHandle } from './task-handle.ts';
export type { TaskState } from './task-handle.ts';
