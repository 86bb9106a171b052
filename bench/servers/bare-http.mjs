// The upper bound for HTTP: a node:http handler that reads the body, JSON.parse, JSON.stringify, and answers.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { progress, question, result, text } from './bare-answer.mjs';
import { bareListener } from './bare-listener.mjs';
import { control } from './control.mjs';

const sessions = new Map();

const sse = (message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

function send(res, message, headers) {
  const body = JSON.stringify(message);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers });
  res.end(body);
}

const listener = bareListener(sessions, (req, res, body) => {
  const message = JSON.parse(body);
  const { id, method, params } = message;
  if (id === undefined) {
    res.writeHead(202).end();
  } else if (method === 'initialize') {
    const session = randomUUID();
    sessions.set(session, { stream: null, client: params.clientInfo });
    send(res, { jsonrpc: '2.0', id, result: result(message) }, { 'mcp-session-id': session });
  } else if (method === 'tools/call' && params.name === 'progress') {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let step = 1; step <= 10; step++) res.write(sse(progress(params._meta.progressToken, step)));
    res.end(sse({ jsonrpc: '2.0', id, result: text('done') }));
  } else if (method === 'tools/call' && params.name === 'ask') {
    const given = params.inputResponses?.name;
    const value = given
      ? { resultType: 'complete', ...text(`Hello ${given.content.name}`) }
      : {
          resultType: 'input_required',
          inputRequests: { name: { method: 'elicitation/create', params: question } },
        };
    send(res, { jsonrpc: '2.0', id, result: value });
  } else if (req.headers['mcp-protocol-version'] === '2026-07-28') {
    send(res, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result(message) } });
  } else {
    send(res, { jsonrpc: '2.0', id, result: result(message) });
  }
});

const httpServer = createServer((req, res) => {
  if (req.method !== 'GET') return listener(req, res);
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.flushHeaders();
  sessions.get(req.headers['mcp-session-id']).stream = res;
});

httpServer.listen(0, '127.0.0.1');
control(httpServer, {
  changed() {
    const event = sse({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    for (const session of sessions.values()) session.stream?.write(event);
  },
});
