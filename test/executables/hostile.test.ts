import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpClient } from '../../src/client/index.ts';
import { stdioTransport } from '../../src/transport/stdio/index.ts';
import { program, script, serve, toolFolder } from './folder.ts';

const unix = process.platform === 'win32' ? 'modes and signals are of Unix' : false;
const root = process.getuid?.() === 0;

/** Polls until the condition holds; the test's timeout is the limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

test('executables: a tool that does not answer, floods, talks nonsense or dies gets a clear error', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  folder.add('silent', script({ name: 'silent' }, 'exec sleep 1000'));
  folder.add('flood', script({ name: 'flood' }, 'exec yes'));
  folder.add('endless_line', script({ name: 'endless_line' }, 'exec cat /dev/zero'));
  folder.add('loud', script({ name: 'loud' }, 'exec yes >&2'));
  folder.add('garbage', script({ name: 'garbage' }, 'printf "Segmentation \\033[31mfault\\n"'));
  folder.add('nothing', script({ name: 'nothing' }, 'exit 0'));
  folder.add('code', script({ name: 'code' }, 'exit 3'));
  folder.add('signal', script({ name: 'signal' }, 'kill -SEGV $$; sleep 100'));
  folder.add('deaf', script({ name: 'deaf' }, 'exec <&-; echo \'{"result": "deaf"}\''));
  folder.add('lingers', script({ name: 'lingers' }, 'echo \'{"result": "said"}\'; exec sleep 1000'));
  folder.add('late', script({ name: 'late' }, 'echo \'{"result": 1}\'; echo \'{"result": 2}\'; exit 9'));
  const { call, problems } = await serve(t, folder, { limits: { maxOutputBytes: 100_000 } });
  const impatient = await serve(t, folder, { limits: { runMs: 1500 } });
  assert.equal(await impatient.call('silent'), '!silent took longer than 1500 ms');
  assert.deepEqual([...problems], []);
  const got = Object.fromEntries(await Promise.all(
    ['flood', 'endless_line', 'loud', 'garbage', 'nothing', 'code', 'signal', 'deaf', 'lingers', 'late'].map(async (name) => [name, await call(name)] as const),
  ));
  assert.deepEqual(got, {
    flood: '!flood wrote more than 100000 bytes',
    endless_line: '!endless_line wrote more than 100000 bytes',
    loud: '!loud wrote more than 100000 bytes',
    garbage: '!garbage wrote something that is not a message of a tool: "Segmentation \\u001b[31mfault"',
    nothing: '!nothing ended without an answer',
    code: '!code exited with code 3',
    signal: '!signal was ended by SIGSEGV',
    deaf: 'deaf',
    lingers: 'said',
    late: '1',
  });
});

test('executables: cancelling a call, the end of a run and the close leave no process behind', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  const pids = join(folder.path, 'pids.txt');
  // Inside a PID namespace a process has another pid: search for its open files instead.
  folder.add('family', script({ name: 'family' }, `(sleep 987654 & exec sleep 987654) &\necho started >> ${pids}\nexec sleep 987654`));
  folder.add('leaves', script({ name: 'leaves' }, 'sleep 987655 >/dev/null 2>&1 &\nsetsid sleep 987655 >/dev/null 2>&1 &\necho \'{"result": "gone"}\''));
  const { client, call, tools } = await serve(t, folder);
  const left = (seconds: string): number[] => processes().filter(([, line]) => line.includes(seconds)).map(([pid]) => pid);
  const cancel = new AbortController();
  const called = client.callTool('family', {}, { signal: cancel.signal });
  await until(() => existsSync(pids) && left('987654').length >= 3);
  cancel.abort();
  await assert.rejects(called);
  await until(() => left('987654').length === 0);
  assert.equal(await call('leaves'), 'gone');
  if (/cgroup|namespace/.test(tools.confinement)) assert.deepEqual(left('987655'), []);
  else left('987655').forEach((pid) => process.kill(pid, 'SIGKILL'));
  rmSync(pids);
  void client.callTool('family', {}).catch(() => {});
  await until(() => existsSync(pids) && left('987654').length >= 3);
  await tools.close();
  assert.deepEqual(left('987654'), []);
});

/** The command prefix that removes all of root's capabilities. */
const unprivileged = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
const lacking = unix || (!root ? false : spawnSync('setpriv', [...unprivileged.slice(1), 'true']).status === 0 ? false : 'there is no setpriv');

test('executables: without a right of root what has left its group is looked for, ended, and warned of', { skip: lacking || process.platform !== 'linux' }, async (t) => {
  const folder = toolFolder(t);
  const leaving = (name: string, seconds: string, how: string): string =>
    folder.add(name, script({ name }, `${how.replaceAll('SLEEP', `sleep ${seconds}`)} >/dev/null 2>&1 &\necho '{"result": "gone"}'`));
  const files = [
    leaving('leaves', '987651', 'setsid SLEEP'), leaving('forks', '987652', '(setsid sh -c "SLEEP & SLEEP & (setsid SLEEP &) ; wait")'),
    leaving('moves', '987653', 'cd / && setsid SLEEP'), leaving('undresses', '987654', 'env -i setsid SLEEP'),
    leaving('hides', '987656', 'cd / && env -i PATH="$PATH" setsid SLEEP'),
  ];
  if (root) for (const path of [folder.path, ...files]) chownSync(path, 65534, 65534);
  const cli = fileURLToPath(new URL('../../lib/cli.js', import.meta.url));
  const [command = '', ...args] = [...root ? unprivileged : [], process.execPath, cli, 'serve', folder.path];
  const check = spawnSync(command, [...args.slice(0, -1), '--check', folder.path], { encoding: 'utf8' });
  assert.match(check.stdout, /warning: .*setsid.* may outlive the run/, check.stderr);
  let said = '';
  const client = new McpClient({ name: 'test', version: '1.0.0' });
  await client.connect(stdioTransport(command, args, { onStderr: (line) => (said += `${line}\n`) }));
  t.after(() => client.close());
  const left = (seconds: string): number[] => processes().filter(([, line]) => line.includes(seconds)).map(([pid]) => pid);
  t.after(() => left('987656').forEach((pid) => process.kill(pid, 'SIGKILL')));
  for (const [name, seconds] of [['leaves', '987651'], ['forks', '987652'], ['moves', '987653'], ['undresses', '987654']] as const) {
    const { content } = await client.callTool(name);
    assert.deepEqual(content, [{ type: 'text', text: 'gone' }]);
    await until(() => left(seconds).length === 0);
  }
  assert.match(said, /WARNING: .*setsid.* may outlive the run/);
  // A process that escapes both searches is the subject of the warning.
  await client.callTool('hides');
  assert.ok(left('987656').length <= 1);
});

/** Every visible process, with its command line. */
function processes(): [number, string][] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirNumbers().flatMap((pid): [number, string][] => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return line.startsWith('sleep ') && runs(pid) ? [[pid, line]] : [];
    } catch {
      return [];
    }
  });
}

const readdirNumbers = (): number[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);

test('executables: --schema has its own time, and says what is wrong', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  folder.add('slow', '#!/bin/sh\nexec sleep 1000\n');
  folder.add('noise', '#!/bin/sh\necho hello\n');
  folder.add('unnamed', '#!/bin/sh\necho {}\n');
  folder.add('bad name', '#!/bin/sh\necho \'{"name": "a b"}\'\n');
  folder.add('schema', '#!/bin/sh\necho \'{"name": "schema", "parameters": {"type": "array"}}\'\n');
  folder.add('headless', 'echo hello\n');
  folder.add('a', '#!/bin/sh\necho \'{"name": "same"}\'\n');
  folder.add('b', '#!/bin/sh\necho \'{"name": "same"}\'\n');
  const { problems, tools } = await serve(t, folder, { limits: { describeMs: 4_000 } });
  assert.deepEqual(tools.tools, ['same']);
  assert.match(problems.get('slow') ?? '', /with --schema it took longer than 4000 ms/);
  assert.match(problems.get('noise') ?? '', /with --schema it did not write JSON, but "hello"/);
  assert.match(problems.get('unnamed') ?? '', /its name is not/);
  assert.match(problems.get('bad name') ?? '', /its name is not/);
  assert.match(problems.get('schema') ?? '', /input\.type is invalid, expected "object"/);
  assert.equal(problems.get('b'), 'another tool is called same');
});

test('executables: only regular executable files of the folder that nobody else may change', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  const outside = toolFolder(t);
  const tool = (name: string): string => script({ name }, 'echo \'{"result": "ran"}\'');
  folder.add('good', tool('good'));
  chmodSync(folder.add('plain', tool('plain')), 0o644);
  chmodSync(folder.add('writable', tool('writable')), 0o757);
  chmodSync(folder.add('shared', tool('shared')), 0o775);
  folder.add('.hidden', tool('hidden'));
  mkdirSync(join(folder.path, 'directory'));
  writeFileSync(join(folder.path, 'directory', 'inner'), tool('inner'), { mode: 0o755 });
  symlinkSync(join(folder.path, 'directory', 'inner'), join(folder.path, 'deeper'));
  symlinkSync(outside.add('target', tool('target')), join(folder.path, 'out'));
  symlinkSync('nowhere', join(folder.path, 'dangling'));
  if (root) chownSync(folder.add('foreign', tool('foreign')), 65534, 65534);
  const { problems, tools } = await serve(t, folder);
  assert.deepEqual(tools.tools, ['good']);
  assert.deepEqual([...problems.keys()].sort(), ['dangling', 'deeper', ...root ? ['foreign'] : [], 'out', 'shared', 'writable']);
  assert.equal(problems.get('shared'), 'it is writable by its group (chmod g-w)');
  assert.match(problems.get('out') ?? '', /leads out of the folder/);
  // A link to a file within the folder is allowed.
  symlinkSync('plain', join(folder.path, 'inside'));
  chmodSync(join(folder.path, 'plain'), 0o755);
  await tools.refresh();
  assert.equal(tools.tools.length, 2);
  chmodSync(folder.path, 0o757);
  await assert.rejects(serve(t, folder), /is writable by others/);
  chmodSync(folder.path, 0o775);
  await assert.rejects(serve(t, folder), /is writable by its group/);
  chmodSync(folder.path, 0o755);
  // A pipeline file names the tools and their arguments.
  writeFileSync(join(folder.path, 'pipeline.json'), JSON.stringify([{ name: 'piped', steps: [{ tool: 'good' }] }]), { mode: 0o644 });
  await tools.refresh();
  assert.ok(tools.tools.includes('piped'));
  chmodSync(join(folder.path, 'pipeline.json'), 0o664);
  await tools.refresh();
  assert.ok(!tools.tools.includes('piped'));
  assert.match(problems.get('pipeline.json') ?? '', /writable by its group/);
  await assert.rejects(serve(t, folder, { user: 'no-such-user' }), /no user|only root/);
  if (root) await assert.rejects(serve(t, folder, { user: 'root' }), /not run as root/);
});

test('executables: a folder changes while it is served, and listChanged follows', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  folder.add('one', script({ name: 'one' }, 'echo \'{"result": "first"}\''));
  let changed = 0;
  let heard = (): void => {};
  const { call, client, tools } = await serve(t, folder, { watch: true, limits: { maxExecutables: 2 } }, {
    onListChanged: () => {
      changed += 1;
      heard();
    },
  });
  const next = (): Promise<void> => new Promise((resolve) => (heard = resolve));
  let told = next();
  folder.add('two', script({ name: 'two' }, 'echo \'{"result": "second"}\''));
  await told;
  await until(() => tools.tools.length === 2);
  assert.equal(await call('two'), 'second');
  told = next();
  rmSync(join(folder.path, 'one'));
  await told;
  assert.deepEqual((await client.listTools()).map(({ name }) => name), ['two']);
  // The call itself detects a changed file, before the watcher does, and never runs another version than described.
  folder.add('two', script({ name: 'two', parameters: { required: ['x'] } }, 'echo \'{"result": "third"}\''));
  assert.match(await call('two'), /^(third|!arguments.*x.*|!two is no longer in the folder)$/);
  assert.ok(changed >= 2);
  folder.add('three', script({ name: 'three' }, ':'));
  folder.add('zzz', script({ name: 'zzz' }, ':'));
  await tools.refresh();
  assert.deepEqual([...tools.tools].sort(), ['three', 'two']);
});

test('executables: runs wait for each other beyond maxConcurrentRuns', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  const log = join(folder.path, 'log.txt');
  folder.add('turn', script({ name: 'turn' }, `echo in >> ${log}; sleep 0.05; echo out >> ${log}; echo '{"result": 1}'`));
  const { call } = await serve(t, folder, { limits: { maxConcurrentRuns: 1 } });
  await Promise.all(Array.from({ length: 4 }, () => call('turn')));
  assert.equal(readFileSync(log, 'utf8'), 'in\nout\n'.repeat(4));
  // A tool that calls another keeps its place, and the nested call needs none.
  const { call: nested } = await serve(t, folder, { limits: { maxConcurrentRuns: 1 } });
  folder.add('calls', script({ name: 'calls', stdin: 'open' }, 'echo \'{"call": {"name": "turn"}}\'; read -r got; printf \'{"result": %s}\\n\' "$got"'));
  const { call: calling } = await serve(t, folder, { limits: { maxConcurrentRuns: 1 } });
  assert.deepEqual(await Promise.all([calling('calls'), calling('calls'), nested('turn')]), ['{"result":1}', '{"result":1}', '1']);
});

test('executables: memory, processes and files are bounded by the means that was found', { skip: unix }, async (t) => {
  const folder = toolFolder(t);
  folder.add('big', program({ name: 'big' }, 'const all = []; for (let i = 0; i < 20; i++) all.push(Buffer.alloc(32e6, 1)); say({ result: "got " + all.length });'));
  folder.add('file', script({ name: 'file' }, 'head -c 3000000 /dev/zero > big || { echo \'{"result": "refused"}\'; exit; }; echo \'{"result": "written"}\''));
  folder.add('bomb', script({ name: 'bomb' }, 'bomb() { bomb | bomb & }; bomb; sleep 0.3; echo \'{"result": "survived"}\''));
  const { call, tools } = await serve(t, folder, {
    limits: { maxMemoryBytes: 200 * 1024 * 1024, maxProcesses: 20, maxFileBytes: 1024 * 1024, runMs: 20_000 },
  });
  const bounded = tools.confinement;
  if (/cgroup|prlimit/.test(bounded)) assert.match(await call('big'), /^!big (exited with code|was ended by)/);
  else assert.match(tools.warning ?? '', /memory are not bounded/);
  if (bounded.includes('prlimit')) assert.equal(await call('file'), 'refused');
  if (!tools.boundsProcesses) {
    assert.match(tools.warning ?? '', /number of processes/);
    t.diagnostic('the fork bomb did not run: nothing bounds the number of processes here');
    return;
  }
  assert.match(await call('bomb'), /^(survived|!bomb (exited|was ended|ended|took))/);
  // No process is left, and the next call works.
  assert.match(await call('bomb'), /^(survived|!bomb (exited|was ended|ended|took))/);
  t.diagnostic(`bounded by ${bounded}`);
});

test('executables: another user bounds what a tool may do', { skip: unix || (root ? false : 'only root may run tools as another user') }, async (t) => {
  const folder = toolFolder(t);
  folder.add('who', script({ name: 'who' }, 'touch own || exit 1; touch /etc/barewire-test 2>/dev/null && exit 2; echo "{\\"result\\": \\"$(id -u) $(id -G)\\"}"'));
  const { call, tools } = await serve(t, folder, { user: '65534:65534' });
  assert.match(tools.confinement, /another user \(65534:65534\)/);
  assert.equal(await call('who'), '65534 65534');
});
