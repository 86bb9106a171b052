// The measured programs with their modes, and how each tool chain builds its program.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { spawnHttp } from '../lib/process.mjs';

const execute = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const cache = process.env.BAREWIRE_CACHE ?? join(homedir(), '.cache', 'barewire-languages');
const has = (command, ...args) => spawnSync(command, args.length ? args : ['--version']).status === 0;

/** The Rust program; one of its kinds is the load generator. */
export const rustProgram = `${cache}/rust/release/barewire-bench-languages`;

/** The versions in its build. */
export const rustLock = `${cache}/rust.lock`;

/** How each tool chain is found, how it builds, and its output. */
const chains = {
  go: {
    made: `${cache}/go`,
    present: () => has('go', 'version'),
    build: () => execute('go', ['build', '-o', `${cache}/go`, '.'], { cwd: here('go') }),
  },
  rust: {
    made: rustProgram,
    present: () => has('cargo'),
    async build() {
      await execute('cargo', ['build', '--release'], { cwd: here('rust'), env: { ...process.env, CARGO_TARGET_DIR: `${cache}/rust` }, maxBuffer: 1 << 26 });
      copyFileSync(here('rust/Cargo.lock'), rustLock);
    },
  },
  python: {
    made: `${cache}/python/bin/python`,
    present: () => has('python3'),
    async build() {
      if (!existsSync(`${cache}/python/bin/python`)) await execute('python3', ['-m', 'venv', `${cache}/python`]);
      await execute(`${cache}/python/bin/pip`, ['install', '-q', '-r', here('python/requirements.txt')], { maxBuffer: 1 << 26 });
    },
  },
  java: {
    made: `${cache}/java/classes/bench/Servers.class`,
    present: () => has('mvn') && has('java', '-version'),
    build: () => execute('mvn', ['-q', '-B', `-Dcache=${cache}/java`, 'package'], { cwd: here('java'), maxBuffer: 1 << 26 }),
  },
};

const ready = new Map();

/** A digest of the sources and manifests of a chain. */
function sourcesOf(chain) {
  const hash = createHash('sha256');
  for (const path of readdirSync(here(chain), { recursive: true }).sort()) {
    if (!/\.(rs|toml|go|mod|sum|py|txt|java|xml)$/.test(path) || /(^|\/)target\//.test(path)) continue;
    hash.update(path).update('\0').update(readFileSync(join(here(chain), path)));
  }
  return hash.digest('hex');
}

/** Builds a chain's output if its sources have changed. Throws an error that names a missing tool chain. */
async function make(chain) {
  const { made, present, build } = chains[chain];
  const mark = `${cache}/${chain}.sources`;
  const sources = sourcesOf(chain);
  if (existsSync(made) && existsSync(mark) && readFileSync(mark, 'utf8') === sources) return;
  if (!present()) throw new Error(`missing: the tool chain of ${chain}`);
  mkdirSync(cache, { recursive: true });
  await build();
  writeFileSync(mark, sources);
}

/** The tool chains with a build step. */
export const chainNames = Object.keys(chains);

/** Builds once per run. */
export function prepare(chain) {
  if (!ready.has(chain)) ready.set(chain, chain === 'node' ? Promise.resolve() : make(chain));
  return ready.get(chain);
}

const go = (kind) => ({ chain: 'go', start: (one) => [`${cache}/go`, [kind], one ? { GOMAXPROCS: '1' } : {}] });
const rust = (kind) => ({ chain: 'rust', start: (one) => [rustProgram, one ? [kind, 'one'] : [kind], {}] });
const python = (kind) => ({ chain: 'python', alone: true, start: () => [`${cache}/python/bin/python`, [here('python/server.py'), kind], {}] });
// As in a container of 2 GB, by which the JVM chooses its heap.
const java = (kind) => ({
  chain: 'java',
  start: (one) => ['java', ['-XX:MaxRAM=2g', ...(one ? ['-XX:ActiveProcessorCount=1'] : []), '-cp', `${cache}/java/classes:${cache}/java/lib/*`, 'bench.Servers', kind], {}],
});
const node = (program, env = {}) => ({ chain: 'node', alone: true, program, env });

const sessions = ['session', 'echo', 'cart', 'product'];
const all = ['modern', ...sessions];
const stateless = ['modern', 'echo', 'cart', 'product'];

/**
 * Every program by a short name. `alone`: it runs on one thread by default, so it is measured once and appears in both columns.
 * `several`: it has no single-thread form.
 */
export const programs = {
  barewire: { label: 'barewire', modes: all, ...node('languages/barewire.mjs') },
  'barewire-http1': { label: 'barewire on `http1`', modes: all, ...node('languages/barewire-http1.mjs') },
  'barewire-2': { label: 'barewire, two processes', modes: all, several: true, ...node('languages/barewire-two.mjs') },
  bare: { label: 'bare node:http', modes: all, ...node('languages/bare.mjs') },
  hyper: { label: 'bare hyper', modes: all, ...rust('bare') },
  'net-http': { label: 'bare net/http', modes: all, ...go('bare') },
  rmcp: { label: 'rmcp', modes: all, ...rust('rmcp') },
  'rmcp-json': { label: 'rmcp, json_response, no sessions', modes: stateless, ...rust('rmcp-json') },
  'go-sdk': { label: 'go-sdk', modes: sessions, ...go('sdk') },
  'go-sdk-stateless': { label: 'go-sdk, Stateless, JSONResponse', modes: stateless, ...go('sdk-stateless') },
  'java-sdk': { label: 'Java SDK', modes: sessions, ...java('sdk') },
  'sdk-v2': { label: 'TypeScript SDK', modes: sessions, ...node('languages/sdk-v2.mjs') },
  'sdk-v2-modern': { label: 'TypeScript SDK, 2026-07-28', modes: ['modern'], ...node('languages/sdk-v2.mjs', { ERA: 'modern' }) },
  'python-sdk': { label: 'Python SDK', modes: all, ...python('sdk') },
  fastmcp: { label: 'FastMCP (Python)', modes: all, ...python('fastmcp') },
};

/** Starts a program; resolves with its process, which has `port`. `one`: on one thread. */
export async function start(program, one, env) {
  await prepare(program.chain);
  if (program.chain === 'node') return spawnHttp(program.program, { ...env, ...program.env }, [], true);
  const [command, args, more] = program.start(one);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, ...more } });
  child.port = await saidPort(child);
  return child;
}

/** The port that a program prints on stdout as `port 1234`; throws with its stderr if it ends first. */
export function saidPort(child, patienceMs = 30_000) {
  let complaints = '';
  let said = '';
  child.stdin.on('error', () => {});
  child.stderr.on('data', (chunk) => (complaints = `${complaints}${chunk}`.slice(-4000)));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no port after ${patienceMs / 1000} s: ${complaints.trim()}`)), patienceMs);
    const settle = (how, value) => (clearTimeout(timer), how(value));
    child.stdout.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-4000);
      const port = /port (\d+)/.exec(said)?.[1];
      if (port !== undefined) settle(resolve, Number(port));
    });
    child.once('error', (error) => settle(reject, error));
    child.once('exit', (code) => settle(reject, new Error(`ended with ${code}: ${complaints.trim().slice(0, 400)}`)));
  });
}
