// npm run chaos: 1,000 orders a store, four workers, and one towards the end, leases of a second. Workers are killed and stopped;
// the machine sleeps; clocks are set, either way; the disk of the folder store is full at random writes, and foreign files are
// put into it; engines stall, start again and get their clocks set, and their connections are cut, with and without a close. A
// client repeats refused orders. At the end each order must have the right result, and the ledger of effects must agree.
//
//   node test/chaos/run.mjs [store…] [--tasks N] [--seed S]     folder, redis and postgres by default
//   node test/chaos/run.mjs --tasks 300 --blows 1000            300 orders get the blows that 1,000 would
//   node test/chaos/run.mjs --short                             60 orders a store
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countBlows, dealer, plan } from './blows.mjs';
import { makeClock } from './clock.mjs';
import { crewOf } from './crew.mjs';
import { diskOf } from './disk.mjs';
import { McpServer } from '../../dist/lib/server.js';
import { TaskClient, tasks } from '../../dist/lib/tasks.js';
import { memoryTransport } from '../../dist/lib/memory.js';
import { randomOf } from '../../dist/test/random.js';
import { check } from './check.mjs';
import { defineOrder, leaseMs } from './order.mjs';
import { stores } from './stores.mjs';
import { numberOf, readWords } from '../../scripts/words.mjs';

const { values, names: chosen } = readWords(
  { tasks: { type: 'string' }, short: { type: 'boolean' }, blows: { type: 'string' }, seed: { type: 'string' } }, Object.keys(stores),
);
const orders = numberOf(values.tasks, values.short ? 60 : 1000, 'tasks');
const blowsFor = numberOf(values.blows, orders, 'blows');
const seed = numberOf(values.seed, Date.now() % 1e9, 'seed');
const names = chosen.length > 0 ? chosen : Object.keys(stores);
const workers = 4;
/** After this share of the orders only one worker is left. */
const alone = 0.85;
/** Orders in progress at a time, and blows at the same time. */
const [inFlight, maxBlows] = [24, 3];
/** If no order ends for this long, in milliseconds, the rest are stuck. */
const patienceMs = 120_000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The server for clients, in this process; it runs no task. */
async function front(store, words) {
  const server = new McpServer({ name: 'front', version: '1' }, { limits: { maxInFlight: 100_000 }, onError: () => {} });
  defineOrder(server, () => {});
  const desk = tasks(server, { store, work: false, limits: { maxTasksPerPrincipal: 100_000, maxTasks: 100_000, pollIntervalMs: 100 } });
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
  return { client, desk };
}

/** Makes the orders, a few at a time and only as fast as the blows are dealt; resolves with the outcome of each. */
async function order(client, handles, world) {
  const results = [];
  let next = 0;
  const one = async (n) => {
    for (;;) {
      // If the store could not accept the order, the client got an error, and orders again.
      const begun = await client.startTool('order', { n }).catch(() => undefined);
      if (!begun) {
        world.refused++;
        await pause(50);
        continue;
      }
      handles[n] = begun.task.id;
      return (await begun.task.result()).content[0].text;
    }
  };
  const line = async () => {
    while (next < orders) {
      // The last order waits for the last blow; otherwise the orders could end before it.
      if ((next - 4) / orders > world.dealt || (next === orders - 1 && world.dealt < 1)) {
        await pause(10);
        continue;
      }
      const n = next++;
      [results[n]] = await Promise.allSettled([one(n)]);
      if (++world.ended >= alone * orders) world.alone();
      world.endedAt = performance.now();
    }
  };
  const stuck = async () => {
    while (world.ended < orders && performance.now() - world.endedAt < patienceMs) await pause(500);
  };
  await Promise.race([Promise.all(Array.from({ length: inFlight }, line)), stuck()]);
  return Array.from({ length: orders }, (_, n) => results[n] ?? { status: 'rejected', reason: `stuck: ${handles[n] ?? 'never kept'}` });
}

/** Deals the blows in step with the orders; the last of them to the one remaining worker. */
async function strike(all, blows, world) {
  const under = new Set();
  let dealt = 0;
  for (const what of all) {
    while (under.size >= maxBlows || (world.ended / orders < dealt / all.length - 0.1 && under.size > 0)) await Promise.race(under);
    if (world.over) break;
    const one = blows.deal(what).finally(() => under.delete(one));
    under.add(one);
    world.dealt = ++dealt / all.length;
    await pause(40);
  }
  await Promise.all(under);
  world.dealt = 1;
}

async function chaos(name) {
  const { start, open } = stores[name];
  const place = await start();
  if (!place) return { name, missing: true };
  const scratch = await mkdtemp(join(tmpdir(), 'barewire-ledger-'));
  const ledger = join(scratch, 'ledger');
  const began = performance.now();
  const world = { random: randomOf(seed), blows: [], ahead: 0, dealt: 0, ended: 0, endedAt: began, refused: 0, over: false, endedWithOne: 0 };
  const clock = join(scratch, 'clock');
  const setClock = makeClock(clock);
  const setDisk = place.hold ? () => {} : await diskOf();
  const store = await open(place.at);
  const crew = crewOf(workers, [name, place.at, ledger, clock], world.blows);
  await crew.ready();
  const blows = dealer({ place, crew, setDisk, setClock, world });
  /** The acknowledgments that the answering person got. */
  const words = new Map();
  const handles = [];
  const { client, desk } = await front(store, words);
  world.alone = () => {
    if (crew.size > 1) crew.shrink(1);
    else world.endedWithOne++;
  };
  const planned = plan(blowsFor, place, world.random);
  const striking = strike(planned, blows, world);
  const results = await order(client, handles, world);
  world.over = true;
  await striking;
  const seconds = (performance.now() - began) / 1000;
  blows.calm();
  const kept = await Promise.all(handles.map((id) => store.load(id)));
  await pause(1.5 * leaseMs);
  await crew.end();
  await client.close();
  await desk.close();
  const lines = (await readFile(ledger, 'utf8')).trimEnd().split('\n');
  const { faults, counts } = check({ results, kept, words, lines, blows: world.blows, clock: place.hold ? 'engine clock' : 'clock' });
  const dealt = countBlows(planned, world.blows);
  faults.push(...dealt.faults, ...crew.died, ...await blows.damaged());
  if (world.endedWithOne === 0) faults.push('no order ended with one worker');
  setDisk.restore?.();
  setClock(0);
  await rm(scratch, { recursive: true, force: true });
  await place.stop();
  return { name, seconds, faults, dealt: dealt.counts, counts: { ...counts, 'ended with one worker': world.endedWithOne, 'calls refused': world.refused } };
}

console.log(`chaos: ${orders} orders a store, ${workers} workers and then one, leases of ${leaseMs} ms, seed ${seed}`);
console.log('memory: left out, since its tasks end with the process that is killed');
let failed = false;
for (const name of names) {
  const report = await chaos(name);
  if (report.missing) {
    console.log(`${name}: left out, this machine has no such server`);
    continue;
  }
  const { seconds, dealt, counts, faults } = report;
  console.log(`${name}: ${faults.length === 0 ? 'holds' : 'FAILS'} after ${seconds.toFixed(1)} s`);
  for (const [title, all] of [['dealt', dealt], ['seen', counts]]) {
    console.log(`  ${title}: ${Object.entries(all).map(([what, n]) => `${what} ${n}`).join(', ')}`);
  }
  for (const fault of faults.slice(0, 20)) console.log(`  FAULT ${fault}`);
  if (faults.length > 0) failed = true;
}
process.exitCode = failed ? 1 : 0;
