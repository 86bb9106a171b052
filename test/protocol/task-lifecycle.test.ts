import assert from 'node:assert/strict';
import test from 'node:test';
import { firstTaskStatus, isTaskStatus, isTerminal, nextTaskStatus, taskLifecycle } from '../../src/protocol/task-lifecycle.ts';
import type { TaskEvent } from '../../src/protocol/task-lifecycle.ts';
import type { TaskStatus } from '../../src/protocol/tasks.ts';

// 2025-11-25 basic/utilities/tasks#task-status-lifecycle, as in the text.
const allowed: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  working: ['input_required', 'completed', 'failed', 'cancelled'],
  input_required: ['working', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
};
const events: readonly TaskEvent[] = ['ask', 'answer', 'complete', 'fail', 'cancel'];
const states = Object.keys(allowed) as TaskStatus[];

test('task lifecycle: every cell leads where the specification allows, and nowhere else', () => {
  assert.deepEqual(Object.keys(taskLifecycle).sort(), [...states].sort());
  for (const status of states) {
    const reached = events.map((event) => nextTaskStatus(status, event)).filter((next) => next !== undefined);
    assert.deepEqual([...reached].sort(), [...allowed[status]].sort(), status);
    assert.equal(isTerminal(status), allowed[status].length === 0, status);
  }
});

test('task lifecycle: an event means one thing wherever it is taken', () => {
  const means: Readonly<Record<TaskEvent, TaskStatus>> = {
    ask: 'input_required', answer: 'working', complete: 'completed', fail: 'failed', cancel: 'cancelled',
  };
  for (const status of states) {
    for (const event of events) {
      const next = nextTaskStatus(status, event);
      if (next !== undefined) assert.equal(next, means[event], `${status}, ${event}`);
    }
  }
});

test('task lifecycle: a task begins working, and statuses from the wire are told from other strings', () => {
  assert.equal(firstTaskStatus, 'working');
  for (const status of states) assert.ok(isTaskStatus(status));
  for (const other of ['', 'done', 'constructor', '__proto__', ['working'], 7, null, undefined]) assert.ok(!isTaskStatus(other));
});
