import { isObject } from '../../jsonrpc/internal-exports.ts';
import { isTaskStatus, isTerminal, relatedTask } from '../../protocol/internal-exports.ts';
import type { Revision } from '../../protocol/index.ts';
import type { Bench } from '../bench.ts';
import { bounds } from '../bounds.ts';
import type { Arrival, JudgedConversation, ReceivedAnswer } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';
import type { Survey, SurveyedCall } from './survey.ts';

// 2025-11-25 basic/utilities/tasks, for the receiver of tasks.

const needs = 'a tool that may be called and may be a task (execution.taskSupport)';

type TaskMembers = Readonly<Record<string, unknown>>;

const of = (value: unknown, ...path: readonly string[]): unknown => path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
export const taskSupport = ({ tool }: SurveyedCall): unknown => of(tool, 'execution', 'taskSupport');
export const taskOf = ({ result }: ReceivedAnswer): TaskMembers => (isObject(result['task']) ? result['task'] : {});
const answered = ({ kind }: ReceivedAnswer): boolean => kind === 'result' || kind === 'error';
/** RFC 3339 section 5, which the page names. */
const isTime = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) && !Number.isNaN(Date.parse(value));

export const declares = ({ offered }: JudgedConversation): boolean => isObject(of(offered, 'tasks', 'requests', 'tools', 'call'));

/** Calls a tool as a task. */
export const begun = (conversation: JudgedConversation, { tool, arguments: given }: SurveyedCall, meta: TaskMembers = {}): Promise<ReceivedAnswer> =>
  conversation.ask('tools/call', { name: tool['name'], arguments: given, task: { ttl: 60_000 } }, { meta, timeoutMs: bounds.callMs });

/** Judges the form of a task in a response. */
function judgeTask(conversation: JudgedConversation, task: TaskMembers, about: ReceivedAnswer): void {
  conversation.check('tasks-42', typeof task['taskId'] === 'string', 'a taskId that is a string', about);
  conversation.check('tasks-66', isTime(task['createdAt']), 'createdAt in ISO 8601', about);
  conversation.check('tasks-67', isTime(task['lastUpdatedAt']), 'lastUpdatedAt in ISO 8601', about);
  if (about.asked.method === 'tasks/get') conversation.check('tasks-68', task['ttl'] === null || typeof task['ttl'] === 'number', 'the ttl as a number, or null', about);
}

export const isEnd = (status: unknown): boolean => isTaskStatus(status) && isTerminal(status);
const hasEnded = ({ result: { status } }: ReceivedAnswer): boolean => isEnd(status);

/** Polls a task until it has ended; resolves with the last answer. */
async function watched(bench: Bench, conversation: JudgedConversation, taskId: string): Promise<ReceivedAnswer> {
  let before: unknown = 'working';
  for (let time = 0; ; time++) {
    const got = await conversation.ask('tasks/get', { taskId });
    if (got.kind !== 'result') return got;
    judgeTask(conversation, got.result, got);
    const { status } = got.result;
    conversation.check(before === 'input_required' ? 'tasks-57' : 'tasks-58', isTaskStatus(status), `a status that may follow ${String(before)}`, got);
    before = status;
    if (hasEnded(got) || time > 40) return got;
    await new Promise<void>((resolve) => void bench.clock.after(100, resolve));
  }
}

const namesTask = ({ json }: Arrival, taskId: unknown): boolean => isObject(json) && of(json['params'], '_meta', relatedTask, 'taskId') === taskId;

/** Requests the result at once. The answer must wait for the end, so `tasks/get` after it must show that the task has ended. */
async function earlyResult(conversation: JudgedConversation, taskId: string): Promise<ReceivedAnswer> {
  const result = await conversation.ask('tasks/result', { taskId }, { timeoutMs: bounds.callMs });
  if (!answered(result)) return result;
  const after = await conversation.ask('tasks/get', { taskId });
  if (after.kind === 'result') conversation.check('tasks-37', hasEnded(after), `no answer to tasks/result before the task has ended: ${result.came.slice(0, 200)}`, after);
  return result;
}

/** 2025-11-25 basic/utilities/tasks#result-retrieval: `tasks/result` returns the same as the call itself would. */
function judgeEnd(conversation: JudgedConversation, { answer: plain }: SurveyedCall, taskId: string, last: ReceivedAnswer, result: ReceivedAnswer): void {
  if (last.kind !== 'result' || !answered(result)) return;
  if (result.kind === 'result') {
    conversation.check('tasks-27', of(result.result, '_meta', relatedTask, 'taskId') === taskId, `${relatedTask} in the _meta of the result`, result);
    conversation.check('tasks-34', Array.isArray(result.result['content']), 'the result of the plain call: a result with content', result);
  }
  // A tool that must be called as a task refuses a plain call.
  if (last.result['status'] !== 'failed' || plain.kind !== 'error' || plain.code === -32601) return;
  conversation.check('tasks-34', result.kind === 'error', `the error of the plain call: ${plain.came.slice(0, 200)}`, result);
}

/** One call as a task, from its start to its end. */
async function life(bench: Bench, conversation: JudgedConversation, one: SurveyedCall): Promise<string | undefined> {
  const token = `judge-task-${conversation.nextId()}`;
  const from = conversation.arrivals.length;
  const made = await begun(conversation, one, { progressToken: token });
  if (made.kind !== 'result') return undefined;
  const task = taskOf(made);
  const { taskId } = task;
  conversation.check(['tasks-35', 'tasks-43'], 'task' in made.result && !('content' in made.result) && taskId !== undefined, 'a result with the task', made);
  if (!isObject(made.result['task'])) return undefined;
  judgeTask(conversation, task, made);
  conversation.check('tasks-59', task['status'] === 'working', 'the status working', made);
  if (typeof taskId !== 'string') return undefined;
  const early = earlyResult(conversation, taskId);
  const last = await watched(bench, conversation, taskId);
  judgeEnd(conversation, one, taskId, last, await early);
  const meanwhile = conversation.arrivals.slice(from).filter(({ json }) => isObject(json) && typeof json['method'] === 'string');
  for (const arrival of meanwhile) {
    const { json } = arrival;
    if (!isObject(json)) continue;
    if (json['id'] !== undefined) conversation.check(['tasks-1', 'tasks-2'], namesTask(arrival, taskId), `${relatedTask} in the _meta of a question of a task`, arrival);
    if (json['method'] !== 'notifications/progress') continue;
    const said = of(json['params'], 'progressToken');
    if (said === token) conversation.check('progress-1', true, '', arrival);
    else if (namesTask(arrival, taskId)) conversation.check('progress-1', false, `progress of the task under the token ${token}`, arrival);
  }
  const told = conversation.arrivals.findIndex(({ json }) => isObject(json) && json['method'] === 'notifications/tasks/status' && of(json['params'], 'taskId') === taskId && isEnd(of(json['params'], 'status')));
  const at = told >= 0 ? told : last.arrival ? conversation.arrivals.indexOf(last.arrival) : -1;
  const late = conversation.arrivals.slice(at + 1).find((one) => isObject(one.json) && one.json['method'] === 'notifications/progress' && (of(one.json['params'], 'progressToken') === token || namesTask(one, taskId)));
  // Over HTTP, different streams have no fixed order.
  if (hasEnded(last) && !late) conversation.check('progress-4', true, '', last);
  else if (late && conversation.kind === 'http') conversation.dispute('progress-4', 'no progress of a task that has ended', late);
  else if (late) conversation.check('progress-4', false, 'no progress of a task that has ended', late);
  if (last.kind === 'result') await ended(conversation, taskId, last);
  return taskId;
}

/** Judges the answers about a task that has ended. */
async function ended(conversation: JudgedConversation, taskId: string, last: ReceivedAnswer): Promise<void> {
  const again = await conversation.ask('tasks/get', { taskId }, { meta: { [relatedTask]: { taskId: 'judge-other-task' } } });
  if (answered(again)) {
    conversation.check(['tasks-3', 'tasks-4'], again.kind === 'result' && again.result['taskId'] === taskId, 'the task of the parameter taskId, whatever _meta says', again);
    if (again.kind === 'result') conversation.check('tasks-60', again.result['status'] === last.result['status'], `the status ${String(last.result['status'])}: the task has ended`, again);
  }
  const cancelled = await conversation.ask('tasks/cancel', { taskId });
  if (answered(cancelled) && cancelled.code !== -32601) conversation.check('tasks-22', cancelled.kind === 'error' && cancelled.code === -32602, 'error -32602: the task has ended', cancelled);
  if (of(conversation.offered, 'tasks', 'list') === undefined) return;
  const listed = await conversation.ask('tasks/list');
  const tasks = listed.result['tasks'];
  if (listed.kind === 'result' && Array.isArray(tasks) && listed.result['nextCursor'] === undefined) {
    conversation.check('tasks-52', tasks.some((one) => of(one, 'taskId') === taskId), `the task ${taskId}, which tasks/get finds`, listed);
  }
}

/** Tries ids and a cursor that the server never gave. */
async function unknownTasks(conversation: JudgedConversation): Promise<void> {
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    const answer = await conversation.ask(method, { taskId: 'judge-unknown-task' });
    if (method === 'tasks/cancel' && of(conversation.offered, 'tasks', 'cancel') === undefined) continue;
    if (answered(answer)) conversation.check('tasks-25', answer.kind === 'error' && answer.code === -32602, 'error -32602: there is no such task', answer);
  }
  if (of(conversation.offered, 'tasks', 'list') === undefined) return;
  const cursor = await conversation.ask('tasks/list', { cursor: 'judge-made-up-cursor' });
  if (answered(cursor)) conversation.check('tasks-24', cursor.kind === 'error' && cursor.code === -32602, 'error -32602: the server did not give this cursor', cursor);
}

/** Passes a task id as an argument, if the tool takes further arguments; then creates a second task. */
async function furtherTasks(conversation: JudgedConversation, able: readonly SurveyedCall[], [known]: readonly string[]): Promise<void> {
  const chosen = 'judge-chosen-task';
  const open = able.find(({ tool }) => of(tool, 'inputSchema', 'additionalProperties') !== false);
  if (open) {
    const made = await begun(conversation, { ...open, arguments: { ...open.arguments, taskId: chosen } });
    if (made.kind === 'result') conversation.check('tasks-43', taskOf(made)['taskId'] !== chosen, 'a taskId that the server has made', made);
  }
  const [first] = able;
  if (!first || known === undefined) return;
  const second = await begun(conversation, first);
  // The server may have a limit.
  if (second.kind === 'error') conversation.dispute('tasks-44', `a second task beside ${known}, with another id`, second);
}

/** Cancels a running task. */
async function cancelledTask(bench: Bench, conversation: JudgedConversation, one: SurveyedCall): Promise<void> {
  const { taskId } = taskOf(await begun(conversation, one));
  if (typeof taskId !== 'string') return;
  // Metadata of another task is to be ignored. 2025-11-25 basic/utilities/tasks#associating-task-related-messages.
  const strange = await conversation.ask('tasks/cancel', { taskId }, { meta: { [relatedTask]: { taskId: 'judge-other-task' } } });
  const answer = strange.kind === 'error' ? await conversation.ask('tasks/cancel', { taskId }) : strange;
  if (answer.kind === 'error') {
    const still = await conversation.ask('tasks/get', { taskId });
    if (still.result['status'] !== 'working') return;
    conversation.check('tasks-40', false, 'the status cancelled: the task runs, and the server declares tasks.cancel', answer);
    // The specification does not say that every change of status must be possible.
    return conversation.dispute('tasks-58', 'a task that goes from working to cancelled', answer);
  }
  if (answer.kind !== 'result') return;
  conversation.check(['tasks-3', 'tasks-4'], strange.kind === 'result' && strange.result['taskId'] === taskId, 'the task of the parameter taskId, whatever _meta says', strange);
  conversation.check('tasks-40', answer.result['status'] === 'cancelled', 'the status cancelled in the answer to tasks/cancel', answer);
  if (answer.result['status'] === 'working') conversation.dispute('tasks-58', 'a task that goes from working to cancelled', answer);
  // Wait as long as the work itself takes.
  await new Promise<void>((resolve) => void bench.clock.after(Math.min(one.ms + 300, bounds.cancelMs), resolve));
  const later = await conversation.ask('tasks/get', { taskId });
  if (later.kind === 'result') conversation.check('tasks-38', later.result['status'] === 'cancelled', 'the status cancelled, also when the work would have ended', later);
}

/** A server without tasks answers a call as a task like a plain call. */
async function plainCall(conversation: JudgedConversation, { calls }: Survey): Promise<void> {
  const good = calls.filter(({ answer }) => answer.kind === 'result' && answer.result['isError'] !== true);
  const one = good.find((call) => taskSupport(call) === 'optional') ?? good[0];
  if (!one) return;
  const answer = await begun(conversation, one);
  const plain = answer.kind === 'result' && 'content' in answer.result;
  if (answer.kind === 'result') conversation.check(['tasks-11', 'schema-11'], !('task' in answer.result), 'the capability tasks of a server that makes tasks', answer);
  const expected = 'the plain result: the server does not declare tasks';
  // 2025-11-25 basic/utilities/tasks#behavior-requirements is about parties with tasks; a server without the capability may not be one.
  if (plain || conversation.offered['tasks'] !== undefined && answered(answer)) conversation.check('tasks-61', plain, expected, answer);
  else if (answered(answer)) conversation.dispute('tasks-61', expected, answer);
}

const counts = (a: string, b: string): boolean => a.length === b.length && [...a].filter((char, at) => char !== b[at]).length <= 2;

async function run(bench: Bench, revision: Revision): Promise<void> {
  const survey = await bench.survey(revision);
  const { conversation, calls } = survey;
  if (!declares(conversation)) return plainCall(conversation, survey);
  for (const one of calls.filter((call) => taskSupport(call) === 'required').slice(0, 3)) {
    if (answered(one.first)) conversation.check('tasks-64', one.first.kind === 'error' && one.first.code === -32601, 'error -32601: this tool has to be called as a task', one.first);
  }
  await unknownTasks(conversation);
  const able = calls.filter((call) => taskSupport(call) === 'required' || taskSupport(call) === 'optional').slice(0, 6);
  const ids: string[] = [];
  for (const one of able) {
    const id = await life(bench, conversation, one);
    if (id === undefined) continue;
    conversation.check(['tasks-11', 'schema-11'], true, '', id);
    ids.push(id);
  }
  const [first, second] = ids;
  if (first !== undefined && second !== undefined) {
    conversation.check('tasks-44', new Set(ids).size === ids.length, 'ids that no other task has', ids.join(', '));
    conversation.check('tasks-49', first.length >= 16 && !counts(first, second), 'ids of at least 16 characters that are not counters', ids.join(', '));
  }
  await furtherTasks(conversation, able, ids);
  const [slowest] = able.filter(({ ms }) => ms > 250).toSorted((a, b) => b.ms - a.ms);
  if (slowest && of(conversation.offered, 'tasks', 'cancel') !== undefined) await cancelledTask(bench, conversation, slowest);
}

export const taskProbes: readonly ServerProbe[] = [
  {
    name: 'tasks', era: 'legacy', slow: true, needs,
    rules: [
      'tasks-1', 'tasks-2', 'tasks-3', 'tasks-4', 'tasks-11', 'tasks-22', 'tasks-24', 'tasks-25', 'tasks-27', 'tasks-34', 'tasks-35', 'tasks-37', 'tasks-38', 'tasks-40', 'tasks-42',
      'tasks-43', 'tasks-44', 'tasks-49', 'tasks-52', 'tasks-57', 'tasks-58', 'tasks-59', 'tasks-60', 'tasks-61', 'tasks-64', 'tasks-66', 'tasks-67', 'tasks-68', 'schema-11', 'progress-1', 'progress-4',
    ],
    async run(bench, revision) {
      if (revision.place === 3) await run(bench, revision);
    },
  },
];
