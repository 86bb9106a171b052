// One worker of the chaos run: runs orders and writes each effect into the ledger, which no store uses.
// argv: the store, its place, the ledger, the clock file, and as JSON the state of its disk, which messages change.
import { appendFileSync } from 'node:fs';
import { joinClock, trueTime } from './clock.mjs';
import { diskOf } from './disk.mjs';
import { McpServer } from '../../dist/lib/server.js';
import { LeaseLost, runTasks } from '../../dist/lib/tasks.js';
import { leaseMs, defineOrder } from './order.mjs';
import { stores } from './stores.mjs';

const [kind, at, ledger, clock, state] = process.argv.slice(2);
const note = (...words) => appendFileSync(ledger, `${words.join(' ')}\n`);

joinClock(clock);
const setDisk = kind === 'folder' ? await diskOf() : () => {};
const change = ({ disk }) => setDisk(disk);
change(JSON.parse(state));
process.on('message', change);

/** The seeds of idempotency keys, by task id: the ledger has only keys. */
const seeds = new Map();
const store = await (async () => {
  for (;;) {
    try {
      return await stores[kind].open(at);
    } catch (error) {
      // Tries again if the store was away at the start.
      note('failed', '-', process.pid, trueTime(), JSON.stringify(error.message));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
})();
const refused = (lease) => (error) => {
  if (error instanceof LeaseLost) note('refused', seeds.get(lease.id), process.pid);
  else note('failed', '-', process.pid, trueTime(), JSON.stringify(error.message));
  throw error;
};
/** Records when each lease was requested, at every renewal: it holds for at least `leaseMs` from then. */
const noteLease = ({ id, fence }, asked) => note('leased', seeds.get(id), process.pid, fence, asked, trueTime());
const watched = {
  ...store,
  durable: true,
  load: (id) => store.load(id),
  async renew(lease, ms) {
    const asked = trueTime();
    await store.renew(lease, ms).catch(refused(lease));
    noteLease(lease, asked);
  },
  due: (limit) => store.due(limit),
  expire: (now) => store.expire(now),
  watch: (listener) => store.watch(listener),
  close: () => store.close(),
  async lease(id, ms) {
    const asked = trueTime();
    const found = await store.lease(id, ms);
    if (!found) return undefined;
    seeds.set(id, JSON.parse(found.task.head).seed);
    noteLease(found.lease, asked);
    return found;
  },
  async append(lease, after, records) {
    await store.append(lease, after, records).catch(refused(lease));
    for (const record of records.map((text) => JSON.parse(text))) {
      if (record.t === 'step') note('written', `${seeds.get(lease.id)}-${record.key}`, process.pid);
    }
  },
  release: (lease, after, records, waiting) => store.release(lease, after, records, waiting).catch(refused(lease)),
  end: (id, end, lease) => store.end(id, end, lease).catch(refused(lease)),
};

const server = new McpServer({ name: 'worker', version: '1' }, {
  onError: (error) => note('error', '-', process.pid, trueTime(), JSON.stringify(error.message)),
});
defineOrder(server, (step, { attempt, idempotencyKey }) => note('effect', idempotencyKey, process.pid, attempt, trueTime(), step));
runTasks(server, watched, { limits: { leaseMs, scanMs: 50, maxRunning: 16 } });
process.send?.('ready');
