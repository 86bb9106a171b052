// @modelcontextprotocol/server 2.x with the three tools: sessions as on its "Sessions, state, and scaling" page, or
// with ERA=modern as on its "Serve over HTTP" page.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createMcpExpressApp } from '@modelcontextprotocol/express';
import { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isInitializeRequest, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { control } from '../servers/control.mjs';
import { connectTools } from './node-tools.mjs';

const tools = await connectTools();
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const [echo, cart, product] = ['text', 'user', 'id'].map((name) => z.object({ [name]: z.string() }));

function build() {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  server.registerTool('echo', { description: 'Returns its text', inputSchema: echo }, async (given) => text(given.text));
  server.registerTool('cart', { description: "What is in a user's cart", inputSchema: cart }, async ({ user }) => text(await tools.cart(user)));
  server.registerTool('product', { description: 'One product of the catalogue', inputSchema: product }, async ({ id }) => text(await tools.product(id)));
  return server;
}

function modern() {
  const handler = toNodeHandler(createMcpHandler(build));
  const validateHost = localhostHostValidation();
  const validateOrigin = localhostOriginValidation();
  return createServer((req, res) => {
    if (validateHost(req, res) && validateOrigin(req, res)) void handler(req, res);
  });
}

function inSessions() {
  const sessions = new Map();
  const app = createMcpExpressApp();
  app.all('/mcp', async (req, res) => {
    const known = sessions.get(req.headers['mcp-session-id']);
    if (known) return known.handleRequest(req, res, req.body);
    if (!isInitializeRequest(req.body)) return res.status(404).end();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    transport.onclose = () => sessions.delete(transport.sessionId);
    await build().connect(transport);
    await transport.handleRequest(req, res, req.body);
  });
  return createServer(app);
}

const httpServer = process.env.ERA === 'modern' ? modern() : inSessions();
httpServer.listen(0, '127.0.0.1');
control(httpServer);
