import { McpServer } from '../../../src/server/index.ts';

/** A backend for a bridge: it asks, reports progress, logs, and counts cancellations. */
export function behindServer(revisions: readonly string[]): McpServer {
  const server = new McpServer({ name: 'behind', version: '7.0.0' }, { revisions, instructions: 'Ask me.' });
  let cancelled = 0;
  let called = 0;
  const n = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  server.tool('ask', { input: n }, async ({ n: number }, ctx) => {
    const form = await ctx.elicit(`n=${number}`, { answer: { type: 'string' } });
    const again = await ctx.elicit(`again n=${number}`, { answer: { type: 'string' } });
    return `${number} ${form.action} ${form.content?.answer} ${again.action} ${again.content?.answer}`;
  });
  server.tool('steps', { input: n }, async ({ n: number }, ctx) => {
    ctx.progress(number, number + 1, 'half');
    ctx.log('warning', { number });
    ctx.progress(number + 1, number + 1);
    await new Promise((resolve) => setTimeout(resolve, 10));
    return 'done';
  });
  server.tool('hang', {}, async (_, ctx) => {
    called += 1;
    ctx.progress(1);
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
    cancelled += 1;
    return 'cancelled';
  });
  server.tool('state', {}, () => `${process.pid} ${called} ${cancelled}`);
  server.tool('roots', {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
  server.tool('sample', {}, async (_, ctx) => {
    const { content } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 });
    return Array.isArray(content) ? 'several' : content.type === 'text' ? content.text : content.type;
  });
  server.tool('touch', {}, () => {
    server.resourceUpdated('behind://one');
    return 'touched';
  });
  server.tool('fail', {}, () => ({ content: [{ type: 'text', text: 'no seats' }], isError: true }));
  server.resource('behind://one', { mimeType: 'text/plain' }, () => 'the text of one');
  server.prompt('greet', { arguments: { who: { required: true, complete: () => ['Ann', 'Bob'] } } }, ({ who }) => `Hello ${who}`);
  return server;
}
