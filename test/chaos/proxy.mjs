// A proxy between processes and an engine, on Unix sockets. It can hold all bytes back, like an engine or a network that stalls
// and recovers, and cut all connections, with or without closing them.
import { createServer, connect } from 'node:net';
import { once } from 'node:events';

/** Milliseconds after which a machine gives up a silent connection. */
const givenUpMs = 10_000;

export async function proxy(path, target) {
  const sockets = new Set();
  /** Connections that deliver nothing any more, but stay open. */
  const silent = new Set();
  let held = false;
  const join = (from, to) => {
    sockets.add(from);
    if (held) from.pause();
    from.on('data', (bytes) => {
      if (!to.write(bytes)) {
        from.pause();
        to.once('drain', () => held || silent.has(from) || from.resume());
      }
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      silent.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    const engine = connect(target);
    join(client, engine);
    join(engine, client);
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    hold() {
      held = true;
      for (const socket of sockets) socket.pause();
    },
    letGo() {
      held = false;
      for (const socket of sockets) socket.resume();
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    silence() {
      const all = [...sockets];
      sockets.clear();
      for (const socket of all) {
        silent.add(socket);
        socket.pause();
      }
      setTimeout(() => all.forEach((socket) => socket.destroy()), givenUpMs).unref();
    },
    async close() {
      for (const socket of [...sockets, ...silent]) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
