import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import { text } from '../fault.ts';
import { said } from './04-tools.ts';

const failing = '2025-11-25 server/tools#error-handling';

export const twoKindsOfFailure: Chapter = {
  number: 5,
  title: 'Two kinds of failure',
  checks: [
    check('a tool that fails answers with a result that says isError', failing, async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 1, method: 'tools/call', params: { name: 'fail' } },
        { result: { ...said('the disk is full'), isError: true } });
      await server.ask({ id: 2, method: 'tools/call', params: { name: 'test_error_handling' } },
        { result: { ...said('This tool intentionally returns an error for testing'), isError: true } });
    }),
    check('an unknown tool is an error of the protocol: -32602', '2025-11-25 form-unknown-tool', async (desk) => {
      const server = await desk.opened();
      for (const name of ['multiply', 'toString', '']) {
        await server.ask({ id: `call ${name}`, method: 'tools/call', params: { name, arguments: {} } }, { error: { code: -32602, message: text } });
      }
    }),
    check('arguments that do not fit the schema are a result with isError, which the model can read', failing, async (desk) => {
      const server = await desk.opened();
      let id = 0;
      for (const args of [{ a: 'one', b: 2 }, { a: 1 }, {}, { a: 1, b: null }, { a: true, b: 1 }]) {
        await server.ask({ id: ++id, method: 'tools/call', params: { name: 'add', arguments: args } },
          { result: { content: [{ type: 'text', text }], isError: true } });
      }
      await server.ask({ id: 'none', method: 'tools/call', params: { name: 'add' } }, { result: { isError: true } });
    }),
    check('arguments that are no object, and a call without a name, are errors of the protocol: -32602', '2025-11-25 server/tools#calling-tools', async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 1, method: 'tools/call', params: { name: 'add', arguments: [1, 2] } }, { error: { code: -32602, message: text } });
      await server.ask({ id: 2, method: 'tools/call', params: { arguments: {} } }, { error: { code: -32602, message: text } });
      await server.ask({ id: 3, method: 'tools/call' }, { error: { code: -32602, message: text } });
    }),
    check('refuse answers with an error of its own: 4050', failing, async (desk) => {
      const server = await desk.opened();
      await server.ask({ id: 1, method: 'tools/call', params: { name: 'refuse' } },
        { error: { code: 4050, message: 'not on Sundays', data: { day: 'Sunday' } } });
      await server.ask({ id: 2, method: 'ping' }, { result: {} });
    }),
  ],
};
