import type { Clock } from '../../src/bounds/clock.ts';
import type { JudgedServer } from '../../src/judge/index.ts';
import type { ClientTransport, Trace } from '../../src/transport/internal-exports.ts';

// A hand-written server of 2025-11-25, with two tools that support tasks, one that elicits, and one that samples. Each fault is
// named by a rule id, and makes the server break only that rule.

type Bag = Readonly<Record<string, unknown>>;

interface SmallTask {
  readonly id: string;
  readonly name: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  /** Callbacks that wait for the result. */
  readonly waiting: (() => void)[];
}

const isEnd = ({ status }: SmallTask): boolean => status !== 'working' && status !== 'input_required';
const bag = (value: unknown): Bag => (typeof value === 'object' && value !== null ? value as Bag : {});
const relatedTask = 'io.modelcontextprotocol/related-task';
/** Duration of a tool in milliseconds: the judge cancels tasks of tools that take more than 250. */
const workMs = 320;
const time = '2026-01-01T00:00:00Z';
const noTask = { code: -32602, message: 'no such task' };
const broke = { code: -31_000, message: 'it broke' };

/** One connection to the server. */
class SmallConnection {
  readonly #fault: string | undefined;
  readonly #say: (message: object) => void;
  readonly #clock: Clock;
  readonly #tasks = new Map<string, SmallTask>();
  /** The call that asks the client and waits for its answer. */
  #asking: unknown;
  #questions = 0;
  /** The latest task that asked. */
  #late: SmallTask | undefined;

  constructor(fault: string | undefined, clock: Clock, say: (message: object) => void) {
    this.#fault = fault;
    this.#clock = clock;
    this.#say = say;
  }

  receive(text: string): void {
    const { id, method, params } = bag(JSON.parse(text));
    if (method === 'notifications/cancelled' && this.#asking === bag(params)['requestId']) return this.#giveUp();
    if (method === undefined && id === this.#question) return this.#answer(this.#asking, { result: { content: [] } });
    if (method === undefined && this.#late && this.#fault === 'tasks-60') this.#late.status = 'working';
    if (id === undefined || typeof method !== 'string') return;
    const said = this.#serve(method, bag(params), id);
    if (said) this.#answer(id, said);
  }

  get #question(): string {
    return `question-${this.#questions}`;
  }

  #answer(id: unknown, said: Bag): void {
    this.#say({ jsonrpc: '2.0', id, ...said });
  }

  /** Cancels the question, because the client has cancelled the call that asks. */
  #giveUp(): void {
    this.#asking = undefined;
    this.#say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: this.#fault === 'schema-2' ? {} : { requestId: this.#question } });
  }

  #serve(method: string, params: Bag, id: unknown): Bag | undefined {
    switch (method) {
      case 'initialize': return {
        result: {
          protocolVersion: '2025-11-25', serverInfo: { name: 'small', version: '1' },
          capabilities: { tools: {}, prompts: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        },
      };
      case 'ping': return { result: {} };
      case 'tools/list': return { result: { tools: this.#tools() } };
      case 'tools/call': return this.#call(params, id);
      case 'prompts/list': return { result: { prompts: [{ name: 'hello' }] } };
      case 'prompts/get': return { result: { messages: [{ ...this.#fault !== 'prompts-16' && { role: 'user' }, content: { type: 'text', text: 'Hello' } }] } };
      case 'tasks/get': case 'tasks/result': case 'tasks/cancel': return this.#task(method, params, id);
      case 'tasks/list': return params['cursor'] === undefined ? { result: { tasks: [...this.#tasks.values()].map((task) => this.#wire(task)) } } : { error: { code: -32602, message: 'no such cursor' } };
      default: return { error: { code: -32601, message: 'no such method' } };
    }
  }

  #tools(): readonly Bag[] {
    const inputSchema = { type: this.#fault === 'tools-21' ? 'string' : 'object' };
    const annotations = { readOnlyHint: true };
    const task = { annotations, inputSchema, execution: { taskSupport: 'optional' } };
    return [{ name: 'work', ...task }, { name: 'fails', ...task }, { name: 'asks', annotations, inputSchema }, { name: 'samples', annotations, inputSchema }, { name: 'gives_up', ...task, execution: { taskSupport: 'required' } }];
  }

  #call({ name, task, arguments: given, _meta: meta }: Bag, id: unknown): Bag | undefined {
    if (name === 'asks' || name === 'samples') {
      this.#asking = id;
      this.#questions++;
      this.#say({ jsonrpc: '2.0', id: this.#question, ...name === 'asks'
        ? { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } } }
        : { method: 'sampling/createMessage', params: { maxTokens: 5, messages: this.#messages() } } });
      return undefined;
    }
    if (name === 'gives_up') return task === undefined ? { error: { code: -32601, message: 'it must be a task' } } : this.#givesUp();
    if (name !== 'work' && name !== 'fails') return { error: { code: -32602, message: 'no such tool' } };
    if (task === undefined) {
      this.#clock.after(workMs, () => this.#answer(id, name === 'fails' ? { error: broke } : { result: { content: [] } }));
      return undefined;
    }
    if (this.#fault === 'tasks-44' && [...this.#tasks.values()].some((one) => one.name === name)) return { error: { code: -32603, message: 'there is a task of this id' } };
    const chosen = bag(given)['taskId'];
    const made: SmallTask = { id: this.#fault === 'tasks-43' && typeof chosen === 'string' ? chosen : crypto.randomUUID(), name, status: 'working', waiting: [] };
    this.#tasks.set(made.id, made);
    this.#clock.after(workMs, () => this.#end(made, name === 'fails' ? 'failed' : 'completed', bag(meta)['progressToken']));
    return { result: { task: this.#wire(made) } };
  }

  /** A task that asks, and fails before the answer. */
  #givesUp(): Bag {
    const made: SmallTask = { id: crypto.randomUUID(), name: 'gives_up', status: 'working', waiting: [] };
    this.#tasks.set(made.id, made);
    this.#clock.after(20, () => {
      if (made.status !== 'working') return;
      made.status = 'input_required';
      this.#late = made;
      this.#say({ jsonrpc: '2.0', id: `late-${made.id}`, method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} }, _meta: { [relatedTask]: { taskId: made.id } } } });
    });
    this.#clock.after(workMs, () => {
      if (made.status !== 'input_required') return;
      if (this.#fault !== 'tasks-57') made.status = 'failed';
      for (const go of made.waiting) go();
    });
    return { result: { task: this.#wire(made) } };
  }

  #messages(): readonly Bag[] {
    const text = { type: 'text', text: 'What is the time?' };
    return [
      { role: 'user', content: text }, { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 'clock', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', toolUseId: this.#fault === 'schema-14' ? 'v' : 'u', content: [text] }] },
    ];
  }

  #wire({ id, status }: SmallTask): Bag {
    return { taskId: id, status, createdAt: time, lastUpdatedAt: time, ttl: 60_000 };
  }

  #end(task: SmallTask, status: 'completed' | 'failed', token: unknown): void {
    if (task.status !== 'working') return;
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: 1, _meta: { [relatedTask]: { taskId: task.id } } } };
    if (token !== undefined && this.#fault !== 'progress-4') this.#say(progress);
    task.status = status;
    this.#say({ jsonrpc: '2.0', method: 'notifications/tasks/status', params: this.#wire(task) });
    if (token !== undefined && this.#fault === 'progress-4') this.#say(progress);
    for (const go of task.waiting) go();
  }

  #task(method: string, { taskId, _meta: meta }: Bag, id: unknown): Bag | undefined {
    const task = this.#tasks.get(String(taskId));
    if (!task) return { error: noTask };
    if (method === 'tasks/get') return { result: this.#wire(task) };
    if (method === 'tasks/cancel') {
      if (task.status !== 'working' || this.#fault === 'tasks-40') return { error: { code: -32602, message: `it is ${task.status}` } };
      if (this.#fault === 'tasks-4' && bag(meta)[relatedTask] !== undefined) return { error: noTask };
      task.status = 'cancelled';
      return { result: this.#wire(task) };
    }
    if (isEnd(task) || this.#fault === 'tasks-37') return this.#result(task);
    task.waiting.push(() => this.#answer(id, this.#result(task)));
    return undefined;
  }

  #result({ id, name, status }: SmallTask): Bag {
    if ((status === 'failed' || name === 'gives_up') && this.#fault !== 'tasks-34') return { error: broke };
    return { result: { content: [], _meta: { [relatedTask]: { taskId: id } } } };
  }
}

/** The server for the judge; its tools take their time by this clock. */
export function smallServer(fault: string | undefined, clock: Clock): JudgedServer {
  const open = (trace: Trace): ClientTransport => {
    let connection: SmallConnection | undefined;
    const say = (message: object): void => {
      const whole = JSON.stringify(message, undefined, fault === 'stdio-1' && JSON.stringify(message).includes('"prompts":[') ? 1 : undefined);
      for (const text of whole.split('\n')) trace({ direction: 'received', text, at: 0 });
    };
    return {
      kind: 'pipe',
      async open() {
        connection = new SmallConnection(fault, clock, say);
      },
      send(text) {
        trace({ direction: 'sent', text, at: 0 });
        // As over a pipe, the answer comes in a later turn.
        setImmediate(() => connection?.receive(text));
      },
      async close() {},
    };
  };
  return { name: 'small', open };
}
