import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { shorten } from '../bounds/quote.ts';
import type { Confinement } from './confinement.ts';
import type { ExecutableFile } from './file-checks.ts';
import type { ExecutableLimits } from './limits.ts';
import { endStragglers, killStragglers } from './stragglers.ts';

export interface RunSettings {
  readonly args: readonly string[];
  /** The first line of stdin. */
  readonly input: string;
  /** Whether stdin stays open for further lines. */
  readonly open: boolean;
  readonly timeMs: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether a waiting run has a place for this one already: if this run waited for another place, neither would end.
   */
  readonly nested?: boolean;
  /** Called for each line of stdout, and for the text after the last line. */
  readonly onLine: (line: string) => void;
}

/** One run of an executable. */
export interface ToolProcess {
  /** Resolves when all its processes have ended: with the error, in words for the caller, or nothing. Never rejects. */
  readonly ended: Promise<string | undefined>;
  /** Writes a line to stdin. */
  write(line: string): void;
  /** Stops the clock, and starts it again, so that a person may take their time. */
  pause(): void;
  resume(): void;
  /** Kills it, and all processes that it started. The first reason counts. */
  stop(why: string): void;
}

export interface RunnerOptions {
  readonly confinement: Confinement;
  readonly limits: ExecutableLimits;
  /** Added to PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly onStderr?: ((tool: string, line: string) => void) | undefined;
}

/** Runs executables, a limited number at a time, each in its own folder, which is deleted with it. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #running = new Set<ToolProcess>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #closed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Starts an executable when there is a free place. Rejects if it cannot be started, or if the signal has fired. */
  async start(file: ExecutableFile, settings: RunSettings): Promise<ToolProcess> {
    const { nested = false } = settings;
    if (nested) {
      // It uses the place of the run that waits for it.
    } else if (this.#taken < this.#options.limits.maxConcurrentRuns) this.#taken += 1;
    // A run that ends passes its place on.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (this.#closed) throw new Error('the tools are closed');
      settings.signal?.throwIfAborted();
      const run = startProcess(file, settings, this.#options);
      this.#running.add(run);
      void run.ended.then(() => {
        this.#running.delete(run);
        if (!nested) this.#leave();
      });
      return run;
    } catch (thrown) {
      if (!nested) this.#leave();
      throw thrown;
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
  }

  /** Ends all running executables. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running].map((run) => {
      run.stop('the server is closed');
      return run.ended;
    }));
  }
}

/**
 * Runs that must not outlive this process; the value looks for processes that left its group. One hook serves all of
 * them.
 */
const alive = new Map<ChildProcess, () => void>();
const killAlive = (): void => alive.forEach((search, child) => {
  killTree(child);
  search();
});

/**
 * Milliseconds in which the pipes must close after a program has ended; a process that still holds them has left the
 * group.
 */
const pipesMs = 1000;

function environment(home: string, given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const names = process.platform === 'win32' ? ['PATH', 'PATHEXT', 'SYSTEMROOT', 'LANG'] : ['PATH', 'LANG'];
  const kept = names.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(kept), HOME: home, ...given };
}

/** Throws if no folder or no control group can be made; a program that cannot be started ends with an error. */
function startProcess(file: ExecutableFile, settings: RunSettings, options: RunnerOptions): ToolProcess {
  const { confinement, limits, env, onStderr } = options;
  const home = mkdtempSync(join(tmpdir(), 'barewire-tool-'));
  const { user } = confinement;
  if (user) chownSync(home, user.uid, user.gid);
  const cgroup = confinement.cgroup();
  const { command, args, ...as } = confinement.wrap(file.path, settings.args, cgroup !== undefined);
  const child = spawn(command, args, {
    ...as,
    cwd: home,
    env: environment(home, env),
    stdio: cgroup ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  if (alive.size === 0) process.on('exit', killAlive);
  alive.set(child, () => void (confinement.endsAll || killStragglers(home)));

  let fault: string | undefined;
  let over = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let left = settings.timeMs;
  let since = 0;

  const run = {
    write: (line: string): void => void child.stdin?.write(`${line}\n`),
    pause(): void {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      left -= performance.now() - since;
    },
    resume(): void {
      if (over || timer !== undefined) return;
      since = performance.now();
      timer = setTimeout(() => run.stop(`took longer than ${settings.timeMs} ms`), Math.max(0, left));
    },
    stop(why: string): void {
      if (over) return;
      fault ??= why;
      over = true;
      killTree(child);
    },
  };
  const cancelled = (): void => run.stop('was cancelled');
  settings.signal?.addEventListener('abort', cancelled, { once: true });
  const tooMuch = (): void => run.stop(`wrote more than ${limits.maxOutputBytes} bytes`);
  readLines(child.stdout, limits.maxOutputBytes, tooMuch, (line) => {
    if (!over) settings.onLine(line);
  });
  readLines(child.stderr, limits.maxOutputBytes, tooMuch, (line) => onStderr?.(file.name, line));
  // A tool need not read its input.
  child.stdin?.on('error', () => {});
  run.resume();
  run.write(settings.input);
  if (!settings.open) child.stdin?.end();

  const gate = child.stdio[3];
  if (cgroup && gate) {
    gate.on('error', () => {});
    try {
      if (child.pid !== undefined) cgroup.add(child.pid);
      if ('end' in gate) gate.end('\n');
    } catch (thrown) {
      run.stop(`could not be put into its control group: ${String(thrown)}`);
    }
  }

  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      fault ??= error.code === 'ENOEXEC' || error.code === 'UNKNOWN'
        ? 'could not be started: a script begins with #! and its interpreter'
        : `could not be started (${error.code ?? error.message})`;
      // Without a process there is no exit event.
      if (child.pid === undefined) void finish().then(resolve);
    });
    child.once('exit', (code, signal) => {
      if (code !== null && code !== 0) {
        const number = confinement.signalOf(code);
        fault ??= number === undefined ? `exited with code ${code}` : `was ended by ${signalName(number)}`;
      } else if (signal !== null) fault ??= `was ended by ${signal}`;
      const closed = new Promise<void>((done) => child.once('close', () => done()));
      // The processes that it started must not outlive it.
      killTree(child);
      const impatient = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, pipesMs);
      void Promise.all([closed, cgroup?.end(), confinement.endsAll || endStragglers(home)]).then(() => {
        clearTimeout(impatient);
        return finish().then(resolve);
      });
    });
    async function finish(): Promise<string | undefined> {
      over = true;
      clearTimeout(timer);
      settings.signal?.removeEventListener('abort', cancelled);
      alive.delete(child);
      if (alive.size === 0) process.off('exit', killAlive);
      if (child.pid === undefined) await cgroup?.end();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
      return fault;
    }
  });
  return { ...run, ended };
}

/**
 * Kills a program and its group: while it runs, or at once when it has ended. Later the id may belong to another
 * process.
 */
function killTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on('error', () => child.kill());
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // ESRCH: the group is empty, or does not exist yet.
    child.kill('SIGKILL');
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
}

/** Splits a stream into lines, up to `max` bytes. */
function readLines(
  stream: NodeJS.ReadableStream | null, max: number, tooMuch: () => void, onLine: (line: string) => void,
): void {
  if (!stream) return;
  let bytes = 0;
  let waiting: Buffer[] = [];
  const flush = (): void => {
    const line = Buffer.concat(waiting).toString('utf8').replace(/\r$/, '');
    waiting = [];
    if (line !== '') onLine(line);
  };
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) {
      waiting = [];
      tooMuch();
      return;
    }
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      waiting.push(chunk.subarray(from, at));
      flush();
      from = at + 1;
    }
    if (from < chunk.length) waiting.push(chunk.subarray(from));
  });
  stream.on('end', flush);
  stream.on('error', () => {});
}

/** A line of a tool for a message: short. */
export const excerpt = (text: string): string => JSON.stringify(shorten(text, 200));
