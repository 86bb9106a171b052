// npm run http1:differential: what the codec accepts is sent to other HTTP programs, and each must read the same of it, and of
// the request after it: nothing is accepted here that one of them accepts and frames differently. One that refuses is no
// difference. Exits 1 on a difference.
//
//   node test/http1/differential/run.mjs [--mutated N] [--seed S]     N mutated requests beside the table (default 2000)
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as ask } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { requestDecoder } from '../../../dist/src/transport/http1/request-decoder.js';
import { responseDecoder } from '../../../dist/src/transport/http1/response-decoder.js';
import { octetsOf, readAll } from '../../../dist/test/http1/reading.js';
import { canary, requests } from '../../../dist/test/http1/requests.js';
import { nextResponse, responses } from '../../../dist/test/http1/responses.js';
import { mutated } from '../../../dist/test/http1/mutated.js';
import { buildGo, startServers } from './servers.mjs';

const { values } = parseArgs({ options: { mutated: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } } });
const folder = mkdtempSync(join(tmpdir(), 'barewire-http1-'));

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** What the codec accepts of these bytes, and whether it then refuses. */
function accepted(bytes) {
  const found = [];
  const said = readAll(requestDecoder(), [octetsOf(bytes)], (head) => (found.push({ method: head.method, path: head.path, persists: head.persists }), ''));
  const accepts = said.filter((line) => /^ "/.test(line) && !line.endsWith('…"')).map((line, i) => ({ ...found[i], body: JSON.parse(line.slice(1)) }));
  return { accepts, refuses: said.at(-1)?.startsWith('!') === true };
}

/** Sends bytes, ends, and reads the responses to the end. `fault`: how it ended before. */
function tell(port, bytes, methods) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const found = [];
    let at = 0;
    let body = '';
    const decoder = responseDecoder(() => methods[at] ?? 'GET');
    const end = (how) => {
      socket.destroy();
      resolve({ found, how });
    };
    socket.setTimeout(3000, () => end('waits'));
    socket.on('data', (chunk) => {
      let from = 0;
      for (let event = decoder.read(chunk, from); event !== 'more'; event = decoder.read(chunk, from)) {
        from = decoder.at;
        if (event === 'fault') return end(`malformed: ${decoder.refused.message}`);
        if (event === 'head') body = '';
        else if (event === 'body') body += Buffer.from(decoder.body).toString('latin1');
        else {
          const { status } = decoder.head;
          decoder.next();
          if (status < 200) continue;
          at++;
          if (status >= 300) return end(`refused ${status}`);
          found.push(body);
          // All that was sent is answered. A half-closed client looks to http1 as if it had left, so this end comes last.
          if (at === methods.length) socket.end();
        }
      }
    });
    socket.on('end', () => end('ended'));
    socket.on('error', () => end('reset'));
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

const differences = [];
const differ = (peer, name, bytes, what) => {
  differences.push(`${peer}: ${name}: ${what}\n    ${JSON.stringify(bytes.slice(0, 300))}`);
};

async function compareRequest(servers, name, bytes) {
  const { accepts: ours, refuses } = accepted(bytes);
  // A body that has not come to its end has nothing to be compared.
  if (ours.length === 0) return false;
  for (const [peer, { port }] of Object.entries(servers)) {
    const { found, how } = await tell(port, bytes, ours.map(({ method }) => method));
    for (const [i, text] of found.entries()) {
      const mine = ours[i];
      if (mine === undefined) {
        // What is refused here may be taken there.
        if (!refuses) differ(peer, name, bytes, `answers ${found.length} requests, and here are ${ours.length}`);
        break;
      }
      // HEAD is answered without saying what was read, and `OPTIONS *` by Go itself.
      if (mine.method === 'HEAD' || text === '') continue;
      const theirs = JSON.parse(text);
      if (theirs.method !== mine.method || theirs.body !== mine.body || (mine.path === '/canary') !== (theirs.path === '/canary')) {
        differ(peer, name, bytes, `request ${i + 1}: ${JSON.stringify(theirs)} and not ${JSON.stringify(mine)}`);
      }
    }
    const last = ours.findIndex(({ persists }) => !persists);
    const expected = last < 0 ? ours.length : last + 1;
    // node:http 20 answers a request with `Upgrade`, and reads nothing of its connection any more.
    if (/^upgrade *:/im.test(bytes) && peer === 'node:http') continue;
    if (found.length < expected && (how === 'waits' || how.startsWith('malformed'))) differ(peer, name, bytes, `after ${found.length} of ${expected} it ${how}`);
  }
  return true;
}

/** A server that writes these bytes for the first request of a connection, and the next response for the second. */
async function raw(bytes, ends) {
  const server = createServer((socket) => {
    let asked = 0;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      // The clients send no body, and nothing before they have an answer.
      if (!chunk.toString('latin1').endsWith('\r\n\r\n')) return;
      socket.write(Buffer.from(++asked === 1 ? bytes : nextResponse, 'latin1'));
      if (asked === 1 && ends) socket.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function byNode(port, method) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const one = (how) => new Promise((resolve) => {
    const out = ask({ port, host: '127.0.0.1', method: how, agent, timeout: 2000 }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => resolve(`${response.statusCode} ${JSON.stringify(Buffer.concat(parts).toString('latin1'))}`));
      response.on('error', () => resolve('refused'));
    });
    out.on('timeout', () => out.destroy());
    out.on('error', () => resolve('refused'));
    out.end();
  });
  return one(method).then(async (first) => {
    const second = await one('GET');
    agent.destroy();
    return [first, second];
  });
}

async function compareResponses(goProgram) {
  let compared = 0;
  const child = goProgram && spawn(goProgram, ['client'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = child && createInterface(child.stdout)[Symbol.asyncIterator]();
  for (const { name, bytes, method, want } of responses) {
    if (want === 'refused' || want === 'unfinished') continue;
    const lasts = want.endsWith('…');
    const ours = JSON.stringify(lasts ? want.slice(0, -1) : want);
    const server = await raw(bytes, lasts);
    const { port } = server.address();
    const theirs = { 'node:http as a client': await byNode(port, method === 'HEAD' ? 'HEAD' : 'GET') };
    if (child) {
      child.stdin.write(`${method === 'HEAD' ? 'HEAD' : 'GET'} http://127.0.0.1:${port}/\n`);
      theirs['Go as a client'] = (await lines.next()).value.split('\t');
    }
    for (const [peer, [first, second]] of Object.entries(theirs)) {
      if (first !== 'refused' && first.slice(4) !== ours) differ(peer, name, bytes, `reads ${first} and not ${ours}`);
      // A second connection begins with these bytes again.
      else if (first !== 'refused' && second !== 'refused' && second !== '204 ""' && second !== first && method !== 'HEAD') differ(peer, name, bytes, `reads ${second} of the next response`);
    }
    compared++;
    server.close();
  }
  child?.stdin.end();
  return compared;
}

const goProgram = await buildGo(folder);
const servers = await startServers(folder, goProgram, freePort);
try {
  let compared = 0;
  for (const { name, bytes } of requests) if (await compareRequest(servers, name, bytes + canary)) compared++;
  const own = compared;
  for (const bytes of mutated(requests.filter(({ want }) => typeof want === 'string').map((one) => one.bytes), Number(values.seed), Number(values.mutated))) {
    if (await compareRequest(servers, 'mutated', bytes + canary)) compared++;
  }
  const answers = await compareResponses(goProgram);
  console.log(`${own} requests of the table and ${compared - own} of ${values.mutated} mutated ones (seed ${values.seed}) are accepted, and compared with ${Object.keys(servers).join(', ')}; ${answers} responses with node:http${goProgram ? ' and Go' : ''}`);
} finally {
  for (const { close } of Object.values(servers).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
}
for (const one of differences) console.log(`  DIFFERENT ${one}`);
console.log(`${differences.length} differences`);
process.exit(differences.length > 0 ? 1 : 0);
