// Sessions as in the SDK's own example (simpleStreamableHttp): one transport and one server per session.
import { randomUUID } from 'node:crypto';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
import { control } from './control.mjs';
import { build } from './sdk-v1.mjs';

const sessions = new Map();
const app = createMcpExpressApp();

async function route(req, res) {
  const known = sessions.get(req.headers['mcp-session-id']);
  if (known) return known.transport.handleRequest(req, res, req.body);
  if (!isInitializeRequest(req.body)) return res.status(404).end();
  const server = build();
  const transport = new StreamableHTTPServerTransport({
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
