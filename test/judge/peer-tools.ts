import { isObject } from '../../src/jsonrpc/internal-exports.ts';
import { bag } from './peer.ts';
import type { Bag, Call, Said } from './peer.ts';

// The tools of the server for the probes (peer.ts), by name.

export interface PeerTool {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly execution?: { readonly taskSupport: string };
  readonly annotations?: unknown;
  /** Milliseconds of work, for a task. */
  readonly workMs?: number;
  readonly run: (given: Bag, call: Call) => Said;
}

const any = { type: 'object' };
const text = (said: string): Bag => ({ content: [{ type: 'text', text: said }] });
const note = (method: string, params: Bag): object => ({ jsonrpc: '2.0', method: `notifications/${method}`, params });
const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const questions: Readonly<Record<string, { readonly method: string; readonly params?: Bag }>> = {
  elicitation: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: form } },
  sampling: { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 5 } },
  roots: { method: 'roots/list' },
};

/** A tool that asks one question, in either era. 2026-07-28 basic/patterns/mrtr. */
function asking(name: string, capability: string, afterwards: number = 0): PeerTool {
  const question = questions[capability] ?? { method: 'ping' };
  return {
    name, inputSchema: { type: 'object', properties: {} },
    run(given, call) {
      const done: Said = { result: text('done'), ...afterwards > 0 && { ms: afterwards } };
      // 2025-11-25 basic/lifecycle#initialization: no question before notifications/initialized.
      const has = isObject(call.declared[capability]) && (call.modern || call.connection.ready);
      if (!call.modern) return has ? { question, then: () => done } : { result: { ...text('no'), isError: true } };
      if (!has) return { error: { code: -32021, message: 'it must ask', data: { requiredCapabilities: { [capability]: {} } } }, status: 400 };
      const { requestState, inputResponses } = call.params;
      const state = `state of ${name} ${JSON.stringify(given)} end`;
      if (requestState !== undefined && requestState !== state || inputResponses !== undefined && !isObject(inputResponses)) return { error: { code: -32602, message: 'a wrong retry' } };
      const { q } = bag(inputResponses);
      const answered = capability !== 'elicitation' ? isObject(q) : isObject(q) && ['decline', 'cancel'].includes(String(q['action'])) || bag(q)['action'] === 'accept' && typeof bag(bag(q)['content'])['name'] === 'string';
      return answered ? done : { result: { resultType: 'input_required', inputRequests: { q: question }, requestState: state } };
    },
  };
}

const tools: readonly PeerTool[] = [
  {
    name: 'add', inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    run: ({ a, b }) => ({ result: { content: [{ type: 'text', text: JSON.stringify({ sum: Number(a) + Number(b) }) }], structuredContent: { sum: Number(a) + Number(b) } } }),
  },
  { name: 'flag', inputSchema: { type: 'object', properties: { on: { type: 'boolean' } } }, run: () => ({ result: text('done') }) },
  { name: 'FLAG', inputSchema: { type: 'object', properties: { on: { type: 'boolean' } } }, run: () => ({ result: text('done') }) },
  { name: 'fail', inputSchema: any, run: () => ({ result: { ...text('it failed'), isError: true } }) },
  { name: 'throw', inputSchema: any, run: () => ({ error: { code: -32603, message: 'it failed' } }) },
  { name: 'slow', inputSchema: any, run: () => ({ result: text('done'), ms: 1_500 }) },
  { name: 'endless', inputSchema: any, run: () => ({ silent: true }) },
  { name: 'streamed', inputSchema: any, run: () => ({ result: text('done'), stream: true }) },
  {
    name: 'progress', inputSchema: any,
    run: (_given, { meta: { progressToken } }) => ({ result: text('done'), ...progressToken !== undefined && { before: [1, 2].map((progress) => note('progress', { progressToken, progress })) } }),
  },
  {
    name: 'log', inputSchema: any,
    run: (_given, { modern, meta }) => ({ result: text('done'), ...(!modern || meta['io.modelcontextprotocol/logLevel'] !== undefined) && { before: [note('message', { level: 'info', data: 'working' })] } }),
  },
  asking('ask', 'elicitation'), asking('ask_too', 'elicitation'), asking('ask_and_work', 'elicitation', 1_200), { ...asking('ask_or_task', 'elicitation'), execution: { taskSupport: 'optional' }, workMs: 10 }, asking('sample', 'sampling'), asking('roots', 'roots'),
  {
    name: 'mirror', inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, count: { type: 'integer', 'x-mcp-header': 'Count' }, on: { type: 'boolean', 'x-mcp-header': 'On' } }, required: ['region'] },
    run: () => ({ result: text('done') }),
  },
  ...([['task', 'optional', 150], ['task_only', 'required', 150], ['task_slow', 'optional', 800], ['task_quick', 'optional', 10]] as const).map(([name, taskSupport, workMs]): PeerTool => ({
    name, inputSchema: any, execution: { taskSupport }, workMs, run: () => ({ result: text('done'), ms: workMs }),
  })),
  { name: 'task_fails', inputSchema: any, execution: { taskSupport: 'optional' }, workMs: 100, run: () => ({ error: { code: -31_000, message: 'it failed' }, ms: 100 }) },
  { name: 'task_asks', inputSchema: any, execution: { taskSupport: 'optional' }, workMs: 400, run: () => ({ result: text('done'), ms: 400 }) },
];

export const peerTools: Readonly<Record<string, PeerTool>> = Object.fromEntries(tools.map((one) => [one.name, one]));
