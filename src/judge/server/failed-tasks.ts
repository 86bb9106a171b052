import { isObject } from '../../jsonrpc/internal-exports.ts';
import { relatedTask } from '../../protocol/internal-exports.ts';
import type { Revision } from '../../protocol/index.ts';
import type { Bench } from '../bench.ts';
import { answerQuestion } from '../answers.ts';
import { bounds } from '../bounds.ts';
import type { Arrival } from '../conversation.ts';
import type { ServerProbe } from '../probe.ts';
import { begun, declares, isEnd, taskOf, taskSupport } from './tasks.ts';

const asks = ({ json }: Arrival): boolean => isObject(json) && typeof json['method'] === 'string' && json['id'] !== undefined && json['method'] !== 'ping';

/** Leaves the question of a task open until the task has ended, and then answers it. */
async function lateAnswer(bench: Bench, revision: Revision): Promise<void> {
  const { calls } = await bench.survey(revision);
  for (const one of calls.filter((call) => (taskSupport(call) === 'optional' || taskSupport(call) === 'required')).slice(0, 8)) {
    const conversation = await bench.fresh(revision, { question: () => undefined });
    if (!declares(conversation)) return void conversation.close();
    const from = conversation.arrivals.length;
    const { taskId } = taskOf(await begun(conversation, one));
    // 2025-11-25 basic/utilities/tasks#input-required-status: questions come while the client waits for the result.
    const result = conversation.ask('tasks/result', { taskId }, { timeoutMs: bounds.callMs });
    const question = await conversation.until((arrival) => asks(arrival) || arrival.answers?.method === 'tasks/result', 700, from);
    const { json } = question ?? {};
    if (!question || !isObject(json) || !asks(question)) {
      void conversation.close();
      continue;
    }
    const waiting = await conversation.ask('tasks/get', { taskId });
    const told = await result;
    const got = await conversation.ask('tasks/get', { taskId });
    const { status } = got.result;
    const failed = told.kind === 'error' || told.result['isError'] === true;
    // The page lists the possible changes of status, and does not demand one of them.
    if (waiting.result['status'] === 'input_required' && failed && got.kind === 'result') {
      if (isEnd(status)) conversation.check('tasks-57', true, '', got);
      else conversation.dispute('tasks-57', `a final status: tasks/result was answered with ${told.came.slice(0, 200)}`, got);
    }
    if (got.kind === 'result' && isEnd(status)) {
      const params = isObject(json['params']) ? json['params'] : {};
      await conversation.sendText(JSON.stringify({ jsonrpc: '2.0', id: json['id'], ...answerQuestion(String(json['method']), { ...params, _meta: { [relatedTask]: { taskId } } }) }));
      for (let time = 0; time < 3; time++) {
        const then = await conversation.ask('tasks/get', { taskId });
        if (then.kind === 'result') conversation.check('tasks-60', then.result['status'] === status, `the status ${String(status)}: the task had ended before its question was answered`, then);
        await new Promise<void>((resolve) => void bench.clock.after(100, resolve));
      }
    }
    void conversation.close();
  }
}

export const failedTaskProbes: readonly ServerProbe[] = [
  {
    // 2025-11-25 basic/utilities/tasks#task-status-lifecycle.
    name: 'an answer to a task that has ended', rules: ['tasks-57', 'tasks-60'], era: 'legacy', slow: true, apart: 'surveyed', needs: 'a tool whose calls may be tasks, which asks and ends without the answer',
    async run(bench, revision) {
      if (revision.place === 3) await lateAnswer(bench, revision);
    },
  },
];
