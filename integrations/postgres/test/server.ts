import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { userInfo } from 'node:os';

/** Where Debian and others have the programs. */
function binaries(): string | undefined {
  const root = '/usr/lib/postgresql';
  const found = existsSync(root) ? readdirSync(root).sort().at(-1) : undefined;
  return found === undefined ? undefined : join(root, found, 'bin');
}

/** PostgreSQL refuses to run as root: as root it runs as its own user. */
function user(): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export interface PostgresServer {
  /** The folder of the socket: nothing listens on a network. */
  readonly host: string;
  stop(): Promise<void>;
}

/** A PostgreSQL of one's own, in a temporary folder; undefined where the machine has none. */
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
  const child = spawn(join(bin, 'postgres'), [
    '-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'max_connections=200',
  ], { ...as, stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
  const started = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', () => resolve(false));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + String(chunk)).slice(-1000);
      if (said.includes('ready to accept connections')) resolve(true);
    });
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.pid !== undefined) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  if (started) return { host: folder, stop };
  await stop();
  return undefined;
}
