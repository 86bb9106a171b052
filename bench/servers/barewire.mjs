// barewire, as in its README.
import { McpServer } from 'barewire/server';
import { echoSchema, extraDescription, extraName, extraSchema, extraTools, nameSchema } from './control.mjs';

export function build() {
  const server = new McpServer({ name: 'barewire', version: '1.0.0' });
  server.tool('echo', { description: 'Returns its text', input: echoSchema }, ({ text }) => text);
  server.tool('progress', { description: 'Ten steps' }, (_args, ctx) => {
    for (let step = 1; step <= 10; step++) ctx.progress(step, 10);
    return 'done';
  });
  server.tool('ask', { description: 'Asks a name' }, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', nameSchema.properties);
    return `Hello ${answer.content?.name}`;
  });
  for (let i = 0; i < extraTools; i++) {
    server.tool(extraName(i), { description: extraDescription(i), input: extraSchema }, () => 'done');
  }
  return server;
}
