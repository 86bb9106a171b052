// Ten thousand open GET streams, one session each, and one listChanged that must reach all of them.
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { sessions } from '../lib/http-load.mjs';
import { ask, end, sleep, spawnHttp } from '../lib/process.mjs';
import { sessionPeers } from './http.mjs';

export const tables = {
  fanout: { title: 'open GET streams: one listChanged reaches all of them', unit: 'ms', more: false },
  stream: { title: 'open GET streams: resident memory each, session included', unit: 'KiB', more: false },
};

// mcp-lite cannot notify open sessions of changed tools.
const { 'mcp-lite': _, ...peers } = sessionPeers;

// Opening the streams takes longer than the measurement.
export const rounds = 2;

/** The number of sockets that this process may open, less a reserve. */
function allowed() {
  try {
    return Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))[1]) - 200;
  } catch {
    return 800;
  }
}

export async function round(bench) {
  const count = Math.min(bench.streams, allowed());
  const row = `${count.toLocaleString('en')} streams`;
  for (const [peer, program] of bench.inTurn(peers)) {
    await bench.attempt(['fanout', row], peer, async () => {
      const child = await spawnHttp(program, {}, ['--expose-gc']);
      const sockets = [];
      try {
        const before = await ask(child, 'heap', 'rss');
        const { ids, version } = await sessions(child.port, count);
        let heard = 0;
        let opened = 0;
        let wake;
        for (let i = 0; i < ids.length; i += 200) {
          const batch = ids.slice(i, i + 200);
          await new Promise((resolve, reject) => {
            let open = 0;
            for (const session of batch) {
              const socket = connect({ port: child.port, host: '127.0.0.1' });
              let started = false;
              let told = false;
              let head = '';
              sockets.push(socket);
              socket.on('connect', () =>
                socket.write(
                  `GET /mcp HTTP/1.1\r\nhost: 127.0.0.1:${child.port}\r\naccept: text/event-stream\r\n` +
                    `mcp-protocol-version: ${version}\r\nmcp-session-id: ${session}\r\n\r\n`,
                ),
              );
              socket.on('error', reject);
              socket.on('data', (chunk) => {
                if (!started) {
                  started = true;
                  const status = chunk.latin1Slice(9, 12);
                  if (status !== '200') return reject(new Error(`GET answered ${chunk.latin1Slice(0, 300)}`));
                  opened++;
                  if (++open === batch.length) resolve();
                }
                if (told) return;
                head = (head + chunk.latin1Slice()).slice(-400);
                if (head.includes('tools/list_changed')) {
                  told = true;
                  head = '';
                  if (++heard === opened) wake?.();
                }
              });
            }
          });
        }
        const after = await ask(child, 'heap', 'rss');
        const from = performance.now();
        const everybody = new Promise((resolve) => (wake = resolve));
        child.send('changed');
        await Promise.race([everybody, sleep(30_000)]);
        if (heard < count) throw new Error(`${heard} of ${count} streams heard of it within 30 s`);
        bench.record('fanout', row, peer, performance.now() - from);
        bench.record('stream', row, peer, (after.rss - before.rss) / count / 1024);
      } finally {
        for (const socket of sockets) socket.destroy();
        await end(child);
      }
    });
  }
}
