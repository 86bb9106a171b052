// Kept connections: the memory of each after a call, while idle.
import { connect } from 'node:net';
import { reader, wire } from '../lib/http-load.mjs';
import { echo, headers } from '../lib/messages.mjs';
import { ask, end, spawnHttp } from '../lib/process.mjs';

const peers = { bare: 'servers/bare-http.mjs', barewire: 'servers/barewire-http.mjs', 'barewire/http1': 'servers/barewire-http1.mjs' };

export const tables = {
  connection: { title: 'kept HTTP connections, one call each: resident memory each', unit: 'KiB', more: false },
};

export async function round(bench) {
  // All are opened within the time that a server keeps an idle one, five seconds.
  const count = bench.quick ? 1000 : 4000;
  const row = `${count.toLocaleString('en')} connections`;
  for (const [peer, program] of bench.inTurn(peers)) {
    await bench.attempt(['connection', row], peer, async () => {
      const child = await spawnHttp(program, {}, ['--expose-gc']);
      let sockets = [];
      const close = () => {
        for (const socket of sockets) socket.destroy();
        sockets = [];
      };
      try {
        // The first connections compile code and fill caches, which is not the cost of an idle one.
        sockets = await opened(child.port, 400);
        close();
        const before = await ask(child, 'heap', 'rss');
        sockets = await opened(child.port, count);
        const after = await ask(child, 'heap', 'rss');
        if (sockets.some(({ closed }) => closed)) throw new Error('a connection was closed before it was counted');
        bench.record('connection', row, peer, (after.rss - before.rss) / count / 1024);
      } finally {
        close();
        await end(child);
      }
    });
  }
}

/** Opens `count` connections, each with one answered call. */
async function opened(port, count) {
  const message = echo('a'.repeat(20), { modern: true });
  const text = wire(port, headers(message, { modern: true }), `${message.before}1${message.after}`);
  const sockets = [];
  while (sockets.length < count) {
    sockets.push(...await Promise.all(Array.from({ length: Math.min(100, count - sockets.length) }, () => one(port, text))));
  }
  return sockets;
}

function one(port, text) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text, 'latin1'));
    let status = 0;
    socket.on('error', reject);
    socket.on('data', reader({
      onHead: (found) => (status = found),
      onEnd: () => (status === 200 ? resolve(socket) : reject(new Error(`HTTP ${status}`))),
    }));
  });
}
