import { McpClient } from '../../../src/client/index.ts';
import { stdioTransport } from '../../../src/transport/stdio/index.ts';
import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import type { Desk } from '../desk.ts';
import { demand, Fault, object, text } from '../fault.ts';

const lifecycle = '2025-11-25 basic/lifecycle#initialization';
const hello = (protocolVersion: string): Record<string, unknown> =>
  ({ protocolVersion, capabilities: {}, clientInfo: { name: 'checker', version: '1.0.0' } });

/** Connects barewire's client to the program. An error counts as a fault of the program. */
export async function realClient<T>(desk: Desk, use: (client: McpClient) => Promise<T>, revisions?: readonly string[]): Promise<T> {
  const [file = '', ...args] = desk.options.command;
  const client = new McpClient({ name: 'checker', version: '1.0.0' }, { ...revisions && { revisions: [...revisions] } });
  try {
    const transport = stdioTransport(file, args, {
      onStderr: desk.life(),
      trace: ({ direction, text: said }) => desk.passed.push({ direction: direction === 'sent' ? '-->' : '<--', text: said }),
    });
    return await desk.inTime(client.connect(transport).then(() => use(client)));
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('the client of barewire to be served', String((error as Error).message));
  } finally {
    await client.close();
  }
}

export const theHandshake: Chapter = {
  number: 3,
  title: 'The handshake',
  checks: [
    check('initialize is answered with the revision, the capabilities and who the server is', '2025-11-25 lifecycle-11', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'initialize', params: hello('2025-11-25') }, {
        result: { protocolVersion: '2025-11-25', capabilities: object, serverInfo: { name: text, version: text } },
      });
    }),
    check('a client of another revision is offered the one that the server speaks', '2025-11-25 lifecycle-22', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'initialize', params: hello('1999-12-31') }, { result: { protocolVersion: '2025-11-25' } });
    }),
    check('notifications/initialized gets no answer, and the session is open', lifecycle, async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 2, method: 'ping' }, { result: {} });
      await server.ask({ id: 3, method: 'tea/brew' }, { error: { code: -32601 } });
    }),
    check('a request before initialize is refused with -32600; a ping is not', lifecycle, async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 'early', method: 'tools/list' }, { error: { code: -32600, message: text } });
      await server.ask({ id: 'knock', method: 'ping' }, { result: {} });
      await server.ask({ id: 1, method: 'initialize', params: hello('2025-11-25') }, { result: { protocolVersion: '2025-11-25' } });
    }),
    check('there is one handshake: a second initialize is refused with -32600', lifecycle, async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 2, method: 'initialize', params: hello('2025-11-25') }, { error: { code: -32600, message: text } });
      await server.ask({ id: 3, method: 'ping' }, { result: {} });
    }),
    check('a real client connects', lifecycle, (desk) => realClient(desk, async (client) => {
      demand('2025-11-25', client.revision?.version, 'the revision');
      await client.ping();
    }, ['2025-11-25'])),
  ],
};
