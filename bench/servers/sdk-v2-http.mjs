// Sessions as on the SDK's "Sessions, state, and scaling" page: Express, one transport and one server per session.
import { randomUUID } from 'node:crypto';
import { createMcpExpressApp } from '@modelcontextprotocol/express';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { control } from './control.mjs';
import { build } from './sdk-v2.mjs';

const sessions = new Map();
const app = createMcpExpressApp();

async function route(req, res) {
  const known = sessions.get(req.headers['mcp-session-id']);
  if (known) return known.transport.handleRequest(req, res, req.body);
  if (!isInitializeRequest(req.body)) return res.status(404).end();
  const server = build();
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, { transport, server }),
  });
  transport.onclose = () => sessions.delete(transport.sessionId);
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
}

app.post('/mcp', route);
app.get('/mcp', route);
app.delete('/mcp', route);
control(app.listen(0, '127.0.0.1'), {
  changed() {
    for (const { server } of sessions.values()) server.sendToolListChanged();
  },
});
