// A server in Deno.
import { handler } from './travel.mjs';

const sockets = handler();
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: ({ port }) => console.log(`port ${port}`) }, async (request) => {
  const judged = await sockets.upgrade(request);
  if (!judged.allowed) return new Response(judged.body, judged);
  const { socket, response } = Deno.upgradeWebSocket(request, { protocol: judged.protocol });
  judged.serve(socket);
  return response;
});
