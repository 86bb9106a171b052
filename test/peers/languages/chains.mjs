// The peers in other languages, built into a cache outside the tree with the machine's tool chains.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { at } from '../processes.mjs';

const cache = process.env.BAREWIRE_CACHE ?? join(homedir(), '.cache', 'barewire-languages');
const here = (path) => at(`test/peers/languages/${path}`);
const has = (command, ...args) => spawnSync(command, args).status === 0;

/** The command of each peer's program; undefined: its tool chain is missing. */
export const peers = {
  go() {
    if (!has('go', 'version')) return undefined;
    mkdirSync(cache, { recursive: true });
    execFileSync('go', ['build', '-o', `${cache}/go-peer`, '.'], { cwd: here('go'), stdio: ['ignore', 'ignore', 'inherit'] });
    return [`${cache}/go-peer`];
  },
  python() {
    if (!has('python3', '--version')) return undefined;
    const python = `${cache}/python-peer/bin/python`;
    mkdirSync(cache, { recursive: true });
    if (!existsSync(python)) execFileSync('python3', ['-m', 'venv', `${cache}/python-peer`]);
    execFileSync(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-r', here('python/requirements.txt')], { stdio: ['ignore', 'ignore', 'inherit'] });
    return [python, here('python/peers.py')];
  },
  rust() {
    if (!has('cargo', '--version')) return undefined;
    execFileSync('cargo', ['build', '-q'], { cwd: here('rust'), env: { ...process.env, CARGO_TARGET_DIR: `${cache}/rust-peer` }, stdio: ['ignore', 'ignore', 'inherit'] });
    return [`${cache}/rust-peer/debug/barewire-peers`];
  },
  java() {
    if (!has('mvn', '--version') || !has('java', '-version')) return undefined;
    execFileSync('mvn', ['-q', '-B', `-Dcache=${cache}/java-peer`, 'package'], { cwd: here('java'), stdio: ['ignore', 'ignore', 'inherit'] });
    return ['java', '-cp', `${cache}/java-peer/classes:${cache}/java-peer/lib/*`, 'peers.Peers'];
  },
};

/** Starts a program that prints `port N` on stdout. It ends when its stdin does. */
export async function listening([command, ...args]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const found = /port (\d+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  return { port, stop: () => new Promise((resolve) => { child.once('exit', resolve); child.kill(); }) };
}
