// Tools with and without parameters, for smolagents.
import { McpServer } from '../../../dist/lib/server.js';
import { serveStdio } from '../../../dist/lib/stdio.js';

const server = new McpServer({ name: 'barewire', version: '1.0.0' });
server.tool('time', { description: 'The time.' }, () => 'noon');
server.tool('anything', { description: 'Takes anything.', input: { type: 'object' } }, () => 'taken');
const number = (description) => ({ type: 'number', description });
server.tool('add', {
  description: 'Adds two numbers.', input: { type: 'object', properties: { a: number('the one'), b: number('the other') }, required: ['a', 'b'] },
}, ({ a, b }) => `${a + b}`);
serveStdio(server);
