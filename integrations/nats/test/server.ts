import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary NATS server. */
export interface NatsServer {
  /** Host and port. */
  readonly url: string;
  /** Kills it by SIGKILL and restarts it with its data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A free port of 127.0.0.1. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts NATS with JetStream in a temporary folder; undefined if it is not installed. */
export async function natsServer(): Promise<NatsServer | undefined> {
  // Debian installs it in a folder that is only in root's PATH.
  const program = existsSync('/usr/sbin/nats-server') ? '/usr/sbin/nats-server' : 'nats-server';
  const folder = await mkdtemp(join(tmpdir(), 'barewire-nats-'));
  const port = await freePort();
  let child: ChildProcess | undefined;

  const start = async (): Promise<boolean> => {
    const starting = spawn(program, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = starting;
    return new Promise<boolean>((resolve) => {
      starting.once('error', () => resolve(false));
      starting.once('exit', () => resolve(false));
      let said = '';
      starting.stderr.on('data', (chunk: Buffer) => {
        said = (said + String(chunk)).slice(-1000);
        if (said.includes('Server is ready')) resolve(true);
      });
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  const stop = async (): Promise<void> => {
    await end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  if (await start()) {
    return {
      url: `127.0.0.1:${port}`, stop,
      async restart() {
        await end('SIGKILL');
        if (!await start()) throw new Error('nats-server did not start again');
      },
    };
  }
  await stop();
  return undefined;
}
