// The page: a client of the server in its worker. It is notified when the notes change, and answers the server's questions.
import { McpClient } from '../../dist/lib/client.js';
import { messagePortTransport } from '../../dist/lib/message-port.js';

const [form, list, state] = ['form', 'ul', 'p'].map((name) => document.querySelector(name));

async function show() {
  const { contents: [{ text }] } = await client.readResource('note://all');
  list.replaceChildren(...JSON.parse(text).map((note) => Object.assign(document.createElement('li'), { textContent: note })));
}

const client = new McpClient({ name: 'page', version: '1.0.0' }, {
  onElicit: ({ message }) => ({ action: confirm(message) ? 'accept' : 'decline', content: {} }),
  onResourceUpdated: () => void show(),
});

await client.connect(messagePortTransport(new Worker(new URL('worker.js', import.meta.url), { type: 'module' })));
await client.subscribe('note://all');
await show();

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { content: [{ text }] } = await client.callTool('add_note', { text: form.elements.text.value });
  form.reset();
  state.textContent = text;
});
state.textContent = 'ready';
