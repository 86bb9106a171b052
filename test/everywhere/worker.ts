// workerd: `/smoke` runs the suite inside the worker; `/mcp` is a server for a client outside.
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { http, memory, messagePort } from './channels.ts';
import { smoke, smokeServer } from './smoke.ts';

const handle = fetchHandler(smokeServer());

const worker: { fetch(request: Request): Promise<Response> } = {
  async fetch(request) {
    if (new URL(request.url).pathname !== '/smoke') return handle(request);
    const ports = typeof MessageChannel === 'function' ? { 'message port': messagePort } : {};
    return new Response(JSON.stringify(await smoke({ memory, ...ports, 'fetch handler': http })));
  },
};
export default worker;
