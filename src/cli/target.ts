import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createInterface } from 'node:readline';
import type { ClientTransport, HttpTrace } from '../transport/internal-exports.ts';
import { stdioTransport } from '../transport/stdio/index.ts';
import type { ServerConfig } from '../host/index.ts';
import { readConfiguration } from './configuration.ts';
import { isNotAccepted, NotReached } from './exit-codes.ts';
import { serverOpener } from './open-server.ts';
import type { Root } from '../protocol/index.ts';
import type { CommandProcess } from './command-process.ts';

/** A server: a program with arguments, an address, or a name in the configuration. */
export type Target =
  | { readonly kind: 'program'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'configured'; readonly name: string; readonly server: ServerConfig };

export function describeTarget(target: Target): string {
  return target.kind === 'address' ? target.url : target.kind === 'configured' ? target.name : [target.command, ...target.args].join(' ');
}

/** Opens a transport to the target. `http`: `trace` gets HTTP heads and events too. */
export function openTarget(env: CommandProcess['env'], target: Target, trace: HttpTrace, onStderr: (line: string) => void, http: boolean): ClientTransport {
  const hooks = { trace, onStderr, ...http && { wire: trace } };
  if (target.kind === 'configured') return serverOpener(env)(target.name, target.server, hooks);
  return target.kind === 'address'
    ? serverOpener(env)(target.url, { url: target.url }, hooks)
    : stdioTransport(target.command, target.args, { trace, onStderr });
}

/** Replaces a single word by the configured server with that name, if there is one: it has priority over a program. */
export async function named(proc: CommandProcess, target: Target): Promise<Target> {
  if (target.kind !== 'program' || target.args.length > 0 || /[\\/]/.test(target.command)) return target;
  const { command: name } = target;
  // If the configuration cannot be read, the tour of a program still runs, but not if a file waits for acceptance.
  const servers = await readConfiguration(proc, { name }).catch((thrown: unknown) => {
    if (isNotAccepted(thrown)) throw thrown;
    return {} as Record<string, ServerConfig>;
  });
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return server ? { kind: 'configured', name, server } : target;
}

/** The travel agency of the examples; undefined in a published package, which has no examples. */
export function travelTarget(): (Target & { readonly kind: 'program' }) | undefined {
  // dist/lib/cli.js and dist/src/cli/target.js differ in depth.
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    const file = join(at, 'examples', 'travel', 'main.js');
    if (existsSync(file)) return { kind: 'program', command: process.execPath, args: [file] };
    if (existsSync(join(at, 'package.json')) || dirname(at) === at) return undefined;
  }
}

/** Serves the travel agency over HTTP, on a free port of 127.0.0.1, until `stop`. */
export async function serveTravel({ command, args }: Target & { readonly kind: 'program' }): Promise<{ readonly target: Target; stop(): void }> {
  const child = spawn(command, [...args, '--http', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = (): void => {
    process.off('exit', stop);
    child.kill();
  };
  process.once('exit', stop);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('error', reject);
    child.once('exit', () => reject(new NotReached('the example ended before it said its address')));
  });
  return { target: { kind: 'address', url }, stop };
}

/** A new directory that servers may write into, until `remove`. */
export function temporaryRoot(): { readonly root: Root; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-tour-')));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return {
    root: { uri: pathToFileURL(path).href, name: 'A directory of the tour' },
    remove,
  };
}
