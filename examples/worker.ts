// A server in a worker, as on Cloudflare, Deno Deploy and others: a module whose default export answers requests. A question to a
// client of 2026-07-28 outlives the worker: its state is sealed with the key that all instances share.
//
//   STATE_KEY   32 random bytes in base64: openssl rand -base64 32
//   HOST        the worker's name for clients, such as trips.example
import { fetchHandler } from 'barewire/fetch';
import type { FetchHandler } from 'barewire/fetch';
import { McpServer } from 'barewire/server';

export interface Environment {
  readonly STATE_KEY: string;
  readonly HOST: string;
}

function trips({ STATE_KEY }: Environment): McpServer {
  const server = new McpServer({ name: 'trips', version: '1.0.0' }, {
    requestState: { keys: [Uint8Array.from(atob(STATE_KEY), (character) => character.charCodeAt(0))] },
  });
  server.tool('book', {
    description: 'Books a seat',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  }, async ({ city }, ctx) => {
    const form = await ctx.elicit(`Which seat to ${city}?`, { seat: { type: 'string', enum: ['window', 'aisle'] } });
    return form.action === 'accept' ? `A ${form.content.seat} seat to ${city}.` : 'Nothing booked.';
  });
  return server;
}

// One per instance, so that everything is registered once. The environment is known at the first request.
let handle: FetchHandler | undefined;

const worker: { fetch(request: Request, environment: Environment): Promise<Response> } = {
  async fetch(request, environment) {
    handle ??= fetchHandler(trips(environment), { allowedHosts: [environment.HOST] });
    return new URL(request.url).pathname === '/mcp' ? handle(request) : new Response('Not found', { status: 404 });
  },
};
export default worker;
