//: A server
import { McpServer, ToolError } from 'barewire/server';
import { serveStdio } from 'barewire/stdio';

const server = new McpServer({ name: 'desk', version: '1.0.0' });

//: A tool
server.tool('add', {
  description: 'Adds two numbers',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
}, ({ a, b }) => String(a + b));

//: A structured result
server.tool('sum', {
  input: { type: 'object', properties: { numbers: { type: 'array', items: { type: 'number' } } }, required: ['numbers'] },
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
}, ({ numbers }) => ({ sum: numbers.reduce((sum, number) => sum + number, 0) }));

//: A failure that the model reads
server.tool('print', {}, () => {
  throw new ToolError('There is no ink.');
});

//: A resource
server.resource('desk://note', { name: 'note', mimeType: 'text/plain' }, () => 'Remember the milk.');

//: A resource template
server.resourceTemplate('desk://drawer/{id}', { name: 'drawer' }, ({ id }) => `Drawer ${id}`);

//: A prompt
server.prompt('greet', { arguments: { name: { required: true } } }, ({ name }) => `Greet ${name}.`);

//: A question to the person
server.tool('order', {}, async (_, ctx) => {
  const answer = await ctx.elicit('Which paper?', { paper: { type: 'string', enum: ['A4', 'A5'] } });
  return answer.action === 'accept' ? `Ordered ${answer.content.paper}.` : 'Nothing ordered.';
});

//: Progress
server.tool('count', {}, (_, ctx) => {
  for (const step of [1, 2, 3]) ctx.progress(step, 3);
  return 'Counted.';
});

//: Serve it
serveStdio(server);
