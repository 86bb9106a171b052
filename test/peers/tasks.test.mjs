// Tasks with third-party programs, in both roles.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import test from 'node:test';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import * as v2 from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { RpcError } from '../../dist/src/jsonrpc/errors.js';
import { TaskClient } from '../../dist/src/tasks/index.js';
import { httpTransport } from '../../dist/src/transport/http/node/index.js';
import { stdioTransport } from '../../dist/src/transport/stdio/index.js';
import { at, start } from './processes.mjs';

const textOf = ({ content }) => content.map(({ text }) => text ?? '').join('');

/** The suite's fixture, and a client of the official SDK v1 that fills in forms. */
async function officialClient(t) {
  const server = await start(process.execPath, [at('dist/test/peers/everything/main.js'), '--port', '0']);
  t.after(() => server.stop());
  const client = new Client({ name: 'official', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } } });
  const asked = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params);
    return { action: 'accept', content: { confirm: true } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  t.after(() => client.close());
  return { client, asked };
}

test('the official SDK v1 calls our tools as tasks: a result, a question, a failure, cancelling', async (t) => {
  const { client, asked } = await officialClient(t);
  const tools = (await client.listTools()).tools;
  assert.equal(tools.find(({ name }) => name === 'failing_job').execution.taskSupport, 'required');
  const call = async (name, args) => {
    const seen = [];
    for await (const message of client.experimental.tasks.callToolStream({ name, arguments: args }, undefined, { task: { ttl: 60_000 } })) {
      seen.push(message);
    }
    return seen;
  };
  const slow = await call('slow_compute', { seconds: 0.2, label: 'x' });
  assert.equal(slow[0].type, 'taskCreated');
  assert.equal(slow[0].task.ttl, 60_000);
  assert.equal(slow.at(-1).type, 'result');
  assert.match(textOf(slow.at(-1).result), /x: computed/);

  const confirmed = await call('confirm_delete', { filename: 'a.txt' });
  assert.equal(textOf(confirmed.at(-1).result), 'Deleted a.txt');
  assert.equal(asked.length, 1);
  const { taskId } = confirmed[0].task;
  assert.deepEqual(asked[0]._meta['io.modelcontextprotocol/related-task'], { taskId });
  assert.equal((await client.experimental.tasks.getTask(taskId)).status, 'completed');

  const failed = await call('failing_job', {});
  assert.equal((await client.experimental.tasks.getTask(failed[0].task.taskId)).status, 'failed');

  const [begun] = [await client.experimental.tasks.callToolStream({ name: 'slow_compute', arguments: { seconds: 60 } }, undefined, { task: {} }).next()];
  const cancelled = await client.experimental.tasks.cancelTask(begun.value.task.taskId);
  assert.equal(cancelled.status, 'cancelled');
});

const framing = {
  protocolVersion: '2026-07-28',
  clientInfo: { name: 'ext-tasks', version: '1.0.0' },
  clientCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

/** Sends one request of 2026-07-28, as framed by the extension's package. */
const dispatchTo = (url) => async (request) => {
  const { method, params } = request;
  const name = params.taskId ?? params.name;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json', accept: 'application/json, text/event-stream',
      'mcp-protocol-version': framing.protocolVersion, 'mcp-method': method, ...name && { 'mcp-name': name },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
  });
  return response.json();
};

for (const mode of ['legacy', { pin: '2026-07-28' }]) {
  test(`@modelcontextprotocol/ext-tasks calls our tools, ${mode.pin ?? mode}`, async (t) => {
    const server = await start(process.execPath, [at('dist/test/peers/everything/main.js'), '--port', '0']);
    t.after(() => server.stop());
    const client = new v2.Client({ name: 'ext-tasks', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new v2.StreamableHTTPClientTransport(new URL(server.url)));
    t.after(() => client.close());
    const session = createTaskSessionFromClient(client, {
      endpointId: 'barewire', ...mode.pin && { rawDispatch: dispatchTo(server.url), v2RequestFraming: framing },
    });
    t.after(() => session.close());
    for (const [name, args, wanted] of [
      ['greet', { name: 'you' }, /Hello, you!/], ['slow_compute', { seconds: 0.1, label: 'ext' }, /ext: computed/],
    ]) {
      const execution = await session.callTool(name, args);
      const { outcome } = await execution.settle();
      assert.match(textOf(resultFromTaskOutcome(outcome)), wanted);
    }
  });
}

async function ours(t, transport, options) {
  const client = new TaskClient({ name: 'barewire', version: '1.0.0' }, options);
  await client.connect(transport);
  t.after(() => client.close());
  return client;
}

test('our client calls a tool of the official SDK v1 that must be a task', async (t) => {
  const client = await ours(t, stdioTransport(process.execPath, [at('test/peers/servers/v1-tasks.mjs')]));
  assert.equal(textOf(await client.callTool('double', { n: 21 })), '42');
  const failed = await client.callTool('double', { n: -1 });
  assert.equal(failed.isError, true);
  const { task } = await client.startTool('double', { n: 4 });
  assert.equal(textOf(await client.task(task.id).result()), '8');
});

test('a server of the official SDK v1 asks our client with tasks', async (t) => {
  let sure = true;
  const client = await ours(t, stdioTransport(process.execPath, [at('test/peers/servers/v1-tasks.mjs')]), {
    onElicit: async () => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return { action: 'accept', content: { sure } };
    },
    onSample: () => {
      if (sure) return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Because.' } };
      throw new RpcError(-1, 'The user said no');
    },
  });
  const confirmed = textOf(await client.callTool('confirm'));
  assert.match(confirmed, /^taskCreated,(taskStatus,)+result /);
  assert.match(confirmed, /"content":\{"sure":true\}/);
  assert.match(textOf(await client.callTool('think')), /^taskCreated,.*Because/);
  sure = false;
  const refused = await client.callTool('think');
  assert.equal(refused.isError, true);
  assert.match(textOf(refused), /^taskCreated,.*error/);
});

test('our server asks a client of the official SDK v1 with tasks', async (t) => {
  const store = new InMemoryTaskStore();
  t.after(() => store.cleanup());
  const client = new Client({ name: 'official', version: '1.0.0' }, {
    capabilities: {
      elicitation: { form: {} }, sampling: {},
      tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } },
    },
    taskStore: store,
  });
  const asked = [];
  const asTask = (answer) => async ({ method, params }, { taskStore }) => {
    asked.push([method, params.task !== undefined]);
    const task = await taskStore.createTask({ ttl: params.task.ttl });
    setTimeout(() => void taskStore.storeTaskResult(task.taskId, 'completed', answer), 50);
    return { task };
  };
  client.setRequestHandler(ElicitRequestSchema, asTask({ action: 'accept', content: { sure: true } }));
  client.setRequestHandler(CreateMessageRequestSchema, asTask({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Because.' } }));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [at('test/peers/servers/our-tasks.mjs')], stderr: 'inherit' }));
  t.after(() => client.close());
  assert.equal(textOf(await client.callTool({ name: 'confirm' })), 'accept true');
  assert.equal(textOf(await client.callTool({ name: 'think' })), 'Because.');
  assert.deepEqual(asked, [['elicitation/create', true], ['sampling/createMessage', true]]);
});

test('our client does research with server-everything, which asks what was meant', async (t) => {
  const asked = [];
  const client = await ours(t, stdioTransport(process.execPath, [at('test/peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio']), {
    onElicit: ({ message, requestedSchema }) => {
      asked.push(message);
      const [[name, field]] = Object.entries(requestedSchema.properties);
      return { action: 'accept', content: { [name]: (field.enum ?? field.oneOf?.map((one) => one.const) ?? ['technical'])[0] } };
    },
  });
  const states = [];
  const { task } = await client.startTool('simulate-research-query', { topic: 'python', ambiguous: true });
  for await (const { status } of task) states.push(status);
  assert.match(textOf(await task.result()), /python/i);
  assert.equal(asked.length, 1);
  assert.ok(states.includes('input_required'), states.join());
  assert.equal(states.at(-1), 'completed');
});

// PYTHON may name an interpreter with `fastmcp[tasks]`.
const python = process.env.PYTHON ?? 'python3';
const hasFastMcp = spawnSync(python, ['-c', 'import fastmcp_tasks']).status === 0;

test('our client calls tools of FastMCP 4 that are tasks of 2026-07-28', { skip: !hasFastMcp && `${python} has no fastmcp[tasks]` }, async (t) => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const server = spawn(python, [at('test/peers/servers/fastmcp-tasks.py'), String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => server.kill('SIGKILL'));
  await new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error('the server has ended')));
    server.stderr.on('data', (said) => String(said).includes('running on') && resolve());
  });
  const client = await ours(t, httpTransport(`http://127.0.0.1:${port}/mcp`));
  assert.equal(client.revision.version, '2026-07-28');
  assert.equal(textOf(await client.callTool('double', { n: 21 })), '42');
  const { task } = await client.startTool('double', { n: 4 });
  assert.equal(textOf(await client.task(task.id).result()), '8');
  assert.equal((await client.callTool('broken')).isError, true);
});
