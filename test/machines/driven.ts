import { clientLifecycle, serverLifecycle } from '../../src/protocol/lifecycle.ts';
import type { Lifecycle, LifecycleEvent, LifecycleState } from '../../src/protocol/lifecycle.ts';
import { firstTaskStatus, taskLifecycle } from '../../src/protocol/task-lifecycle.ts';
import type { TaskEvent } from '../../src/protocol/task-lifecycle.ts';
import type { TaskStatus } from '../../src/protocol/tasks.ts';
import type { Machine } from './machine.ts';

// The machines whose tables the code itself reads. Only the descriptions of states and events are here.

const lifecycleEvents: Readonly<Record<LifecycleEvent, string>> = {
  initialize: 'the request `initialize` was sent (client) or answered (server)',
  initialized: 'the notification `notifications/initialized` was sent or received',
  opened: 'another process answered the handshake, and this process opens the session by its id',
  close: 'the connection or the session ends',
};

/** The events of a lifecycle. */
function eventsIn(table: Lifecycle): Record<string, string> {
  const used = new Set(Object.values(table).flatMap(({ on }) => Object.keys(on)));
  return Object.fromEntries(Object.entries(lifecycleEvents).filter(([event]) => used.has(event)));
}

function lifecycle(role: 'client' | 'server', table: Lifecycle, what: Readonly<Record<LifecycleState, string>>, file: string): Machine {
  return {
    name: `${role}-lifecycle`,
    title: `The lifecycle of a legacy connection, as its ${role} sees it`,
    source: ['2025-11-25 basic/lifecycle'],
    files: ['src/protocol/lifecycle.ts', file],
    driven: 'table',
    first: 'new',
    events: eventsIn(table),
    states: Object.fromEntries(Object.entries(table).map(([state, { receive, send, on }]) =>
      [state, { what: what[state as LifecycleState], receive, send, on }])),
  };
}

const taskEvents: Readonly<Record<TaskEvent, string>> = {
  ask: 'the work needs an answer of the client',
  answer: 'the last missing answer has arrived',
  complete: 'the work ended with a result',
  fail: 'the work ended with an error',
  cancel: 'the client does not want the result',
};

const taskWords: Readonly<Record<TaskStatus, string>> = {
  working: 'the work goes on, or waits for a worker',
  input_required: 'questions to the client are open',
  completed: 'the result is there',
  failed: 'the work ended with an error',
  cancelled: 'the client has cancelled it',
};

export const driven: readonly Machine[] = [
  lifecycle('client', clientLifecycle, {
    new: 'nothing was sent',
    initializing: '`initialize` was sent',
    ready: '`notifications/initialized` was sent',
    closed: 'the client has closed the connection; a new connection begins with a new machine',
  }, 'src/client/lifecycle.ts'),
  lifecycle('server', serverLifecycle, {
    new: 'the client has not sent `initialize`',
    initializing: '`initialize` was answered',
    ready: '`notifications/initialized` has arrived',
    closed: 'the connection or the session has ended',
  }, 'src/server/connected-client.ts'),
  {
    name: 'task',
    title: 'The status of a task',
    source: ['2025-11-25 basic/utilities/tasks#task-status-lifecycle', 'the extension io.modelcontextprotocol/tasks'],
    files: ['src/protocol/task-lifecycle.ts', 'src/tasks/journal.ts'],
    driven: 'table',
    first: firstTaskStatus,
    events: taskEvents,
    states: Object.fromEntries(Object.entries(taskLifecycle).map(([status, { on }]) => [status, { what: taskWords[status as TaskStatus], on }])),
  },
];
