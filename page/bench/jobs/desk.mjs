// The server of the jobs: a nested form, a tool that fails, a tool that asks.
import { McpServer } from 'barewire/server';
import { serveStdio } from 'barewire/stdio';

const text = { type: 'string' };
const address = { type: 'object', required: ['street', 'city'], properties: { street: text, city: text } };
const line = { type: 'object', required: ['article', 'count'], properties: { article: { type: 'string', enum: ['pen', 'paper', 'ink'] }, count: { type: 'integer', minimum: 1 } } };

const server = new McpServer({ name: 'desk', version: '1.0.0' });

server.tool('place_order', {
  description: 'Places an order',
  input: {
    type: 'object', required: ['customer', 'lines'],
    properties: {
      customer: { type: 'object', required: ['name', 'address'], properties: { name: text, address } },
      lines: { type: 'array', minItems: 1, items: line },
      express: { type: 'boolean', default: false },
    },
  },
}, ({ customer, lines }) => `Ordered ${lines.map(({ article, count }) => `${count} ${article}`)} for ${customer.name} in ${customer.address.city}`);

server.tool('weather', { description: 'The weather of a city', input: { type: 'object', required: ['city'], properties: { city: text } } }, ({ city }) => {
  if (city !== 'Oslo') throw new Error(`no station in ${city}`);
  return '4 degrees, rain';
});

server.tool('book', { description: 'Books a seat' }, async (_, ctx) => {
  const answer = await ctx.elicit('Which seat do you want?', {
    type: 'object', required: ['seat'], properties: { seat: { type: 'string', enum: ['window', 'aisle'] }, remark: text },
  });
  return answer.action === 'accept' ? `Booked a ${answer.content.seat} seat` : 'Nothing booked';
});

serveStdio(server);
