import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import { late } from '../desk.ts';
import { absent, demand, having, natural, object, oneOf, text } from '../fault.ts';
import type { Bag } from '../fault.ts';
import { realClient } from './03-the-handshake.ts';
import { said } from './04-tools.ts';
import { realHttpClient } from './09-a-server-over-http.ts';

const key = (name: string): string => `io.modelcontextprotocol/${name}`;
const meta: Bag = { [key('protocolVersion')]: '2026-07-28', [key('clientInfo')]: { name: 'checker', version: '1.0.0' }, [key('clientCapabilities')]: {} };
const headers = (method: string, name?: string): Record<string, string> =>
  ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name !== undefined && { 'mcp-name': name } });
const complete: Bag = { resultType: 'complete', _meta: { [key('serverInfo')]: { name: text, version: text } } };
const cacheable: Bag = { ...complete, ttlMs: natural, cacheScope: oneOf('public', 'private') };
const metaSection = '2026-07-28 basic/index#_meta';
const validation = '2026-07-28 basic/transports/streamable-http#server-validation';

export const withoutAHandshake: Chapter = {
  number: 11,
  title: 'Without a handshake',
  checks: [
    check('a request that says its revision is served at once, with a result that says that it is complete', '2026-07-28 base-72', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'tools/list', params: { _meta: meta } }, { result: { ...cacheable, tools: having({ name: 'add' }) } });
      await server.ask({ id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 }, _meta: meta } }, { result: { ...complete, ...said('3') } });
      await server.ask({ id: 3, method: 'tools/call', params: { name: 'fail', _meta: meta } }, { result: { ...complete, isError: true } });
    }),
    check('server/discover says which revisions are spoken, and what there is', '2026-07-28 discover-1', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'server/discover', params: { _meta: meta } },
        { result: { ...cacheable, supportedVersions: having('2026-07-28', '2025-11-25'), capabilities: { tools: object } } });
    }),
    check('a revision that is not spoken gets the error -32022, with those that are', '2026-07-28 versioning-7', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'tools/list', params: { _meta: { ...meta, [key('protocolVersion')]: '2027-01-01' } } },
        { error: { code: -32022, message: text, data: { supported: having('2026-07-28'), requested: '2027-01-01' } } });
    }),
    check('a request without the revision, or without the capabilities, gets the error -32602', metaSection, async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'tools/list', params: { _meta: { [key('clientCapabilities')]: {} } } }, { error: { code: -32602, message: text } });
      await server.ask({ id: 2, method: 'tools/list', params: { _meta: { [key('protocolVersion')]: '2026-07-28' } } }, { error: { code: -32602, message: text } });
    }),
    check('ping is gone', '2026-07-28 changelog', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'ping', params: { _meta: meta } }, { error: { code: -32601, message: text } });
    }),
    check('nothing is remembered: each request says all that it needs, and a session beside it is of its own revision', '2026-07-28 base-80', async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 1, method: 'tools/list', params: { _meta: meta } }, { result: cacheable });
      await server.ask({ id: 2, method: 'tools/list' }, { result: { tools: having({ name: 'add' }), resultType: absent, ttlMs: absent } });
      await server.ask({ id: 3, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }, { result: { ...said('3'), resultType: absent } });
      const fresh = await desk.server();
      await fresh.ask({ id: 1, method: 'tools/list', params: { _meta: meta } }, { result: cacheable });
      await fresh.ask({ id: 2, method: 'tools/list' }, { error: { code: -32600 } });
    }),
    check('over HTTP the headers say the same as the body', '2026-07-28 basic/transports/streamable-http#standard-request-headers', async (desk) => {
      const { port } = await desk.httpServer();
      await desk.exchange(port, { id: 1, method: 'tools/list', params: { _meta: meta } }, 200, { id: 1, result: cacheable }, headers('tools/list'));
      await desk.exchange(port, { id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 40, b: 2 }, _meta: meta } }, 200,
        { id: 2, result: { ...complete, ...said('42') } }, headers('tools/call', 'add'));
    }),
    check('headers that say something else, or nothing, are a 400 with the error -32020', validation, async (desk) => {
      const { port } = await desk.httpServer();
      const call: Bag = { id: 1, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 }, _meta: meta } };
      const right = headers('tools/call', 'add');
      const without = (name: string): Record<string, string> => Object.fromEntries(Object.entries(right).filter(([other]) => other !== name));
      for (const wrong of [
        { ...right, 'mcp-method': 'tools/list' }, { ...right, 'mcp-name': 'fail' }, { ...right, 'mcp-protocol-version': '2025-11-25' },
        without('mcp-method'), without('mcp-name'), without('mcp-protocol-version'),
      ]) {
        await desk.exchange(port, call, 400, { id: 1, error: { code: -32020, message: text } }, wrong);
      }
      await desk.exchange(port, call, 200, { id: 1 }, { ...right, 'mcp-name': '=?base64?YWRk?=' });
    }),
    check('over HTTP an unknown method is a 404, and an unknown revision and a missing one are a 400', '2026-07-28 basic/transports/streamable-http#protocol-version-header', async (desk) => {
      const { port } = await desk.httpServer();
      await desk.exchange(port, { id: 1, method: 'tea/brew', params: { _meta: meta } }, 404, { id: 1, error: { code: -32601 } }, headers('tea/brew'));
      await desk.exchange(port, { id: 2, method: 'tools/list', params: { _meta: { ...meta, [key('protocolVersion')]: '2027-01-01' } } }, 400,
        { id: 2, error: { code: -32022 } }, { ...headers('tools/list'), 'mcp-protocol-version': '2027-01-01' });
      await desk.exchange(port, { id: 3, method: 'tools/list', params: { _meta: { [key('protocolVersion')]: '2026-07-28' } } }, 400,
        { id: 3, error: { code: -32602 } }, headers('tools/list'));
    }),
    check('over HTTP the end of the connection is the end of the call', '2026-07-28 basic/transports/streamable-http#cancellation', async (desk) => {
      const { port } = await desk.httpServer();
      const waiting = async (many: string): Promise<void> => {
        const deadline = Date.now() + desk.options.patienceMs;
        const before = desk.passed.length;
        for (;;) {
          // The report shows only the last request.
          desk.passed.length = before;
          const { messages } = await desk.post(port, { id: 2, method: 'tools/call', params: { name: 'waiting', arguments: {}, _meta: meta } }, headers('tools/call', 'waiting'));
          const words = (messages[0]?.['result'] as { content?: readonly { text?: string }[] } | undefined)?.content?.[0]?.text;
          if (words === many) return;
          if (Date.now() > deadline) demand(many, words, 'the number of calls that wait');
          await late(20);
        }
      };
      const call = desk.begin(port, { id: 1, method: 'tools/call', params: { name: 'wait', arguments: {}, _meta: meta } }, headers('tools/call', 'wait'));
      await waiting('1');
      call.break();
      await waiting('0');
    }),
    check('a real client of 2026-07-28 connects over both', metaSection, async (desk) => {
      await realClient(desk, async (client) => {
        demand('2026-07-28', client.revision?.version, 'the revision');
        demand([{ type: 'text', text: '42' }], (await client.callTool('add', { a: 17, b: 25 })).content, 'content');
      });
      const { url } = await desk.httpServer();
      await realHttpClient(desk, url, async (client) => {
        demand('2026-07-28', client.revision?.version, 'the revision');
        demand(having('add'), (await client.listTools()).map(({ name }) => name), 'the tools');
        demand([{ type: 'text', text: '42' }], (await client.callTool('add', { a: 17, b: 25 })).content, 'content');
      });
    }),
  ],
};
