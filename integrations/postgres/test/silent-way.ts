import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const name = '.s.PGSQL.5432';

/** A connection path to a database that can be cut silently. */
export interface SilentWay {
  /** The folder of its socket. */
  readonly host: string;
  /** Makes every existing connection silent without breaking it; new ones work. */
  silence(): void;
  close(): Promise<void>;
}

/** A proxy for the database whose socket is in the folder `host`. */
export async function silentWay(host: string): Promise<SilentWay> {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-silent-'));
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(join(host, name));
    for (const [from, into] of [[near, far], [far, near]] as const) {
      sockets.add(from);
      from.on('data', (chunk) => into.write(chunk)).on('error', () => {}).on('close', () => into.destroy());
    }
  }).listen(join(folder, name));
  await once(proxy, 'listening');
  return {
    host: folder,
    silence: () => sockets.forEach((socket) => socket.pause()),
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
