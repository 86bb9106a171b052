import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';

/** A temporary Redis server. */
export interface RedisServer {
  /** The path of its socket: it listens on no network. */
  readonly url: string;
  /** Kills it by SIGKILL and restarts it with its data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Redis in a temporary folder, writing each change before the acknowledgement; undefined if it is not installed. */
export async function redisServer(): Promise<RedisServer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-redis-'));
  const socket = join(folder, 'redis.sock');
  let child: ChildProcess | undefined;

  const start = async (): Promise<boolean> => {
    const starting = spawn('redis-server', [
      '--port', '0', '--unixsocket', socket, '--dir', folder,
      // The kernel keeps the writes of a killed process; the disk's speed must not decide whether an answer comes in time.
      '--appendonly', 'yes', '--appendfsync', 'no', '--save', '',
    ], { stdio: ['ignore', 'pipe', 'ignore'] });
    child = starting;
    return new Promise<boolean>((resolve) => {
      starting.once('error', () => resolve(false));
      starting.once('exit', () => resolve(false));
      let said = '';
      starting.stdout.on('data', (chunk: Buffer) => {
        said = (said + String(chunk)).slice(-1000);
        if (said.includes('eady to accept connections')) resolve(true);
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
      url: socket, stop,
      async restart() {
        await end('SIGKILL');
        if (!await start()) throw new Error('redis-server did not start again');
      },
    };
  }
  await stop();
  return undefined;
}
