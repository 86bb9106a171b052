import { pause, systemClock } from '../bounds/clock.ts';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group that limits one run. */
export interface Cgroup {
  /** Puts a process and its future children into the group. Throws if that is refused. */
  add(pid: number): void;
  /** Kills all processes in the group, and removes the group when it is empty. */
  end(): Promise<void>;
}

/** Makes control groups. */
export interface Cgroups {
  /** For example `cgroup v2`. */
  readonly name: string;
  make(): Cgroup;
}

/** Files that set limits, in a directory that is made for each run. */
interface Controller {
  readonly parent: string;
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Tests whether this process may make control groups that limit processes and memory: v2 if the controllers `pids` and
 * `memory` are delegated to our own group, otherwise v1. Undefined if it may not.
 */
export function findCgroups(limits: { maxProcesses: number; maxMemoryBytes: number }): Cgroups | undefined {
  if (process.platform !== 'linux') return undefined;
  for (const { name, controllers } of candidates(limits)) {
    const cgroups: Cgroups = { name, make: () => makeCgroup(controllers) };
    try {
      void cgroups.make().end();
      return cgroups;
    } catch {
      // Not permitted, or no such controller.
    }
  }
  return undefined;
}

function candidates(
  { maxProcesses, maxMemoryBytes }: { maxProcesses: number; maxMemoryBytes: number },
): { name: string; controllers: readonly Controller[] }[] {
  const pids = { 'pids.max': String(maxProcesses) };
  let mounts: string[][];
  let own: string[];
  try {
    mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n').map((line) => line.split(' '));
    own = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  } catch {
    return [];
  }
  /** Our own group of a hierarchy, or its root if our group is not visible from here (in a container). */
  const parent = (mount: string | undefined, hierarchy: (controllers: string) => boolean): string => {
    const line = own.find((one) => hierarchy(one.split(':')[1] ?? ''));
    const path = join(mount ?? '', line?.split(':').slice(2).join(':') ?? '');
    return existsSync(path) ? path : mount ?? '';
  };
  const v2 = mounts.find(([, , type]) => type === 'cgroup2')?.[1];
  const v1 = (controller: string): string | undefined =>
    mounts.find(([, , type, options = '']) => type === 'cgroup' && options.split(',').includes(controller))?.[1];
  const [pidsMount, memoryMount] = [v1('pids'), v1('memory')];
  return [
    ...v2 === undefined ? [] : [{
      name: 'cgroup v2',
      controllers: [{
        parent: parent(v2, (controllers) => controllers === ''),
        settings: { ...pids, 'memory.max': String(maxMemoryBytes) },
      }],
    }],
    ...pidsMount === undefined || memoryMount === undefined ? [] : [{
      name: 'cgroup v1',
      controllers: [
        { parent: parent(pidsMount, (controllers) => controllers.split(',').includes('pids')), settings: pids },
        {
          parent: parent(memoryMount, (controllers) => controllers.split(',').includes('memory')),
          settings: { 'memory.limit_in_bytes': String(maxMemoryBytes) },
        },
      ],
    }],
  ];
}

/** Throws if a group cannot be made or a limit cannot be set; then it removes everything that it made. */
function makeCgroup(controllers: readonly Controller[]): Cgroup {
  // A counter would not be unique: another PID namespace may see the same groups, and a killed process leaves groups behind.
  const name = `barewire-${process.pid}-${randomUUID()}`;
  const directories: string[] = [];
  /** Throws at the first group that still has a process; a further call goes on from there. */
  const remove = (): void => {
    for (let last = directories.at(-1); last !== undefined; last = directories.at(-1)) {
      rmdirSync(last);
      directories.pop();
    }
  };
  try {
    for (const { parent, settings } of controllers) {
      const directory = join(parent, name);
      mkdirSync(directory);
      directories.push(directory);
      for (const [file, value] of Object.entries(settings)) {
        const path = join(directory, file);
        // The directory may be wrong, on a file system that accepts any file.
        if (!existsSync(path)) throw new Error(`there is no ${path}`);
        writeFileSync(path, value);
      }
      // Swap would bypass the memory limit. Not every kernel has this file.
      const swap = join(directory, 'memory.swap.max');
      if (existsSync(swap)) writeFileSync(swap, '0');
    }
  } catch (thrown) {
    remove();
    throw thrown;
  }
  return {
    add: (pid) => directories.forEach((directory) => writeFileSync(join(directory, 'cgroup.procs'), String(pid))),
    async end() {
      // A killed process stays in its group for a while, so retry with doubled pauses.
      for (let wait = 1; wait < 5000; wait *= 2) {
        directories.forEach(killAll);
        try {
          remove();
          return;
        } catch {
          await pause(systemClock, wait);
        }
      }
    },
  };
}

/** Kills every process of a group. A process may fork between reading and killing, so v1 needs several passes. */
function killAll(directory: string): void {
  try {
    const kill = join(directory, 'cgroup.kill');
    if (existsSync(kill)) {
      writeFileSync(kill, '1');
      return;
    }
    for (const pid of readFileSync(join(directory, 'cgroup.procs'), 'utf8').split('\n')) {
      // 0 is a process that this PID namespace cannot see; as the target of a signal, 0 would mean our own process
      // group.
      if (Number(pid) > 1 && Number(pid) !== process.pid) signal(Number(pid));
    }
  } catch {
    // The group no longer exists.
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}
