import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { McpServer } from '../../src/server/mcp-server.ts';
import type { ServerOptions } from '../../src/server/mcp-server.ts';
import { tasks } from '../../src/tasks/server.ts';
import type { ServerTasks } from '../../src/tasks/server.ts';
import type { TasksOptions } from '../../src/tasks/options.ts';
import { connect, everything } from '../server/peer.ts';
import type { Answer, Bag, Peer, PeerOptions } from '../server/peer.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
export const declared: Bag = { ...everything, extensions: { [tasksExtension]: {} } };

export interface Made {
  readonly server: McpServer;
  readonly work: ServerTasks;
  readonly errors: Error[];
}

/** A server with tasks in memory, or in the store of the options. */
export function made(t: TestContext, options: TasksOptions = {}, more: ServerOptions = {}): Made {
  const errors: Error[] = [];
  const server = new McpServer({ name: 'test', version: '1' }, { onError: (error) => errors.push(error), ...more });
  const work = tasks(server, options);
  t.after(() => work.close());
  return { server, work, errors };
}

/** A client of 2026-07-28 that declares tasks. */
export class ModernTasks {
  readonly peer: Peer;

  constructor(peer: Peer) {
    this.peer = peer;
  }

  static async to(server: McpServer, options: PeerOptions = {}): Promise<ModernTasks> {
    return new ModernTasks(await connect(server, { capabilities: declared, ...options }));
  }

  /** Begins a task, and returns its id. */
  async begin(name: string, args: Bag = {}): Promise<string> {
    const { result, error } = await this.peer.modern('tools/call', { name, arguments: args });
    assert.equal(error, undefined);
    assert.equal(result?.['resultType'], 'task');
    return result?.['taskId'] as string;
  }

  async get(taskId: string): Promise<Bag> {
    const { result, error } = await this.#ask('tasks/get', { taskId });
    assert.equal(error, undefined);
    return result as Bag;
  }

  update(taskId: string, inputResponses: Bag): Promise<Answer> {
    return this.#ask('tasks/update', { taskId, inputResponses });
  }

  cancel(taskId: string): Promise<Answer> {
    return this.#ask('tasks/cancel', { taskId });
  }

  /** Calls a task method; the result must be `complete`, whatever the state of the task. */
  async #ask(method: string, params: Bag): Promise<Answer> {
    const answer = await this.peer.modern(method, params);
    if (answer.result) assert.equal(answer.result['resultType'], 'complete', method);
    return answer;
  }

  /** Polls until the task satisfies the condition, and returns it. */
  async when(taskId: string, satisfies: (task: Bag) => boolean): Promise<Bag> {
    for (let looks = 0; looks < 4000; looks++) {
      const task = await this.get(taskId);
      if (satisfies(task)) return task;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    throw new Error(`the task is still ${JSON.stringify(await this.get(taskId))}`);
  }

  is(taskId: string, status: string): Promise<Bag> {
    return this.when(taskId, (task) => task['status'] === status);
  }

  ended(taskId: string): Promise<Bag> {
    return this.when(taskId, ({ status }) => ['completed', 'failed', 'cancelled'].includes(status as string));
  }
}
