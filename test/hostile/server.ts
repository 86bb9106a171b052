import { McpServer, RpcError } from '../../src/server/index.ts';
import { serveStdio } from '../../src/transport/stdio/index.ts';

// A server with every feature, small limits, and a tool that reports its memory.

const server = new McpServer({ name: 'hostile', version: '1.0.0' }, { pageSize: 2, limits: { maxSubscriptions: 50 } });
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;

server.tool('echo', { input: text, annotations: { readOnlyHint: true } }, ({ text }) => text);
server.tool('later', { input: text }, async ({ text }, ctx) => {
  await Promise.resolve();
  ctx.progress(1);
  ctx.log('error', { text });
  return text;
});
server.tool('any', { input: { type: 'object' } }, (args) => JSON.stringify(args));
server.tool('structured', { input: text, output: text }, (args) => args);
server.tool('throws', {}, () => {
  throw new RpcError(-32050, 'thrown');
});
server.tool('ask', { input: text }, async ({ text }, ctx) => {
  const [form, roots] = await Promise.all([
    ctx.elicit(`About ${text}?`, { sure: { type: 'boolean' } }),
    ctx.roots(),
  ]);
  return `${text} ${form.action} ${roots.length}`;
});
server.tool('change', {}, () => {
  const handle = server.tool('passing', {}, () => '');
  handle.remove();
  server.resourceUpdated('note://one');
  return 'changed';
});
// With --expose-gc, so that only reachable memory counts.
server.tool('memory', {}, () => {
  globalThis.gc?.();
  return JSON.stringify(process.memoryUsage());
});
server.resource('note://one', {}, () => 'one');
server.resourceTemplate(
  'note://{box}/{+path}', { complete: { box: (typed) => [typed] } }, ({ box, path }) => `${box} ${path}`,
);
server.prompt('plan', { arguments: { city: { required: true, complete: (typed) => [typed] } } }, ({ city }) => city);

serveStdio(server);
