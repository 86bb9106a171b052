import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { findConfinement } from '../../src/executables/confinement.ts';
import type { OtherUser } from '../../src/executables/confinement.ts';
import { defaultExecutableLimits } from '../../src/executables/limits.ts';

// The wrapper around a program on this machine, and the limits that the program sees.

const limits = { ...defaultExecutableLimits, maxMemoryBytes: 300_000_000, maxFileBytes: 7_000_000, maxProcesses: 41 };
const root = process.getuid?.() === 0;
const linux = process.platform === 'linux' ? false : 'Linux has these means';
const has = (...words: string[]): boolean => spawnSync(words[0] ?? '', [...words.slice(1), 'sh', '-c', 'exit 0'], { stdio: 'ignore', cwd: '/' }).status === 0;

/** The output lines of a script that runs like a tool. */
function seen(user: OtherUser | undefined, script: string, code = 0): string[] {
  const { command, args, ...as } = findConfinement(limits, user).wrap('sh', ['-c', script, 'name', 'a b'], false);
  const { stdout, status } = spawnSync(command, args, { encoding: 'utf8', cwd: '/', ...as });
  assert.equal(status, code);
  return stdout.trim().split('\n');
}

for (const [what, user] of [['our own user', undefined], ['another user', { uid: 12345, gid: 23456 }]] as const) {
  const skip = linux || (user && !root ? 'only root may run tools as another user' : false);
  test(`confinement, ${what}: the means that this machine has, in words, before the program, and in force`, { skip }, () => {
    const found = findConfinement(limits, user);
    const setpriv = has('setpriv', '--pdeathsig', 'KILL', '--');
    const prlimit = has('prlimit', '--core=0', '--');
    const namespace = root && (!user || setpriv) && has('unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--');
    const group = found.cgroup();
    void group?.end();
    const words = found.description.split(', ');
    assert.equal(words.includes('a PID namespace'), namespace);
    assert.equal(words.some((one) => one.startsWith('another user')), user !== undefined);
    assert.equal(found.description.includes('prlimit (memory of each process, size of files'), prlimit);
    assert.equal(found.description.includes('size of files, processes)'), prlimit && user !== undefined);
    assert.equal(/^cgroup v[12] \(memory and processes\)/.test(found.description), group !== undefined);
    assert.equal(words.at(-1), 'time and output');
    if (user) assert.ok(words.includes('another user (12345:23456)'));
    assert.equal(found.user, user);
    assert.equal(found.boundsProcesses, group !== undefined || (user !== undefined && prlimit));
    assert.equal(found.endsAll, namespace || (group !== undefined && user !== undefined));
    assert.equal(found.warning?.includes('the number of processes') ?? false, !found.boundsProcesses);
    assert.equal(found.warning?.includes('setsid') ?? false, !found.endsAll);
    if (!found.boundsProcesses && prlimit) assert.match(found.warning ?? '', /^the number of processes is not bounded: /);
    assert.equal(found.warning === undefined, found.boundsProcesses && found.endsAll);
    // The exit code of a program ended by a signal shows the signal only in a namespace, where it is a child of another process.
    assert.deepEqual([128, 129, 137, 159, 160, 1, 0].map((code) => found.signalOf(code)), namespace ? [undefined, 1, 9, 31, undefined, undefined, undefined] : Array(7).fill(undefined));

    const [id, arguments_, pid, ...told] = seen(user, 'echo "$(id -u):$(id -g) $(id -G)"; echo "$0 $1"; echo $$; cat /proc/self/limits; cat /proc/self/status');
    assert.equal(id, user ? (setpriv ? '12345:23456 23456' : id) : `${process.getuid?.()}:${process.getgid?.()} ${process.getgroups?.().sort((a, b) => a - b).join(' ')}`);
    assert.equal(arguments_, 'name a b');
    if (namespace) assert.ok(Number(pid) < 20, pid);
    const limit = (name: string): string | undefined => told.find((line) => line.startsWith(name))?.slice(name.length).trim().split(/\s+/)[0];
    if (prlimit) {
      assert.deepEqual([limit('Max data size'), limit('Max file size'), limit('Max core file size')], ['300000000', '7000000', '0']);
      assert.equal(limit('Max processes') === '41', user !== undefined);
    }
    if (user && setpriv) assert.equal(limit('NoNewPrivs:'), '1');
    // The end of the server ends the run: in a namespace by its first process.
    if (setpriv && (user || !namespace)) assert.ok(seen(user, 'exec setpriv --dump').includes('Parent death signal: KILL'));
    if (namespace) assert.deepEqual(seen(user, 'exit 3', 3), ['']);
    const order = found.wrap('program', ['x'], true);
    assert.deepEqual([order.command, order.args.slice(-2)], ['sh', ['program', 'x']]);
    assert.ok(order.args[1]?.startsWith('read -r _ <&3'));
    const { command, args } = found.wrap('program', ['x'], false);
    assert.deepEqual([command, ...args], [...order.args.slice(3)]);
    if (!setpriv && !namespace && !prlimit) assert.equal(command, 'program');
  });
}

test('confinement: a program behind the gate begins with the line, and not without it', { skip: linux }, () => {
  const { command, args } = findConfinement(limits).wrap('sh', ['-c', 'echo began'], true);
  for (const [input, said] of [['\\n', 'began\n'], ['', '']] as const) {
    const { stdout } = spawnSync('sh', ['-c', `printf '${input}' | { exec 3<&0; exec 0</dev/null; "$@"; }`, 'sh', command, ...args], { encoding: 'utf8', cwd: '/', timeout: 20_000 });
    assert.equal(stdout, said);
  }
});
