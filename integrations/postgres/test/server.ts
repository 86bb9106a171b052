import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userInfo } from 'node:os';

/** The folder of PostgreSQL's programs on Debian and others. */
function binaries(): string | undefined {
  const root = '/usr/lib/postgresql';
  const found = existsSync(root) ? readdirSync(root).sort().at(-1) : undefined;
  return found === undefined ? undefined : join(root, found, 'bin');
}

/** The user to run it: PostgreSQL refuses to run as root, so root uses the user `postgres`. */
function user(): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export interface PostgresServer {
  /** The folder of the socket: it listens on no network. */
  readonly host: string;
  /** Kills it by SIGKILL and restarts it with its data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts PostgreSQL in a temporary folder; undefined if it is not installed. */
export async function postgresServer(): Promise<PostgresServer | undefined> {
  const bin = binaries();
  if (bin === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'barewire-postgres-'));
  const as = user();
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  const settings = { ...as, stdio: 'ignore' as const, cwd: folder };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale'], settings);
  await mkdir(folder, { recursive: true });
  let child: ChildProcess | undefined;
  const start = async (): Promise<boolean> => {
    const starting = spawn(join(bin, 'postgres'), [
      // The kernel keeps the writes of a killed process: only a machine failure would need the disk, and the disk's speed must
      // not decide whether an answer comes in time.
      '-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'max_connections=200', '-c', 'fsync=off',
    ], { ...as, stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
    child = starting;
    return new Promise<boolean>((resolve) => {
      starting.once('error', () => resolve(false));
      starting.once('exit', () => resolve(false));
      let said = '';
      starting.stderr.on('data', (chunk: Buffer) => {
        said = (said + String(chunk)).slice(-1000);
        if (said.includes('ready to accept connections')) resolve(true);
      });
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  const stop = async (): Promise<void> => {
    await end('SIGINT');
    await rm(folder, { recursive: true, force: true });
  };
  const restart = async (): Promise<void> => {
    await end('SIGKILL');
    // It cannot start until its former child processes have ended.
    for (let tries = 0; tries < 100; tries++) {
      if (await start()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('PostgreSQL did not start again');
  };
  if (await start()) return { host: folder, restart, stop };
  await stop();
  return undefined;
}
