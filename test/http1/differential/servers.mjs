// The programs that read the same bytes. Each server answers a request with its own reading of it: method, path, body.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../dist/src/bounds/clock.js';
import { http1 } from '../../../dist/src/transport/http1/node/index.js';
import { freePorts } from '../../../dist/test/free-ports.js';

/** Every started program, so that none is left if the run fails. */
const started = [];
process.on('exit', () => started.forEach((child) => child.kill()));

const answer = (method, path, body) => JSON.stringify({ method, path, body });

/** barewire's engine, with an endpoint that echoes. */
async function own() {
  const endpoint = {
    handle: (request) => void request.read(1 << 20, (body) => {
      if (body instanceof Uint8Array || typeof body === 'string') request.respond(200, answer(request.method, request.path, Buffer.from(body).toString('latin1')));
      else request.respond(413, '', { connection: 'close' });
    }),
    clock: systemClock,
    drain: () => false,
    close: async () => {},
  };
  const { port, close } = await http1(endpoint, { port: 0, host: '127.0.0.1', path: '/' });
  return { port, close: () => close({ drainMs: 0 }) };
}

/** node:http. A half-closed client still gets its responses, because the comparison waits for the end. */
async function node() {
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => response.end(answer(request.method, request.url.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0], Buffer.concat(parts).toString('latin1'))));
  });
  server.httpAllowHalfOpen = true;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, close: () => void (server.closeAllConnections(), server.close()) };
}

/** Runs a build. Returns undefined if the tool is missing or fails; it then prints the error. */
async function built(command, args, options, out) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const status = await Promise.race([once(child, 'exit').then(([code]) => code), once(child, 'error').then(() => 1)]);
  return status === 0 && existsSync(out) ? out : undefined;
}

/** Builds the peers in Go and Rust, each in its tool's cache. By name; undefined if it cannot be built. */
export async function buildPeers(folder) {
  const here = (name) => fileURLToPath(new URL(name, import.meta.url));
  const target = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'barewire-hyper');
  const go = join(folder, 'peer');
  return {
    "Go's net/http": await built('go', ['build', '-o', go, here('peer.go')], { env: { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' } }, go),
    hyper: await built('cargo', ['build', '--quiet'], { cwd: here('hyper'), env: { ...process.env, CARGO_TARGET_DIR: target } }, join(target, 'debug', 'barewire-http1-hyper')),
  };
}

async function peer(program) {
  const child = spawn(program, ['server'], { stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  const [line] = await once(createInterface(child.stdout), 'line');
  return { port: Number(line), close: () => void child.kill() };
}

const nginxConf = (own, port, backend, kept) => `daemon off; worker_processes 1; pid ${own}/pid; error_log ${own}/error.log;
  events {} http { access_log off; client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy; fastcgi_temp_path ${own}/f; uwsgi_temp_path ${own}/u; scgi_temp_path ${own}/s;
  upstream b { server 127.0.0.1:${backend} max_fails=0; ${kept ? 'keepalive 4;' : ''} }
  server { listen 127.0.0.1:${port}; keepalive_requests 1000000; location / { proxy_pass http://b; proxy_read_timeout 3s; proxy_set_header Host $http_host;
    ${kept ? 'proxy_http_version 1.1; proxy_set_header Connection "";' : ''} } } }`;

/** All clients share the connections to the server, so one could read another's response. */
const haproxyConf = (own, port, backend) => `defaults
  mode http
  timeout connect 3s
  timeout client 10s
  timeout server 3s
frontend f
  bind 127.0.0.1:${port}
  default_backend b
backend b
  http-reuse always
  server s 127.0.0.1:${backend}
`;

const caddyConf = (own, port, backend) => `{
  admin off
  auto_https off
  storage file_system ${own}
  log {
    output discard
  }
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${backend} {
    transport http {
      response_header_timeout 3s
      read_timeout 3s
    }
  }
}
`;

const proxies = {
  nginx: { conf: (own, port, backend) => nginxConf(own, port, backend, false), args: (own, file) => ['-p', own, '-c', file] },
  'nginx that keeps connections': { program: 'nginx', conf: (own, port, backend) => nginxConf(own, port, backend, true), args: (own, file) => ['-p', own, '-c', file] },
  HAProxy: { program: 'haproxy', conf: haproxyConf, args: (own, file) => ['-q', '-f', file] },
  Caddy: { program: 'caddy', conf: caddyConf, args: (own, file) => ['run', '--adapter', 'caddyfile', '--config', file] },
};

/** Resolves when a program listens on a port; rejects if it exits first. */
async function listening(port, child) {
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2000)));
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect(port, '127.0.0.1');
    const up = await once(socket, 'connect').then(() => true, () => false);
    socket.destroy();
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${child.spawnfile} ended: ${said}`);
}

/** Starts a proxy in front of a server. Undefined if this machine does not have it. */
async function proxy(folder, name, title, backend) {
  const { program = name, conf, args } = proxies[name];
  const own = join(folder, title.replaceAll(/\W/g, '-'));
  mkdirSync(own);
  const [port] = await freePorts(1);
  const file = join(own, 'conf');
  writeFileSync(file, conf(own, port, backend));
  const child = spawn(program, args(own, file), { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: own, PATH: `${process.env.PATH}:/usr/sbin` } });
  started.push(child);
  const missing = await Promise.race([once(child, 'error').then(() => true), once(child, 'spawn').then(() => false)]);
  if (missing) return undefined;
  await listening(port, child);
  return { port, close: () => void child.kill() };
}

/** Starts each proxy that this machine has in front of a server. */
export async function startProxies(folder, before, backend, names = Object.keys(proxies)) {
  const running = {};
  for (const name of names) {
    const title = `${name} before ${before}`;
    const server = await proxy(folder, name, title, backend);
    if (server) running[title] = server;
  }
  return running;
}

/** Starts all servers that this machine has. */
export async function startServers(folder, peers) {
  const servers = { 'barewire http1': await own(), 'node:http': await node() };
  for (const [name, program] of Object.entries(peers)) if (program) servers[name] = await peer(program);
  return {
    ...servers, ...await startProxies(folder, 'http1', servers['barewire http1'].port),
    ...await startProxies(folder, 'node:http', servers['node:http'].port, ['nginx that keeps connections']),
  };
}

/** The names of the programs that this machine does not have. */
export function missing(servers, peers) {
  return [
    ...Object.keys(peers).filter((name) => peers[name] === undefined),
    ...Object.keys(proxies).filter((name) => !(`${name} before http1` in servers)),
  ];
}
