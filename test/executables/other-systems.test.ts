// In a process of its own: it changes the reported platform.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { findCgroups } from '../../src/executables/cgroup.ts';
import { findConfinement, findUser } from '../../src/executables/confinement.ts';
import { checkFile, checkRead } from '../../src/executables/file-checks.ts';
import { defaultExecutableLimits } from '../../src/executables/limits.ts';
import { killStragglers } from '../../src/executables/stragglers.ts';

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
