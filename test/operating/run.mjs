// npm run operating [-- NAME …]: tests the recipes of docs/operating.md, taken from the page. Each gets ports, names and
// certificates of this run, and is then used: calls in both eras, progress during a call, a rolling restart under load. Exits 1
// if one fails. A recipe whose program is not installed is named, and is not a failure.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport } from '../../dist/lib/http.js';
import { freePorts } from '../../dist/test/free-ports.js';
import { readWords } from '../../scripts/words.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const page = readFileSync(here('../../docs/operating.md'), 'utf8');
/** Created by the first process, and passed to the second, which trusts the certificate. */
const folder = process.env['OPERATING'] ?? mkdtempSync(join(tmpdir(), 'barewire-operating-'));
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];

/** The page's block in this language; throws unless there is exactly one. */
function recipe(language) {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))];
  if (blocks.length !== 1) throw new Error(`docs/operating.md has ${blocks.length} blocks in ${language}`);
  return blocks[0][1];
}

/** A recipe with replacements for this run. Throws if the page lacks a replaced text. */
function changed(text, changes) {
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the recipe has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** The path of a Debian program; undefined: not installed. */
const found = (name) => ['/usr/sbin', '/usr/bin', '/usr/local/bin'].map((path) => join(path, name)).find((path) => existsSync(path));

/** Runs a program until `stop`. Rejects if it exits before it listens. */
async function running(program, args, port) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: folder } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-4000)));
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${said}`)));
    const attempt = () => connect(port, '127.0.0.1').once('connect', function () {
      this.destroy();
      resolve();
    }).once('error', () => setTimeout(attempt, 50));
    attempt();
  });
  return {
    said: () => said,
    async stop() {
      child.removeAllListeners('exit');
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function startServer(port, ...tls) {
  const child = fork(here('server.mjs'), [String(port), ...tls]);
  await once(child, 'message');
  return child;
}

async function stopServer(child) {
  const exit = once(child, 'exit');
  child.send('close');
  await exit;
}

async function connected(url, revision) {
  const client = new McpClient({ name: 'operating', version: '1' }, { revisions: [revision] });
  await client.connect(httpTransport(url));
  return client;
}

const revisions = ['2025-11-25', '2026-07-28'];

async function echoes(client, text) {
  const { content } = await client.callTool('echo', { text }, { timeoutMs: 30_000 });
  if (content[0]?.text !== text) throw new Error(`echo answered ${JSON.stringify(content)}`);
}

/** Makes calls, and checks that progress arrives before the end of the call. */
async function used(url, servers) {
  for (const revision of revisions) {
    const client = await connected(url, revision);
    await echoes(client, 'hello');
    if (servers.length > 0) {
      let begun = false;
      const { content } = await client.callTool('wait', {}, {
        timeoutMs: 30_000,
        onProgress() {
          begun = true;
          for (const server of servers) server.send('go');
        },
      });
      if (!begun || content[0]?.text !== 'done') throw new Error(`${revision}: no progress before ${JSON.stringify(content)}`);
    }
    await client.close();
  }
}

/**
 * Restarts the processes one after the other while clients call. Returns the counts of the calls; throws if more than `mayFail`
 * in a hundred failed.
 */
async function restarted(url, servers, ports, mayFail) {
  const clients = await Promise.all([...revisions, ...revisions].map((revision) => connected(url, revision)));
  const failures = [];
  let calls = 0;
  let over = false;
  const loops = clients.map(async (client) => {
    while (!over) {
      await echoes(client, `${++calls}`).catch((thrown) => failures.push(thrown.message.slice(0, 200)));
      // The rate limit of an address is 20 a second, and 200 at once.
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  });
  /** Resolves after this number of further calls. */
  const more = async (count) => {
    for (const until = calls + count; calls < until;) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  for (const [i, port] of ports.entries()) {
    await more(12);
    await stopServer(servers[i]);
    await more(12);
    servers[i] = await startServer(port);
    // A balancer checks the health every second, and needs one to two to notice that a process is back.
    await more(80);
  }
  over = true;
  await Promise.all(loops);
  await Promise.all(clients.map((client) => client.close()));
  if (failures.length * 100 > calls * mayFail) throw new Error(`${failures.length} of ${calls} calls failed: ${failures[0]}`);
  return `${calls} calls during a rolling restart, ${failures.length} failed`;
}

/** Tests a proxy in front of two processes. */
async function behind(program, file, args, configure, { further = async () => '', mayFail = 0 } = {}) {
  const path = found(program);
  if (path === undefined) return undefined;
  const [port, ...ports] = await freePorts(3);
  const servers = await Promise.all(ports.map((one) => startServer(one)));
  const config = join(folder, file);
  writeFileSync(config, configure(port, [['10.0.0.1:3000', `127.0.0.1:${ports[0]}`], ['10.0.0.2:3000', `127.0.0.1:${ports[1]}`]]));
  const proxy = await running(path, args(config), port);
  try {
    const url = `https://localhost:${port}/mcp`;
    await used(url, servers);
    const calls = await restarted(url, servers, ports, mayFail).catch((thrown) => {
      throw new Error(`${thrown.message}; ${path} said ${proxy.said()}`);
    });
    return `${calls}${await further(`https://localhost:${port}`)}`;
  } finally {
    await proxy.stop();
    await Promise.all(servers.map((server) => server.connected && stopServer(server)));
  }
}

/** Starts the page's snippet with /metrics. */
async function measured(port) {
  const { transform } = await import('esbuild');
  const [snippet] = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code).filter((code) => code.includes("'/metrics'"));
  if (snippet === undefined) throw new Error('docs/operating.md has no snippet with /metrics');
  const lib = (name) => JSON.stringify(new URL(`../../dist/lib/${name}.js`, import.meta.url).href);
  const { code } = await transform(`import { createServer } from 'node:http'; import { McpServer } from ${lib('server')}; import { gauges, httpListener } from ${lib('http')};
    ${snippet}
    createServer(handler).listen(${port}, '127.0.0.1', () => process.send('ready'));`, { loader: 'ts', format: 'esm' });
  const file = join(folder, 'measured.mjs');
  writeFileSync(file, code);
  const child = fork(file);
  await once(child, 'message');
  return child;
}

/** Queries Prometheus until it has this value. After half a minute, throws with the last value. */
async function scraped(port, query, value) {
  let last;
  for (const until = Date.now() + 30_000; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const answer = await (await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`)).json();
    last = answer.data?.result?.[0]?.value?.[1];
    if (last === value) return value;
  }
  throw new Error(`prometheus has ${last} for ${query}, not ${value}`);
}

const certificates = [['/etc/trips/cert.pem', cert], ['/etc/trips/key.pem', key]];

const recipes = {
  nginx: () => behind('nginx', 'nginx.conf', (config) => ['-p', folder, '-c', config, '-g', `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;${userInfo().uid === 0 ? ' user root;' : ''}`],
    (port, servers) => changed(recipe('nginx'), [...certificates, ...servers, ['listen 443', `listen 127.0.0.1:${port}`], ['trips.example', 'localhost'],
      ['http {', `http {\n  access_log off;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}`]]),
    { further: async (url) => {
      const statuses = [];
      await Promise.all(Array.from({ length: 20 }, async () => {
        for (let i = 0; i < 20; i++) {
          const response = await fetch(`${url}/healthz`);
          await response.text();
          statuses.push(response.status);
        }
      }));
      const refused = statuses.filter((status) => status === 429).length;
      if (refused === 0 || !statuses.includes(200)) throw new Error(`400 quick requests got ${[...new Set(statuses)].join()}`);
      return `; ${refused} of 400 quick requests got 429`;
    } }),
  haproxy: () => behind('haproxy', 'haproxy.cfg', (config) => ['-db', '-f', config], (port, servers) => {
    const both = join(folder, 'both.pem');
    writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'));
    return changed(recipe('haproxy'), [...servers, ['bind :443', `bind 127.0.0.1:${port}`], ['/etc/trips/both.pem', both]]);
  }),
  caddy: () => behind('caddy', 'Caddyfile', (config) => ['run', '--adapter', 'caddyfile', '--config', config],
    (port, servers) => `{\n  admin off\n  auto_https disable_redirects\n}\n${changed(recipe('caddyfile'), [...certificates, ...servers, ['trips.example', `https://localhost:${port}`]])}`,
    // This proxy does not repeat a POST whose connection was closed.
    { mayFail: 5 }),
  async tls() {
    const [port] = await freePorts(1);
    const server = await startServer(port, cert, key);
    await used(`https://localhost:${port}/mcp`, [server]);
    await stopServer(server);
    return 'calls and progress';
  },
  async workerd() {
    const program = here('node_modules/@cloudflare/workerd-linux-64/bin/workerd');
    if (!existsSync(program)) return undefined;
    const { build } = await import('esbuild');
    await build({ entryPoints: [here('worker.mjs')], bundle: true, format: 'esm', outfile: join(folder, 'worker.js'), logLevel: 'error' });
    const [port] = await freePorts(1);
    const config = join(folder, 'config.capnp');
    writeFileSync(config, changed(recipe('capnp'), [['10.0.0.1:3000', `127.0.0.1:${port}`]]));
    const worker = await running(program, ['serve', config], port);
    try {
      await used(`http://127.0.0.1:${port}/mcp`, []);
    } finally {
      await worker.stop();
    }
    return 'calls in both eras';
  },
  async prometheus() {
    const program = found('prometheus');
    if (program === undefined) return undefined;
    const [metrics, port] = await freePorts(2);
    const server = await measured(metrics);
    const config = join(folder, 'prometheus.yml');
    writeFileSync(config, changed(recipe('yml'), [['127.0.0.1:9464', `127.0.0.1:${metrics}`], ['5s', '1s']]));
    const prometheus = await running(program, [
      `--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn',
    ], port);
    try {
      const client = await connected(`http://127.0.0.1:${metrics}/mcp`, '2025-11-25');
      for (let i = 0; i < 3; i++) await client.callTool('hello');
      // The session is open while it is scraped.
      const calls = await scraped(port, 'mcp_server_duration_seconds_count{method="tools/call",outcome="ok"}', '3');
      const sessions = await scraped(port, 'mcp_sessions', '1');
      await client.close();
      await scraped(port, 'mcp_sessions', '0');
      return `${calls} calls and ${sessions} session scraped`;
    } catch (thrown) {
      throw new Error(`${thrown.message}; prometheus said ${prometheus.said()}`);
    } finally {
      await prometheus.stop();
      server.kill('SIGTERM');
    }
  },
  async systemd() {
    const program = found('systemd-analyze');
    if (program === undefined) return undefined;
    const unit = join(folder, 'trips.service');
    writeFileSync(unit, changed(recipe('ini'), [['/usr/bin/node', process.execPath]]));
    const said = execFileSync(program, ['verify', '--man=no', unit], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    if (said !== '') throw new Error(said);
    return 'systemd-analyze verify';
  },
};

const { names } = readWords({}, Object.keys(recipes));
if (process.env['OPERATING'] === undefined) {
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const again = spawn(process.execPath, [here('run.mjs'), ...process.argv.slice(2)], { stdio: 'inherit', env: { ...process.env, NODE_EXTRA_CA_CERTS: cert, OPERATING: folder } });
  process.exitCode = (await once(again, 'exit'))[0] ?? 1;
  rmSync(folder, { recursive: true, force: true });
} else await all();

async function all() {
  for (const [name, run] of Object.entries(recipes)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const at = Date.now();
    try {
      const shown = await run();
      console.log(shown === undefined ? `${name}: not run, there is no such program` : `${name}: ${shown} (${((Date.now() - at) / 1000).toFixed(1)} s)`);
    } catch (thrown) {
      process.exitCode = 1;
      console.log(`${name}: FAILED: ${thrown.stack}`);
    }
  }
}
