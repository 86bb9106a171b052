import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { main } from '../../src/server/index.ts';
import type { Ending } from './harness.ts';

const program = fileURLToPath(new URL('../../src/server/main.js', import.meta.url));

async function folderOf(t: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-command-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

interface Ran {
  /** The first line of stdout. */
  readonly line: string;
  /** Sends this signal, and resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts the command, and resolves with its first line. */
function start(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...words], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve({
      line: text.split('\n')[0] ?? '',
      end: (signal) => {
        child.kill(signal);
        return ended;
      },
    }));
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
}

test('command: the browser is given a file that leads to the page, and never the token', async (t) => {
  const folder = await folderOf(t);
  const told = join(folder, 'told');
  await writeFile(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${told}.new && mv ${told}.new ${told}\n`);
  await chmod(join(folder, 'xdg-open'), 0o755);
  const { line, end } = await start(['--', process.execPath, '--version'], { PATH: `${folder}:${process.env['PATH'] ?? ''}`, BAREWIRE_HOME: folder });
  const url = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}/.exec(line)?.[0] ?? '';
  assert.notEqual(url, '');
  const words = await eventually(() => readFile(told, 'utf8'));
  assert.match(words, /^file:\/\/\S+open\.html\n$/);
  const file = fileURLToPath(words.trim());
  assert.ok((await readFile(file, 'utf8')).includes(`location.replace(${JSON.stringify(url)})`));
  assert.equal((await stat(file)).mode & 0o077, 0);
  assert.equal(await end('SIGINT'), 0);
  await assert.rejects(stat(file), { code: 'ENOENT' });
});

/** Repeats `look` until it succeeds; only the test's own timeout ends it. */
async function eventually<T>(look: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await look();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

test('command: servers come from the configuration that is named, and wrong words are said to', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'servers.json');
  await writeFile(file, JSON.stringify({ mcpServers: { one: { command: 'node' } } }));
  const { end } = await start(['--no-open', '--config', file], { BAREWIRE_HOME: folder });
  assert.equal(await end('SIGTERM'), 0);
  const errors: string[] = [];
  t.mock.method(console, 'error', (line: string) => errors.push(line));
  await writeFile(file, '{ "mcpServers": { "one": {} } }');
  const wrong: [string[], RegExp][] = [
    [['--config', file], /mcpServers\.one: "command" or "url" is missing/],
    [['--port', 'x'], /--port takes a number/],
    [['--from', 'emacs'], /--from takes one of/],
    [['node'], /node is not an address; a program follows "--"/],
    [['http://127.0.0.1/mcp', '--', 'node'], /one address, or one program/],
    [['--tokn'], /tokn/],
  ];
  for (const [words, said] of wrong) {
    assert.equal(await main(words), 2, words.join(' '));
    assert.match(errors.pop() ?? '', said);
  }
});

test('command: a file of the current folder starts nothing before it is accepted, and ends the command with 3 where no person can be asked', async (t) => {
  const folder = await folderOf(t);
  const ran = join(folder, 'ran');
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { theirs: { command: 'touch', args: [ran], trusted: true } } }));
  const child = spawn(process.execPath, [program, '--no-open'], { cwd: folder, env: { ...process.env, BAREWIRE_HOME: join(folder, 'home') }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 3, said);
  assert.match(said, /\.mcp\.json came with this folder, and was not accepted; .*barewire accept --digest [0-9a-f]{64} /);
  await assert.rejects(stat(ran), { code: 'ENOENT' });
});
