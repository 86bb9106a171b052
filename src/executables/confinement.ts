import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findCgroups } from './cgroup.ts';
import type { Cgroup } from './cgroup.ts';
import type { ExecutableLimits } from './limits.ts';

/** Another user, to run tools as. */
export interface OtherUser {
  readonly uid: number;
  readonly gid: number;
}

/** A program and its arguments, ready to spawn. */
export interface Wrapped {
  readonly command: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** The limits of runs, by the strongest means that this machine supports; tested once. */
export interface Confinement {
  /** The limits in force, in words. */
  readonly description: string;
  /** The missing limits, in words for the operator of the server. */
  readonly warning: string | undefined;
  /** Whether the number of processes is limited. */
  readonly boundsProcesses: boolean;
  /** Whether all processes of a run end with it. If not, `endStragglers` looks for processes that left its group. */
  readonly endsAll: boolean;
  readonly user: OtherUser | undefined;
  /** Puts the limiting commands in front of the program. A shell gets text only as arguments, never as code. */
  wrap(program: string, args: readonly string[], gated: boolean): Wrapped;
  /**
   * Makes a control group for one run. A gated run waits for a line on descriptor 3, which is sent when the process is in
   * the group.
   */
  cgroup(): Cgroup | undefined;
  /** The signal that ended the program, if its exit code shows one. */
  signalOf(exitCode: number): number | undefined;
}

/** Waits for a line, and then replaces itself with the program in its arguments. */
const gate = ['sh', '-c', 'read -r _ <&3 && exec 3<&- && exec "$@"', 'sh'];
/** The first process of a PID namespace. It ignores signals, so the program runs as its child. */
const init = ['sh', '-c', '"$@"; exit $?', 'sh'];

/** Whether a program runs with these words in front of it. */
function works(words: readonly string[]): boolean {
  const [command = '', ...args] = [...words, 'sh', '-c', 'exit 0'];
  return spawnSync(command, args, { stdio: 'ignore', timeout: 5000, cwd: '/' }).status === 0;
}

/**
 * Reads `--user`: a name of /etc/passwd, or UID:GID. Throws for an unknown user, for root, and if this process is not
 * root.
 */
export function findUser(text: string): OtherUser {
  if (process.getuid?.() !== 0) throw new Error('only root may run tools as another user');
  const numbers = /^(\d+):(\d+)$/.exec(text);
  let uid = Number(numbers?.[1]);
  let gid = Number(numbers?.[2]);
  if (!numbers) {
    const line = readFileSync('/etc/passwd', 'utf8').split('\n').find((one) => one.startsWith(`${text}:`));
    if (line === undefined) throw new Error(`there is no user ${JSON.stringify(text)}`);
    uid = Number(line.split(':')[2]);
    gid = Number(line.split(':')[3]);
  }
  if (uid === 0 || gid === 0) throw new Error('tools are not run as root: that would not limit them');
  return { uid, gid };
}

/**
 * Tests what this machine supports: a cgroup for processes and memory; a PID namespace, so that processes that left the
 * process group end as well; another user with `prlimit`. Takes some tens of milliseconds.
 *
 * @param user the other user; without one, tools run as this process's user
 */
export function findConfinement(limits: ExecutableLimits, user?: OtherUser): Confinement {
  const linux = process.platform === 'linux';
  const cgroups = findCgroups(limits);
  const root = process.getuid?.() === 0;
  const setpriv = linux && works(['setpriv', '--pdeathsig', 'KILL', '--']);
  // The change of user clears the signal that ends the run with this process: here it is set again.
  const asUser = user && setpriv
    ? ['setpriv', '--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups', '--no-new-privs', '--pdeathsig', 'KILL', '--']
    : [];
  const unshare = ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--'];
  // Only root can enter a namespace without changing its user, unless it has dropped that capability.
  const namespace = linux && root && (!user || setpriv) && works([...unshare, ...init, ...asUser]);
  const limit = [
    'prlimit', `--data=${limits.maxMemoryBytes}`, `--fsize=${limits.maxFileBytes}`, '--core=0',
    // The kernel counts processes per user: our own user has other programs too, and root has no such limit.
    ...user ? [`--nproc=${limits.maxProcesses}`] : [], '--',
  ];
  const prlimit = linux && works([...asUser, ...limit]);
  const boundsProcesses = cgroups !== undefined || (user !== undefined && prlimit);
  // Without another user, a process could move itself to another cgroup.
  const endsAll = namespace || (cgroups !== undefined && user !== undefined);

  const prefix = [
    // Ends the run with this process.
    ...setpriv ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [],
    ...namespace ? [...unshare, ...init] : [],
    ...asUser,
    ...prlimit ? limit : [],
  ];
  const means = [
    ...cgroups ? [`${cgroups.name} (memory and processes)`] : [],
    ...user ? [`another user (${user.uid}:${user.gid})`] : [],
    ...namespace ? ['a PID namespace'] : [],
    ...prlimit ? [`prlimit (memory of each process, size of files${user ? ', processes' : ''})`] : [],
    'time and output',
  ];
  return {
    description: means.join(', '),
    boundsProcesses,
    endsAll,
    user,
    warning: [
      ...boundsProcesses ? []
        : [`the number of processes${prlimit ? ' is' : ' and their memory are'} not bounded: no cgroup can be made, and --user does not name another user`],
      ...endsAll ? []
        : [`processes that leave their group (setsid) may outlive the run${linux ? ', hidden from a search by HOME and working folder' : ''}: there is no cgroup and no PID namespace`],
    ].join('; ') || undefined,
    wrap(program, args, gated) {
      const [command = program, ...rest] = [...gated ? gate : [], ...prefix, program, ...args];
      return { command, args: rest, ...user && !setpriv ? user : {} };
    },
    cgroup: () => cgroups?.make(),
    signalOf: (exitCode) => (namespace && exitCode > 128 && exitCode < 160 ? exitCode - 128 : undefined),
  };
}
