import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import { late } from '../desk.ts';
import { demand, oneOf, text } from '../fault.ts';
import type { Talk } from '../talk.ts';

const ping = '2025-11-25 basic/utilities/ping#behavior-requirements';
const stdio = '2025-11-25 basic/transports#stdio';

/** Expects a response for each of the ids, in any order. */
async function answers(server: Talk, ids: readonly unknown[]): Promise<void> {
  const left = [...ids];
  while (left.length > 0) {
    const { id } = await server.expect({ id: oneOf(...left), result: {} }, `the answer to the ping ${String(left[0])}`);
    left.splice(left.indexOf(id), 1);
  }
}

export const oneLine: Chapter = {
  number: 1,
  title: 'One line',
  checks: [
    check('a ping is answered with an empty result', '2025-11-25 ping-1', async (desk) => {
      const server = await desk.server();
      const answer = await server.ask({ id: 1, method: 'ping' }, { result: {} });
      demand({}, answer['result'], 'result');
    }),
    check('the id of the answer is the id of the request: a number stays a number, a text a text', '2025-11-25 base-70', async (desk) => {
      const server = await desk.server();
      for (const id of [41, 0, '41', 'a b', 'Zürich → 東京']) await server.ask({ id, method: 'ping' }, { result: {} });
    }),
    check('three lines in one piece are three requests', '2025-11-25 stdio-1', async (desk) => {
      const server = await desk.server();
      const lines = ['a', 'b', 'c'].map((id) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}\n`).join('');
      server.bytes(Buffer.from(lines), lines.trim());
      await answers(server, ['a', 'b', 'c']);
    }),
    check('a line in two pieces is one request, wherever it was cut', '2025-11-25 stdio-1', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'ping' }, { result: {} });
      const line = Buffer.from('{"jsonrpc":"2.0","id":"Zürich","method":"ping"}\n');
      const middle = line.indexOf(0xc3) + 1;
      server.bytes(line.subarray(0, middle), '{"jsonrpc":"2.0","id":"Zürich","method":"ping"}   (in two pieces)');
      await late(50);
      server.bytes(line.subarray(middle));
      await server.expect({ id: 'Zürich', result: {} }, 'the answer to the ping');
    }),
    check('every ping has one answer', '2025-11-25 ping-1', async (desk) => {
      const server = await desk.server();
      const ids = Array.from({ length: 50 }, (_, at) => at + 1);
      for (const id of ids) server.say({ id, method: 'ping' });
      await answers(server, ids);
      await server.ask({ id: 'last', method: 'ping' }, { id: text });
    }),
    check('the program ends once its stdin is closed', '2025-11-25 basic/lifecycle#shutdown', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'ping' }, { result: {} });
      server.end();
      demand(0, await server.program.ended('the program to end when its stdin is closed', desk.options.patienceMs), 'the exit code');
    }),
    check('a line of 200,000 characters is one request', '2025-11-25 stdio-1', async (desk) => {
      const server = await desk.server();
      await server.ask({ id: 1, method: 'ping', params: { _meta: { 'example.com/padding': 'x'.repeat(200_000) } } }, { result: {} });
      await server.ask({ id: 2, method: 'ping' }, { result: {} });
    }),
  ],
};
