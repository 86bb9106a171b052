// npm run http1:clients: popular HTTP clients call a server over barewire's own HTTP/1.1, all by the same plan (plan.mjs): calls, a stream,
// large messages both ways, a session, refusals, on the connections that the client keeps. Prints a table. Lists clients whose tools are
// missing on this machine. Exits 1 if a client reads an unexpected response.
//
//   node test/http1/clients/run.mjs NAME …     only clients whose names contain one of these
import { spawn, spawnSync } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpServer } from '../../../dist/lib/server.js';
import { serveHttp } from '../../../dist/lib/http.js';
import { http1 } from '../../../dist/lib/http1-node.js';
import { linesOf, plan, wrong } from './plan.mjs';
import { readWords } from '../../../scripts/words.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'barewire-http1-clients');
const folder = mkdtempSync(join(tmpdir(), 'barewire-clients-'));

const server = new McpServer({ name: 'plan', version: '1.0.0' });
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
server.tool('echo', { input: text }, ({ text: said }) => said);
server.tool('length', { input: text }, ({ text: said }) => `${said.length} characters`);
server.tool('big', { input: { type: 'object', properties: { size: { type: 'integer' } } } }, ({ size }) => 'x'.repeat(size));
server.tool('count', {}, async (_, ctx) => {
  for (let i = 1; i <= 3; i++) {
    ctx.progress(i, 3);
    await new Promise(setImmediate);
  }
  return 'counted';
});
const { port, close } = await serveHttp(server, { engine: http1 });
const origin = `http://127.0.0.1:${port}`;
let connections = 0;
subscribe('net.server.socket', () => connections++);

/** The reason why a client cannot be tested here. */
class Absent extends Error {}

const has = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).error === undefined;
const need = (program, ...args) => {
  if (!has(program, ...args)) throw new Absent(`no ${program}`);
};

/** Runs a program to its end; rejects if it fails. Resolves with its output. */
async function run(command, args, { input = '', ...options } = {}) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
  const [out, err] = [[], []];
  child.stdout.on('data', (part) => out.push(part));
  child.stderr.on('data', (part) => err.push(part));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${Buffer.concat(err).toString().slice(-1000)}`);
  return Buffer.concat(out).toString('latin1');
}

const input = `${linesOf(origin).join('\n')}\n`;
const byPlan = async (command, args, options = {}) => (await run(command, args, { input, ...options })).split('\n').filter(Boolean);

/** Runs curl, one process per request. Of the head it reads the status, and the session for later requests. */
async function curl(...options) {
  need('curl', '--version');
  const lines = [];
  let session = '';
  for (const line of linesOf(origin)) {
    const [method, url, ...fields] = line.split('\t');
    const body = Buffer.from(fields.pop(), 'hex');
    const heads = fields.flatMap((field) => ['-H', field.replace('$session', session)]);
    const how = method === 'HEAD' ? ['-I', '-o', '/dev/null'] : ['-X', method];
    const out = await run('curl', ['-sS', '-m', '20', ...options, ...how, ...heads, ...(body.length > 0 ? ['--data-binary', '@-'] : []),
      '-w', '\n%{http_code} %header{mcp-session-id}', url], { input: body });
    const at = out.lastIndexOf('\n');
    const [status, id] = out.slice(at + 1).split(' ');
    session = id || session;
    lines.push(`${status}\t${Buffer.from(out.slice(0, Math.max(at, 0)), 'latin1').toString('hex')}`);
  }
  return lines;
}

/** The program of a runtime installed by npm (test/peers/runtimes). */
function runtime(scope, path) {
  // Bun's installer moves its program.
  const moved = here('../../peers/runtimes/node_modules/bun/bin/bun.exe');
  if (scope === '@oven' && existsSync(moved)) return moved;
  const inside = here(`../../peers/runtimes/node_modules/${scope}`);
  const found = existsSync(inside) ? readdirSync(inside).map((name) => join(inside, name, path)).find(existsSync) : undefined;
  if (found === undefined) throw new Absent(`no ${scope} for this machine`);
  return found;
}

async function python(which) {
  need('python3', '--version');
  const venv = join(cache, 'python');
  const program = join(venv, 'bin', 'python');
  if (!existsSync(join(venv, 'ready'))) {
    try {
      await run('python3', ['-m', 'venv', venv]);
      await run(program, ['-m', 'pip', 'install', '--quiet', 'httpx==0.28.1', 'requests==2.32.5']);
      await run('touch', [join(venv, 'ready')]);
    } catch (error) {
      throw new Absent(`httpx and requests cannot be installed: ${error.message.slice(0, 200)}`);
    }
  }
  return byPlan(program, [here('client.py'), which]);
}

async function java(...args) {
  need('java', '-version');
  return byPlan('java', [here('HttpClientPlan.java'), ...args]);
}

async function go() {
  need('go', 'version');
  const program = join(folder, 'go');
  await run('go', ['build', '-o', program, here('go/main.go')], { env: { ...process.env, GO111MODULE: 'off' } });
  return byPlan(program, []);
}

async function reqwest() {
  need('cargo', '--version');
  const target = join(cache, 'reqwest');
  await run('cargo', ['build', '--quiet'], { cwd: here('reqwest'), env: { ...process.env, CARGO_TARGET_DIR: target } });
  return byPlan(join(target, 'debug', 'barewire-http1-reqwest'), []);
}

/** fetch in a page of the server's own origin: the page that Chromium shows for a missing path. */
async function chromium() {
  const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => path && existsSync(path));
  if (executablePath === undefined) throw new Absent('no Chromium');
  const { chromium: browserType } = await import('playwright-core');
  const browser = await browserType.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(`${origin}/page`);
    return await page.evaluate(async (lines) => {
      const said = [];
      let session = '';
      for (const line of lines) {
        const [method, url, ...fields] = line.split('\t');
        const body = Uint8Array.from(fields.pop().match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
        const headers = fields.map((field) => field.replace('$session', session).split(': '));
        const response = await fetch(url, { method, headers, ...(body.length > 0 && { body }) });
        session = response.headers.get('mcp-session-id') ?? session;
        const content = new Uint8Array(await response.arrayBuffer());
        said.push(`${response.status}\t${Array.from(content, (one) => one.toString(16).padStart(2, '0')).join('')}`);
      }
      return said;
    }, linesOf(origin));
  } finally {
    await browser.close();
  }
}

const clients = {
  curl: () => curl(),
  'curl, HTTP/1.0': () => curl('--http1.0'),
  'curl, h2c offered': () => curl('--http2'),
  'curl, chunked': () => curl('-H', 'Transfer-Encoding: chunked'),
  'fetch of Node': () => byPlan(process.execPath, [here('fetch.mjs')]),
  undici: () => byPlan(process.execPath, [here('undici.mjs')]),
  'fetch of Bun': () => byPlan(runtime('@oven', 'bin/bun'), [here('fetch.mjs')]),
  'fetch of Deno': () => byPlan(runtime('@deno', 'deno'), ['run', '--no-config', '--no-remote', '--allow-net=127.0.0.1', '--allow-read', here('fetch.mjs')]),
  httpx: () => python('httpx'),
  requests: () => python('requests'),
  "Go's net/http": go,
  reqwest,
  "Java's HttpClient": () => java('1.1'),
  "Java's HttpClient, h2c offered": () => java(),
  Chromium: chromium,
};

const { names: wanted } = readWords({}, 100);
let failed = 0;
console.log(`${plan.length} requests each: ${plan.map(({ title }) => title).join(', ')}\n`);
console.log('client                           requests  connections  result');
try {
  for (const [name, ask] of Object.entries(clients)) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    connections = 0;
    let result = 'as expected';
    try {
      const fault = wrong(await ask());
      if (fault !== undefined) throw new Error(fault);
    } catch (error) {
      if (error instanceof Absent) result = `left out: ${error.message}`;
      else {
        failed++;
        result = `WRONG: ${error.message}`;
      }
    }
    console.log(`${name.padEnd(32)} ${String(plan.length).padStart(8)}  ${String(connections).padStart(11)}  ${result}`);
  }
} finally {
  await close({ drainMs: 0 });
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
