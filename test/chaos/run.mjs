// npm run chaos: 1,000 orders, four workers, leases of a second. Every 200 ms one worker at random is killed, or stopped
// for three leases and continued. At the end every order has ended as it should, and the ledger of effects agrees.
//
//   node test/chaos/run.mjs [store…] [--tasks N] [--seed S]     folder, redis and postgres unless named
//   node test/chaos/run.mjs --short                             60 orders a store
import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpServer } from '../../dist/lib/server.js';
import { TaskClient, tasks } from '../../dist/lib/tasks.js';
import { memoryTransport } from '../../dist/lib/memory.js';
import { randomOf } from '../../dist/test/random.js';
import { check } from './check.mjs';
import { defineOrder, leaseMs } from './order.mjs';
import { stores } from './stores.mjs';

const args = process.argv.slice(2);
const option = (name, otherwise) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : otherwise);
const orders = option('--tasks', args.includes('--short') ? 60 : 1000);
const seed = option('--seed', Date.now() % 1e9);
const chosen = Object.keys(stores).filter((name) => args.includes(name));
const names = chosen.length > 0 ? chosen : Object.keys(stores);
const workers = 4;
const everyMs = 200;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function chaos(name) {
  const { start, open } = stores[name];
  const place = await start();
  if (!place) return { name, missing: true };
  const scratch = await mkdtemp(join(tmpdir(), 'barewire-ledger-'));
  const ledger = join(scratch, 'ledger');
  const random = randomOf(seed);
  const began = performance.now();
  /** What was done to whom, and when. */
  const blows = [];
  let over = false;

  const spawn = () => {
    const child = fork(fileURLToPath(new URL('worker.mjs', import.meta.url)), [name, place.at, ledger], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.ready = new Promise((resolve) => child.once('message', resolve));
    return child;
  };
  const crew = Array.from({ length: workers }, spawn);
  await Promise.all(crew.map(({ ready }) => ready));

  const store = await open(place.at);
  const server = new McpServer({ name: 'front', version: '1' }, { limits: { maxInFlight: 100_000 } });
  defineOrder(server, () => {});
  const desk = tasks(server, { store, work: false, limits: { maxTasksPerPrincipal: 100_000, maxTasks: 100_000 } });
  /** What was acknowledged to the person who answered. */
  const words = new Map();
  const client = new TaskClient({ name: 'chaos', version: '1' }, {
    era: 'modern',
    onElicit: ({ message }) => {
      const n = Number(/\d+/.exec(message)?.[0]);
      if (words.has(n)) throw new Error(`order ${n} was asked for twice`);
      const word = Math.random().toString(36).slice(2);
      words.set(n, word);
      return { action: 'accept', content: { word } };
    },
  });
  await client.connect(memoryTransport(server));

  const blowing = (async () => {
    while (!over) {
      await pause(everyMs);
      const at = Math.floor(random() * workers);
      const kill = random() < 0.5;
      const victim = crew[at];
      if (over || victim.stopped) continue;
      blows.push({ pid: victim.pid, at: Date.now(), what: kill ? 'kill' : 'stop' });
      if (kill) {
        victim.kill('SIGKILL');
        crew[at] = spawn();
      } else {
        victim.stopped = true;
        victim.kill('SIGSTOP');
        setTimeout(() => {
          victim.kill('SIGCONT');
          victim.stopped = false;
        }, 3 * leaseMs);
      }
    }
  })();

  const handles = [];
  const results = await Promise.allSettled(Array.from({ length: orders }, async (_, n) => {
    const { task } = await client.startTool('order', { n });
    handles[n] = task.id;
    return (await task.result()).content[0].text;
  }));
  over = true;
  await blowing;
  const seconds = (performance.now() - began) / 1000;
  await pause(0);
  const kept = await Promise.all(handles.map((id) => store.load(id)));
  // Those that are stopped still have something to say: they are let go on before the ledger is read.
  for (const child of crew) child.kill('SIGCONT');
  await pause(1.5 * leaseMs);
  for (const child of crew) child.kill('SIGKILL');
  await Promise.all(crew.map((child) => child.exitCode !== null || child.signalCode !== null || new Promise((resolve) => child.once('exit', resolve))));
  await client.close();
  await desk.close();
  const lines = (await readFile(ledger, 'utf8')).trimEnd().split('\n');
  await rm(scratch, { recursive: true, force: true });
  await place.stop();
  return { name, seconds, ...check({ results, kept, words, lines, blows }) };
}

console.log(`chaos: ${orders} orders a store, ${workers} workers, leases of ${leaseMs} ms, a blow every ${everyMs} ms, seed ${seed}`);
console.log('memory: left out, since its tasks end with the process that is killed');
let failed = false;
for (const name of names) {
  const report = await chaos(name);
  if (report.missing) {
    console.log(`${name}: left out, this machine has no such server`);
    continue;
  }
  const { seconds, counts, faults } = report;
  console.log(`${name}: ${faults.length === 0 ? 'holds' : 'FAILS'} after ${seconds.toFixed(1)} s; ${Object.entries(counts).map(([what, n]) => `${what} ${n}`).join(', ')}`);
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
  if (faults.length > 0) failed = true;
}
process.exitCode = failed ? 1 : 0;
