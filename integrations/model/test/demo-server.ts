// The server of the tests: each kind of result, a question, a request for text, a failure, a schema with a loss.
import { McpServer, ToolError } from 'barewire/server';
import { serveStdio } from 'barewire/stdio';

const server = new McpServer({ name: 'demo', version: '1.0.0' });
const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } as const;
server.tool('add', { description: 'Adds two numbers', input: numbers }, ({ a, b }) => `${a + b}`);
server.tool('book', { description: 'Books a seat' }, async (_, ctx) => {
  const form = await ctx.elicit('Which seat?', { seat: { type: 'string', enum: ['window', 'aisle'] } });
  return form.action === 'accept' ? `Booked: ${form.content.seat}` : 'Nothing was booked';
});
server.tool('chart', { description: 'Draws' }, () => [
  { type: 'text', text: 'A chart' },
  { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'https://internal.example/secret', name: 'more' },
]);
server.tool('summary', { description: 'Summarises' }, async (_, ctx) => {
  const { content } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Summarise: it rained.' } }], maxTokens: 100 });
  const [first] = [content].flat();
  return `In short: ${first?.type === 'text' ? first.text : ''}`;
});
server.tool('fail', { description: 'Fails' }, () => { throw new ToolError('There are no seats'); });
server.tool('either', { description: 'Takes one of two', input: { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }] } }, () => 'taken');
serveStdio(server);
