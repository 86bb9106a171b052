// A server composed of parts: tools with validated arguments, both eras, over stdio. It serves the same clients as the complete
// `McpServer`, with about half its size (`npm run size`).
//
//   node dist/examples/small.js
import { ServerCore, tools } from 'barewire/server';
import { compile } from 'barewire/schema';
import { serveStdio } from 'barewire/stdio';

// `validator` may be from another library, or be left out.
const sums = tools({ validator: compile });
sums.add('add', {
  description: 'Adds two numbers',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
}, ({ a, b }) => `${a + b}`);

// `asking: asking()` would let handlers ask the client.
serveStdio(new ServerCore({ name: 'small', version: '1.0.0' }, { features: [sums] }));
