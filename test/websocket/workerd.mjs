// A server in workerd.
import { handler } from './travel.mjs';

let sockets;
export default {
  async fetch(request) {
    const judged = await (sockets ??= handler()).upgrade(request);
    if (!judged.allowed) return new Response(judged.body, judged);
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    judged.serve(server);
    return new Response(null, { status: 101, webSocket: client, headers: judged.protocol ? { 'sec-websocket-protocol': judged.protocol } : {} });
  },
};
