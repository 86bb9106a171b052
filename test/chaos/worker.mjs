// One worker of the chaos run: works on orders, and writes each effect into the ledger, which no store knows.
// argv: the store, where it is, the ledger.
import { appendFileSync } from 'node:fs';
import { McpServer } from '../../dist/lib/server.js';
import { LeaseLost, runTasks } from '../../dist/lib/tasks.js';
import { leaseMs, defineOrder } from './order.mjs';
import { stores } from './stores.mjs';

const [kind, at, ledger] = process.argv.slice(2);
const note = (...words) => appendFileSync(ledger, `${words.join(' ')}\n`);

/** The seeds of idempotency keys, by task: the ledger knows keys alone. */
const seeds = new Map();
const store = await stores[kind].open(at);
const refused = (lease) => (error) => {
  if (error instanceof LeaseLost) note('refused', seeds.get(lease.id), process.pid);
  throw error;
};
/** A store that takes half a lease to answer stops a worker as well as a signal does. */
const timed = async (work) => {
  const began = performance.now();
  try {
    return await work();
  } finally {
    const took = performance.now() - began;
    if (took > leaseMs / 2) note('late', '-', process.pid, Math.round(took), Date.now());
  }
};
const watched = {
  ...store,
  durable: true,
  load: (id) => store.load(id),
  renew: (lease, ms) => timed(() => store.renew(lease, ms)),
  due: (limit) => store.due(limit),
  expire: (now) => store.expire(now),
  watch: (listener) => store.watch(listener),
  close: () => store.close(),
  async lease(id, ms) {
    const found = await timed(() => store.lease(id, ms));
    if (found) seeds.set(id, JSON.parse(found.task.head).seed);
    return found;
  },
  async append(lease, after, records) {
    await timed(() => store.append(lease, after, records)).catch(refused(lease));
    for (const record of records.map((text) => JSON.parse(text))) {
      if (record.t === 'step') note('written', `${seeds.get(lease.id)}-${record.key}`, process.pid);
    }
  },
  release: (lease, after, records, waiting) => store.release(lease, after, records, waiting).catch(refused(lease)),
  end: (id, end, lease) => store.end(id, end, lease).catch(refused(lease)),
};

const server = new McpServer({ name: 'worker', version: '1' }, { onError: (error) => note('error', JSON.stringify(error.message)) });
defineOrder(server, (step, { attempt, idempotencyKey }) => note('effect', idempotencyKey, process.pid, attempt, Date.now(), step));
runTasks(server, watched, { limits: { leaseMs, scanMs: 50, maxRunning: 16 } });

// A machine that is too busy stops a process as well as a signal does.
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  if (now - last > leaseMs / 2) note('late', '-', process.pid, Math.round(now - last), Date.now());
  last = now;
}, 50);
process.send?.('ready');
