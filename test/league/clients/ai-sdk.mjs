// @ai-sdk/mcp
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { argumentsOf, targetOf } from './use.mjs';

const { url, command, args } = targetOf();
const client = await createMCPClient({ transport: url ? { type: 'http', url } : new StdioTransport({ command, args }) });
try {
  for (const [name, tool] of Object.entries(await client.tools())) {
    const schema = await (tool.inputSchema?.jsonSchema ?? tool.inputSchema);
    try {
      await tool.execute(argumentsOf(schema), { toolCallId: name, messages: [] });
    } catch (error) {
      console.error(`${name}: ${error.message}`);
    }
  }
} finally {
  await client.close();
}
