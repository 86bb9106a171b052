import { McpServer } from '../../../src/server/index.ts';
import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import type { Desk } from '../desk.ts';
import { absent, demand, Fault, object, oneOf, rule, text } from '../fault.ts';
import type { Bag, Rule } from '../fault.ts';
import type { Program } from '../program.ts';
import type { Talk } from '../talk.ts';

const lifecycle = '2025-11-25 basic/lifecycle#initialization';
export const addTool: Bag = {
  name: 'add_numbers', description: 'Adds two numbers',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
};
export const server: Bag = { capabilities: { tools: {} }, serverInfo: { name: 'hidden', version: '1.0.0' } };

/** Returns the first request after the probe. A client of chapter 12 first sends `server/discover`, which this server does not support. */
export async function opening(talk: Talk): Promise<Bag> {
  const first = await talk.next('the request initialize');
  if (first['method'] !== 'server/discover') return first;
  talk.say({ id: first['id'], error: { code: -32601, message: 'Method not found: server/discover' } });
  return talk.next('the request initialize');
}

/** Answers the handshake, and expects `notifications/initialized`. Returns the first request. */
export async function welcome(talk: Talk): Promise<Bag> {
  const first = await opening(talk);
  demand({ id: oneOfIds, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: object, clientInfo: { name: text, version: text } } }, first);
  talk.say({ id: first['id'], result: { protocolVersion: '2025-11-25', ...server } });
  await talk.expect({ id: absent, method: 'notifications/initialized' }, 'notifications/initialized');
  return first;
}

export const oneOfIds: Rule = rule('a number or a text', (id) => typeof id === 'number' || typeof id === 'string');

/** Answers tools/list with one tool, and returns the call of that tool. */
export async function called(talk: Talk): Promise<Bag> {
  const list = await talk.expect({ id: oneOfIds, method: 'tools/list' }, 'the request tools/list');
  talk.say({ id: list['id'], result: { tools: [addTool] } });
  return talk.expect({ id: oneOfIds, method: 'tools/call', params: { name: 'add_numbers', arguments: { a: 2, b: 3 } } }, 'the call of add_numbers');
}

/** Demands that the program prints a text and exits with a code. */
export async function prints(desk: Desk, program: Program, words: string, code: number = 0): Promise<void> {
  let output = '';
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  demand(code, await program.ended(`the program to end with code ${code}`, desk.options.startMs), 'the exit code');
  if (!output.includes(words)) throw new Fault(`${JSON.stringify(words)} on stdout`, JSON.stringify(output.slice(0, 300)));
}

export const theOtherSide: Chapter = {
  number: 7,
  title: 'The other side',
  checks: [
    check('the client begins with initialize, and confirms the answer before it says anything else', '2025-11-25 lifecycle-25', async (desk) => {
      const { talk } = await desk.client();
      await welcome(talk);
      await talk.expect({ method: 'tools/list' }, 'the request tools/list');
    }),
    check('it lists the tools, calls the one whose name begins with add, prints its text, and ends', '2025-11-25 server/tools#calling-tools', async (desk) => {
      const { talk, program } = await desk.client();
      await welcome(talk);
      const call = await called(talk);
      talk.say({ id: call['id'], result: { content: [{ type: 'text', text: 'the sum is FIVE' }] } });
      await prints(desk, program, 'the sum is FIVE');
    }),
    check('it closes the stdin of its server, and waits for it', '2025-11-25 basic/lifecycle#shutdown', async (desk) => {
      const { talk } = await desk.client();
      await welcome(talk);
      const call = await called(talk);
      talk.say({ id: call['id'], result: { content: [{ type: 'text', text: '5' }] } });
      await talk.closed('the client to close the pipe');
    }),
    check('it takes all pages of a list', '2025-11-25 server/utilities/pagination#pagination-flow', async (desk) => {
      const { talk, program } = await desk.client();
      await welcome(talk);
      const first = await talk.expect({ method: 'tools/list' }, 'the request tools/list');
      talk.say({ id: first['id'], result: { tools: [{ ...addTool, name: 'subtract' }], nextCursor: 'page 2, säule' } });
      const second = await talk.expect({ method: 'tools/list', params: { cursor: 'page 2, säule' } }, 'tools/list with the cursor');
      talk.say({ id: second['id'], result: { tools: [{ ...addTool, name: 'divide' }], nextCursor: '' } });
      const third = await talk.expect({ method: 'tools/list', params: { cursor: '' } }, 'tools/list with the cursor, which is an empty text');
      talk.say({ id: third['id'], result: { tools: [addTool] } });
      const call = await talk.expect({ method: 'tools/call', params: { name: 'add_numbers' } }, 'the call');
      talk.say({ id: call['id'], result: { content: [{ type: 'text', text: 'from page three' }] } });
      await prints(desk, program, 'from page three');
    }),
    check('it calls nothing where no name begins with add', '2025-11-25 server/tools#calling-tools', async (desk) => {
      const { talk, program } = await desk.client();
      await welcome(talk);
      const list = await talk.expect({ method: 'tools/list' }, 'the request tools/list');
      talk.say({ id: list['id'], result: { tools: [] } });
      await talk.closed('the client to close the pipe');
      demand(0, await program.ended('the program to end', desk.options.patienceMs), 'the exit code');
    }),
    check('it goes where the server speaks another revision', '2025-11-25 lifecycle-18', async (desk) => {
      const { talk, program } = await desk.client();
      const first = await opening(talk);
      demand('initialize', first['method'], 'method');
      talk.say({ id: first['id'], result: { protocolVersion: '2999-01-01', ...server } });
      await talk.closed('the client to close the pipe and to say nothing more');
      demand(oneOf(1), await program.ended('the program to end', desk.options.patienceMs), 'the exit code');
    }),
    check('a tool that fails, and an error of the protocol, end it with code 1', '2025-11-25 server/tools#error-handling', async (desk) => {
      const failures: readonly Bag[] = [
        { result: { content: [{ type: 'text', text: 'no numbers today' }], isError: true } },
        { error: { code: -32603, message: 'no numbers today' } },
      ];
      for (const failure of failures) {
        const { talk, program } = await desk.client();
        await welcome(talk);
        const call = await called(talk);
        talk.say({ id: call['id'], ...failure });
        demand(1, await program.ended('the program to end', desk.options.patienceMs), 'the exit code');
      }
    }),
    check('a real server serves it', lifecycle, async (desk) => {
      const real = new McpServer({ name: 'hidden', version: '1.0.0' }, { revisions: ['2025-11-25'], pageSize: 1 });
      real.tool('subtract', {}, () => 'no');
      real.tool('addition', {
        input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      }, ({ a, b }) => `barewire says ${a + b}`);
      await prints(desk, await desk.clientOf(real), 'barewire says 5');
    }),
  ],
};
