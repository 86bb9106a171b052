import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import test from 'node:test';
import { TaskClient } from '../../src/tasks/task-client.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';
import { serveHttp } from '../../src/transport/http/node/serve.ts';
import type { RequestId } from '../../src/jsonrpc/message.ts';
import { everything, later } from '../server/peer.ts';
import type { Bag } from '../server/peer.ts';
import { json, result, serve, stream } from '../transport/http-client/harness.ts';
import { within } from '../within.ts';
import { made } from './harness.ts';

// Tasks of 2025-11-25 over HTTP: which message goes on which stream.

const relatedTask = 'io.modelcontextprotocol/related-task';
const revision = '2025-11-25';
const state = (status: string): Bag => ({
  taskId: 'one', status, createdAt: '2025-11-25T00:00:00Z', lastUpdatedAt: '2025-11-25T00:00:00Z', ttl: 60_000, pollInterval: 60_000,
});
const question = {
  id: 'q', method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} }, _meta: { [relatedTask]: { taskId: 'one' } } },
};

const say = (response: ServerResponse, message: object): unknown => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);

// basic/utilities/tasks#input-required-status: "messages to be delivered on any SSE stream, including the HTTP GET stream".
for (const place of ['the GET stream', 'the stream of tasks/result'] as const) {
  test(`a client takes a question of a task, and the news of its end, from ${place}`, async (t) => {
    const [opened, waits, answered] = [later<ServerResponse>(), later<[RequestId, ServerResponse]>(), later<Bag>()];
    const server = await serve(t, (call, response) => {
      const { id, method } = call.body;
      if (call.method === 'GET') return opened.resolve(stream(response));
      if (id === undefined || method === undefined) {
        if (method === undefined) answered.resolve(JSON.parse(call.text) as Bag);
        return void response.writeHead(202).end();
      }
      if (method === 'tasks/result') return waits.resolve([id, stream(response)]);
      const said: Record<string, Bag> = {
        initialize: { protocolVersion: revision, capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } }, serverInfo: { name: 's', version: '1' } },
        'tools/list': { tools: [{ name: 'job', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] },
        'tools/call': { task: state('input_required') },
      };
      return json(response, result(id, said[method] ?? state('working')));
    });
    const client = new TaskClient({ name: 'test', version: '1' }, { era: 'legacy', onElicit: () => ({ action: 'decline' }) });
    await client.connect(httpTransport(server.url));
    t.after(() => client.close());
    const call = client.callTool('job');
    const [id, own] = await within('the request for the result', waits.promise);
    const on = place === 'the GET stream' ? await opened.promise : own;
    say(on, question);
    assert.deepEqual(await within('the answer to the question', answered.promise), {
      jsonrpc: '2.0', id: 'q', result: { action: 'decline', _meta: { [relatedTask]: { taskId: 'one' } } },
    });
    say(on, { method: 'notifications/tasks/status', params: state('completed') });
    // Without the notification the client would ask, and this server would answer that the task is still working.
    say(own, { id, result: { content: [{ type: 'text', text: 'done' }] } });
    own.end();
    assert.deepEqual((await within('the result', call)).content, [{ type: 'text', text: 'done' }]);
  });
}

// basic/transports#sending-messages-to-the-server.
test('a server puts the question of a task on the stream of tasks/result, takes the answer with 202, and ends that stream with the result', async (t) => {
  const { server } = made(t);
  server.tool('ask', { task: 'required' }, async (_args, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' })).action);
  const http = await serveHttp(server);
  t.after(() => http.close({ drainMs: 0 }));
  let session: string | undefined;
  const post = (message: Bag): Promise<Response> => fetch(http.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision,
      ...session !== undefined && { 'mcp-session-id': session },
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const opened = await post({ id: 1, method: 'initialize', params: { protocolVersion: revision, capabilities: everything, clientInfo: { name: 'a', version: '1' } } });
  session = opened.headers.get('mcp-session-id') ?? undefined;
  await opened.text();
  await (await post({ method: 'notifications/initialized' })).text();
  const taskId = /"taskId":"(\w+)"/.exec(await (await post({ id: 2, method: 'tools/call', params: { name: 'ask', task: {} } })).text())?.[1];
  const answer = await post({ id: 3, method: 'tasks/result', params: { taskId } });
  assert.equal(answer.headers.get('content-type')?.split(';')[0], 'text/event-stream');
  const messages: Bag[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    const events = (text += decoder.decode(chunk, { stream: true })).split('\n\n');
    text = events.pop() as string;
    const news = events.flatMap((event) => /^data: ?(\{.*)$/m.exec(event)?.[1] ?? []).map((data) => JSON.parse(data) as Bag);
    messages.push(...news);
    for (const { id } of news.filter(({ method }) => method === 'elicitation/create')) {
      const taken = await post({ id, result: { action: 'decline' } });
      assert.deepEqual([taken.status, await taken.text()], [202, '']);
    }
  }
  assert.deepEqual(messages.map(({ id, method }) => method ?? id), ['elicitation/create', 3]);
  assert.deepEqual((messages[1]?.['result'] as Bag)['content'], [{ type: 'text', text: 'decline' }]);
});
