// @langchain/mcp-adapters
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { argumentsOf, targetOf } from './use.mjs';

const { url, command, args } = targetOf();
const client = new MultiServerMCPClient({ mcpServers: { one: url ? { transport: 'http', url } : { transport: 'stdio', command, args } } });
try {
  for (const tool of await client.getTools()) {
    try {
      await tool.invoke(argumentsOf(tool.schema));
    } catch (error) {
      console.error(`${tool.name}: ${error.message}`);
    }
  }
} finally {
  await client.close();
}
