// The server inside: an engine with only the language and the host's function `writeLine`. The host calls `readLine` with each
// received line. host.mjs bundles this into one script.
import { decode } from 'barewire/jsonrpc';
import { compile } from 'barewire/schema';
import { ServerCore, tools } from 'barewire/server';

const sums = tools({ validator: compile });
sums.add('add', {
  description: 'Adds two numbers, in QuickJS',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
}, ({ a, b }) => `${a + b}`);

const say = (text) => {
  if (text !== undefined) globalThis.writeLine(text);
};
const peer = new ServerCore({ name: 'small', version: '1.0.0' }, { features: [sums] }).connect({ send: say, answer: say }, { modern: true });
globalThis.readLine = (text) => peer.receive(decode(text));
