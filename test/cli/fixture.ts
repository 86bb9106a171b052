// A server for the tests of the command.
import { McpServer } from '../../src/server/index.ts';

/** `exit` ends the server's process. The tool `die` exists only with it. */
export function fixture(exit?: () => never): McpServer {
  const server = new McpServer({ name: 'fixture', version: '1.0.0' });
  const text = { type: 'object', properties: { text: { type: 'string' }, times: { type: 'integer' } }, required: ['text'] } as const;

  server.tool('echo', { description: 'Says it again', input: text, annotations: { readOnlyHint: true } },
    ({ text: said, times = 1 }) => Array.from({ length: times }, () => said).join(' '));
  server.tool('wipe', { description: 'Wipes the disk', input: { type: 'object', properties: {} } }, () => 'wiped');
  server.tool('fail', { annotations: { readOnlyHint: true } }, () => ({ isError: true, content: [{ type: 'text', text: 'no seats left' }] }));
  server.tool('broken', {}, () => { throw new Error('the disk is on fire'); });
  server.tool('rows', { annotations: { readOnlyHint: true }, output: { type: 'object', properties: { rows: { type: 'array' } } } },
    () => ({ rows: [{ name: 'a', size: 1 }, { name: 'b\u001b[31m', size: 2 }] }));
  server.tool('picture', { annotations: { readOnlyHint: true } }, () => [{ type: 'image', mimeType: 'image/png', data: Buffer.from('png').toString('base64') }]);
  server.tool('ask', { annotations: { readOnlyHint: true } }, async (_args, ctx) => {
    const form = await ctx.elicit('Which seat?', { seat: { type: 'string', enum: ['window', 'aisle'], default: 'aisle' } });
    return form.action === 'accept' ? `a ${form.content.seat} seat` : form.action;
  });
  server.tool('slow', { annotations: { readOnlyHint: true } }, async (_args, ctx) => {
    ctx.progress(1, 10, 'begun');
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    return 'cancelled';
  });
  if (exit) server.tool('die', { annotations: { readOnlyHint: true } }, exit);
  server.resource('test://hello', { name: 'hello' }, () => 'hello from a resource');
  server.prompt('greet', { description: 'Greets', arguments: { who: { required: true, complete: (value) => ['Ada', 'Alan'].filter((one) => one.startsWith(value)) } } },
    ({ who }) => `Greet ${who}.`);
  return server;
}
