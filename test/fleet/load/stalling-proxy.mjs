// A proxy between the processes of a fleet and their engine, which can stall: it then passes no byte in either direction and breaks no
// connection, like a network that drops packets, or a paused server.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** `to`: where the engine listens; `at`: where the proxy listens. Each is a socket path or `{ host, port }`. */
export async function stallingProxy(to, at) {
  let stalled = false;
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(to);
    for (const [from, into] of [[near, far], [far, near]]) {
      sockets.add(from);
      from.on('data', (chunk) => into.write(chunk));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        into.destroy();
      });
      if (stalled) from.pause();
    }
  }).listen(at);
  await once(server, 'listening');
  return {
    address: server.address(),
    stall() {
      stalled = true;
      for (const socket of sockets) socket.pause();
    },
    heal() {
      stalled = false;
      for (const socket of sockets) socket.resume();
    },
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
