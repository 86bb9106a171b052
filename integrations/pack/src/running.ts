import { McpClient } from 'barewire/client';
import { stdioTransport } from 'barewire/stdio';

/** A running server's description of itself. */
export interface RunningServer {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
  readonly prompts: readonly { readonly name: string; readonly description?: string }[];
}

/**
 * Starts a server over stdio, without arguments and with the safe environment, and reads its description. Rejects if it does not
 * answer.
 */
export async function runningServer(file: string): Promise<RunningServer> {
  const client = new McpClient({ name: 'barewire-pack', version: '0.1.0' });
  try {
    await client.connect(stdioTransport(process.execPath, [file]));
    const { server: serverInfo, capabilities: serverCapabilities } = client;
    if (serverInfo === undefined) throw new Error('it does not say what it is called');
    const said = ({ name, description }: { name: string; description?: string | undefined }): { name: string; description?: string } =>
      ({ name, ...description !== undefined && { description } });
    return {
      name: serverInfo.name,
      version: serverInfo.version,
      ...serverInfo.title !== undefined && { title: serverInfo.title },
      tools: serverCapabilities?.tools ? (await client.listTools()).map(said) : [],
      prompts: serverCapabilities?.prompts ? (await client.listPrompts()).map(said) : [],
    };
  } catch (error) {
    throw new Error(`the packed server does not run: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await client.close();
  }
}
