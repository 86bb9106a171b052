// A server with results that violate the specification. Its argument is the result of every request except `initialize`.
import { createInterface } from 'node:readline';

const [, , result = '{}'] = process.argv;
const tools = '{"tools":[{"name":"odd","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}';
const opened = JSON.stringify({
  protocolVersion: '2025-11-25', capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  serverInfo: { name: 'malformed', version: '1.0.0' },
});

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { id?: number; method: string };
  if (id === undefined) return;
  const what = method === 'server/discover' ? '"error":{"code":-32601,"message":"unknown"}'
    : `"result":${method === 'initialize' ? opened : method === 'tools/list' && !result.includes('"tools"') ? tools : result}`;
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},${what}}\n`);
});
