import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as ask } from 'node:http';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { responseDecoder } from '../../../dist/src/transport/http1/response-decoder.js';
import { octetsOf, readAll } from '../../../dist/test/http1/reading.js';
import { nextResponse } from '../../../dist/test/http1/responses.js';
import { startProxies } from './servers.mjs';

/** Milliseconds without an octet after which a client reports that it waits. */
const patienceMs = 2000;

/** A response in comparable form, because programs escape JSON strings in different ways. */
const shown = (status, body) => `${status} ${JSON.stringify(body)}`;

/** The first final response, as the codec reads it; undefined if it refuses or needs more. */
function accepted(bytes, method) {
  const statuses = [];
  const said = readAll(responseDecoder(() => method), [octetsOf(bytes)], (head) => (statuses.push(head.status), ''));
  const at = statuses.findIndex((status) => status >= 200);
  if (at < 0 || said[at] === undefined || said[at].startsWith('!')) return undefined;
  const body = JSON.parse(said[at].slice(1));
  const untilClose = body.endsWith('…');
  return { text: shown(statuses[at], untilClose ? body.slice(0, -1) : body), untilClose, alone: said.length === at + 1 };
}

/**
 * A server that writes the bytes of case N for the first request of a connection if its path is `/N`, and the next response for every other
 * request.
 */
async function raw(cases) {
  const server = createServer((socket) => {
    let asked = 0;
    let head = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      // The clients send no body, and no second request before the response.
      if (!head.endsWith('\r\n\r\n')) return;
      const one = cases[Number(/^\S+ \/(\d+)[ ?]/.exec(head)?.[1] ?? -1)];
      head = '';
      // A proxy reuses its connections, so there the path selects the case.
      if (one === undefined || (asked++ > 0 && !one.proxied)) return void socket.write(nextResponse);
      socket.write(Buffer.from(one.bytes, 'latin1'));
      if (one.untilClose) socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Two requests of node:http, on one connection if possible. */
async function byNode(port, method, first, second) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const one = (how, path) => new Promise((resolve) => {
    const out = ask({ port, host: '127.0.0.1', method: how, path, agent, timeout: patienceMs }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => resolve(shown(response.statusCode, Buffer.concat(parts).toString('latin1'))));
      response.on('error', () => resolve('refused'));
    });
    out.on('timeout', () => (resolve('waits'), out.destroy()));
    out.on('error', () => resolve('refused'));
    out.end();
  });
  const found = [await one(method, first), await one('GET', second)];
  agent.destroy();
  return found;
}

/** A program that sends two requests for each line of its stdin. Its answers come in the order of the lines. */
function byProgram(program, port) {
  const child = spawn(program, ['client'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = [];
  createInterface(child.stdout).on('line', (line) => waiting.shift()(line.split('\t').map((one) => (/^\d/.test(one) ? shown(one.slice(0, 3), JSON.parse(one.slice(4))) : one))));
  return {
    ask: (method, at) => new Promise((resolve) => {
      waiting.push(resolve);
      child.stdin.write(`${method} http://127.0.0.1:${port}/${at}\n`);
    }),
    close: () => void child.stdin.end(),
  };
}

/** Why a peer's reading differs from ours; undefined if it is the same, or if the peer refuses. */
function difference([first, second], ours, proxied, method) {
  if (first === 'refused' || (proxied && /^50[02] /.test(first) && !/^50[02] /.test(ours.text))) return undefined;
  if (first === 'waits' || (proxied && /^504 /.test(first) && !/^504 /.test(ours.text))) return { what: `waits, and does not read ${ours.text}`, waits: true };
  if (first !== ours.text) return { what: `reads ${first} and not ${ours.text}` };
  // Here, bytes after a response without a request end the connection. Another program may read them as the next response.
  if (!ours.alone || method === 'HEAD' || second === 'refused' || second === '204 ""') return undefined;
  if (proxied) return /^50[024] /.test(second) ? undefined : { what: `reads ${second} of the next response` };
  // The same text came because the peer opened a second connection.
  return second === first ? undefined : { what: `reads ${second} of the next response`, waits: second === 'waits' };
}

/** Compares how each client, and each proxy as a client, reads responses that are accepted here. Returns the number and the peers. */
export async function compareResponses(folder, programs, all, differ) {
  const cases = [];
  for (const { name, bytes, method: how } of all) {
    const method = how === 'HEAD' ? 'HEAD' : 'GET';
    const ours = accepted(bytes, method);
    if (ours) cases.push({ name, bytes, method, ours, untilClose: ours.untilClose });
  }
  const server = await raw(cases);
  const behind = await raw(cases.map((one) => ({ ...one, proxied: true })));
  const { port } = server.address();
  const clients = { 'node:http as a client': { ask: (method, at) => byNode(port, method, `/${at}`, `/${at}`), close() {} } };
  for (const [name, program] of Object.entries(programs)) if (program) clients[`${name} as a client`] = byProgram(program, port);
  const proxies = await startProxies(folder, 'raw responses', behind.address().port);
  for (const [name, proxy] of Object.entries(proxies)) {
    clients[name] = { proxied: true, ask: (method, at) => byNode(proxy.port, method, `/${at}`, '/next'), close: proxy.close };
  }
  // Peers run in parallel, but each reads the responses one after another, so that they cannot be confused.
  await Promise.all(Object.entries(clients).map(async ([peer, { ask: read, proxied = false }]) => {
    for (const [at, { name, bytes, method, ours }] of cases.entries()) {
      // nginx 1.22 takes an upstream's interim response for the final one; RFC 9110, 15.2 requires it to be forwarded.
      if (peer.startsWith('nginx') && /^HTTP\/1\.1 1/.test(bytes)) continue;
      let found = difference(await read(method, at), ours, proxied, method);
      if (found?.waits) found = difference(await read(method, at), ours, proxied, method);
      if (found) differ(peer, name, bytes, found.what);
    }
  }));
  for (const { close } of Object.values(clients)) close();
  server.close();
  behind.close();
  return { compared: cases.length, peers: Object.keys(clients) };
}
