import { McpServer, MissingCapabilityError } from '../../src/server/index.ts';
import { serveStdio } from '../../src/transport/stdio/index.ts';

/** A tool that is written once for all revisions, and asks if the client supports questions. */
export function sayHello(server: McpServer): McpServer {
  server.tool('hello', {}, async (_args, ctx) => {
    const name = await ctx.elicit('Your name?', { name: { type: 'string' } }).then(
      (answer) => (answer.action === 'accept' ? answer.content.name : answer.action),
      (error: unknown) => {
        if (error instanceof MissingCapabilityError) return 'stranger';
        throw error;
      },
    );
    return `Hello ${name} in ${ctx.revision.version}`;
  });
  return server;
}

// As a program: serves the revisions given as arguments.
const revisions = process.argv.slice(2);
if (import.meta.url.endsWith(process.argv[1]?.split(/[\\/]/).pop() ?? '-') && revisions.length > 0) {
  serveStdio(sayHello(new McpServer({ name: 'server', version: '1' }, { revisions })));
}
