import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';

/** A Redis of one's own, in a temporary folder; undefined where the machine has none. */
export async function redisServer(): Promise<{ url: string; stop(): Promise<void> } | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-redis-'));
  const socket = join(folder, 'redis.sock');
  const child = spawn('redis-server', [
    '--port', '0', '--unixsocket', socket, '--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always', '--save', '',
  ], { stdio: ['ignore', 'pipe', 'ignore'] });
  const started = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', () => resolve(false));
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += String(chunk);
      if (said.includes('eady to accept connections')) resolve(true);
    });
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.pid !== undefined) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  if (started) return { url: socket, stop };
  await stop();
  return undefined;
}
