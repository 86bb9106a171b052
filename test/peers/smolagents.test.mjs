// smolagents (with mcpadapt) loads the tools of a barewire server: it reads `properties` of every input schema, and loads none if
// one schema lacks it.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { at } from './processes.mjs';

const cache = process.env.BAREWIRE_CACHE ?? join(homedir(), '.cache', 'barewire-languages');
const skip = spawnSync('python3', ['--version']).status !== 0 && 'missing: Python';

test('smolagents loads tools with and without parameters, and calls them', { skip, timeout: 300_000 }, async () => {
  const python = `${cache}/smolagents/bin/python`;
  mkdirSync(cache, { recursive: true });
  if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', `${cache}/smolagents`]);
  execFileSync(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-r', at('test/peers/smolagents/requirements.txt')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const { stdout } = await promisify(execFile)(python, [at('test/peers/smolagents/load.py'), process.execPath, at('test/peers/smolagents/server.mjs')], { timeout: 60_000 });
  assert.deepEqual(JSON.parse(stdout.trim().split('\n').at(-1)), { time: 'noon', anything: 'taken', add: '3' });
});
