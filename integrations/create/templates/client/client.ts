import { McpClient } from 'barewire/client';
import type { ClientTransport } from 'barewire/client';

/** Connects, and returns each tool's description. */
export async function describeTools(transport: ClientTransport): Promise<string[]> {
  const client = new McpClient({ name: 'describer', version: '0.1.0' }, {
    // A server may ask: answer here, or decline.
    onElicit: () => ({ action: 'decline' }),
  });
  try {
    await client.connect(transport);
    const tools = await client.listTools();
    return tools.map(({ name, description }) => `${name}: ${description ?? 'no description'}`);
  } finally {
    await client.close();
  }
}
