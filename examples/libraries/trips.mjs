// The server mounted in the three frameworks.
import { McpServer } from 'barewire/server';

export function trips() {
  const server = new McpServer({ name: 'trips', version: '1.0.0' });
  server.tool('price', {
    description: 'The price of a trip',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  }, async ({ city }, ctx) => {
    ctx.progress(1, 2, 'asking the airline');
    ctx.progress(2, 2);
    return city === 'Rome' ? '120 euros' : '90 euros';
  });
  return server;
}
