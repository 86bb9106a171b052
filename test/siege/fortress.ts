// The keeper's view of the attacked process: starts it with a small heap, watches it, and restarts it when it has died.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { patiently } from './door.ts';
import type { Condition } from './keeper.ts';

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

function start(name: string, args: readonly string[], execArgv: readonly string[]): ChildProcess {
  return fork(file(name), args, { execArgv: [...execArgv], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
}

async function said<T>(child: ChildProcess, key: string, ms: number): Promise<T | undefined> {
  let listener: (message: unknown) => void = () => {};
  let gone = (): void => {};
  const message = new Promise<T | undefined>((resolve) => {
    listener = (message) => {
      const found = (message as Record<string, unknown>)[key];
      if (found !== undefined) resolve(found as T);
    };
    gone = () => resolve(undefined);
    child.on('message', listener).once('exit', gone);
  });
  const found = await patiently(message, ms);
  child.off('message', listener).off('exit', gone);
  return found;
}

/** A process under attack. */
export class Fortress {
  readonly child: ChildProcess;
  readonly ports: Readonly<Record<string, number>>;
  /** The heap before any attack, after the warm-up. */
  baseline: number = 0;
  /** Milliseconds of the slowest probe since the last check. */
  slowest: number = 0;
  /** The message of the first failed probe. */
  refusal: string | undefined;
  #complaints: string = '';
  readonly #innocent: ChildProcess;
  #asked: number = performance.now();

  private constructor(child: ChildProcess, innocent: ChildProcess, ports: Readonly<Record<string, number>>) {
    this.child = child;
    this.#innocent = innocent;
    this.ports = ports;
  }

  static async build(role: 'server' | 'client'): Promise<Fortress> {
    const execArgv = ['--max-old-space-size=256', '--expose-gc'];
    const first = role === 'client' ? start('innocent.js', [], []) : undefined;
    const url = first && await said<string>(first, 'ready', 20_000);
    const child = start(`attacked-${role}.js`, url === undefined ? [] : [url], execArgv);
    let complaints = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-2_000)));
    const ports = await said<Record<string, number>>(child, 'ready', 20_000);
    if (!ports) throw new Error(`the ${role} did not start: ${complaints}`);
    const innocent = first ?? start('innocent.js', [`${ports['http']},${ports['http1']}`], []);
    const fortress = new Fortress(child, innocent, ports);
    child.stderr?.on('data', () => (fortress.#complaints = complaints));
    (role === 'client' ? child : innocent).on('message', (message: { probe?: number; failed?: string }) => {
      if (message.probe === undefined) return;
      fortress.#asked = performance.now();
      fortress.slowest = Math.max(fortress.slowest, message.probe);
      if (message.failed !== undefined) fortress.refusal ??= message.failed;
    });
    return fortress;
  }

  /** The reason why the process has died; undefined while it lives. */
  get fallen(): string | undefined {
    const { exitCode, signalCode } = this.child;
    if (exitCode === null && signalCode === null) return undefined;
    const reason = /^.*(heap out of memory|Error:? .*)$/m.exec(this.#complaints)?.[0] ?? this.#complaints.trim();
    return `ended with ${exitCode ?? signalCode}: ${reason.slice(0, 300)}`;
  }

  /** Milliseconds since the last successful probe, which also shows a probe that hangs. */
  get silence(): number {
    return performance.now() - this.#asked;
  }

  /** Peak bytes of resident memory since the last call; 0 if the system does not report it (only Linux does). */
  peak(): number {
    try {
      const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
      writeFileSync(`/proc/${this.child.pid}/clear_refs`, '5');
      return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) * 1024;
    } catch {
      return 0;
    }
  }

  /** The memory of the process after two forced collections; undefined if it does not answer in time. */
  async condition(): Promise<Condition | undefined> {
    if (this.fallen !== undefined) return undefined;
    const answer = said<Condition>(this.child, 'condition', 10_000);
    this.child.send({ collect: true }, () => {});
    return answer;
  }

  /** Makes the client visit a server. Resolves with true when the visit is done, and with false on a timeout. */
  async visit(run: unknown): Promise<boolean> {
    const done = said<true>(this.child, 'done', 20_000);
    this.child.send({ run }, () => {});
    return await done ?? false;
  }

  async raze(): Promise<void> {
    for (const child of [this.child, this.#innocent]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
  }
}
