// A server put together from what it needs: tools, their arguments judged, both eras, over pipes. It answers every
// client that the whole `McpServer` answers, and weighs about half of it (`npm run size`).
//
//   node dist/examples/small.js
import { ServerCore, tools } from 'barewire/server';
import { compile } from 'barewire/schema';
import { serveStdio } from 'barewire/stdio';

// `validator` may be another's, or be left out.
const sums = tools({ validator: compile });
sums.add('add', {
  description: 'Adds two numbers',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
}, ({ a, b }) => `${a + b}`);

// `asking: asking()` would let handlers ask the client.
serveStdio(new ServerCore({ name: 'small', version: '1.0.0' }, { features: [sums] }));
