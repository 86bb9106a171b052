// npm run fleet -- [--minutes N] [--engine redis|nats|postgres] [--seed S] [--clients N] [--pace MS]
//
// Four processes behind nginx in round robin, a shared engine, 200 clients of all five revisions. Every few seconds a process is killed by
// SIGKILL and started again; halfway the engine is. Before and after that, the connection to the engine repeatedly stalls for longer than a
// lease: no byte passes, and no connection breaks. At the end each call must have ended as it should. `--minutes` is for all engines
// together: 10 by default. A client pauses for up to `--pace` milliseconds between calls. FLEET_ERRORS=1 prints the errors that processes
// and clients reported.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePorts } from '../../../dist/test/free-ports.js';
import { randomOf } from '../../../dist/test/random.js';
import { check, readLedger } from './check.mjs';
import { kinds, LoadClient } from './client.mjs';
import { engines } from './engines.mjs';
import { startNginx } from './nginx.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    engine: { type: 'string', multiple: true, default: Object.keys(engines) },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    clients: { type: 'string', default: '200' },
    pace: { type: 'string', default: '6000' },
  },
});
const seed = Number(values.seed);
const clientCount = Number(values.clients);
const chosen = values.engine;
const unknown = chosen.filter((name) => !(name in engines));
if (unknown.length > 0) throw new RangeError(`there is no engine ${unknown.join(', ')}: ${Object.keys(engines).join(', ')}`);
const runMs = Number(values.minutes) * 60_000 / chosen.length;
const processCount = 4;
const leaseMs = 3000;
/** Bytes by which a process's heap may grow, for compiled code and bounded caches. */
const growth = 12 * 1024 * 1024;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function run(name) {
  const server = await engines[name].start();
  if (!server) return undefined;
  const random = randomOf(seed);
  const [publicPort, ...ports] = await freePorts(processCount + 1);
  const nginx = await startNginx(publicPort, ports);
  if (!nginx) {
    await server.stop();
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'barewire-fleet-'));
  const ledger = join(folder, 'ledger');
  await writeFile(ledger, '');
  const key = randomBytes(32).toString('base64');
  /** `[from, to, what]`: the process or engine that failed, and from when to when. */
  const blows = [];
  const state = { over: false, calm: false, clients: clientCount, paceMs: Number(values.pace) };
  const program = fileURLToPath(new URL('process.mjs', import.meta.url));

  const start = (port) => {
    const child = fork(program, [name, server.at, port, publicPort, key, ledger, leaseMs].map(String), {
      execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.ready = once(child, 'message').then(([message]) => (child.heap = message.heap));
    return child;
  };
  const crew = ports.map(start);
  /** For each place of the crew, the blows that it has not yet recovered from. */
  const open = ports.map(() => []);
  await Promise.all(crew.map(({ ready }) => ready));

  // The longest pause of this process itself, which the fleet must not be blamed for.
  let [stallMs, last] = [0, performance.now()];
  const stalls = setInterval(() => {
    const now = performance.now();
    stallMs = Math.max(stallMs, now - last - 100);
    last = now;
  }, 100);

  const base = `http://127.0.0.1:${publicPort}`;
  // Measures how slow the machine is: a client without a session, whose calls need no engine.
  const canary = new LoadClient({ kind: kinds.at(-1), number: clientCount, base, state: { ...state }, random: () => 1 });
  await canary.connected();
  let singing = true;
  const song = (async () => {
    for (; singing; await pause(250)) if (await canary.connected()) await canary.call('echo', {}, 0);
  })();
  const clients = Array.from({ length: clientCount }, (_, number) => new LoadClient({
    kind: kinds[number % kinds.length], number, base, state, random: randomOf(seed + 1 + number),
  }));
  for (let i = 0; i < clients.length; i += 20) await Promise.all(clients.slice(i, i + 20).map((client) => client.connected()));

  const began = performance.now();
  const loops = clients.map((client) => client.run());
  const restarting = (async () => {
    await pause(runMs / 2);
    const from = performance.now();
    const blow = [from, Infinity, 'engine'];
    blows.push(blow);
    await server.restart();
    // Until the processes have reconnected. For one lease after that, no process is treated as dead.
    blow[1] = performance.now() + 1000 + leaseMs;
  })();
  let stalledTimes = 0;
  const stalling = (async () => {
    // The engine works for at least half of each interval.
    const eachMs = Math.max(6 * leaseMs, runMs / 12);
    for (let at = Math.min(eachMs, runMs / 6); at + 5 * leaseMs < runMs; at += eachMs) {
      await pause(Math.max(0, began + at - performance.now()));
      // Skip the time around the engine's restart.
      if (Math.abs(at - runMs / 2) < 3 * leaseMs) continue;
      const blow = [performance.now(), Infinity, 'engine'];
      blows.push(blow);
      stalledTimes++;
      server.stall();
      await pause(1.5 * leaseMs + random() * leaseMs);
      server.heal();
      // An answer refused with 503 is sent again seconds later, and for one lease no process is treated as dead.
      blow[1] = performance.now() + 2 * leaseMs + 4000;
    }
  })();
  let kills = 0;
  while (performance.now() - began < runMs) {
    await pause(2000 + random() * 3000);
    const at = Math.floor(random() * processCount);
    const victim = crew[at];
    const blow = [performance.now(), Infinity, 'process'];
    blows.push(blow);
    open[at].push(blow);
    kills++;
    victim.kill('SIGKILL');
    await once(victim, 'exit');
    crew[at] = start(ports[at]);
    crew[at].ready.then(() => {
      // Its open calls are settled when its lease has expired.
      for (const one of open[at].splice(0)) one[1] = performance.now() + leaseMs + 1000;
    });
  }
  await Promise.all([restarting, stalling]);
  await Promise.all(crew.map(({ ready }) => ready));

  // From here on nothing is killed: open calls must end, and each session must still work.
  state.calm = true;
  await pause(2 * leaseMs);
  state.over = true;
  const settled = await Promise.race([Promise.all(loops).then(() => true), pause(60_000).then(() => false)]);
  state.over = false;
  const lastCalls = await Promise.all(clients.map(async (client) => {
    if (!settled || !await client.connected()) return undefined;
    return client.call('echo', {}, 0);
  }));
  state.over = true;
  await pause(200);
  await Promise.all(clients.map((client) => client.close()));
  clearInterval(stalls);
  singing = false;
  await song;
  await canary.close();
  const canaryMs = Math.max(...canary.calls.filter(({ error }) => !error).map(({ start, end }) => end - start));

  await pause(1000);
  const grown = [];
  for (const child of crew) {
    child.send('heap');
    const [{ heap }] = await once(child, 'message');
    grown.push(heap - child.heap);
    child.send('close');
    await once(child, 'exit');
  }
  await nginx.stop();
  await server.stop();
  const read = readLedger(await readFile(ledger, 'utf8'));
  await rm(folder, { recursive: true, force: true });
  for (const blow of blows) if (blow[1] === Infinity) blow[1] = performance.now();
  const report = check({ clients, ledger: read, blows, leaseMs, slackMs: Math.max(stallMs, 3 * canaryMs) });
  const failed = lastCalls.filter((call) => !call || call.error).length;
  if (failed > 0) report.faults.push(`${failed} clients could not call when all was well again`);
  const most = Math.max(...grown);
  if (most > growth) report.faults.push(`the heap of a process has grown by ${Math.round(most / 1024)} KiB`);
  report.totals = {
    'seconds under load': Math.round((performance.now() - began) / 1000), 'processes killed': kills, 'engine restarted': 1, 'engine stalled': stalledTimes,
    ...report.totals, 'largest growth of a heap': `${Math.round(most / 1024)} KiB`, 'slowest call of a client that needs no engine': `${Math.round(canaryMs)} ms`,
    'longest stall of the clients': `${Math.round(stallMs)} ms`,
  };
  return { ...report, errors: read.errors, clientErrors: clients.flatMap(({ errors }) => errors) };
}

console.log(`fleet: ${clientCount} clients, ${processCount} processes, leases of ${leaseMs} ms, ${Math.round(runMs / 1000)} s an engine, seed ${seed}`);
let broken = false;
for (const name of chosen) {
  const report = await run(name);
  if (!report) {
    console.log(`${name}: left out, this machine has no such server or no nginx`);
    continue;
  }
  const { faults, counts, totals, errors, clientErrors } = report;
  console.log(`\n${name}: ${faults.length === 0 ? 'every rule holds' : `${faults.length} RULES BROKEN`}`);
  for (const [what, value] of Object.entries(totals)) console.log(`  ${what}: ${value}`);
  for (const { name: kind } of kinds) console.log(`  ${kind}: ${Object.entries(counts[kind] ?? {}).map(([what, n]) => `${what} ${n}`).join(', ')}`);
  for (const fault of faults.slice(0, 25)) console.log(`  BROKEN ${fault}`);
  if (process.env.FLEET_ERRORS) {
    console.log('  what processes reported:');
    for (const [message, n] of [...errors].sort((a, b) => b[1] - a[1]).slice(0, 15)) console.log(`    ${n} ${message.slice(0, 200)}`);
    const told = new Map();
    for (const message of clientErrors) {
      const short = message.replace(/[0-9a-v]{8,}(-[0-9a-z]+)*/g, '…').slice(0, 150);
      told.set(short, (told.get(short) ?? 0) + 1);
    }
    console.log('  what clients reported:');
    for (const [message, n] of [...told].sort((a, b) => b[1] - a[1]).slice(0, 15)) console.log(`    ${n} ${message}`);
  }
  if (faults.length > 0) broken = true;
}
process.exit(broken ? 1 : 0);
