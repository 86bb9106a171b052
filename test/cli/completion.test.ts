import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test from 'node:test';
import { completionScripts } from '../../src/cli/completion-scripts.ts';
import { commands } from '../../src/cli/commands.ts';
import { keepTools } from '../../src/cli/seen-tools.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import { barewire } from './program.ts';

const root = mkdtempSync(join(tmpdir(), 'barewire-completion-'));
const [home, cwd, bin] = [join(root, 'home'), join(root, 'folder'), join(root, 'bin')];
for (const folder of [home, cwd, bin]) mkdirSync(folder);
const serving = serveHttp(fixture());
test.after(async () => (await serving).close({ drainMs: 0 }));
test.after(() => rmSync(root, { recursive: true, force: true }));
const env = { BAREWIRE_HOME: home, HOME: home, XDG_CONFIG_HOME: home };
const configured = serving.then(({ url }) => writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { files: { command: join(root, 'never-started') }, far: { url }, 'odd name $(touch x)': { url } } })));
// A file that came with a folder counts after it was accepted.
writeFileSync(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { foreign: { command: join(root, 'never-started') } } }));

const words = async (...given: string[]): Promise<string[]> => {
  await configured;
  const { code, out, err } = await inProcess(['completion', '--words', '--', ...given], { cwd, env });
  assert.deepEqual([code, err], [0, '']);
  return out.split('\n').slice(0, -1);
};

test('completion: commands, options, values, servers, kinds and tools; nothing behind "--"', async () => {
  assert.deepEqual(await words('ca'), ['call']);
  for (const name of Object.keys(commands)) assert.ok((await words('')).includes(name), name);
  assert.deepEqual(await words('help', 'doc'), ['doctor']);
  assert.deepEqual(await words('call', '--ti'), ['--timeout']);
  assert.deepEqual(await words('list', '--from', 'cl'), ['claude-desktop', 'claude-code']);
  assert.deepEqual(await words('list', '--revision', '2025-11'), ['2025-11-25']);
  assert.deepEqual(await words('call', 'f'), ['files', 'far']);
  assert.deepEqual(await words('call', '--timeout', '5', 'fi'), ['files'], 'the value of an option is no server');
  assert.deepEqual(await words('list', 'far', 't'), ['tools', 'templates']);
  assert.deepEqual(await words('config', 'i'), ['import']);
  assert.deepEqual(await words('install', 'c'), ['claude-desktop', 'claude-code', 'cursor']);
  assert.deepEqual(await words('list', '--', 'f'), []);
  assert.deepEqual(await words('nonsense', ''), []);
  assert.deepEqual(await words('call', '--config', ''), [], 'a file is wanted');
});

test('completion: tools are those that were seen, and only names that no shell reads as more', async () => {
  assert.deepEqual(await words('call', 'far', ''), []);
  assert.equal((await inProcess(['list', 'far', 'tools'], { cwd, env })).code, 0);
  assert.deepEqual(await words('call', 'far', 'e'), ['echo']);
  assert.deepEqual(await words('list', 'far', 'tools', 'wi'), ['wipe']);
  await keepTools(env, 'far', ['$(reboot)', 'a b', '-rf', '--yes', '--unchecked', '*', 'new\nline', 'x'.repeat(500), '\u001b[2J', 'fine.tool/1', ...Array.from({ length: 3_000 }, (_, at) => `many_${at}`)]);
  assert.deepEqual(await words('call', 'far', ''), ['fine.tool/1', ...Array.from({ length: 991 }, (_, at) => `many_${at}`)]);
  for (let at = 0; at < 300; at += 100) await keepTools(env, `server${at}`, ['one']);
  assert.deepEqual(await words('call', 'server200', ''), ['one']);
});

const found = (shell: string): boolean => (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
  try {
    accessSync(join(folder, shell), constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

/** The completions that a shell offers, with the script loaded and the command in PATH. */
async function complete(shell: 'bash' | 'zsh' | 'fish', line: readonly string[]): Promise<string[]> {
  writeFileSync(join(bin, 'barewire'), `#!/bin/sh\nexec '${process.execPath}' '${barewire}' "$@"\n`);
  chmodSync(join(bin, 'barewire'), 0o755);
  const quoted = line.map((word) => `'${word}'`).join(' ');
  const script = completionScripts[shell];
  const programs: Readonly<Record<typeof shell, readonly string[]>> = {
    bash: ['--norc', '-c', `${script}\nCOMP_WORDS=(barewire ${quoted}); COMP_CWORD=${line.length}\n"$(complete -p barewire | sed 's/.*-F \\([^ ]*\\).*/\\1/')"\nprintf '%s\\n' "\${COMPREPLY[@]}"`],
    // zsh offers the words that are passed to compadd.
    zsh: ['-f', '-c', `compdef() { entry=$1 }\n${script}\ncompadd() { print -rl -- \${(P)2} }\n_files() { print FILES }\nwords=(barewire ${quoted}); CURRENT=${line.length + 1}\n$entry`],
    fish: ['--no-config', '-c', `${script}\ncomplete -C '${['barewire', ...line].join(' ')}'`],
  };
  const child = spawn(shell, [...programs[shell]], { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env, PATH: `${bin}${delimiter}${process.env['PATH']}` } });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  await new Promise((resolve) => child.once('close', resolve));
  assert.equal(err, '');
  return out.split('\n').filter((word) => word !== '').sort();
}

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  test(`completion in a real ${shell}`, { skip: found(shell) ? false : `${shell} is not installed` }, async () => {
    assert.equal((await inProcess(['completion', shell])).out, completionScripts[shell]);
    await keepTools(env, 'far', ['echo', 'wipe']);
    assert.deepEqual(await complete(shell, ['call', 'far', '']), ['echo', 'wipe']);
    assert.deepEqual(await complete(shell, ['do']), ['doctor']);
    if (shell === 'zsh') assert.deepEqual(await complete(shell, ['call', '--config', '']), ['FILES']);
  });
}

test('completion of another shell is wrong use', async () => {
  for (const given of [[], ['tcsh'], ['bash', 'zsh'], ['--words']]) assert.equal((await inProcess(['completion', ...given])).code, 2);
});

test('completion: options with and without a value, words by position, and what is used already', async () => {
  assert.deepEqual(await words('help', 'doctor', ''), []);
  assert.ok((await words('')).includes('help') && (await words('--')).includes('--version'));
  assert.deepEqual(await words('call', '--he'), ['--header', '--help']);
  assert.deepEqual(await words('doctor', '--he'), ['--header', '--help']);
  assert.deepEqual(await words('nonsense', '--he'), []);
  assert.deepEqual(await words('list', '--from', ''), ['claude-desktop', 'claude-code', 'vscode', 'cursor']);
  assert.deepEqual(await words('list', '--json', 'fi'), ['files']);
  assert.deepEqual(await words('list', 'far', 'tools', 'prompts', ''), await words('call', 'far', ''));
  assert.deepEqual(await words('list', 'far', 'prompts', ''), ['tools', 'resources', 'templates', 'skills']);
  assert.deepEqual(await words('call', 'far', 'echo', ''), []);
  assert.deepEqual(await words('read', 'far', ''), []);
  assert.deepEqual(await words('config', 'add', ''), []);
  assert.deepEqual(await words('completion', ''), ['bash', 'zsh', 'fish']);
  assert.deepEqual(await words('serve', ''), []);
  assert.deepEqual(await words('tour', 'fi'), ['files']);
  for (const command of ['doctor', 'get', 'complete', 'watch', 'types', 'trace', 'bridge', 'login', 'logout', 'whoami', 'read']) assert.deepEqual(await words(command, 'fi'), ['files'], command);
  // The servers are those of the file that the words name; one that cannot be read has none.
  writeFileSync(join(home, 'mine.json'), JSON.stringify({ mcpServers: { mine: { command: 'x' } } }));
  assert.deepEqual(await words('list', '--config', join(home, 'mine.json'), ''), ['mine']);
  assert.deepEqual(await words('list', '--config', join(home, 'none.json'), ''), []);
});
