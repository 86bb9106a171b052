// barewire/server, /client, /memory, /message-port, /tap: both eras, a question, sealed state, a timeout, a failure.
import { McpClient } from 'barewire/client';
import { memoryTransport } from 'barewire/memory';
import { messagePortTransport, serveMessagePort } from 'barewire/message-port';
import { McpServer } from 'barewire/server';
import { tap } from 'barewire/tap';

export async function run() {
  const seen = [];
  const server = new McpServer({ name: 'exercise', version: '1' }, { onError: (error) => seen.push(String(error)) });
  server.tool('greet', { input: { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } } }, async (_args, ctx) => {
    const price = await ctx.once('price', () => 7);
    const answer = await ctx.elicit('Your name?', { name: { type: 'string' } });
    return `${answer.action} ${answer.content?.name} ${price}`;
  });
  server.tool('fail', {}, () => { throw new Error('secret'); });
  server.tool('page', {}, async (_args, ctx) => (await ctx.elicitUrl('Pay', 'https://example.com/pay')).action);
  server.tool('late', {}, (_args, ctx) => new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve('late'))));
  server.resource('file:///a.txt', { name: 'a' }, () => 'text');
  const options = { onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }), onElicitUrl: () => ({ action: 'accept' }) };
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
    const client = new McpClient({ name: 'test', version: '1' }, { ...options, revisions: [revision] });
    await client.connect(tap((trace) => memoryTransport(server, { trace })).transport);
    if (revision >= '2025-06-18') {
      const { content } = await client.callTool('greet', {});
      if (content[0].text !== 'accept Ada 7') throw new Error(`${revision}: ${content[0].text}`);
    }
    if (!(await client.callTool('fail', {})).isError) throw new Error('fail did not fail');
    if ((await client.readResource('file:///a.txt')).contents[0].text !== 'text') throw new Error('another text');
    await client.callTool('late', {}, { timeoutMs: 20 }).then(() => { throw new Error('not late'); }, (error) => {
      if (!/20 ms|time/.test(error.message)) throw error;
    });
    await client.close();
  }
  if (!seen.some((text) => text.includes('secret'))) throw new Error('the author did not hear of the failure');
  await ports(server);
}

/** Two ends of a channel, without the runtime's own channels. */
async function ports(server) {
  const end = () => ({ listeners: [], start() {}, close() {}, removeEventListener() {} });
  const [a, b] = [end(), end()];
  for (const [here, there] of [[a, b], [b, a]]) {
    here.addEventListener = (type, listener) => { if (type === 'message') here.listeners.push(listener); };
    here.postMessage = (data) => void Promise.resolve().then(() => { for (const listener of there.listeners) listener({ type: 'message', data }); });
  }
  const serving = serveMessagePort(server, a);
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(messagePortTransport(b));
  if ((await client.listTools()).length !== 4) throw new Error('other tools');
  await client.close();
  serving.close();
}
