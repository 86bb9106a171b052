// A whole server for hostile input: every feature, and nothing slow.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { McpServer } from '../../../../src/server/index.ts';
import { serveStdio } from '../../../../src/transport/stdio/index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const server = new McpServer({ name: 'target', version: '1' });
const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
server.tool('echo', { input }, ({ text }) => text);
server.tool('later', { input }, async ({ text }) => text);
server.tool('fail', {}, () => {
  throw new Error('it fails');
});
server.tool('ask', {}, async (_, ctx) => (await ctx.elicit('Name?', { name: { type: 'string' } })).action);
server.tool('memory', {}, () => {
  collect();
  return String(process.memoryUsage().heapUsed);
});
server.resource('note://one', {}, () => 'one');
server.resourceTemplate('note://{name}/{part}', { complete: { name: (typed) => [`${typed}!`] } }, ({ name }) => String(name));
server.prompt('plan', { arguments: { city: { required: true, complete: (typed) => [`${typed}!`] } } }, ({ city }) => city);
serveStdio(server);
