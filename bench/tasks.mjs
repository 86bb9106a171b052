// Tasks per second in one store, compared with a bare loop that only sends the same commands and records to the same store; or
// the cost of the tasks feature for a plain call. 64 in flight. Prints JSON: { bare, barewire }, each per second. The suite
// `tasks` of run.mjs starts it once per round and row.
//
//   node bench/tasks.mjs memory | folder | redis | postgres | plain [--ms N] [--first bare|barewire]
import { performance } from 'node:perf_hooks';
import { McpServer } from '../dist/lib/server.js';
import { memoryStore, tasks } from '../dist/lib/tasks.js';
import { stores } from '../test/chaos/stores.mjs';
import { numberOf, readWords } from '../scripts/words.mjs';
import { classify } from '../dist/src/jsonrpc/message.js';

const { values, names: [row] } = readWords({ ms: { type: 'string' }, first: { type: 'string', default: 'bare' } }, ['memory', 'folder', 'redis', 'postgres', 'plain']);
const ms = numberOf(values.ms, 2000, 'ms');
const { first } = values;
const inFlight = 64;

/** Runs `one` repeatedly for this time, 64 at once; returns the number per second. */
async function rate(forMs, one) {
  const began = performance.now();
  let done = 0;
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (performance.now() - began < forMs) {
      await one(done);
      done++;
    }
  }));
  return done / ((performance.now() - began) / 1000);
}

/** Warms both up, and measures them in alternating slices, so that both run under the same conditions. */
async function compare(bare, barewire) {
  const slices = 4;
  const both = first === 'bare' ? [['bare', bare], ['barewire', barewire]] : [['barewire', barewire], ['bare', bare]];
  const sums = { bare: 0, barewire: 0 };
  for (const [, one] of both) await rate(ms / 2, one);
  for (let slice = 0; slice < slices; slice++) {
    for (const [name, one] of both) sums[name] += await rate(ms / slices, one) / slices;
    both.reverse();
  }
  return sums;
}

/** A client of 2026-07-28 in the same process: sends a request, resolves with its response. */
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
const server = () => new McpServer({ name: 'bench', version: '1' }, { limits: { maxInFlight: 10_000 } });

/** Tasks with one step each, from the call to the end; records the last commands of each kind. */
function whole(store) {
  const bench = server();
  const ended = new Map();
  const seen = {};
  const counted = new Proxy(store, { get: (target, name) => {
    const value = target[name];
    if (!['create', 'lease', 'append', 'end'].includes(name)) return typeof value === 'function' ? value.bind(target) : value;
    return (...args) => {
      seen[name] = args;
      return value.apply(target, args);
    };
  } });
  tasks(bench, { store: counted, limits: { maxTasks: 1e9, maxTasksPerPrincipal: 1e9, maxRunning: inFlight } });
  bench.tool('job', { task: 'optional', input }, async ({ n }, ctx) => ctx.once('step', () => `made ${n}`));
  store.watch((id, change) => {
    if (change !== 'ended') return;
    const waits = ended.get(id);
    ended.set(id, true);
    waits?.();
  });
  const ask = peer(bench);
  return { seen, async one(n) {
    const { taskId } = await ask('tools/call', { name: 'job', arguments: { n } });
    if (ended.get(taskId) !== true) await new Promise((resolve) => ended.set(taskId, resolve));
    ended.delete(taskId);
  } };
}

/** Only the same commands with the same records. */
function bare(store, seen) {
  let count = 0;
  return async () => {
    const id = `bare-${process.pid}-${count++}`;
    await store.create({ ...seen.create[0], id });
    const { lease } = await store.lease(id, 30_000);
    await store.append(lease, 0, seen.append[2]);
    await store.end(id, seen.end[1], lease);
  };
}

/** Each in a separate place: otherwise the workers of one would take the tasks of the other. */
async function inStore(name) {
  if (name !== 'memory' && !stores[name]) throw new Error(`no store ${name}: memory, ${Object.keys(stores).join(', ')}, or plain`);
  const start = async () => (name === 'memory' ? { at: undefined, stop: () => {} } : stores[name].start());
  const open = (at) => (name === 'memory' ? memoryStore() : stores[name].open(at));
  const places = [await start(), await start()];
  try {
    if (!places[0] || !places[1]) throw new Error('this machine has no such server');
    const { one, seen } = whole(await open(places[0].at));
    await one(0);
    return await compare(bare(await open(places[1].at), seen), one);
  } finally {
    for (const place of places) await place?.stop();
  }
}

function calls(withTasks) {
  const bench = server();
  if (withTasks) tasks(bench);
  bench.tool('echo', { input }, ({ n }) => `${n}`);
  const ask = peer(bench);
  return (n) => ask('tools/call', { name: 'echo', arguments: { n } });
}

const found = row === 'plain' ? await compare(calls(false), calls(true)) : await inStore(row);
console.log(JSON.stringify(found));
process.exit(0);
