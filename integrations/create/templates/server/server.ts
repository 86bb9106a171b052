import { McpServer } from 'barewire/server';

/** A server that greets. Add tools, resources and prompts here. */
export function createServer(): McpServer {
  const server = new McpServer({ name: 'greeter', version: '0.1.0' });

  server.tool('greet', {
    description: 'Greets somebody',
    input: { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] },
    annotations: { readOnlyHint: true },
  }, ({ name }) => `Hello, ${name}.`);

  server.tool('choose_greeting', { description: 'Asks the person for a greeting, and says it' }, async (_, ctx) => {
    const answer = await ctx.elicit('Which greeting?', { greeting: { type: 'string', enum: ['Hello', 'Good morning'] } }, {
      // For clients that cannot ask their user.
      otherwise: { greeting: 'Hello' },
    });
    return answer.action === 'accept' ? `${answer.content.greeting}!` : 'No greeting, then.';
  });
  return server;
}
