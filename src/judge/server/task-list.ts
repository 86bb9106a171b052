import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { Revision } from '../../protocol/index.ts';
import type { Bench } from '../bench.ts';
import { bounds } from '../bounds.ts';
import type { JudgedConversation, ReceivedAnswer } from '../conversation.ts';
import { listPages, nextCursor } from '../listed.ts';
import type { ServerProbe } from '../probe.ts';
import { begun, declares, taskSupport, taskOf } from './tasks.ts';

/** Most tasks to create, and most milliseconds that the tool may take for each. */
const most = 130;
const quickMs = 300;

/** All pages of the task list; undefined if one is not a result, or if there are too many. */
async function listed(conversation: JudgedConversation): Promise<{ readonly ids: ReadonlySet<unknown>; readonly pages: readonly ReceivedAnswer[] } | undefined> {
  const pages: ReceivedAnswer[] = [];
  for await (const page of listPages((params) => conversation.ask('tasks/list', params))) {
    if (page.kind !== 'result' || !Array.isArray(page.result['tasks']) || pages.push(page) > bounds.pages) return undefined;
  }
  const tasks = pages.flatMap(({ result }) => (Array.isArray(result['tasks']) ? result['tasks'] : []));
  return { ids: new Set(tasks.map((one: unknown) => (isObject(one) ? one['taskId'] : undefined))), pages };
}

/**
 * Creates tasks until two pages are full, and checks after each that the list still has all of them: tasks get lost at the end of a page.
 */
async function filled(bench: Bench, revision: Revision): Promise<void> {
  // At an address, this would take too much of somebody else's server.
  if (revision.place !== 3 || !bench.server.open) return;
  const { calls } = await bench.survey(revision);
  const one = calls.filter((call) => taskSupport(call) === 'optional' && call.ms < quickMs && call.answer.kind === 'result' && call.answer.result['isError'] !== true).find(({ between }) => !between.some(({ json }) => isObject(json) && json['id'] !== undefined && 'method' in json));
  if (!one) return;
  const conversation = await bench.fresh(revision);
  const isListed = isObject(conversation.offered['tasks']) && conversation.offered['tasks']['list'] !== undefined;
  const made: string[] = [];
  while (declares(conversation) && isListed && made.length < most) {
    const { taskId } = taskOf(await begun(conversation, one));
    // The server may have a limit.
    if (typeof taskId !== 'string') break;
    made.push(taskId);
    const list = await listed(conversation);
    if (!list) break;
    for (const missing of made.filter((id) => !list.ids.has(id))) if (await lost(conversation, missing)) return void conversation.close();
    const [first, second] = list.pages;
    if (second && !nextCursor(second)) conversation.check('tasks-52', true, '', second);
    if (first && second && made.length > 2 * (first.result['tasks'] as readonly unknown[]).length) break;
  }
  void conversation.close();
}

/** Whether an unlisted task still exists, and is missing in the list again. Meanwhile a task may expire, and the list may change. */
async function lost(conversation: JudgedConversation, taskId: string): Promise<boolean> {
  if ((await conversation.ask('tasks/get', { taskId })).kind !== 'result') return false;
  const again = await listed(conversation);
  if (!again || again.ids.has(taskId) || (await conversation.ask('tasks/get', { taskId })).kind !== 'result') return false;
  conversation.check('tasks-52', false, `the task ${taskId}, which tasks/get finds, on a page of the list`, again.pages.at(-1) ?? 'no page');
  return true;
}

export const taskListProbes: readonly ServerProbe[] = [
  {
    // 2025-11-25 basic/utilities/tasks#task-listing.
    name: 'more tasks than a page has', rules: ['tasks-52'], era: 'legacy', slow: true, apart: 'surveyed', needs: `a tool that takes less than ${quickMs} ms and may be a task, over a pipe`,
    run: filled,
  },
];
