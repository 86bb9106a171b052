import { McpServer } from 'barewire/server';
import { tasks } from 'barewire/tasks';
import type { ServerTasks } from 'barewire/tasks';
import { folderStore } from 'barewire/tasks/node';

/** The outside world: a carrier that sends only one parcel for each key. */
export interface Carrier {
  send(what: string, idempotencyKey: string): Promise<string>;
}

/** A server whose orders are tasks: they continue after the connection ends, and after a restart of the process. */
export async function createServer(folder: string, carrier: Carrier): Promise<{ server: McpServer; running: ServerTasks }> {
  const server = new McpServer({ name: 'shop', version: '0.1.0' });
  const running = tasks(server, { store: await folderStore(folder) });

  server.tool('order', {
    description: 'Orders something, and asks where it shall go',
    task: 'optional',
    input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  }, async ({ what }, ctx) => {
    const answer = await ctx.elicit(`Where shall the ${what} go?`, { city: { type: 'string' } }, { key: 'city' });
    if (answer.action !== 'accept') return 'Nothing was ordered.';
    ctx.status('sending');
    // A step that was interrupted runs again with the same key.
    const receipt = await ctx.once('send', ({ idempotencyKey }) => carrier.send(`${what} to ${answer.content.city}`, idempotencyKey));
    return `Sent: ${receipt}`;
  });
  return { server, running };
}
