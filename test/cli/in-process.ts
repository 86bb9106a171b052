import { EventEmitter } from 'node:events';
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
  /** The columns of one terminal in the place of the three pipes; `out` is then all that it shows. stdin does not end. */
  readonly columns?: number;
  /** At a terminal: what a person types once it shows a pattern, behind the place of the one before. Null: the input ends. */
  readonly typed?: readonly (readonly [shown: RegExp, typed: string | null])[];
  /** Called at each piece of stderr, with all of it so far. */
  readonly onErr?: (err: string, signal: (name: 'SIGINT' | 'SIGTERM') => void) => void;
}

/**
 * Runs the command in a pipe, as `barewire` does, but in this process: starting Node takes longer than most commands. Relative paths are
 * those of this process, except that of the folder's servers file. Where the command would exit, this resolves.
 */
export async function inProcess(words: readonly string[], { cwd = process.cwd(), env = {}, input = '', columns, typed = [], onErr }: InProcess = {}): Promise<Ran & { readonly bytes: Buffer }> {
  let raw = false;
  const stream = (): PassThrough => Object.assign(new PassThrough(), columns !== undefined && { isTTY: true, columns, setRawMode: (on: boolean) => void (raw = on) });
  const [stdin, stdout] = [stream(), stream()];
  const stderr = columns === undefined ? stream() : stdout;
  const signals = new EventEmitter();
  const out: Buffer[] = [];
  let err = '';
  const waiting = [...typed];
  let seen = 0;
  stdout.on('data', (bytes: Buffer) => {
    out.push(bytes);
    for (let found; waiting[0] && (found = waiting[0][0].exec(shownOf(out).slice(seen))); waiting.shift()) {
      seen += found.index + found[0].length;
      const [, words] = waiting[0];
      // A person types after the prompt is there.
      setImmediate(() => {
        // Ctrl-C is a signal, except while a program reads single keys.
        if (words === null) stdin.end();
        else if (words === '\u0003' && !raw) signals.emit('SIGINT');
        else if (!stdin.writableEnded) stdin.write(words);
      });
    }
  });
  if (stderr !== stdout) {
    stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      onErr?.(err, (name) => void signals.emit(name));
    });
  }
  if (columns === undefined) stdin.end(input);
  let exit: (code: number) => void = () => {};
  const exited = new Promise<number>((resolve) => (exit = resolve));
  const proc: CommandProcess = {
    stdin, stdout, stderr, exit, cwd: () => cwd, env: { ...process.env, NO_COLOR: '1', ...env },
    on: (event, listener) => signals.on(event, listener), once: (event, listener) => signals.once(event, listener), off: (event, listener) => signals.off(event, listener),
  };
  // If the expected text never comes, the run ends, and the test fails with what the terminal shows.
  const stuck = columns === undefined ? undefined : setTimeout(exit, 45_000, -1);
  const code = await Promise.race([run(words, proc), exited]);
  clearTimeout(stuck);
  for (const stream of new Set([stdout, stderr])) {
    const ended = new Promise((resolve) => stream.once('end', resolve).once('close', resolve));
    // Where the process would have ended, the command goes on here, and may write.
    stream.on('error', () => {}).end();
    await ended;
  }
  const bytes = Buffer.concat(out);
  return { code, bytes, out: columns === undefined ? bytes.toString() : shownOf(out), err };
}

/** What a terminal shows, without moves of the cursor and colours. */
const shownOf = (bytes: readonly Buffer[]): string => Buffer.concat(bytes).toString().replace(/\x1b\[[\d;]*[A-Za-z]|\r/g, '');
