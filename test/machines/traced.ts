import type { Machine } from './machine.ts';

// The machines whose states are implicit in the code: an open promise, a connection that exists or not, a number in a store. A
// table in src would make every program larger, so the tables are here, and a test compares them with the code.

const subscription: Machine = {
  name: 'subscription',
  title: 'A subscription of 2026-07-28, as the server sees it',
  source: ['2026-07-28 basic/patterns/subscriptions', '2026-07-28 basic/patterns/cancellation'],
  files: ['src/server/modern/subscriptions.ts'],
  driven: 'traces',
  first: 'requested',
  events: {
    acknowledge: 'the server sends `notifications/subscriptions/acknowledged` with the part of the filter that it has',
    refuse: 'the server answers with an error: malformed parameters, or too many subscriptions',
    notify: 'the server sends a notification that the filter covers',
    cancel: 'the client cancels the request',
    end: 'the server ends it, as at shutdown: it sends `notifications/cancelled` and then the result',
    close: 'the connection is gone',
  },
  states: {
    requested: { what: '`subscriptions/listen` has arrived', on: { acknowledge: 'open', refuse: 'refused' } },
    open: { what: 'the client is told of changes', on: { notify: 'open', cancel: 'cancelled', end: 'ended', close: 'lost' } },
    refused: { what: 'the request was answered with an error', on: {} },
    cancelled: { what: 'the client has cancelled it; nothing more is sent for it', on: {} },
    ended: { what: 'the server has ended it; nothing more is sent for it', on: {} },
    lost: { what: 'nobody can be told any more', on: {} },
  },
};

const session: Machine = {
  name: 'session',
  title: 'An HTTP session, as the server sees it',
  source: ['2025-11-25 basic/transports#session-management'],
  files: ['src/transport/http/server/session.ts', 'src/transport/http/server/sessions.ts'],
  driven: 'traces',
  first: 'idle',
  events: {
    connect: 'a connection of the client begins: a stream, or a POST that waits for its answer',
    disconnect: 'one of several connections ends',
    leave: 'the last connection ends',
    delete: 'the client ends the session with DELETE',
    lapse: 'the session was idle for longer than `sessionIdleMs`',
    evict: 'there are too many sessions, and this one makes room',
    shutdown: 'the server closes',
  },
  states: {
    idle: {
      what: 'no connection of the client is open',
      on: { connect: 'connected', delete: 'ended', lapse: 'ended', evict: 'ended', shutdown: 'ended' },
    },
    connected: {
      what: 'one connection of the client is open, or several',
      on: { connect: 'connected', disconnect: 'connected', leave: 'idle', delete: 'ended', shutdown: 'ended' },
    },
    // Its connections close after its end; a pending POST gets a stream that ends without a response.
    ended: { what: 'requests with its id get 404', on: { connect: 'ended', disconnect: 'ended', leave: 'ended' } },
  },
};

const stream: Machine = {
  name: 'stream',
  title: 'A stream of an HTTP session: the answer to a POST, or a GET',
  source: ['2025-11-25 basic/transports#resumability-and-redelivery', '2025-11-25 basic/transports#sending-messages-to-the-server'],
  files: ['src/transport/http/server/sse-stream.ts'],
  driven: 'traces',
  first: 'new',
  events: {
    attach: 'a connection carries the stream: the one of its own request, or a GET that resumes it',
    write: 'a message is written to it',
    detach: 'its connection ends, and the stream does not: the client was cut off, is made to poll, or another connection carries it',
    finish: 'it ends: the request is answered, a newer GET takes its place, or the session ends',
  },
  states: {
    new: { what: 'no connection has carried it', on: { attach: 'attached' } },
    attached: { what: 'a connection carries it', on: { write: 'attached', detach: 'waiting', finish: 'over' } },
    waiting: {
      what: 'no connection carries it; messages are kept for the client that comes back',
      on: { attach: 'attached', write: 'waiting', finish: 'over' },
    },
    over: { what: 'nothing more is written to it', on: {} },
  },
};

const legacyQuestion: Machine = {
  name: 'legacy-question',
  title: 'A question to a legacy client, as the server sees it',
  source: ['2025-11-25 client/elicitation', '2025-11-25 client/sampling', '2025-11-25 basic/utilities/cancellation'],
  files: ['src/server/legacy/legacy-exchange.ts', 'src/jsonrpc/pending-requests.ts'],
  driven: 'traces',
  first: 'unsent',
  events: {
    send: 'the server sends the request on the stream of the call that asks',
    answer: 'the client answers with a result',
    refuse: 'the client answers with an error',
    withdraw: 'the server cancels it with `notifications/cancelled`: the call that asks was cancelled, or the time is up',
    close: 'the connection is gone',
  },
  states: {
    unsent: { what: 'a handler asks', on: { send: 'waiting' } },
    waiting: { what: 'the handler waits for the answer', on: { answer: 'answered', refuse: 'refused', withdraw: 'withdrawn', close: 'lost' } },
    answered: { what: 'the handler has the answer', on: {} },
    refused: { what: 'the handler has the error', on: {} },
    // 2025-11-25 basic/utilities/cancellation: a response that crosses the cancellation is not a fault.
    withdrawn: { what: 'the handler does not wait any more; a late answer is ignored', on: { answer: 'withdrawn', refuse: 'withdrawn' } },
    lost: { what: 'the handler has the error that the connection is gone', on: {} },
  },
};

const modernRound: Machine = {
  name: 'modern-round',
  title: 'One round of a modern request that asks, as the server sees it',
  source: ['2026-07-28 basic/patterns/mrtr', '2026-07-28 basic/patterns/cancellation'],
  files: ['src/server/modern/modern-exchange.ts', 'src/server/modern/request-state.ts'],
  driven: 'traces',
  first: 'running',
  events: {
    ask: 'the server answers with `input_required`, the questions and `requestState`',
    complete: 'the server answers with the result',
    fail: 'the server answers with an error',
    cancel: 'the client cancels the request',
    retry: 'the client has sent the request again, with the answers and the state, and this was served',
    expire: 'the time of the state is over',
    refuse: 'the client has sent the request again, and this was refused with -32602: the state is too old, or was opened before',
  },
  states: {
    running: { what: 'the handler runs', on: { ask: 'asked', complete: 'completed', fail: 'failed', cancel: 'cancelled' } },
    asked: { what: 'the client has the questions; the server holds nothing', on: { retry: 'answered', expire: 'expired' } },
    answered: {
      what: 'the next round has the answers; the same state may come again, and `singleUse` refuses it',
      on: { retry: 'answered', refuse: 'answered', expire: 'expired' },
    },
    expired: { what: 'the answers come too late', on: { refuse: 'expired' } },
    completed: { what: 'the request has its result', on: {} },
    failed: { what: 'the request has an error', on: {} },
    cancelled: { what: 'nothing is sent for the request', on: {} },
  },
};

const lease: Machine = {
  name: 'lease',
  title: 'The lease of a task, as its store sees it',
  source: ['docs/tasks.md', 'src/tasks/store.ts'],
  files: ['src/tasks/store.ts', 'src/tasks/memory-store.ts', 'src/tasks/worker.ts', 'src/tasks/task-run.ts'],
  driven: 'traces',
  first: 'free',
  events: {
    grant: 'the store gives the lease to a worker, under a fence that is higher than each before',
    renew: 'the worker holds it for its whole length from now on',
    write: 'the worker adds records',
    release: 'the worker adds its last records and gives the task back',
    end: 'the worker ends the task',
    expire: 'its time is over',
    cancel: 'somebody ends the task without a lease',
    succeed: 'the store gives the task to another worker, or to the same worker again',
    refuse: 'the store refuses what the worker writes or renews: LeaseLost',
  },
  states: {
    free: { what: 'no worker has this lease', on: { grant: 'held' } },
    held: {
      what: 'only this worker writes the task',
      on: { renew: 'held', write: 'held', release: 'released', end: 'ended', expire: 'over', cancel: 'broken' },
    },
    over: { what: 'nobody holds the task', on: { refuse: 'over', succeed: 'superseded', cancel: 'broken' } },
    superseded: { what: 'another lease has a higher fence', on: { refuse: 'superseded' } },
    released: { what: 'the worker has given the task back', on: { succeed: 'superseded' } },
    ended: { what: 'the task has ended under this lease', on: {} },
    broken: { what: 'the task was ended without this lease', on: { refuse: 'broken' } },
  },
};

export const traced: readonly Machine[] = [subscription, session, stream, legacyQuestion, modernRound, lease];
