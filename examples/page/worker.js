// The server: it runs in a worker of the page, and serves only this page. With a bundler write 'barewire/server'.
import { McpServer } from '../../dist/lib/server.js';
import { serveMessagePort } from '../../dist/lib/message-port.js';

const notes = [];
const server = new McpServer({ name: 'notes', version: '1.0.0' });

server.resource('note://all', { name: 'notes', mimeType: 'application/json' }, () => JSON.stringify(notes));

server.tool('add_note', {
  description: 'Adds a note',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}, async ({ text }, ctx) => {
  if (notes.includes(text)) {
    const { action } = await ctx.elicit(`"${text}" is there already. Add it again?`, {});
    if (action !== 'accept') return 'Nothing added.';
  }
  notes.push(text);
  server.resourceUpdated('note://all');
  return `${notes.length} notes`;
});

serveMessagePort(server, self);
