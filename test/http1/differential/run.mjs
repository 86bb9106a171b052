// npm run http1:differential: messages that the codec accepts are sent to other HTTP programs, and each must read the same from them and
// from the message after them: nothing may be accepted here that one of them accepts and frames differently. A refusal is not a difference.
// Requests go to servers, directly and through proxies; responses go to clients, directly and through proxies. Lists programs that are
// missing on this machine. Exits 1 on a difference.
//
//   node test/http1/differential/run.mjs [--count N] [--seed S]
//       N mutated requests and N / 10 responses besides the tables (default 2000)
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { canary, requests } from '../../../dist/test/http1/requests.js';
import { responses } from '../../../dist/test/http1/responses.js';
import { mutated } from '../../../dist/test/http1/mutated.js';
import { compareRequest } from './compared-requests.mjs';
import { compareResponses } from './compared-responses.mjs';
import { buildPeers, missing, startServers } from './servers.mjs';

const { values } = parseArgs({ options: { count: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } } });
const [count, seed] = [Number(values.count), Number(values.seed)];
if (!Number.isInteger(count) || !Number.isInteger(seed)) throw new Error('--count and --seed want numbers');
const folder = mkdtempSync(join(tmpdir(), 'barewire-http1-'));

const differences = [];
const differ = (peer, name, bytes, what) => {
  differences.push(`${peer}: ${name}: ${what}\n    ${JSON.stringify(bytes.slice(0, 300))}`);
};

/** The number of messages compared in parallel. */
const side = 16;

/** Calls `run` for each message, several in parallel. Returns how often it returned true. */
async function each(messages, run) {
  const next = messages[Symbol.iterator]();
  let found = 0;
  await Promise.all(Array.from({ length: side }, async () => {
    for (let one = next.next(); !one.done; one = next.next()) if (await run(one.value)) found++;
  }));
  return found;
}

/** The texts without duplicates. */
function* distinct(texts) {
  const seen = new Set();
  for (const text of texts) {
    if (seen.has(text)) continue;
    seen.add(text);
    yield text;
  }
}

const peers = await buildPeers(folder);
const servers = await startServers(folder, peers);
const say = (text) => console.log(`${text}`);
for (const name of missing(servers, peers)) say(`left out, since this machine does not have it: ${name}`);
try {
  const own = await each(requests, ({ name, bytes }) => compareRequest(servers, name, bytes + canary, differ));
  const bytesOf = (cases) => cases.map(({ bytes }) => bytes);
  const drawn = distinct(mutated(bytesOf(requests.filter(({ want }) => typeof want === 'string')), seed, count));
  const others = await each(drawn, (bytes) => compareRequest(servers, 'mutated', bytes + canary, differ));
  say(`${own} requests of the table and ${others} of ${count} mutated ones (seed ${seed}) are accepted, and compared with ${Object.keys(servers).join(', ')}`);
  const changed = [...distinct(mutated(bytesOf(responses.filter(({ want }) => want !== 'refused')), seed, Math.ceil(count / 10)))].map((bytes) => ({ name: 'mutated', bytes, method: 'GET' }));
  const { compared, peers: clients } = await compareResponses(folder, peers, [...responses, ...changed], differ);
  say(`${compared} responses of the table and of ${Math.ceil(count / 10)} mutated ones are accepted, and compared with ${clients.join(', ')}`);
} finally {
  for (const { close } of Object.values(servers).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
}
for (const one of differences) say(`  DIFFERENT ${one}`);
say(`${differences.length} differences`);
process.exit(differences.length > 0 ? 1 : 0);
