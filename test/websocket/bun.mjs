// A server in Bun: its sockets report events by callbacks of `Bun.serve`.
import { socketWithEvents } from '../../dist/lib/websocket.js';
import { handler } from './travel.mjs';

const sockets = handler();
const { port } = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request, server) {
    const judged = await sockets.upgrade(request);
    if (!judged.allowed) return new Response(judged.body, judged);
    const headers = judged.protocol ? { 'sec-websocket-protocol': judged.protocol } : {};
    if (server.upgrade(request, { data: { judged }, headers })) return undefined;
    judged.cancel();
    return new Response('No WebSocket', { status: 426 });
  },
  websocket: {
    open(ws) {
      const events = ws.data.events = socketWithEvents(ws);
      ws.data.judged.serve(events.socket);
    },
    message: (ws, data) => ws.data.events.message(data),
    close: (ws, code, reason) => ws.data.events.closed(code, reason),
  },
});
console.log(`port ${port}`);
