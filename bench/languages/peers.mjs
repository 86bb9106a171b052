// Servers in other languages: built once into a cache outside of the tree, started like the rest.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { spawnHttp, running } from '../lib/process.mjs';

const execute = promisify(execFile);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const cache = process.env.BAREWIRE_CACHE ?? join(homedir(), '.cache', 'barewire-languages');
const has = (command, ...args) => spawnSync(command, args.length ? args : ['--version']).status === 0;

/** How each tool chain is found, and how its servers are built. */
const chains = {
  go: {
    present: () => has('go', 'version'),
    build: () => execute('go', ['build', '-o', `${cache}/go`, '.'], { cwd: here('go') }),
  },
  rust: {
    present: () => has('cargo'),
    build: () => execute('cargo', ['build', '--release'], { cwd: here('rust'), env: { ...process.env, CARGO_TARGET_DIR: `${cache}/rust` }, maxBuffer: 1 << 26 }),
  },
  python: {
    present: () => has('python3'),
    async build() {
      if (!existsSync(`${cache}/python/bin/python`)) await execute('python3', ['-m', 'venv', `${cache}/python`]);
      await execute(`${cache}/python/bin/pip`, ['install', '-q', '-r', here('python/requirements.txt')], { maxBuffer: 1 << 26 });
    },
  },
  java: {
    present: () => has('mvn') && has('java', '-version'),
    build: () => execute('mvn', ['-q', '-B', `-Dcache=${cache}/java`, 'package'], { cwd: here('java'), maxBuffer: 1 << 26 }),
  },
};

const go = (kind) => ({ chain: 'go', start: (one) => [`${cache}/go`, [kind], one ? { GOMAXPROCS: '1' } : {}] });
const rust = (kind) => ({ chain: 'rust', start: (one) => [`${cache}/rust/release/barewire-bench-languages`, one ? [kind, 'one'] : [kind], {}] });
const python = (kind) => ({ chain: 'python', start: () => [`${cache}/python/bin/python`, [here('python/server.py'), kind], {}] });
const java = (kind) => ({ chain: 'java', start: (one) => ['java', [...(one ? ['-XX:ActiveProcessorCount=1'] : []), '-cp', `${cache}/java/classes:${cache}/java/lib/*`, 'bench.Servers', kind], {}] });
const node = (program) => ({ chain: 'node', program });

/** Which program stands for a peer in each mode; what a peer has not is left out. */
export const peers = {
  bare: { modern: node('servers/bare-http.mjs'), session: node('servers/bare-http.mjs'), iteration: node('servers/bare-http.mjs') },
  'bare hyper': { modern: rust('bare'), session: rust('bare'), iteration: rust('bare') },
  'bare net/http': { modern: go('bare'), session: go('bare'), iteration: go('bare') },
  barewire: { modern: node('servers/barewire-http.mjs'), session: node('servers/barewire-http.mjs'), iteration: node('servers/barewire-http.mjs') },
  'barewire, 2 processes': { modern: node('languages/barewire-two.mjs'), session: node('languages/barewire-two.mjs'), several: true },
  'rmcp 3.9': { modern: rust('rmcp'), session: rust('rmcp'), iteration: rust('rmcp') },
  'rmcp 3.9, json_response': { modern: rust('rmcp-json') },
  'go-sdk 1.8': { session: go('sdk'), iteration: go('sdk') },
  'go-sdk 1.8, Stateless, JSONResponse': { modern: go('sdk-stateless') },
  'Python SDK 2.3': { modern: python('sdk'), session: python('sdk'), iteration: python('sdk') },
  'FastMCP 4.1': { modern: python('fastmcp'), session: python('fastmcp'), iteration: python('fastmcp') },
  'Java SDK 2.1': { session: java('sdk'), iteration: java('sdk') },
  'sdk v2': { modern: node('servers/sdk-v2-modern.mjs'), session: node('servers/sdk-v2-http.mjs'), iteration: node('servers/sdk-v2-http.mjs') },
};

const ready = new Map();

/** Builds what a chain needs, once. Throws where the tool chain is missing, by its name. */
function prepare(chain) {
  const { present, build } = chains[chain];
  if (!ready.has(chain)) {
    mkdirSync(cache, { recursive: true });
    ready.set(chain, present() ? build() : Promise.reject(new Error(`missing: the tool chain of ${chain}`)));
  }
  return ready.get(chain);
}

/** Starts a server; resolves with the process, which has `port`. `one`: on one thread. */
export async function startPeer(server, one) {
  if (server.chain === 'node') return spawnHttp(server.program);
  await prepare(server.chain);
  const [command, args, env] = server.start(one);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
  running.add(child);
  child.complaints = '';
  child.stderr.on('data', (chunk) => { if (child.complaints.length < 4000) child.complaints += chunk; });
  child.port = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const port = /port (\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${child.complaints.trim().slice(0, 400)}`)));
  });
  return child;
}

/** Until the server answers: some say their port before they listen. */
export async function untilAnswers(attempt) {
  const ends = Date.now() + 20_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > ends || !/ECONNREFUSED|closed the connection/.test(error.message)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
