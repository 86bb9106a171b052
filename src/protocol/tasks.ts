import type { NotificationParams, RequestParams, Result } from './base.ts';
import type { PaginatedRequestParams, PaginatedResult } from './pagination.ts';

// 2025-11-25 only, and experimental there; since 2026-07-28 tasks are an extension.

/** 2025-11-25 only. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** 2025-11-25 only. */
export interface TaskMetadata {
  /** How long the task should be kept, in milliseconds from its creation. */
  ttl?: number | undefined;
}

/** The parameters of a request that may be run as a task. */
export interface TaskAugmentedRequestParams extends RequestParams {
  /** 2025-11-25 only. Asks for a CreateTaskResult now and for the final result later. */
  task?: TaskMetadata | undefined;
}

/** 2025-11-25 only. The key of `_meta` with the task of a message. */
export const relatedTask = 'io.modelcontextprotocol/related-task';

/** 2025-11-25 only. In `_meta['io.modelcontextprotocol/related-task']` of the messages of a task. */
export interface RelatedTaskMetadata {
  taskId: string;
}

/** 2025-11-25 only. */
export interface Task {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string | undefined;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** In milliseconds from creation; null: unlimited. */
  ttl: number | null;
  /** How often to poll, in milliseconds. */
  pollInterval?: number | undefined;
}

/** 2025-11-25 only. The first result of a request that is run as a task. */
export interface CreateTaskResult extends Result {
  task: Task;
}

/** The parameters of every request about one task. */
export interface TaskRequestParams extends RequestParams {
  taskId: string;
}

// tasks/get: request, both ways. 2025-11-25 only.
/** Names the task whose state to return. */
export type GetTaskRequestParams = TaskRequestParams;

export interface GetTaskResult extends Result, Task {}

// tasks/result: request, both ways. 2025-11-25 only. Returns the result of the original request.
/** Names the task whose result the sender waits for. */
export type GetTaskPayloadRequestParams = TaskRequestParams;

/** The result of the request that created the task. */
export type GetTaskPayloadResult = Result & Record<string, unknown>;

// tasks/cancel: request, both ways. 2025-11-25 only.
/** Names the task to cancel. */
export type CancelTaskRequestParams = TaskRequestParams;

export interface CancelTaskResult extends Result, Task {}

// tasks/list: request, both ways. 2025-11-25 only.
/** Names the page by its cursor. */
export type ListTasksRequestParams = PaginatedRequestParams;

export interface ListTasksResult extends PaginatedResult {
  tasks: Task[];
}

// notifications/tasks/status: notification, both ways. 2025-11-25 only.
export interface TaskStatusNotificationParams extends NotificationParams, Task {}
