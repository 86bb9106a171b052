// Tasks a second for each store, beside a bare loop that writes the same records to the same store and does nothing
// else; and what a plain call pays for tasks being there. 64 in flight.
//
//   npm run build && node bench/tasks.mjs [--tasks N] [--rounds N]      Redis and PostgreSQL where integrations/ is built
import { performance } from 'node:perf_hooks';
import { classify } from '../dist/src/jsonrpc/codec.js';
import { McpServer } from '../dist/lib/server.js';
import { memoryStore, tasks } from '../dist/lib/tasks.js';
import { stores as others } from '../test/chaos/stores.mjs';

const option = (name, otherwise) => (process.argv.includes(name) ? Number(process.argv[process.argv.indexOf(name) + 1]) : otherwise);
const many = option('--tasks', 1000);
const rounds = option('--rounds', 5);
const inFlight = 64;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Runs `one` so many times, 64 at once; gives how many a second. */
async function rate(count, one) {
  let next = 0;
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (next < count) await one(next++);
  }));
  return count / ((performance.now() - began) / 1000);
}

/** A client of 2026-07-28 in the same process: a request, and its answer. */
function peer(server) {
  const waiting = new Map();
  const hear = (text) => {
    const { id, result, error } = JSON.parse(text);
    if (error) throw new Error(error.message);
    waiting.get(id)(result);
    waiting.delete(id);
  };
  const channel = server.connect({ send: () => {}, answer: hear }, { modern: true });
  let id = 0;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  return (method, params) => new Promise((resolve) => {
    waiting.set(++id, resolve);
    channel.receive(classify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }));
  });
}

const input = { type: 'object', properties: { n: { type: 'integer' } } };

/** Tasks with one step each, from the call to the end; what they have written is told. */
async function whole(store, seen) {
  const server = new McpServer({ name: 'bench', version: '1' }, { limits: { maxInFlight: 10_000 } });
  const ended = new Map();
  const counted = new Proxy(store, { get: (target, name) => {
    const value = target[name];
    if (typeof value !== 'function') return value;
    return (...args) => {
      if (seen && ['create', 'lease', 'append', 'end'].includes(name)) seen.push([name, args]);
      return value.apply(target, args);
    };
  } });
  const work = tasks(server, { store: counted, limits: { maxTasks: 1e6, maxTasksPerPrincipal: 1e6, maxRunning: inFlight } });
  server.tool('job', { task: 'optional', input }, async ({ n }, ctx) => ctx.once('step', () => `made ${n}`));
  const stop = store.watch((id, change) => {
    if (change !== 'ended') return;
    const waits = ended.get(id);
    ended.set(id, true);
    waits?.();
  });
  const ask = peer(server);
  const result = await rate(many, async (n) => {
    const { taskId } = await ask('tools/call', { name: 'job', arguments: { n } });
    if (ended.get(taskId) !== true) await new Promise((resolve) => ended.set(taskId, resolve));
    ended.delete(taskId);
  });
  stop();
  return { result, close: () => work.close() };
}

/** The same records to the same store, one task after the other in 64 rows, and nothing else. */
async function bare(store, sample) {
  const [[, [task]], , [, [, , records]], [, [, end]]] = sample;
  let count = 0;
  return rate(many, async () => {
    const id = `bare-${process.pid}-${Date.now()}-${count++}`;
    await store.create({ ...task, id });
    const { lease } = await store.lease(id, 30_000);
    await store.append(lease, 0, records);
    await store.end(id, end, lease);
  });
}

console.log(`tasks of one step, ${inFlight} in flight, ${many} a round, median of ${rounds} rounds`);
for (const [name, place] of Object.entries({ memory: undefined, ...others })) {
  const ratios = [];
  const rates = [];
  for (let round = 0; round < rounds; round++) {
    let at;
    try {
      at = place ? await place.start() : { at: undefined, stop: () => {} };
      if (!at) throw new Error('this machine has no such server');
      const store = place ? await place.open(at.at) : memoryStore();
      const seen = [];
      const once = await whole(store, seen);
      const of = (method) => seen.find(([which]) => which === method);
      const sample = ['create', 'lease', 'append', 'end'].map(of);
      // The workers of the whole have gone, and with them their store.
      await once.close();
      const again = place ? await place.open(at.at) : memoryStore();
      const plain = await bare(again, sample);
      await again.close();
      rates.push(once.result);
      ratios.push(once.result / plain);
    } catch (error) {
      console.log(`${name}: left out: ${error.message}`);
      break;
    } finally {
      await at?.stop();
    }
  }
  if (rates.length > 0) console.log(`${name.padEnd(9)} ${median(rates).toFixed(0).padStart(6)} tasks/s, ${median(ratios).toFixed(2)} of the bare loop`);
}

async function calls(withTasks) {
  const server = new McpServer({ name: 'bench', version: '1' }, { limits: { maxInFlight: 10_000 } });
  const work = withTasks ? tasks(server) : undefined;
  server.tool('echo', { input }, ({ n }) => `${n}`);
  const ask = peer(server);
  const result = await rate(20_000, (n) => ask('tools/call', { name: 'echo', arguments: { n } }));
  await work?.close();
  return result;
}
await calls(true);
await calls(false);
const plain = [];
for (let round = 0; round < 2 * rounds; round++) {
  const [without, along] = round % 2 ? [await calls(false), await calls(true)] : [await calls(true), await calls(false)].reverse();
  plain.push(along / without);
}
console.log(`a plain call beside tasks: ${median(plain).toFixed(3)} of the rate without them`);
process.exit(0);
