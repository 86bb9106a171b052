// A server without tools: it has one resource, and answers unknown methods with an error.
import { createInterface } from 'node:readline';

const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { id?: number; method?: string };
  if (id === undefined) return;
  if (method === 'initialize') say({ id, result: { protocolVersion: '2025-06-18', capabilities: { resources: {} }, serverInfo: { name: 'bare', version: '1' } } });
  else if (method === 'resources/list') say({ id, result: { resources: [{ uri: 'note://one', name: 'The one note' }] } });
  else if (method === 'resources/templates/list') say({ id, result: { resourceTemplates: [] } });
  else if (method === 'ping') say({ id, result: {} });
  else say({ id, error: { code: -32601, message: 'not here' } });
});
