// A server that returns generated results unchanged, by number.
import { createInterface } from 'node:readline';
import { resultOf } from './generated-results.ts';

const tools = [{ name: 'give', inputSchema: { type: 'object', properties: { number: { type: 'integer' } } }, annotations: { readOnlyHint: true } }];
const serverInfo = { name: 'results', version: '1.0.0' };

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: { arguments?: { number?: number } } };
  if (id === undefined) return;
  const result = method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
    : method === 'tools/list' ? { tools } : method === 'tools/call' ? resultOf(params?.arguments?.number ?? 0) : undefined;
  const answer = result ? { result } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
