import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { endStragglers, killStragglers } from '../../src/executables/stragglers.ts';

test('stragglers: a process whose HOME or working folder is that of the run is ended, and no other', { skip: process.platform !== 'linux' ? 'needs /proc' : false }, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'barewire-stragglers-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, 'inner'));
  mkdirSync(`${home}-other`);
  t.after(() => rmSync(`${home}-other`, { recursive: true, force: true }));
  const children: ChildProcess[] = [];
  t.after(() => children.forEach((child) => child.kill('SIGKILL')));
  // Each child prints `up` first: before that its folder in /proc is that of the test.
  const child = async (cwd: string, env: Record<string, string>): Promise<ChildProcess> => {
    const made = spawn('/bin/sh', ['-c', 'echo up; exec sleep 300'], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    children.push(made);
    await once(made.stdout, 'data');
    return made;
  };
  const found = [
    await child('/', { PATH: '/usr/bin:/bin', HOME: home }), await child('/', { HOME: home, PATH: '/usr/bin:/bin' }),
    await child(home, { PATH: '/usr/bin:/bin' }), await child(join(home, 'inner'), { PATH: '/usr/bin:/bin', HOME: '/x' }),
  ];
  const others = [
    await child('/', { PATH: '/usr/bin:/bin', HOME: `${home}-other` }), await child(`${home}-other`, { PATH: '/usr/bin:/bin' }),
    await child('/', { PATH: '/usr/bin:/bin', XHOME: home }), await child('/', { PATH: '/usr/bin:/bin', HOME: tmpdir() }),
  ];
  const ends = Promise.all(found.map((one) => once(one, 'exit')));
  assert.equal(killStragglers(home), 4);
  assert.deepEqual(await ends, found.map(() => [null, 'SIGKILL']));
  assert.equal(killStragglers(home), 0);
  assert.deepEqual(others.map(({ exitCode, signalCode }) => [exitCode, signalCode]), others.map(() => [null, null]));
  // The searching process itself is not ended, though it works in the folder.
  const before = process.cwd();
  process.chdir(home);
  try {
    assert.equal(killStragglers(home), 0);
  } finally {
    process.chdir(before);
  }
  const late = await child(home, { PATH: '/usr/bin:/bin' });
  const end = once(late, 'exit');
  await endStragglers(home);
  assert.deepEqual(await end, [null, 'SIGKILL']);
});
