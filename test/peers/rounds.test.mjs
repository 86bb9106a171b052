// One booking, three rounds, three processes: the questions and answers are in the sealed state that the client carries.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { at } from './processes.mjs';

/** A process of the travel agency, with an official client that does not answer questions automatically. */
async function agency(t, key) {
  const client = new Client({ name: 'peer', version: '1.0.0' }, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    inputRequired: { autoFulfill: false },
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [at('dist/examples/travel/main.js')],
    env: { ...process.env, TRAVEL_STATE_KEY: key },
  });
  await client.connect(transport);
  t.after(() => client.close());
  const book = (more, city = 'Lisbon') =>
    client.callTool({ name: 'book_trip', arguments: { destination: city }, ...more }, { allowInputRequired: true });
  return { client, transport, book };
}

const accept = (content) => ({ action: 'accept', content });

test('a booking is begun in one process, goes on in another, and ends in one that was started after', async (t) => {
  const key = randomBytes(32).toString('base64');
  const [one, two] = await Promise.all([agency(t, key), agency(t, key)]);

  const first = await one.book();
  assert.equal(first.resultType, 'input_required');
  assert.deepEqual(Object.keys(first.inputRequests), ['wish']);
  // The process is killed: it kept nothing of the booking.
  process.kill(one.transport.pid, 'SIGKILL');

  const wish = accept({ seat: 'aisle', travellers: 3, name: 'Ada' });
  const second = await two.book({ inputResponses: { wish }, requestState: first.requestState });
  assert.equal(second.resultType, 'input_required');
  assert.deepEqual(Object.keys(second.inputRequests), ['payment']);
  const [, total] = /3 × aisle seat, (\d+) EUR in all/.exec(second.inputRequests.payment.params.message);

  const three = await agency(t, key);
  const paid = { inputResponses: { payment: accept({ confirm: true }) }, requestState: second.requestState };
  const result = await three.book(paid);
  assert.match(result.content[0].text, new RegExp(`^Booked BW1001: .* to Lisbon, aisle seat, ${total} EUR\\.$`));

  // The state is valid only for this call, and only with the same key.
  await assert.rejects(three.book(paid, 'Oslo'), ({ code }) => code === -32602);
  const stranger = await agency(t, randomBytes(32).toString('base64'));
  await assert.rejects(stranger.book(paid), ({ code }) => code === -32602);
});
