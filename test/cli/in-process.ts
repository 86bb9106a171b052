import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { run } from '../../src/cli/run.ts';
import type { CommandProcess } from '../../src/cli/command-process.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Settings for running a command in the test's own process. */
export interface InProcess {
  /** Default: that of this process. */
  readonly cwd?: string;
  /** Added to the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The typed input; stdin then ends. */
  readonly input?: string | Buffer;
  /** Called at each piece of stderr, with all of it so far. */
  readonly onErr?: (err: string, signal: (name: 'SIGINT' | 'SIGTERM') => void) => void;
}

/**
 * Runs the command in a pipe, as `barewire` does, but in this process: starting Node takes longer than most commands. Relative paths are
 * those of this process, except that of the folder's servers file. Where the command would exit, this resolves.
 */
export async function inProcess(words: readonly string[], { cwd = process.cwd(), env = {}, input = '', onErr }: InProcess = {}): Promise<Ran & { readonly bytes: Buffer }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const signals = new EventEmitter();
  const out: Buffer[] = [];
  let err = '';
  stdout.on('data', (bytes: Buffer) => out.push(bytes));
  stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    onErr?.(err, (name) => void signals.emit(name));
  });
  stdin.end(input);
  let exit: (code: number) => void = () => {};
  const exited = new Promise<number>((resolve) => (exit = resolve));
  const proc: CommandProcess = {
    stdin, stdout, stderr, exit, cwd: () => cwd, env: { ...process.env, NO_COLOR: '1', ...env },
    on: (event, listener) => signals.on(event, listener), once: (event, listener) => signals.once(event, listener), off: (event, listener) => signals.off(event, listener),
  };
  const code = await Promise.race([run(words, proc), exited]);
  for (const stream of [stdout, stderr]) {
    const ended = once(stream, 'end');
    stream.end();
    await ended;
  }
  const bytes = Buffer.concat(out);
  return { code, bytes, out: bytes.toString(), err };
}
