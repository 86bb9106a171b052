import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import type { ClientEvents, ClientWay, JudgedClient, StartedClient, StartOptions } from '../client/port.ts';
import { forget, keepUntilExit, killer } from '../../transport/stdio/internal-exports.ts';
import { hiddenHttp } from './hidden-http.ts';
import { hiddenPipe } from './hidden-pipe.ts';

/** Options for starting a client program. */
export interface ClientProgramOptions {
  /**
   * The program and its arguments. `{url}` is replaced by the address of a hidden HTTP server, `{program}` by the command of a hidden stdio
   * server: as several arguments if it is a whole argument, as one text within another argument.
   */
  readonly command: readonly string[];
  /** The command that runs `relay(path, stays)`. The socket path is appended, and `stays` if it is true. */
  readonly relay: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** Called with each piece of the program's stdout and stderr. */
  readonly onOutput?: ((text: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

const optionsShape: Shape<ClientProgramOptions> = { command: 'list', relay: 'list', env: 'object', cwd: 'string', onOutput: 'function', clock: 'object' };

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll('\'', String.raw`'\''`)}'`);

/** The client that a command starts, for `judgeClient`. Throws a TypeError unless the command has exactly one kind of placeholder. */
export function clientProgram(options: ClientProgramOptions): JudgedClient {
  checkOptions('clientProgram: options', options, optionsShape);
  const { command, clock = systemClock } = options;
  const has = (word: string): boolean => command.some((one) => one.includes(word));
  const ways: ClientWay[] = [...has('{program}') ? ['pipe' as const] : [], ...has('{url}') ? ['http' as const] : []];
  if (ways.length === 0) throw new TypeError('the command of a client needs {url} or {program} as the name of its server');
  if (ways.length === 2) throw new TypeError('the command of a client needs {url} or {program} as the name of its server, not both');
  return { name: command.map(quoted).join(' '), ways, start: (way, events, how) => (way === 'pipe' ? overPipe(options, clock, events, how) : overHttp(options, clock, events)) };
}

/** Replaces the placeholder in the command. */
function filled(command: readonly string[], place: string, words: readonly string[]): string[] {
  return command.flatMap((one) => (one === place ? words : [one.replaceAll(place, words.map(quoted).join(' '))]));
}

/** Milliseconds between SIGTERM and SIGKILL. */
const graceMs = 2_000;

function run({ command, env, cwd, onOutput }: ClientProgramOptions, clock: Clock, words: readonly string[]): { child: ChildProcess; ended: Promise<string>; stop: () => Promise<void> } {
  const [file = '', ...args] = words;
  const child = spawn(file, args, { env: { ...process.env, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' });
  // Its group is another one: Ctrl-C at the terminal does not reach it, and it must not outlive the judge.
  if (child.pid !== undefined) keepUntilExit(child, process.platform === 'win32' ? killer(child) : undefined);
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => onOutput?.(text));
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`${command[0] ?? ''} could not be started: ${error.message}`));
    child.on('exit', (code, signal) => resolve(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`));
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
    } catch {
      // The group is gone.
    }
  };
  return {
    child, ended,
    async stop() {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
        kill('SIGTERM');
        const timer = clock.after(graceMs, () => kill('SIGKILL'));
        await ended;
        timer?.stop();
      }
      // Its child processes are in its group.
      kill('SIGKILL');
      forget(child);
    },
  };
}

async function overPipe(options: ClientProgramOptions, clock: Clock, events: ClientEvents, { stays }: StartOptions): Promise<StartedClient> {
  const { path, write, writeBytes, close } = await hiddenPipe(events, stays);
  const words = [...options.relay, path, ...stays ? ['stays'] : []];
  const { ended, stop } = run(options, clock, filled(options.command, '{program}', words));
  return {
    ended, url: undefined, write, writeBytes,
    async stop() {
      await stop();
      close();
    },
  };
}

async function overHttp(options: ClientProgramOptions, clock: Clock, events: ClientEvents): Promise<StartedClient> {
  const { url, close } = await hiddenHttp(events);
  const { ended, stop } = run(options, clock, filled(options.command, '{url}', [url]));
  return {
    ended, url, write() {},
    async stop() {
      await stop();
      close();
    },
  };
}
