// Stands between the processes of a fleet and their engine, and can stand still: it then passes no byte in either direction
// and breaks no connection, as a network does whose packets are dropped, or a server whose machine is paused.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** `to` and `at`: where the engine listens, and where the proxy shall: a path of a socket, or `{ host, port }`. */
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
