import type { Clock } from '../../src/bounds/clock.ts';
import { relatedTask } from '../../src/protocol/internal-exports.ts';
import { bag } from './peer.ts';
import type { Bag, Call, Said } from './peer.ts';
import type { PeerTool } from './peer-tools.ts';

// 2025-11-25 basic/utilities/tasks: the tasks of the server for the probes (peer.ts).

interface PeerTask {
  readonly id: string;
  readonly tool: PeerTool;
  readonly call: Call;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly ends: number;
}

const time = '2026-01-01T00:00:00Z';
const refused: Said = { error: { code: -32602, message: 'no such task' } };
export const shownTask = ({ id, status }: Pick<PeerTask, 'id' | 'status'>): Bag => ({ taskId: id, status, createdAt: time, lastUpdatedAt: time, ttl: 60_000 });

export class PeerTasks {
  readonly #clock: Clock;
  readonly #tasks = new Map<string, PeerTask>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(tool: PeerTool, call: Call): Said {
    const at = this.#tasks.size + 1;
    const id = `${String(at * 7_919).padStart(6, '0')}-${['one', 'two', 'six', 'ten'][at % 4]}-${String(at * 104_729).padStart(8, '0')}`;
    const workMs = tool.workMs ?? 0;
    const task: PeerTask = { id, tool, call, status: 'working', ends: this.#clock.monotonic() + workMs };
    this.#tasks.set(id, task);
    const { progressToken } = call.meta;
    const related = { _meta: { [relatedTask]: { taskId: id } } };
    const { connection } = call;
    if (tool.name === 'task_asks') {
      this.#clock.after(20, () => {
        task.status = 'input_required';
        connection.say({ jsonrpc: '2.0', id: `asks-${id}`, method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} }, ...related } });
      });
    }
    this.#clock.after(workMs, () => {
      if (task.status !== 'working' && task.status !== 'input_required') return;
      if (progressToken !== undefined) connection.say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1, ...related } });
      task.status = tool.name === 'task_fails' || tool.name === 'task_asks' ? 'failed' : 'completed';
    });
    return { result: { task: shownTask(task) } };
  }

  serve(method: string, { taskId, cursor }: Bag, pageSize: number = 10): Said {
    if (method === 'tasks/list') {
      const from = cursor === undefined ? 0 : Number(/^page-(\d+)$/.exec(String(cursor))?.[1] ?? Number.NaN);
      if (Number.isNaN(from)) return { error: { code: -32602, message: 'no such cursor' } };
      const all = [...this.#tasks.values()];
      return { result: { tasks: all.slice(from, from + pageSize).map(shownTask), ...from + pageSize < all.length && { nextCursor: `page-${from + pageSize}` } } };
    }
    const task = this.#tasks.get(String(taskId));
    if (!task) return refused;
    const over = task.status !== 'working' && task.status !== 'input_required';
    if (method === 'tasks/get') return { result: shownTask(task) };
    if (method === 'tasks/cancel') {
      if (over) return { error: { code: -32602, message: `it is ${task.status}` } };
      task.status = 'cancelled';
      return { result: shownTask(task) };
    }
    const left = Math.max(0, task.ends - this.#clock.monotonic());
    const { ms: _, ...said } = task.tool.name === 'task_asks' ? { error: { code: -31_000, message: 'nobody answered' } } : task.tool.run({}, task.call);
    return { ...said, ...'result' in said && { result: { ...bag(said.result), _meta: { [relatedTask]: { taskId: task.id } } } }, ...left > 0 && { ms: left + 1 } };
  }
}
