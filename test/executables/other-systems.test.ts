// In a process of its own: it changes the reported platform, and functions of Node.
import assert from 'node:assert/strict';
import child_process, { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import fs, { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { findCgroups } from '../../src/executables/cgroup.ts';
import { findConfinement, findUser } from '../../src/executables/confinement.ts';
import type { Confinement } from '../../src/executables/confinement.ts';
import { checkFile, checkRead } from '../../src/executables/file-checks.ts';
import { defaultExecutableLimits } from '../../src/executables/limits.ts';
import { endStragglers, killStragglers } from '../../src/executables/stragglers.ts';
import { Runner } from '../../src/executables/tool-process.ts';
import type { RunSettings } from '../../src/executables/tool-process.ts';

// On other systems Linux tools are not looked for, and missing system calls are not made.

const root = process.getuid?.() === 0;

const real = { platform: process.platform, getuid: process.getuid };

/** Sets the reported platform until the test ends; Windows has no user ids. A test may call it several times. */
function on(t: TestContext, platform: string, getuid: (() => number) | undefined): void {
  const set = (platform: string, getuid: (() => number) | undefined): void => void Object.defineProperties(process, {
    platform: { value: platform, configurable: true }, getuid: { value: getuid, configurable: true, writable: true },
  });
  set(platform, getuid);
  t.after(() => set(real.platform, real.getuid));
}

function folder(t: TestContext): { path: string; file(name: string, mode: number): string } {
  const path = mkdtempSync(join(tmpdir(), 'barewire-systems-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    file(name, mode) {
      writeFileSync(join(path, name), '');
      chmodSync(join(path, name), mode);
      return name;
    },
  };
}

test('elsewhere than on Linux: no control group, no search for what was left, no other user, and the warning says what is not bounded', { skip: process.platform === 'win32' ? 'a script of the shell' : false }, async (t) => {
  const { path } = folder(t);
  const left = spawn('/bin/sh', ['-c', 'echo up; exec sleep 300'], { cwd: path, stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => left.kill('SIGKILL'));
  await once(left.stdout, 'data');
  for (const [platform, getuid] of [['darwin', () => 501], ['win32', undefined]] as const) {
    on(t, platform, getuid);
    assert.equal(findCgroups({ maxProcesses: 1, maxMemoryBytes: 1 }), undefined);
    assert.equal(killStragglers(path), 0);
    assert.throws(() => findUser('nobody'), /^Error: only root may run tools as another user$/);
    const confinement = findConfinement(defaultExecutableLimits);
    assert.deepEqual([confinement.description, confinement.boundsProcesses, confinement.endsAll, confinement.user, confinement.cgroup()], ['time and output', false, false, undefined, undefined]);
    assert.equal(confinement.warning, 'the number of processes and their memory are not bounded: no cgroup can be made, and --user does not name another user; '
      + 'processes that leave their group (setsid) may outlive the run: there is no cgroup and no PID namespace');
    assert.deepEqual(confinement.wrap('tool', ['a b'], false), { command: 'tool', args: ['a b'] });
    assert.deepEqual([137, 129, 160, 0].map((code) => confinement.signalOf(code)), [undefined, undefined, undefined, undefined]);
  }
});

test('on Windows a tool is an .exe or a .com, whoever may write it', (t) => {
  const { path, file } = folder(t);
  const names = ['a.exe', 'b.COM', 'c.cmd', 'd.bat', 'e', 'f.exe.txt', 'g.exeter'].map((name) => file(name, 0o777));
  on(t, 'win32', undefined);
  assert.deepEqual(names.filter((name) => checkFile(path, name) !== undefined), ['a.exe', 'b.COM']);
  for (const name of ['a.exe', 'b.COM']) assert.ok(!('fault' in (checkFile(path, name) ?? { fault: 'none' })), name);
  checkRead(join(path, 'c.cmd'));
});

test('a file may belong to root and to whoever runs the server, and to nobody else', { skip: root ? false : 'only root may give a file away' }, (t) => {
  const { path, file } = folder(t);
  on(t, process.platform, () => 12345);
  for (const [uid, fault] of [[12345, undefined], [0, undefined], [12346, 'it belongs to another user (12346)']] as const) {
    const name = file(`of-${uid}`, 0o755);
    chownSync(join(path, name), uid, uid);
    const found = checkFile(path, name);
    assert.ok(found);
    assert.equal('fault' in found ? found.fault : undefined, fault);
    if (fault === undefined) checkRead(join(path, name));
    else assert.throws(() => checkRead(join(path, name)), { message: fault });
  }
});

// The file system and the processes of another machine, in place of those of this one. Functions of Node are replaced, because a program
// that runs as root on Linux cannot show what becomes of another machine.

/** Replaces functions of an object of Node until the test ends or `undo` is called, also for modules that imported them by name. */
function replace<Of extends object>(t: TestContext, object: Of, functions: Partial<Of>): () => void {
  const before: Partial<Of> = {};
  for (const name of Object.keys(functions) as (keyof Of)[]) before[name] = object[name];
  const set = (those: Partial<Of>): void => {
    Object.assign(object, those);
    syncBuiltinESMExports();
  };
  set(functions);
  const undo = (): void => set(before);
  t.after(undo);
  return undo;
}

const text = (value: unknown): string => String(value);

/** A hierarchy of control groups: where it is mounted, and the files that each new group has. */
interface Hierarchy {
  readonly mount: string;
  readonly type: 'cgroup' | 'cgroup2';
  readonly controllers: string;
  readonly files: readonly string[];
}

/** The files of a kernel with these hierarchies. A killed process stays in its group until somebody has tried twice to remove the group. */
class Kernel {
  readonly groups = new Map<string, Map<string, string>>();
  readonly members = new Map<string, Map<number, number>>();
  readonly killed: number[] = [];
  readonly hierarchies: readonly Hierarchy[];
  /** True: no group can be made. */
  readonly refuses: boolean;
  /** Our own group, and whether it is visible from here. */
  readonly own: string;
  /** A process that another one starts while it is killed. */
  fork: number | undefined;

  constructor(hierarchies: readonly Hierarchy[], refuses = false, own = '/') {
    this.hierarchies = hierarchies;
    this.refuses = refuses;
    this.own = own;
  }

  put(t: TestContext): () => void {
    const real = { existsSync: fs.existsSync, readFileSync: fs.readFileSync };
    const file = (path: unknown): [group: string, name: string] => [dirname(text(path)), basename(text(path))];
    const missing = (path: unknown): Error => new Error(`ENOENT: ${text(path)}`);
    const undo = replace(t, process, { kill: (pid) => this.kill(pid) });
    const undoFiles = replace(t, fs, {
      existsSync: (path) => {
        if (!text(path).startsWith('/sys/')) return real.existsSync(path);
        const [group, name] = file(path);
        return this.hierarchies.some(({ mount }) => mount === path) || this.groups.has(text(path)) || this.groups.get(group)?.has(name) === true;
      },
      mkdirSync: (path) => {
        const hierarchy = this.hierarchies.find(({ mount }) => dirname(text(path)) === mount || (this.groups.has(dirname(text(path))) && text(path).startsWith(mount)));
        if (this.refuses || !hierarchy) throw new Error('EACCES');
        this.groups.set(text(path), new Map([...hierarchy.files, 'cgroup.procs'].map((name) => [name, ''])));
        this.members.set(text(path), new Map());
        return undefined;
      },
      rmdirSync: (path) => {
        const members = this.members.get(text(path));
        if (!members) throw missing(path);
        for (const [pid, left] of members) {
          if (left > 1) members.set(pid, left - 1);
          else if (left === 1) members.delete(pid);
        }
        if (members.size > 0) throw new Error('EBUSY');
        this.groups.delete(text(path));
        this.members.delete(text(path));
      },
      writeFileSync: (path, value) => {
        const [group, name] = file(path);
        const files = this.groups.get(group);
        if (!files?.has(name)) throw missing(path);
        if (name === 'cgroup.procs') this.members.get(group)?.set(Number(value), Infinity);
        else if (name === 'cgroup.kill') [...this.members.get(group)?.keys() ?? []].forEach((pid) => this.kill(pid));
        else files.set(name, text(value));
      },
      readFileSync: ((path: string, ...more: ['utf8']) => {
        if (path === '/proc/self/mounts') return this.hierarchies.map(({ mount, type, controllers }) => `x ${mount} ${type} rw,relatime${controllers && `,${controllers}`} 0 0\n`).join('');
        if (path === '/proc/self/cgroup') return this.hierarchies.map(({ controllers }, at) => `${controllers && at + 1}:${controllers}:${this.own}\n`).join('');
        if (!path.startsWith('/sys/')) return real.readFileSync(path, ...more);
        const [group, name] = file(path);
        if (name !== 'cgroup.procs' || !this.members.has(group)) throw missing(path);
        return [...this.members.get(group)?.keys() ?? []].map((pid) => `${pid}\n`).join('');
      }) as typeof fs.readFileSync,
    });
    return () => {
      undo();
      undoFiles();
    };
  }

  kill(pid: number): true {
    this.killed.push(pid);
    for (const members of this.members.values()) {
      if (members.get(pid) === Infinity) members.set(pid, 2);
      if (this.fork !== undefined && members.has(pid)) members.set(this.fork, Infinity);
    }
    this.fork = undefined;
    return true;
  }
}

const windows = process.platform === 'win32' ? 'paths of Unix' : false;

/** Every machine: v2 with controllers, without, or none; v1 with both controllers, one, or a directory that is no group; our own group. */
function* machines(): Generator<{ kernel: Kernel; expected: 'cgroup v1' | 'cgroup v2' | undefined; above: string }> {
  const limited = ['pids.max', 'memory.max', 'memory.swap.max', 'cgroup.kill'];
  const v2: (readonly string[] | undefined)[] = [undefined, ['cgroup.kill'], limited.slice(0, 1), limited.slice(1), limited];
  const pids: (readonly string[] | undefined)[] = [undefined, [], ['pids.max']];
  const memory: (readonly string[] | undefined)[] = [undefined, [], ['memory.limit_in_bytes']];
  for (const one of v2) for (const two of pids) for (const three of memory) for (const refuses of [false, true]) for (const own of ['/', '/service/own', '/hidden']) {
    const hierarchies: Hierarchy[] = [
      ...one ? [{ mount: '/sys/fs/cgroup/unified', type: 'cgroup2', controllers: '', files: one } as const] : [],
      { mount: '/sys/fs/cgroup/cpu', type: 'cgroup', controllers: 'cpu,cpuacct', files: ['pids.max', 'memory.max'] },
      ...two ? [{ mount: '/sys/fs/cgroup/pids', type: 'cgroup', controllers: 'pids', files: two } as const] : [],
      ...three ? [{ mount: '/sys/fs/cgroup/memory', type: 'cgroup', controllers: 'memory', files: three } as const] : [],
    ];
    const kernel = new Kernel(hierarchies, refuses, own);
    if (own !== '/hidden') for (const { mount, files } of hierarchies) for (const path of [`${mount}/service`, `${mount}/service/own`]) kernel.groups.set(path, new Map(files.map((file) => [file, ''])));
    const v1 = two?.length === 1 && three?.length === 1;
    yield { kernel, expected: refuses ? undefined : one?.length === 4 ? 'cgroup v2' : v1 ? 'cgroup v1' : undefined, above: own === '/service/own' ? own : '' };
  }
}

test('control groups of every machine: the controllers that limit processes and memory, in our own group; what is not allowed leaves nothing', { skip: windows }, async (t) => {
  on(t, 'linux', () => 0);
  for (const { kernel, expected, above } of machines()) {
    const undo = kernel.put(t);
    const before = [...kernel.groups.keys()];
    const cgroups = findCgroups({ maxProcesses: 41, maxMemoryBytes: 300_000 });
    assert.deepEqual([cgroups?.name, [...kernel.groups.keys()]], [expected, before]);
    const group = cgroups?.make();
    if (group) {
      const made = [...kernel.groups].slice(before.length).map(([path, files]): [string, Record<string, string>] => [dirname(path), Object.fromEntries(files)]);
      assert.deepEqual(made, expected === 'cgroup v2'
        ? [[`/sys/fs/cgroup/unified${above}`, { 'pids.max': '41', 'memory.max': '300000', 'memory.swap.max': '0', 'cgroup.kill': '', 'cgroup.procs': '' }]]
        : [[`/sys/fs/cgroup/pids${above}`, { 'pids.max': '41', 'cgroup.procs': '' }], [`/sys/fs/cgroup/memory${above}`, { 'memory.limit_in_bytes': '300000', 'cgroup.procs': '' }]]);
      group.add(77);
      for (const members of kernel.members.values()) assert.deepEqual([...members.keys()], [77]);
      // 0 is a process of another namespace, and 1 the first of ours: as targets of a signal they would mean others than this run.
      if (expected === 'cgroup v1') for (const members of kernel.members.values()) for (const pid of [0, 1, process.pid]) members.set(pid, 2);
      kernel.fork = 78;
      await group.end();
      assert.deepEqual([new Set(kernel.killed), [...kernel.groups.keys()]], [new Set([77, 78]), before]);
    }
    undo();
  }
});

test('control groups: where the kernel tells nothing there are none', { skip: windows }, (t) => {
  on(t, 'linux', () => 0);
  replace(t, fs, { readFileSync: (() => { throw new Error('EACCES'); }) as typeof fs.readFileSync });
  assert.equal(findCgroups({ maxProcesses: 1, maxMemoryBytes: 1 }), undefined);
});

test('confinement of every machine: each means that it has, in front of the program in its order; a missing one is told', { skip: windows }, (t) => {
  const init = ['sh', '-c', '"$@"; exit $?', 'sh'];
  const both = [false, true];
  for (const root of both) for (const other of both) for (const group of both) for (const setpriv of both) for (const unshare of both) for (const prlimit of both) {
    const has = { setpriv, unshare, prlimit, sh: true };
    on(t, 'linux', () => (root ? 0 : 501));
    const undo = [new Kernel([{ mount: '/sys/fs/cgroup', type: 'cgroup2', controllers: '', files: ['pids.max', 'memory.max'] }], !group).put(t), replace(t, child_process, {
      spawnSync: ((command: string, args: readonly string[]) => ({ status: [command, ...args].every((word) => !(word in has) || has[word as keyof typeof has]) ? 0 : 1 })) as typeof child_process.spawnSync,
    })];
    const user = other ? { uid: 12345, gid: 23456 } : undefined;
    const found = findConfinement({ ...defaultExecutableLimits, maxMemoryBytes: 300, maxFileBytes: 7, maxProcesses: 41 }, user);
    // A change of user in a namespace needs setpriv behind unshare.
    const namespace = root && unshare && (!other || setpriv);
    const prefix = [
      ...setpriv ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [],
      ...namespace ? ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--', ...init] : [],
      ...setpriv && other ? ['setpriv', '--reuid', '12345', '--regid', '23456', '--clear-groups', '--no-new-privs', '--pdeathsig', 'KILL', '--'] : [],
      ...prlimit ? ['prlimit', '--data=300', '--fsize=7', '--core=0', ...other ? ['--nproc=41'] : [], '--'] : [],
    ];
    const { command, args, ...as } = found.wrap('program', ['x'], false);
    assert.deepEqual([command, ...args], [...prefix, 'program', 'x']);
    assert.deepEqual(as, other && !setpriv ? user : {});
    assert.deepEqual([found.boundsProcesses, found.endsAll, found.cgroup() !== undefined], [group || (other && prlimit), namespace || (group && other), group]);
    assert.equal(found.description, [
      ...group ? ['cgroup v2 (memory and processes)'] : [], ...other ? ['another user (12345:23456)'] : [], ...namespace ? ['a PID namespace'] : [],
      ...prlimit ? [`prlimit (memory of each process, size of files${other ? ', processes' : ''})`] : [], 'time and output',
    ].join(', '));
    assert.equal(/the number of processes/.test(found.warning ?? ''), !found.boundsProcesses);
    assert.equal(/and their memory/.test(found.warning ?? ''), !found.boundsProcesses && !prlimit);
    assert.equal(/setsid.* HOME/.test(found.warning ?? ''), !found.endsAll);
    assert.equal(found.signalOf(137), namespace ? 9 : undefined);
    undo.forEach((one) => one());
  }
});

test('what was left of a run: a process with its HOME or working folder, never the first process and never ourselves; until no such process is found', { skip: windows }, async (t) => {
  on(t, 'linux', () => 0);
  const home = '/tmp/barewire-tool-x';
  const inside = `A=1\0HOME=${home}\0B=2\0`;
  // More than a kernel counts to, so that none is ours.
  const first = 10_000_000;
  const processes: Record<string, { environ?: string; cwd?: string }> = {
    '1': { environ: inside }, [String(process.pid)]: { environ: inside, cwd: home }, self: { environ: inside }, 'thread-self': { environ: inside }, '12x': { environ: inside }, x12: { environ: inside },
    ...Object.fromEntries([
      { environ: `HOME=${home}\0`, cwd: '/' }, { environ: inside, cwd: '/' }, { environ: '', cwd: home }, { environ: '', cwd: `${home}/inner` },
      { environ: `HOME=${home}y\0`, cwd: `${home}y` }, { environ: `XHOME=${home}\0`, cwd: '/tmp' }, {},
    ].map((one, at) => [first + at, one])),
  };
  const part = (path: string, name: 'environ' | 'cwd'): string => {
    const said = processes[path.slice('/proc/'.length, -1 - name.length)]?.[name];
    if (said === undefined) throw new Error('EACCES');
    return said;
  };
  replace(t, fs, {
    readdirSync: (() => Object.keys(processes)) as unknown as typeof fs.readdirSync,
    readFileSync: ((path: string) => part(path, 'environ')) as typeof fs.readFileSync,
    readlinkSync: ((path: string) => part(path, 'cwd')) as typeof fs.readlinkSync,
  });
  const killed: [number, unknown][] = [];
  replace(t, process, {
    kill: (pid, signal) => {
      killed.push([pid, signal]);
      // Each ends at the second attempt, and one of them starts another one before.
      if (killed.filter(([one]) => one === pid).length === 2) delete processes[pid];
      if (killed.length === 4) processes[first + 9] = { environ: inside };
      return true;
    },
  });
  await endStragglers(home);
  assert.deepEqual(killed, [0, 1, 2, 3, 0, 1, 2, 3, 9, 9].map((at) => [first + at, 'SIGKILL']));
});

/** The fields of a child process. Node has made no streams if no file descriptor was left. */
function playedChild(pid: number | undefined, streams: readonly PassThrough[] | undefined): ChildProcess {
  const [stdin, stdout, stderr] = streams ?? [];
  return Object.assign(new EventEmitter(), { pid, stdin, stdout, stderr, stdio: streams }) as unknown as ChildProcess;
}

interface Spawned {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

/** Plays the children, in this order; returns what was spawned. */
function spawning(t: TestContext, children: ChildProcess[]): Spawned[] {
  const spawned: Spawned[] = [];
  const spawn = (command: string, args: readonly string[], options: SpawnOptions): ChildProcess | undefined => {
    spawned.push({ command, args, options });
    return children.shift();
  };
  replace(t, child_process, { spawn: spawn as typeof child_process.spawn });
  return spawned;
}

const settings: RunSettings = { args: ['a b'], input: 'first', open: false, timeMs: 60_000, onLine: () => {} };
const file = { name: 'tool', path: '/folder/tool', version: '1' };

test('a run that cannot be started, also if no file descriptor is left, says why, and leaves neither a folder nor a group', async (t) => {
  for (const [code, fault] of [
    ['EMFILE', 'could not be started (EMFILE)'], ['ENOENT', 'could not be started (ENOENT)'],
    ['ENOEXEC', 'could not be started: a script begins with #! and its interpreter'], ['UNKNOWN', 'could not be started: a script begins with #! and its interpreter'],
  ] as const) {
    await t.test(code, async (t) => {
      const child = playedChild(undefined, code === 'EMFILE' ? undefined : [0, 1, 2, 3].map(() => new PassThrough()));
      const spawned = spawning(t, [child]);
      const calls: string[] = [];
      const confinement: Confinement = {
        description: '', warning: undefined, boundsProcesses: true, endsAll: true, user: undefined, wrap: (command, args) => ({ command, args }), signalOf: () => undefined,
        cgroup: () => ({ add: () => void calls.push('add'), end: async () => void calls.push('end') }),
      };
      const run = await new Runner({ confinement, limits: defaultExecutableLimits }).start(file, settings);
      child.emit('error', Object.assign(new Error(code), { code }));
      assert.deepEqual([await run.ended, calls], [fault, ['end']]);
      assert.ok(!fs.existsSync(String(spawned[0]?.options.cwd)), code);
    });
  }
});

test('on Windows a run keeps the variables that programs need there, and taskkill ends it with its children', async (t) => {
  on(t, 'win32', undefined);
  const given = { PATH: 'p', PATHEXT: '.EXE', SYSTEMROOT: 'C:\\Windows', LANG: 'l', BAREWIRE_TEST_SECRET: 'x' };
  const before = { ...process.env };
  t.after(() => Object.keys(given).forEach((name) => (before[name] === undefined ? delete process.env[name] : (process.env[name] = before[name]))));
  Object.assign(process.env, given);
  const streams = [0, 1, 2].map(() => new PassThrough());
  const child = playedChild(4321, streams);
  const taskkill = playedChild(1, streams);
  const spawned = spawning(t, [child, taskkill, taskkill]);
  const run = await new Runner({ confinement: findConfinement(defaultExecutableLimits), limits: defaultExecutableLimits }).start(file, settings);
  const { cwd, env, ...options } = spawned[0]?.options ?? {};
  assert.deepEqual([spawned[0]?.command, spawned[0]?.args], [file.path, ['a b']]);
  assert.deepEqual(options, { stdio: ['pipe', 'pipe', 'pipe'], detached: false, windowsHide: true });
  const { BAREWIRE_TEST_SECRET, ...kept } = given;
  assert.deepEqual(env, { ...kept, HOME: cwd });
  run.stop('enough');
  assert.deepEqual(spawned.slice(1), [{ command: 'taskkill', args: ['/pid', '4321', '/T', '/F'], options: { stdio: 'ignore', windowsHide: true } }]);
  child.emit('exit', null, 'SIGKILL');
  child.emit('close');
  assert.equal(await run.ended, 'enough');
});
