import { networkInterfaces } from 'node:os';
import { McpClient } from '../../../src/client/index.ts';
import { httpTransport } from '../../../src/transport/http/node/index.ts';
import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import { acceptedDemand, listeningDemand, originDemand, typeDemand, unknownVersion, versionDemand } from '../../../src/judge/http-demand.ts';
import { keeps, late, reachable } from '../desk.ts';
import type { Desk } from '../desk.ts';
import { demand, Fault, having, object, text } from '../fault.ts';
import type { Bag } from '../fault.ts';
import { said, simpleText } from './04-tools.ts';

const sending = '2025-11-25 basic/transports#sending-messages-to-the-server';
const warning = '2025-11-25 basic/transports#security-warning';
export const initialize: Bag = {
  id: 1, method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'checker', version: '1.0.0' } },
};

/** Opens a session, and returns the headers for its requests. */
async function session(desk: Desk, port: number): Promise<Record<string, string>> {
  const { headers } = await desk.exchange(port, initialize, 200, { id: 1, result: { protocolVersion: '2025-11-25', capabilities: { tools: object } } });
  const id = headers['mcp-session-id'];
  return { 'mcp-protocol-version': '2025-11-25', ...typeof id === 'string' && { 'mcp-session-id': id } };
}

/** Connects barewire's client to the program over HTTP. */
export async function realHttpClient(desk: Desk, url: string, use: (client: McpClient) => Promise<void>, revisions?: readonly string[]): Promise<void> {
  const client = new McpClient({ name: 'checker', version: '1.0.0' }, { ...revisions && { revisions: [...revisions] } });
  try {
    await desk.inTime(client.connect(httpTransport(url)).then(() => use(client)));
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('the client of barewire to be served', String((error as Error).message));
  } finally {
    await client.close();
  }
}

export const aServerOverHttp: Chapter = {
  number: 9,
  title: 'A server over HTTP',
  checks: [
    check('a request that is POSTed is answered with 200 and JSON, or a stream with the answer', sending, async (desk) => {
      const { port } = await desk.httpServer();
      const answer = await desk.exchange(port, initialize, 200, {
        id: 1, result: { protocolVersion: '2025-11-25', capabilities: { tools: object }, serverInfo: { name: text, version: text } },
      });
      keeps(typeDemand, answer);
    }),
    check('a notification is answered with 202 and no body', '2025-11-25 transports-20', async (desk) => {
      const { port } = await desk.httpServer();
      keeps(acceptedDemand, await desk.post(port, { method: 'notifications/initialized' }, await session(desk, port)));
    }),
    check('tools are listed and called', '2025-11-25 server/tools#calling-tools', async (desk) => {
      const { port } = await desk.httpServer();
      const headers = await session(desk, port);
      await desk.post(port, { method: 'notifications/initialized' }, headers);
      await desk.exchange(port, { id: 2, method: 'tools/list' }, 200, { id: 2, result: { tools: having({ name: 'add' }) } }, headers);
      await desk.exchange(port, { id: 'zwei → 二', method: 'tools/call', params: { name: 'add', arguments: { a: 20, b: 22 } } }, 200,
        { id: 'zwei → 二', result: said('42') }, headers);
      await desk.exchange(port, { id: 4, method: 'tools/call', params: { name: 'multiply' } }, 200, { id: 4, error: { code: -32602 } }, headers);
    }),
    check('a GET gets a stream or 405', '2025-11-25 transports-5', async (desk) => {
      const { port } = await desk.httpServer();
      keeps(listeningDemand, await desk.post(port, '', { ...await session(desk, port), accept: 'text/event-stream' }, { method: 'GET' }));
    }),
    check('what is no JSON is answered with 400 and the error -32700', sending, async (desk) => {
      const { port } = await desk.httpServer();
      await desk.exchange(port, '{"jsonrpc": "2.0", id: 1}', 400, { error: { code: -32700, message: text } });
    }),
    check('another path is a 404', sending, async (desk) => {
      const { port } = await desk.httpServer();
      const answer = await desk.post(port, initialize, {}, { path: '/elsewhere' });
      demand(404, answer.status, 'the status');
    }),
    check('a page of another site is refused with 403, one of this machine is not', '2025-11-25 streamable-http-32', async (desk) => {
      const { port } = await desk.httpServer();
      for (const origin of ['https://evil.example', 'http://localhost.evil.example', 'null']) {
        keeps(originDemand, await desk.post(port, initialize, { origin }));
      }
      await desk.exchange(port, initialize, 200, undefined, { origin: `http://localhost:${port}` });
      await desk.exchange(port, initialize, 200, undefined, { origin: 'http://127.0.0.1:5173' });
    }),
    check('a revision in the header that the server does not speak is a 400', '2025-11-25 transports-9', async (desk) => {
      const { port } = await desk.httpServer();
      const headers = await session(desk, port);
      keeps(versionDemand, await desk.post(port, { id: 2, method: 'tools/list' }, { ...headers, 'mcp-protocol-version': unknownVersion }));
      await desk.exchange(port, { id: 3, method: 'tools/list' }, 200, { id: 3 }, headers);
    }),
    check('it listens on this machine alone', warning, async (desk) => {
      const { port } = await desk.httpServer();
      const outside = Object.values(networkInterfaces()).flat().find((one) => one && !one.internal && one.family === 'IPv4');
      if (outside && await reachable(port, outside.address)) throw new Fault(`nothing to listen at ${outside.address}`, 'a connection');
    }),
    check('while a call waits, others are answered', '2025-11-25 basic/transports#multiple-connections', async (desk) => {
      const { port } = await desk.httpServer();
      const headers = await session(desk, port);
      const waiting = desk.post(port, { id: 'wait', method: 'tools/call', params: { name: 'wait' } }, headers).catch(() => {});
      await desk.exchange(port, { id: 2, method: 'tools/call', params: { name: 'test_simple_text' } }, 200, { id: 2, result: said(simpleText) }, headers);
      void waiting;
    }),
    check('a real client connects, lists and calls', sending, async (desk) => {
      const { url } = await desk.httpServer();
      await realHttpClient(desk, url, async (client) => {
        demand(having('add', 'test_simple_text'), (await client.listTools()).map(({ name }) => name), 'the tools');
        demand([{ type: 'text', text: '42' }], (await client.callTool('add', { a: 17, b: 25 })).content, 'content');
        demand(true, (await client.callTool('fail')).isError, 'isError');
      }, ['2025-11-25']);
    }),
    check('a body that is not application/json is a 415', sending, async (desk) => {
      const { port } = await desk.httpServer();
      await desk.exchange(port, initialize, 415, undefined, { 'content-type': 'text/plain' });
      await desk.exchange(port, initialize, 200, { id: 1 }, { 'content-type': 'application/json; charset=utf-8' });
    }),
    check('a broken connection does not stop the call', sending, async (desk) => {
      const { port } = await desk.httpServer();
      const headers = await session(desk, port);
      const call = desk.begin(port, { id: 'wait', method: 'tools/call', params: { name: 'wait' } }, headers);
      const ask = { id: 2, method: 'tools/call', params: { name: 'waiting' } };
      const deadline = Date.now() + desk.options.patienceMs;
      const before = desk.passed.length;
      const waits = async (): Promise<string | undefined> => {
        desk.passed.length = Math.min(desk.passed.length, before);
        const { messages } = await desk.post(port, ask, headers);
        return (messages[0]?.['result'] as { content?: readonly { text?: string }[] } | undefined)?.content?.[0]?.text;
      };
      for (let words = await waits(); words !== '1'; words = await waits()) {
        if (Date.now() > deadline) demand('1', words, 'the number of calls that wait');
        await late(20);
      }
      call.break();
      // By then a program that wrongly stops the call has done so.
      await late(500);
      const { messages } = await desk.post(port, ask, headers);
      demand(said('1'), messages[0]?.['result'], 'the result, after the connection was broken,');
    }),
  ],
};
