import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import { demand, having, object, rule, text } from '../fault.ts';
import type { Bag, Rule } from '../fault.ts';
import { realClient } from './03-the-handshake.ts';

const calling = '2025-11-25 server/tools#calling-tools';
export const simpleText = 'This is a simple text response for testing.';
export const said = (words: string): Bag => ({ content: [{ type: 'text', text: words }] });
/** `isError` must be false or absent. */
export const noError: Rule = rule('false, or left out', (value) => value === undefined || value === false);

export const tools: Chapter = {
  number: 4,
  title: 'Tools',
  checks: [
    check('the server declares that it has tools', '2025-11-25 tools-3', async (desk) => {
      const server = await desk.server();
      await server.ask({
        id: 1, method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'checker', version: '1.0.0' } },
      }, { result: { capabilities: { tools: object } } });
    }),
    check('tools/list has a description and a schema for each tool', '2025-11-25 tools-21', async (desk) => {
      const server = await desk.opened();
      const { result } = await server.ask({ id: 1, method: 'tools/list' }, { result: { tools: having(
        {
          name: 'add', description: text,
          inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: having('a', 'b') },
        },
        { name: 'test_simple_text', description: text, inputSchema: { type: 'object' } },
      ) } });
      const { tools: listed } = result as { tools: readonly Bag[] };
      listed.forEach((tool, at) => demand({ name: text, description: text, inputSchema: { type: 'object' } }, tool, `result.tools[${at}]`));
    }),
    check('add adds', calling, async (desk) => {
      const server = await desk.opened();
      let id = 0;
      for (const [a, b, sum] of [[1, 2, '3'], [-40, 17, '-23'], [2.5, 0.25, '2.75']]) {
        await server.ask({ id: ++id, method: 'tools/call', params: { name: 'add', arguments: { a, b } } },
          { result: { ...said(String(sum)), isError: noError } });
      }
    }),
    check('test_simple_text says its sentence, also when a call leaves out `arguments`', calling, async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 1, method: 'tools/call', params: { name: 'test_simple_text' } }, { result: said(simpleText) });
      await server.ask({ id: 2, method: 'tools/call', params: { name: 'test_simple_text', arguments: {} } }, { result: said(simpleText) });
    }),
    check('what was not declared is not there: prompts/list gets the error -32601', '2025-11-25 basic/lifecycle#capability-negotiation', async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 1, method: 'prompts/list' }, { error: { code: -32601 } });
    }),
    check('a real client lists and calls', calling, (desk) => realClient(desk, async (client) => {
      demand(having('add', 'test_simple_text'), (await client.listTools()).map(({ name }) => name), 'the tools');
      demand([{ type: 'text', text: '42' }], (await client.callTool('add', { a: 17, b: 25 })).content, 'content');
    }, ['2025-11-25'])),
  ],
};
