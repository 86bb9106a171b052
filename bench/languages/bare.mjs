// The upper bound in Node: node:http reads the body, JSON.parse, the tool, JSON.stringify, and nothing else.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { bareListener } from '../servers/bare-listener.mjs';
import { control } from '../servers/control.mjs';
import { connectTools } from './node-tools.mjs';

const tools = await connectTools();
const sessions = new Set();

function send(res, id, result, session) {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result });
  const head = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  if (session !== undefined) head['mcp-session-id'] = session;
  res.writeHead(200, head);
  res.end(body);
}

async function answer(req, res, text) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return res.writeHead(202).end();
  if (method === 'initialize') {
    const session = randomUUID();
    sessions.add(session);
    const serverInfo = { name: 'bare', version: '1.0.0' };
    return send(res, id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }, session);
  }
  const given = params.arguments;
  const said = params.name === 'cart' ? await tools.cart(given.user) : params.name === 'product' ? await tools.product(given.id) : given.text;
  const content = [{ type: 'text', text: said }];
  send(res, id, req.headers['mcp-protocol-version'] === '2026-07-28' ? { resultType: 'complete', content } : { content });
}

const httpServer = createServer(bareListener(sessions, (req, res, text) => {
  answer(req, res, text).catch((error) => res.writeHead(502).end(error.message));
}));
httpServer.listen(0, '127.0.0.1');
control(httpServer);
