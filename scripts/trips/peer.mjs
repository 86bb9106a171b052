// A server over stdio without barewire, for the trips of a client: it answers the handshake, discovery and calls.
import { createInterface } from 'node:readline';

const capabilities = { tools: {} };
const results = {
  'initialize': ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo: { name: 'peer', version: '1.0.0' } }),
  'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities, resultType: 'complete', ttlMs: 0, cacheScope: 'private' }),
  'tools/call': ({ arguments: { a, b }, _meta }) =>
    ({ content: [{ type: 'text', text: `${a + b}` }], ..._meta?.['io.modelcontextprotocol/protocolVersion'] && { resultType: 'complete' } }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = method in results ? { result: results[method](params) } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
