// Code that runs twice, and how `ctx.once` prevents that.
//
//   node dist/examples/double-charge.js
//
// For a client of 2026-07-28 a question ends the run of a handler, and the handler runs again from the start when the answer
// arrives: nothing is held in memory meanwhile. So the code before a question runs again. Here a card is charged before the
// traveller is asked for a seat, first carelessly, then with `ctx.once`, which stores the result and returns it in later rounds.
import { McpClient } from 'barewire/client';
import { memoryTransport } from 'barewire/memory';
import { McpServer } from 'barewire/server';

const server = new McpServer({ name: 'checkout', version: '1.0.0' });
let charges = 0;

/** Charges the card, and returns a receipt. Called twice, it charges twice. */
const charge = (): { receipt: number } => ({ receipt: ++charges });

const seat = { seat: { type: 'string', enum: ['window', 'aisle'] } } as const;

server.tool('careless', { description: 'Charges, then asks' }, async (_, ctx) => {
  const { receipt } = charge();
  const form = await ctx.elicit('Which seat?', seat);
  return `receipt ${receipt}, ${form.content?.seat ?? 'any'} seat`;
});

server.tool('careful', { description: 'Charges once, then asks' }, async (_, ctx) => {
  const { receipt } = await ctx.once('charge', charge);
  const form = await ctx.elicit('Which seat?', seat);
  return `receipt ${receipt}, ${form.content?.seat ?? 'any'} seat`;
});

for (const era of ['legacy', 'modern'] as const) {
  const client = new McpClient({ name: 'example', version: '1.0.0' }, {
    era,
    onElicit: () => ({ action: 'accept', content: { seat: 'window' } }),
  });
  await client.connect(memoryTransport(server));
  for (const tool of ['careless', 'careful']) {
    charges = 0;
    const { content } = await client.callTool(tool);
    const [text] = content;
    console.log(`${client.revision?.version} ${tool}: charged ${charges === 1 ? 'once' : `${charges} times`}`
      + ` (${text?.type === 'text' ? text.text : ''})`);
  }
  await client.close();
}
