// barewire as the server for peers in other languages: server.mjs stdio | http.
import { McpServer } from '../../../dist/lib/server.js';
import { serveHttp } from '../../../dist/lib/http.js';
import { serveStdio } from '../../../dist/lib/stdio.js';

const server = new McpServer({ name: 'barewire', version: '1.0.0' }, { onError: (error) => { if (!/flour/.test(error.message)) console.error(error); }, errors: 'message' });
const number = { type: 'number' };
server.tool('add', {
  input: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
  output: { type: 'object', properties: { sum: number }, required: ['sum'] },
}, ({ a, b }) => ({ sum: a + b }));
server.tool('fail', {}, () => { throw new Error('out of flour'); });
server.tool('steps', {}, (_args, ctx) => {
  for (let step = 1; step <= 3; step++) ctx.progress(step, 3);
  return 'done';
});
server.tool('ask', {}, async (_args, ctx) => {
  const { action, content } = await ctx.elicit('Your name?', { name: { type: 'string' } });
  return `${action} ${content?.name}`;
});
server.tool('sample', {}, async (_args, ctx) => {
  const { content } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: '6 times 7' } }], maxTokens: 10 });
  return content.text;
});
server.tool('roots', {}, async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' '));
server.tool('wait', {}, (_args, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('cancelled'))));
server.tool('grow', {}, () => {
  server.tool('grown', {}, () => 'grown');
  return 'growing';
});
server.resource('trips://all', { name: 'all' }, () => 'text of trips://all');
server.resourceTemplate('trips://city/{name}', { name: 'city' }, ({ name }) => `text of trips://city/${name}`);
server.prompt('plan', { arguments: { city: { required: true, complete: (value) => ['Rome', 'Riga', 'Oslo'].filter((name) => name.startsWith(value)) } } }, ({ city }) => `Plan ${city}`);

if (process.argv[2] === 'stdio') {
  await serveStdio(server).closed;
} else {
  const { url } = await serveHttp(server, { port: 0, host: '127.0.0.1' });
  console.log(`port ${new URL(url).port}`);
  process.stdin.resume().on('end', () => process.exit(0));
}
