import { McpServer } from '../../../src/server/index.ts';
import { check } from '../chapter.ts';
import type { Chapter } from '../chapter.ts';
import { demand, object, oneOf, rule } from '../fault.ts';
import type { Bag } from '../fault.ts';
import { called, prints, welcome } from './07-the-other-side.ts';

const requests = '2025-11-25 client/elicitation#elicitation-requests';
const fine: Bag = { result: { content: [{ type: 'text', text: 'asked and answered' }] } };
/** Every field has a default. */
export const form: Bag = {
  type: 'object',
  properties: {
    seat: { type: 'string', enum: ['window', 'aisle'], default: 'aisle' },
    bags: { type: 'integer', default: 0 },
    confirm: { type: 'boolean', default: false },
    note: { type: 'string' },
  },
  required: ['seat', 'bags', 'confirm'],
};
export const filled: Bag = { action: 'accept', content: { seat: 'aisle', bags: 0, confirm: false } };
/** A required field without a default. */
export const openForm: Bag = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

export const askedInTurn: Chapter = {
  number: 8,
  title: 'Asked in turn',
  checks: [
    check('the client declares that it can be asked', '2025-11-25 elicitation-2', async (desk) => {
      const { talk } = await desk.client();
      const { params } = await welcome(talk);
      demand({ capabilities: { elicitation: object } }, params, 'params');
    }),
    check('a ping of the server is answered while a call waits', '2025-11-25 ping-1', async (desk) => {
      const { talk, program } = await desk.client();
      await welcome(talk);
      const call = await called(talk);
      talk.say({ id: call['id'], method: 'ping' });
      await talk.expect({ id: call['id'], method: undefined, result: {} }, 'the answer to the ping, whose id is the same as that of the call');
      talk.say({ id: call['id'], ...fine });
      await prints(desk, program, 'asked and answered');
    }),
    check('a form is filled in with its defaults', '2025-11-25 elicitation-23', async (desk) => {
      const { talk, program } = await desk.client();
      await welcome(talk);
      const call = await called(talk);
      await talk.ask({ id: 'seat', method: 'elicitation/create', params: { mode: 'form', message: 'Which seat?', requestedSchema: form } }, { result: filled });
      talk.say({ id: call['id'], ...fine });
      await prints(desk, program, 'asked and answered');
    }),
    check('a form with a required field that has no default is declined', '2025-11-25 client/elicitation#response-actions', async (desk) => {
      const { talk } = await desk.client();
      await welcome(talk);
      await called(talk);
      // A question without a mode is a form.
      await talk.ask({ id: 7, method: 'elicitation/create', params: { message: 'Your name?', requestedSchema: openForm } },
        { result: { action: 'decline', content: undefined } });
    }),
    check('a request that the client does not know gets the error -32601', '2025-11-25 basic/lifecycle#capability-negotiation', async (desk) => {
      const { talk } = await desk.client();
      await welcome(talk);
      await called(talk);
      await talk.ask({ id: 1000, method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }, { error: { code: oneOf(-32601) } });
    }),
    check('notifications, and answers to nothing, change nothing', '2025-11-25 base-62', async (desk) => {
      const { talk, program } = await desk.client();
      await welcome(talk);
      const call = await called(talk);
      talk.say({ method: 'notifications/message', params: { level: 'info', data: 'working' } });
      talk.say({ method: 'notifications/unheard-of' });
      talk.say({ id: 'nobody asked', result: { content: [{ type: 'text', text: 'wrong' }] } });
      talk.say({ id: call['id'], ...fine });
      await prints(desk, program, 'asked and answered');
    }),
    check('a real server asks it', requests, async (desk) => {
      const real = new McpServer({ name: 'hidden', version: '1.0.0' }, { revisions: ['2025-11-25'] });
      real.tool('add', { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } }, async (_args, ctx) => {
        const answer = await ctx.elicit('Which seat?', { seat: { type: 'string', default: 'aisle' }, bags: { type: 'integer', default: 2 } });
        return answer.action === 'accept' ? `seat ${answer.content.seat}, bags ${answer.content.bags}` : answer.action;
      });
      await prints(desk, await desk.clientOf(real), 'seat aisle, bags 2');
    }),
  ],
};

/** The members that 2026-07-28 requires in `params._meta`. */
export const modernMeta: Bag = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': rule('an object with elicitation', (value) =>
    typeof value === 'object' && value !== null && 'elicitation' in value),
};
