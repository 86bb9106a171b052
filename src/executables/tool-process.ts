import { systemClock } from '../bounds/clock.ts';
import type { Timer } from '../bounds/clock.ts';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Places } from '../bounds/places.ts';
import { shorten } from '../bounds/quote.ts';
import type { Cgroup } from './cgroup.ts';
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
   * True: the run uses the place of the waiting run that called it. If it waited for its own place, both could wait
   * forever.
   */
  readonly nested?: boolean;
  /** Called for each line of stdout, and for the text after the last line. */
  readonly onLine: (line: string) => void;
}

/** One run of an executable. */
export interface ToolProcess {
  /** Resolves when all its processes have ended: with an error in words for the caller, or undefined. Never rejects. */
  readonly ended: Promise<string | undefined>;
  /** Writes a line to stdin. */
  write(line: string): void;
  /** Stops the run's time limit until `resume`, while a person answers. */
  pause(): void;
  resume(): void;
  /** Kills the process and all processes that it started. The first reason is kept. */
  stop(why: string): void;
}

export interface RunnerOptions {
  readonly confinement: Confinement;
  readonly limits: ExecutableLimits;
  /** Added to PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly onStderr?: ((tool: string, line: string) => void) | undefined;
}

/** Runs executables, a limited number at a time. Each run has its own folder, which is deleted afterwards. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #running = new Set<ToolProcess>();
  readonly #places: Places;
  #closed = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#places = new Places(options.limits.maxConcurrentRuns);
  }

  /**
   * Starts an executable when a place is free. Rejects if the tools are closed, the run's folder or control group cannot be
   * made, or the signal has aborted.
   */
  async start(file: ExecutableFile, settings: RunSettings): Promise<ToolProcess> {
    const { nested = false } = settings;
    // A nested run uses the place of the run that called it.
    const wait = nested ? undefined : this.#places.take();
    if (wait) await wait;
    try {
      if (this.#closed) throw new Error('the tools are closed');
      settings.signal?.throwIfAborted();
      const run = new ExecutableRun(file, settings, this.#options);
      this.#running.add(run);
      void run.ended.then(() => {
        this.#running.delete(run);
        if (!nested) this.#places.free();
      });
      return run;
    } catch (thrown) {
      if (!nested) this.#places.free();
      throw thrown;
    }
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
 * Running processes, to kill when this process exits. The value kills processes that left their group. One exit hook
 * serves all.
 */
const alive = new Map<ChildProcess, () => void>();
const killAlive = (): void => alive.forEach((search, child) => {
  killTree(child);
  search();
});

/**
 * Milliseconds until the pipes must be closed after a program ended. If they are still open, a process has left the
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

/** The process of one run, with its folder, control group and time limit. */
class ExecutableRun implements ToolProcess {
  readonly ended: Promise<string | undefined>;
  readonly #settings: RunSettings;
  readonly #options: RunnerOptions;
  /** The folder of the run. */
  readonly #home: string;
  readonly #cgroup: Cgroup | undefined;
  readonly #child: ChildProcess;
  readonly #cancelled = (): void => this.stop('was cancelled');
  #fault: string | undefined;
  #over = false;
  #timer: Timer | undefined;
  /** Milliseconds left when the time limit was last started, and the time of that start. */
  #left: number;
  #since = 0;

  /** Throws if the folder or control group cannot be made. If the program cannot be started, `ended` resolves with the error. */
  constructor(file: ExecutableFile, settings: RunSettings, options: RunnerOptions) {
    const { confinement, env } = options;
    this.#settings = settings;
    this.#options = options;
    this.#left = settings.timeMs;
    this.#home = mkdtempSync(join(tmpdir(), 'barewire-tool-'));
    const { user } = confinement;
    if (user) chownSync(this.#home, user.uid, user.gid);
    this.#cgroup = confinement.cgroup();
    const { command, args, ...as } = confinement.wrap(file.path, settings.args, this.#cgroup !== undefined);
    const child = this.#child = spawn(command, args, {
      ...as,
      cwd: this.#home,
      env: environment(this.#home, env),
      stdio: this.#cgroup ? ['pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    if (alive.size === 0) process.on('exit', killAlive);
    alive.set(child, () => void (confinement.endsAll || killStragglers(this.#home)));
    settings.signal?.addEventListener('abort', this.#cancelled, { once: true });
    this.#read(file.name);
    this.resume();
    this.write(settings.input);
    if (!settings.open) child.stdin?.end();
    this.#openGate();
    this.ended = new Promise((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        this.#fault ??= error.code === 'ENOEXEC' || error.code === 'UNKNOWN'
          ? 'could not be started: a script begins with #! and its interpreter'
          : `could not be started (${error.code ?? error.message})`;
        // Without a process there is no exit event.
        if (child.pid === undefined) void this.#finish().then(resolve);
      });
      child.once('exit', (code, signal) => void this.#exited(code, signal).then(resolve));
    });
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  pause(): void {
    if (this.#timer === undefined) return;
    this.#timer.stop();
    this.#timer = undefined;
    this.#left -= systemClock.monotonic() - this.#since;
  }

  resume(): void {
    if (this.#over || this.#timer !== undefined) return;
    this.#since = systemClock.monotonic();
    this.#timer = systemClock.after(Math.max(0, this.#left), () => this.stop(`took longer than ${this.#settings.timeMs} ms`));
  }

  stop(why: string): void {
    if (this.#over) return;
    this.#fault ??= why;
    this.#over = true;
    killTree(this.#child);
  }

  #read(name: string): void {
    const { limits: { maxOutputBytes }, onStderr } = this.#options;
    const { stdin, stdout, stderr } = this.#child;
    const tooMuch = (): void => this.stop(`wrote more than ${maxOutputBytes} bytes`);
    readLines(stdout, maxOutputBytes, tooMuch, (line) => {
      if (!this.#over) this.#settings.onLine(line);
    });
    readLines(stderr, maxOutputBytes, tooMuch, (line) => onStderr?.(name, line));
    // Ignored: a tool need not read its input.
    stdin?.on('error', () => {});
  }

  /** Puts the waiting process into its control group, and then lets it start the program. */
  #openGate(): void {
    const { pid, stdio } = this.#child;
    // If no file descriptor is left, Node makes no streams, and its types do not say so; the error event follows.
    const gate = stdio?.[3];
    if (!this.#cgroup || !gate) return;
    gate.on('error', () => {});
    try {
      if (pid !== undefined) this.#cgroup.add(pid);
      if ('end' in gate) gate.end('\n');
    } catch (thrown) {
      this.stop(`could not be put into its control group: ${String(thrown)}`);
    }
  }

  async #exited(code: number | null, signal: NodeJS.Signals | null): Promise<string | undefined> {
    const { confinement } = this.#options;
    const child = this.#child;
    if (code !== null && code !== 0) {
      const number = confinement.signalOf(code);
      this.#fault ??= number === undefined ? `exited with code ${code}` : `was ended by ${signalName(number)}`;
    } else if (signal !== null) this.#fault ??= `was ended by ${signal}`;
    const closed = new Promise<void>((done) => child.once('close', () => done()));
    // Processes that it started must not outlive it.
    killTree(child);
    const impatient = systemClock.after(pipesMs, () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    await Promise.all([closed, this.#cgroup?.end(), confinement.endsAll || endStragglers(this.#home)]);
    impatient?.stop();
    return this.#finish();
  }

  async #finish(): Promise<string | undefined> {
    this.#over = true;
    this.#timer?.stop();
    this.#settings.signal?.removeEventListener('abort', this.#cancelled);
    alive.delete(this.#child);
    if (alive.size === 0) process.off('exit', killAlive);
    if (this.#child.pid === undefined) await this.#cgroup?.end();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 3 });
    return this.#fault;
  }
}

/**
 * Kills a program and its process group, while it runs or directly after its end. Later, its id may belong to another
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

/** A shortened line of a tool for a message. */
export const excerpt = (text: string): string => JSON.stringify(shorten(text, 200));
