import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import { noId, text } from '../fault.ts';


export const whatGoesWrong: Chapter = {
  number: 2,
  title: 'What goes wrong',
  checks: [
    check('what is not JSON gets the error -32700, and the next line is served', '2025-11-25 form-parse-error', async (desk) => {
      const server = await desk.server();
      server.raw('{"jsonrpc": "2.0", "id": 1, method: "ping"}');
      await server.expect({ id: noId, result: undefined, error: { code: -32700, message: text } }, 'an error');
      await server.ask({ id: 2, method: 'ping' }, { result: {} });
    }),
    check('JSON that is no message gets the error -32600', '2025-11-25 form-invalid-request', async (desk) => {
      const server = await desk.server();
      for (const line of ['"ping"', '7', '[]', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 'null']) {
        server.raw(line);
        await server.expect({ error: { code: -32600, message: text } }, `an error for ${line}`);
      }
      await server.ask({ id: 2, method: 'ping' }, { result: {} });
    }),
    check('a request of another version of JSON-RPC, or with a method that is no text, gets the error -32600', '2025-11-25 basic/index#requests', async (desk) => {
      const server = await desk.server();
      for (const line of ['{"jsonrpc":"1.0","id":3,"method":"ping"}', '{"id":3,"method":"ping"}', '{"jsonrpc":"2.0","id":3,"method":7}']) {
        server.raw(line);
        await server.expect({ id: 3, error: { code: -32600, message: text } }, `an error for ${line}`);
      }
      await server.ask({ id: 4, method: 'ping' }, { result: {} });
    }),
    check('an unknown method gets the error -32601, with the id of the request', '2025-11-25 form-unknown-method', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 'tea', method: 'tea/brew', params: {} }, { error: { code: -32601, message: text } });
      await server.ask({ id: 'proto', method: 'toString' }, { error: { code: -32601, message: text } });
    }),
    check('a notification gets no answer, even an unknown one', '2025-11-25 base-62', async (desk) => {
      const server = await desk.server();
      server.say({ method: 'notifications/unheard-of' });
      server.say({ method: 'ping' });
      await server.ask({ id: 5, method: 'ping' }, { result: {} });
    }),
    check('a response that answers nothing gets no answer', '2025-11-25 basic/index#responses', async (desk) => {
      const server = await desk.server();
      server.say({ id: 99, result: {} });
      server.say({ id: 98, error: { code: 1, message: 'no' } });
      await server.ask({ id: 6, method: 'ping' }, { result: {} });
    }),
    check('an id that is null, a fraction or beyond 2^53, and params that are a list, get the error -32600', '2025-11-25 basic/index#requests', async (desk) => {
      const server = await desk.server();
      for (const id of ['null', '1.5', '9007199254740993']) {
        server.raw(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
        await server.expect({ id: noId, error: { code: -32600, message: text } }, `an error for the id ${id}`);
      }
      server.raw('{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}');
      await server.expect({ id: 7, error: { code: -32600, message: text } }, 'an error for params that are a list');
      await server.ask({ id: 8, method: 'ping' }, { result: {} });
    }),
  ],
};
