// The servers that read the same bytes. Each answers a request with what it has read of it: method, path, body.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { http1 } from '../../../dist/src/transport/http1/node/index.js';

const answer = (method, path, body) => JSON.stringify({ method, path, body });

/** barewire's engine, with an endpoint that only answers. */
async function own() {
  const endpoint = {
    handle: (request) => void request.read(1 << 20, (body) => {
      if (body instanceof Uint8Array || typeof body === 'string') request.respond(200, answer(request.method, request.path, Buffer.from(body).toString('latin1')));
      else request.respond(413, '', { connection: 'close' });
    }),
    drain: () => false,
    close: async () => {},
  };
  const { port, close } = await http1(endpoint, { port: 0, host: '127.0.0.1', path: '/' });
  return { port, close: () => close({ drainMs: 0 }) };
}

/** node:http. A half-closed client gets its answers: the end is what the comparison waits for. */
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

/** Builds the Go program. Undefined: there is no Go. */
export async function buildGo(folder) {
  const out = join(folder, 'peer');
  const built = spawn('go', ['build', '-o', out, new URL('peer.go', import.meta.url).pathname], { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'off' } });
  const status = await Promise.race([once(built, 'exit').then(([code]) => code), once(built, 'error').then(() => 1)]);
  return status === 0 && existsSync(out) ? out : undefined;
}

async function go(program) {
  const child = spawn(program, ['server'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { port: Number(line), close: () => void child.kill() };
}

/** nginx with its defaults before another server, or with connections that it keeps to it. */
async function nginx(folder, name, backend, port, kept) {
  const own = join(folder, name);
  mkdirSync(own);
  const version = kept ? 'proxy_http_version 1.1; proxy_set_header Connection "";' : '';
  writeFileSync(join(own, 'nginx.conf'), `daemon off; worker_processes 1; pid ${own}/pid; error_log ${own}/error.log;
    events {} http { access_log off; client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy; fastcgi_temp_path ${own}/f; uwsgi_temp_path ${own}/u; scgi_temp_path ${own}/s;
    upstream b { server 127.0.0.1:${backend}; ${kept ? 'keepalive 4;' : ''} }
    server { listen 127.0.0.1:${port}; keepalive_requests 1000000; location / { proxy_pass http://b; proxy_set_header Host $http_host; ${version} } } }`);
  const child = spawn('nginx', ['-p', own, '-c', join(own, 'nginx.conf')], { stdio: 'ignore' });
  const missing = await Promise.race([once(child, 'error').then(() => true), once(child, 'spawn').then(() => false)]);
  return missing ? undefined : { port, close: () => void child.kill() };
}

/** Starts all that this machine has. `freePort` finds ports for nginx. */
export async function startServers(folder, goProgram, freePort) {
  const servers = { 'barewire http1': await own(), 'node:http': await node() };
  if (goProgram) servers["Go's net/http"] = await go(goProgram);
  for (const [name, backend, kept] of [['nginx before http1', 'barewire http1', false], ['nginx that keeps connections to http1', 'barewire http1', true], ['nginx before node:http', 'node:http', true]]) {
    const server = await nginx(folder, name.replaceAll(/\W/g, '-'), servers[backend].port, await freePort(), kept);
    if (server) servers[name] = server;
  }
  return servers;
}
