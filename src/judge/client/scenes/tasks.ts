import { isObject } from '../../../jsonrpc/internal-exports.ts';
import { isTaskStatus, isTerminal, relatedTask } from '../../../protocol/internal-exports.ts';
import { give, refuse, textResult } from '../hidden-server.ts';
import type { Play, Scene } from '../scene.ts';
import type { SeenMembers, Received } from '../visit.ts';

// 2025-11-25 basic/utilities/tasks: a client that calls tools as tasks, and a client that answers questions as tasks.

const tool = (name: string, taskSupport: string | undefined): SeenMembers => ({
  name, description: `A tool whose calls ${taskSupport === 'required' ? 'must' : taskSupport === 'optional' ? 'may' : 'may not'} be tasks`, inputSchema: { type: 'object' }, ...taskSupport !== undefined && { execution: { taskSupport } },
});

interface HiddenTask {
  readonly call: Received;
  polls: number;
  readonly createdAt: string;
}

const shown = (id: string, { createdAt, polls }: HiddenTask): SeenMembers => ({ taskId: id, status: polls > 1 ? 'completed' : 'working', createdAt, lastUpdatedAt: createdAt, ttl: 60_000, pollInterval: 50 });
const named = (id: string): SeenMembers => ({ _meta: { [relatedTask]: { taskId: id } } });

export const taskTools: Scene = {
  name: 'a server whose tools are tasks', rules: ['tasks-62', 'tasks-63', 'tasks-3', 'tasks-4', 'tasks-55'],
  suits: ({ place }) => place === 3,
  offer: () => ({
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    tools: [tool('must_be_task', 'required'), tool('is_no_task', undefined), tool('may_be_task', 'optional')],
  }),
  answer(play, message) {
    const { method, params, id } = message;
    if (id === undefined) return false;
    if (method === 'tools/call') return called(play, message);
    if (method === undefined || !['tasks/get', 'tasks/result', 'tasks/cancel'].includes(method)) return false;
    const { visit, notes } = play;
    const { taskId } = params;
    visit.check('tasks-3', typeof taskId === 'string', 'the task by the parameter taskId', message);
    const meta = isObject(params['_meta']) ? params['_meta'] : {};
    visit.check('tasks-4', !(relatedTask in meta), `no ${relatedTask} in the _meta of ${method}`, message);
    const task = notes.get(`task ${String(taskId)}`) as HiddenTask | undefined;
    if (!task || typeof taskId !== 'string') refuse(play, message, -32602, 'There is no such task');
    else if (method === 'tasks/result') give(play, message, { ...textResult('the task is done'), ...named(taskId) });
    else {
      task.polls++;
      give(play, message, shown(taskId, task));
    }
    // The server sent no notification: the client polls without one.
    visit.check('tasks-55', true, 'tasks/get or tasks/result without a notification', message);
    notes.set('polled', true);
    return true;
  },
  after({ visit, notes }) {
    const [made] = [...notes].flatMap(([name, one]) => (name.startsWith('task ') ? [one as HiddenTask] : []));
    // The program may not need the result.
    if (made && !notes.has('polled')) visit.dispute('tasks-55', 'tasks/get or tasks/result: no notification reports the task', `no request for it (${visit.ended ?? 'the client waits'})`, made.call.text);
  },
};

function called(play: Play, message: Received): boolean {
  const { visit, notes } = play;
  const { params } = message;
  const asTask = params['task'] !== undefined;
  if (params['name'] === 'must_be_task') visit.check('tasks-62', asTask, 'a call of must_be_task as a task: its taskSupport is required', message);
  if (params['name'] === 'is_no_task') visit.check('tasks-63', !asTask, 'a plain call of is_no_task: it has no taskSupport', message);
  if (!asTask) {
    if (params['name'] === 'must_be_task') refuse(play, message, -32601, 'This tool has to be called as a task');
    return params['name'] === 'must_be_task';
  }
  const id = `hidden-task-${visit.seed}-${visit.number}-${message.place}`;
  const task: HiddenTask = { call: message, polls: 0, createdAt: new Date(visit.clock.now()).toISOString() };
  notes.set(`task ${id}`, task);
  give(play, message, { task: shown(id, task) });
  return true;
}

const form = { type: 'object', properties: { name: { type: 'string', default: 'Ada' } }, required: ['name'] };
const at = (value: unknown, ...path: readonly string[]): unknown => path.reduce<unknown>((from, name) => (isObject(from) ? from[name] : undefined), value);
const resultOf = (message: Received | undefined): SeenMembers | undefined => {
  const result = at(message?.json, 'result');
  return isObject(result) ? result : undefined;
};
const codeOf = (message: Received | undefined): unknown => at(message?.json, 'error', 'code');
const isTime = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value);

export const taskQuestions: Scene = {
  name: 'a server that asks with tasks',
  rules: [
    'tasks-3', 'tasks-4', 'tasks-11', 'schema-11', 'tasks-22', 'tasks-24', 'tasks-25', 'tasks-27', 'tasks-34', 'tasks-35', 'tasks-37', 'tasks-42', 'tasks-43', 'tasks-44', 'tasks-49', 'tasks-52', 'tasks-57', 'tasks-58', 'tasks-59',
    'tasks-60', 'tasks-66', 'tasks-67', 'tasks-68',
  ],
  suits: ({ place }) => place === 3,
  answer(play, message) {
    if (message.method !== 'tools/call' || play.notes.has('asked')) return false;
    play.notes.set('asked', true);
    void askAll(play, message).then(() => give(play, message, textResult('asked')));
    return true;
  },
};

/** A question that the client answers, and whether it declares tasks for it. */
function questionOf({ visit: { declared } }: Play): readonly [method: string, params: SeenMembers, takes: boolean] | undefined {
  if (isObject(declared['elicitation'])) return ['elicitation/create', { mode: 'form', message: 'Who are you?', requestedSchema: form }, isObject(at(declared, 'tasks', 'requests', 'elicitation', 'create'))];
  if (isObject(declared['sampling'])) return ['sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }], maxTokens: 20 }, isObject(at(declared, 'tasks', 'requests', 'sampling', 'createMessage'))];
  return undefined;
}

async function askAll(play: Play, call: Received): Promise<void> {
  const { visit } = play;
  const question = questionOf(play);
  if (!question) return;
  const [method, params, takes] = question;
  const made = await visit.ask(method, { ...params, task: { ttl: 60_000 } }, call);
  const task = resultOf(made)?.['task'];
  if (!made) return;
  if (!takes) return visit.check(['tasks-11', 'schema-11'], task === undefined, 'the capability tasks of a client that makes tasks', made);
  visit.check('tasks-35', isObject(task), 'a result with the task', made);
  if (!isObject(task)) return;
  visit.check(['tasks-11', 'schema-11'], true, 'the capability tasks', made);
  judgeTask(play, task, made);
  visit.check('tasks-59', task['status'] === 'working', 'the status working', made);
  const { taskId } = task;
  if (typeof taskId !== 'string') return;
  await life(play, call, taskId);
  const other = await visit.ask(method, { ...params, task: { ttl: 60_000 } }, call);
  const second = at(resultOf(other), 'task', 'taskId');
  if (other && typeof second === 'string') {
    visit.check('tasks-44', second !== taskId, 'an id that no other task has', other);
    visit.check('tasks-49', taskId.length >= 16 && second.length >= 16 && [...second].filter((char, i) => char !== taskId[i]).length > 2, 'ids of at least 16 characters that are not counters', other);
  }
}

function judgeTask({ visit }: Play, task: SeenMembers, about: Received): void {
  visit.check(['tasks-42', 'tasks-43'], typeof task['taskId'] === 'string', 'a taskId that is a string', about);
  visit.check('tasks-66', isTime(task['createdAt']), 'createdAt in ISO 8601', about);
  visit.check('tasks-67', isTime(task['lastUpdatedAt']), 'lastUpdatedAt in ISO 8601', about);
}

/** Follows a task to its end, then judges it. */
async function life(play: Play, call: Received, taskId: string): Promise<void> {
  const { visit } = play;
  const result = await visit.ask('tasks/result', { taskId }, call);
  const got = await visit.ask('tasks/get', { taskId }, call);
  const task = resultOf(got);
  if (!got || !task) return;
  judgeTask(play, task, got);
  const { status } = task;
  visit.check('tasks-68', task['ttl'] === null || typeof task['ttl'] === 'number', 'the ttl as a number, or null', got);
  visit.check(['tasks-58', 'tasks-57'], isTaskStatus(status), 'a status of a task', got);
  if (result) {
    visit.check('tasks-37', isTaskStatus(status) && isTerminal(status), 'no answer to tasks/result before the task has ended', got);
    visit.check('tasks-34', resultOf(result) !== undefined ? 'action' in (resultOf(result) ?? {}) || 'content' in (resultOf(result) ?? {}) : codeOf(result) !== undefined, 'the result of the plain question', result);
    if (resultOf(result)) visit.check('tasks-27', at(resultOf(result), '_meta', relatedTask, 'taskId') === taskId, `${relatedTask} in the _meta of the result`, result);
  }
  const again = await visit.ask('tasks/get', { taskId, _meta: { [relatedTask]: { taskId: 'hidden-other-task' } } }, call);
  if (again) {
    visit.check(['tasks-3', 'tasks-4'], resultOf(again)?.['taskId'] === taskId, 'the task of the parameter taskId, whatever _meta says', again);
    if (resultOf(again)) visit.check('tasks-60', resultOf(again)?.['status'] === status, `the status ${String(status)}: the task has ended`, again);
  }
  const { declared } = visit;
  if (at(declared, 'tasks', 'list') !== undefined) {
    const listed = await visit.ask('tasks/list', {}, call);
    const tasks = resultOf(listed)?.['tasks'];
    if (listed && Array.isArray(tasks) && resultOf(listed)?.['nextCursor'] === undefined) visit.check('tasks-52', tasks.some((one) => at(one, 'taskId') === taskId), `the task ${taskId}, which tasks/get finds`, listed);
    const cursor = await visit.ask('tasks/list', { cursor: 'hidden-made-up-cursor' }, call);
    if (cursor) visit.check('tasks-24', codeOf(cursor) === -32602, 'error -32602: the client did not give this cursor', cursor);
  }
  if (at(declared, 'tasks', 'cancel') !== undefined) {
    const cancelled = await visit.ask('tasks/cancel', { taskId }, call);
    if (cancelled) visit.check('tasks-22', codeOf(cancelled) === -32602, 'error -32602: the task has ended', cancelled);
  }
  const unknown = await visit.ask('tasks/get', { taskId: 'hidden-unknown-task' }, call);
  if (unknown) visit.check('tasks-25', codeOf(unknown) === -32602, 'error -32602: there is no such task', unknown);
}
