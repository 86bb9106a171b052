import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import type { TestContext } from 'node:test';
import type { Confinement } from '../../src/executables/confinement.ts';
import { defaultExecutableLimits } from '../../src/executables/limits.ts';
import type { ExecutableLimits } from '../../src/executables/limits.ts';
import { Runner } from '../../src/executables/tool-process.ts';
import type { RunnerOptions, RunSettings, ToolProcess } from '../../src/executables/tool-process.ts';
import { toolFolder } from './folder.ts';

// One run of a program without confinement: its input, its output, and its end.

const unix = process.platform === 'win32' ? 'scripts of the shell' : false;

const plain: Confinement = {
  description: 'nothing', warning: undefined, boundsProcesses: false, endsAll: true, user: undefined,
  wrap: (command, args) => ({ command, args }), cgroup: () => undefined, signalOf: () => undefined,
};

interface Ran {
  readonly run: ToolProcess;
  readonly lines: string[];
}

function made(t: TestContext, { limits = {}, ...options }: Partial<Omit<RunnerOptions, 'limits'>> & { limits?: Partial<ExecutableLimits> } = {}) {
  const folder = toolFolder(t);
  const stderr: [string, string][] = [];
  const runner = new Runner({ confinement: plain, limits: { ...defaultExecutableLimits, ...limits }, onStderr: (tool, line) => stderr.push([tool, line]), ...options });
  t.after(() => runner.close());
  let count = 0;
  const start = async (body: string, settings: Partial<RunSettings> = {}): Promise<Ran> => {
    const name = `tool-${++count}`;
    const path = folder.add(name, body.startsWith('#!') || body === '' ? body : `#!/bin/sh\n${body}\n`);
    const lines: string[] = [];
    const run = await runner.start({ name, path, version: '1' }, { args: [], input: '', open: false, timeMs: 30_000, onLine: (line) => lines.push(line), ...settings });
    return { run, lines };
  };
  const ran = async (body: string, settings: Partial<RunSettings> = {}): Promise<[string | undefined, string[]]> => {
    const { run, lines } = await start(body, settings);
    return [await run.ended, lines];
  };
  return { runner, start, ran, stderr, folder };
}

test('a run: its arguments, its first line, its own folder and its own environment, which go with it', { skip: unix }, async (t) => {
  process.env['BAREWIRE_TEST_SECRET'] = 'x';
  t.after(() => delete process.env['BAREWIRE_TEST_SECRET']);
  const { ran, stderr } = made(t, { env: { GIVEN: 'yes', LANG: 'own' } });
  const [fault, lines] = await ran('printf "%s|" "$@"; echo; cat; pwd; echo "$HOME"; env | cut -d= -f1 | sort | tr "\\n" " "; echo; echo "$LANG $GIVEN"; echo aside >&2; echo also >&2', { args: ['a b', '$(c)', ''], input: 'first' });
  assert.equal(fault, undefined);
  const [args, first, folder = '', home, names = '', given] = lines;
  assert.deepEqual([args, first, home, given], ['a b|$(c)||', 'first', folder, 'own yes']);
  assert.match(folder, /\/barewire-tool-[^/]+$/);
  assert.deepEqual(names.trim().split(' ').filter((name) => !['_', 'SHLVL', 'OLDPWD'].includes(name)), ['GIVEN', 'HOME', 'LANG', 'PATH', 'PWD']);
  assert.ok(!existsSync(folder));
  assert.deepEqual(stderr, [['tool-1', 'aside'], ['tool-1', 'also']]);
  // Further lines if its input stays open; otherwise the input ends after the first.
  const open = await made(t).start('read -r a; read -r b; echo "$a $b"; read -r c || echo end', { input: 'one', open: true });
  open.run.write('two');
  await until(() => open.lines.length === 1);
  assert.deepEqual(open.lines, ['one two']);
  open.run.stop('enough');
  assert.equal(await open.run.ended, 'enough');
  assert.deepEqual(await ran('read -r a; read -r b || echo "$a, end"', { input: 'one' }), [undefined, ['one, end']]);
});

/** True if a process has ended, also if it is still a zombie. */
function isGone(pid: string | undefined): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

test('a run: its lines, however they are cut and ended; empty ones are none', { skip: unix }, async (t) => {
  const { ran } = made(t);
  assert.deepEqual(await ran('printf "a\\r\\n\\n\\r\\nb\\n"; printf "c"; sleep 0.05; printf "d\\ne\\nf\\r"'), [undefined, ['a', 'b', 'cd', 'e', 'f']]);
  assert.deepEqual(await ran('printf "\\303"; sleep 0.05; printf "\\274\\n"'), [undefined, ['ü']]);
  assert.deepEqual(await ran('exit 0'), [undefined, []]);
});

test('a run: it ends with its code, its signal, its time, what it writes, or the reason of whoever stops it; the first counts', { skip: unix }, async (t) => {
  const { ran, start } = made(t, { limits: { maxOutputBytes: 1_000 } });
  assert.equal((await ran('exit 7'))[0], 'exited with code 7');
  assert.equal((await ran('kill -TERM $$'))[0], 'was ended by SIGTERM');
  assert.equal((await ran('sleep 60', { timeMs: 50 }))[0], 'took longer than 50 ms');
  assert.deepEqual(await ran('head -c 999 /dev/zero | tr "\\0" x; echo'), [undefined, ['x'.repeat(999)]]);
  assert.deepEqual(await ran('head -c 1000 /dev/zero | tr "\\0" x; echo; sleep 60'), ['wrote more than 1000 bytes', []]);
  assert.deepEqual(await ran('head -c 1001 /dev/zero >&2; sleep 60'), ['wrote more than 1000 bytes', []]);
  const stopped = await start('echo up; sleep 60');
  await until(() => stopped.lines.length > 0);
  stopped.run.stop('one');
  stopped.run.stop('two');
  assert.equal(await stopped.run.ended, 'one');
  stopped.run.stop('late');
  stopped.run.resume();
  assert.equal(await stopped.run.ended, 'one');
  // Nothing is heard of it any more, also if it has written more already.
  const talking: string[] = [];
  const talks = await start('read -r first; printf "a\\nb\\n"; sleep 60', {
    open: true,
    onLine: (line) => {
      talking.push(line);
      talks.run.stop('heard');
    },
  });
  talks.run.write('go');
  assert.deepEqual([await talks.run.ended, talking], ['heard', ['a']]);
  // Child processes end too, also those that hold its pipes.
  const parent = await start('sleep 300 & echo $!; exit 3');
  assert.equal(await parent.run.ended, 'exited with code 3');
  await until(() => isGone(parent.lines[0]));
});

test('a run: what cannot be started says why', { skip: unix }, async (t) => {
  const { ran, runner } = made(t);
  assert.equal((await ran('#!/no/such/interpreter\n'))[0], 'could not be started (ENOENT)');
  const lines: string[] = [];
  const run = await runner.start({ name: 'x', path: '/no/such/file', version: '1' }, { args: [], input: '', open: false, timeMs: 1_000, onLine: (line) => lines.push(line) });
  assert.equal(await run.ended, 'could not be started (ENOENT)');
  const { folder } = made(t);
  const binary = folder.add('binary', '\u0001\u0002 no program');
  const odd = await runner.start({ name: 'y', path: binary, version: '1' }, { args: [], input: '', open: false, timeMs: 1_000, onLine: () => {} });
  assert.match(await odd.ended ?? '', /could not be started|exited with code/);
});

test('a run: a signal cancels it, before it starts and while it runs, and afterwards does nothing', { skip: unix }, async (t) => {
  const { start, ran } = made(t);
  await assert.rejects(start('echo never', { signal: AbortSignal.abort(new Error('gone')) }), /^Error: gone$/);
  const controller = new AbortController();
  const { run, lines } = await start('echo up; sleep 60', { signal: controller.signal });
  await until(() => lines.length > 0);
  controller.abort();
  assert.equal(await run.ended, 'was cancelled');
  const later = new AbortController();
  assert.deepEqual(await ran('echo done', { signal: later.signal }), [undefined, ['done']]);
  later.abort();
});

test('a run: its clock stands while it waits for a person', { skip: unix }, async (t) => {
  const { start } = made(t);
  const { run } = await start('read -r first; read -r go; exit 4', { open: true, timeMs: 400 });
  run.pause();
  run.pause();
  await new Promise((resolve) => setTimeout(resolve, 600));
  run.resume();
  run.resume();
  run.write('go');
  assert.equal(await run.ended, 'exited with code 4');
  // A program may end meanwhile.
  const meanwhile = await start('exit 5');
  meanwhile.run.pause();
  assert.equal(await meanwhile.run.ended, 'exited with code 5');
  // Time used before the pause counts.
  const slow = await start('sleep 60', { timeMs: 300 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  slow.run.pause();
  slow.run.resume();
  const began = performance.now();
  assert.equal(await slow.run.ended, 'took longer than 300 ms');
  assert.ok(performance.now() - began < 5_000);
});

test('runs: so many at once; one that another waits for uses its place; a close ends all, and starts none', { skip: unix }, async (t) => {
  const { start, runner } = made(t, { limits: { maxConcurrentRuns: 1 } });
  const first = await start('echo up; read -r first; read -r go; echo went', { open: true });
  await until(() => first.lines.length > 0);
  let began = false;
  const second = start('echo two').then((one) => {
    began = true;
    return one;
  });
  const nested = await start('echo nested', { nested: true });
  assert.equal(await nested.run.ended, undefined);
  // Its end frees no place: nobody took one.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([nested.lines, began], [['nested'], false]);
  first.run.write('go');
  assert.equal(await first.run.ended, undefined);
  assert.equal(await (await second).run.ended, undefined);
  // A run that cannot start releases its place.
  await assert.rejects(start('x', { signal: AbortSignal.abort(new Error('gone')) }), /gone/);
  await assert.rejects(start('x', { nested: true, signal: AbortSignal.abort(new Error('gone')) }), /gone/);
  const last = await start('echo up; sleep 60');
  const waiting = start('echo never');
  await until(() => last.lines.length > 0);
  const closing = runner.close();
  assert.equal(await last.run.ended, 'the server is closed');
  await closing;
  await assert.rejects(waiting, /the tools are closed/);
  await assert.rejects(start('echo never'), /the tools are closed/);
});

test('a run in a group: the program begins when it is in the group, and the group ends with it', { skip: unix }, async (t) => {
  const calls: string[] = [];
  let refuse = false;
  const confinement: Confinement = {
    ...plain, signalOf: (code) => (code === 137 ? 9 : code === 140 ? 99 : undefined),
    wrap: (program, args, gated) => ({ command: '/bin/sh', args: ['-c', `${gated ? 'read -r _ <&3; ' : ''}exec "$@"`, 'sh', program, ...args] }),
    cgroup: () => ({
      add: (pid) => {
        calls.push(pid > 0 ? 'add' : 'no pid');
        if (refuse) throw new Error('no room');
      },
      end: async () => void calls.push('end'),
    }),
  };
  const { ran } = made(t, { confinement });
  assert.deepEqual(await ran('echo in'), [undefined, ['in']]);
  assert.deepEqual(calls.splice(0), ['add', 'end']);
  assert.equal((await ran('exit 137'))[0], 'was ended by SIGKILL');
  assert.equal((await ran('exit 140'))[0], 'was ended by signal 99');
  calls.length = 0;
  refuse = true;
  const [fault, lines] = await ran('echo never');
  assert.match(fault ?? '', /^could not be put into its control group: Error: no room$/);
  assert.deepEqual([lines, calls], [[], ['add', 'end']]);
});

test('a run whose group says not that all has ended: what has left its group is looked for by its folder', { skip: process.platform !== 'linux' ? 'needs /proc' : false }, async (t) => {
  const { start } = made(t, { confinement: { ...plain, endsAll: false } });
  const { run, lines } = await start('setsid sh -c "echo \\$\\$; exec sleep 300" & read -r first; read -r go', { open: true });
  await until(() => lines.length > 0);
  run.stop('enough');
  assert.equal(await run.ended, 'enough');
  await until(() => isGone(lines[0]));
});
