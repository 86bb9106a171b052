import type { Bag } from '../../jsonrpc/index.ts';
import type { Task } from '../../protocol/index.ts';
import type { TaskView } from '../journal.ts';
import { commonFields } from '../wire.ts';

/** A task as 2025-11-25 has it. A tool that failed has failed here: basic/utilities/tasks#task-execution-errors. */
export function legacyTask(view: TaskView): Task {
  const { end, ttlMs, pollIntervalMs } = view;
  const toolFailed = end?.status === 'completed' && end.result['isError'] === true;
  return {
    ...commonFields(view),
    ...toolFailed && { status: 'failed', statusMessage: view.message ?? textOf(end.result) },
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
  } as Task;
}

/** The first text of a result, for a person. */
function textOf({ content }: Bag): string | undefined {
  const blocks = Array.isArray(content) ? content as { text?: unknown }[] : [];
  const text = blocks.find((block) => typeof block.text === 'string')?.text;
  return typeof text === 'string' ? text.slice(0, 1000) : undefined;
}
