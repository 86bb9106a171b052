// The results of the bare programs: the same JSON as the others', without a protocol implementation.
import { echoSchema, extraDescription, extraName, extraSchema, extraTools } from './control.mjs';

const tools = [
  { name: 'echo', description: 'Returns its text', inputSchema: echoSchema },
  { name: 'progress', description: 'Ten steps', inputSchema: { type: 'object' } },
  { name: 'ask', description: 'Asks a name', inputSchema: { type: 'object' } },
];
for (let i = 0; i < extraTools; i++) {
  tools.push({ name: extraName(i), description: extraDescription(i), inputSchema: extraSchema });
}

export const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** The result of any request that needs no other message. */
export function result(message) {
  if (message.method === 'tools/call') return text(message.params.arguments.text);
  if (message.method === 'tools/list') return { tools };
  if (message.method === 'initialize') {
    return {
      protocolVersion: message.params.protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'bare', version: '1.0.0' },
    };
  }
  return {};
}

export const question = {
  mode: 'form',
  message: 'Your name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

export const progress = (progressToken, step) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: step, total: 10 },
});
