// npm run siege: a seeded generator of hostile peers, in both roles and on every transport, against a process with a heap of 256 MiB.
// Throughout, an innocent peer's probe must be answered within a second, resident memory must stay below 512 MiB, and after the hostile
// peer has left, two forced collections must bring the heap to within 16 MiB of its baseline.
//
//   npm run siege                        two minutes
//   npm run siege -- --minutes 60        longer; --seed S repeats a draw
//   npm run siege -- --only depth        shapes whose name contains the text; --role server, --on http likewise
import { parseArgs } from 'node:util';
import { random } from '../hostile/mutations.ts';
import type { Random } from '../hostile/mutations.ts';
import { clientShapes } from './client-shapes.ts';
import { Hostile } from './door.ts';
import type { DoorKind } from './door.ts';
import { Fortress } from './fortress.ts';
import { HostileServer } from './hostile-server.ts';
import { serverShapes } from './server-shapes.ts';
import { unmended } from './unmended.ts';

const MIB = 2 ** 20;
const MOST = { probeMs: 1_000, resident: 512 * MIB, heap: 16 * MIB };

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' }, seed: { type: 'string' }, only: { type: 'string', default: '' },
    role: { type: 'string', default: '' }, on: { type: 'string', default: '' },
  },
});
const seed = Number(options.seed ?? Date.now() % 1_000_000);
const until = Date.now() + Number(options.minutes) * 60_000;

type Role = 'server' | 'client';

/** One shape on one transport, and its results. */
interface Plan {
  readonly role: Role;
  readonly name: string;
  readonly on: string;
  run(fortress: Fortress, by: Random): Promise<string | undefined>;
  count: number;
  slowest: number;
  peak: number;
  held: number;
  readonly harm: Set<string>;
}

const plan = (role: Role, name: string, on: string, run: Plan['run']): Plan =>
  ({ role, name, on, run, count: 0, slowest: 0, peak: 0, held: 0, harm: new Set() });

function attackServer(name: string, on: DoorKind): Plan {
  return plan('server', name, on, async (fortress, by) => {
    const door = { kind: on, port: fortress.ports[on] ?? 0 };
    const peers: Hostile[] = [];
    const another = (): Hostile => {
      const one = new Hostile(door);
      peers.push(one);
      return one;
    };
    try {
      await serverShapes[name]?.run({ by, hostile: another(), another });
    } finally {
      for (const peer of peers) peer.leave();
    }
    return undefined;
  });
}

function attackClient(name: string, on: 'stdio' | 'port' | 'http'): Plan {
  return plan('client', name, on, async (fortress, by) => {
    const shape = clientShapes[name];
    if (!shape) return undefined;
    const hostile = new HostileServer(shape, by, on === 'http');
    try {
      const back = await fortress.visit({ kind: on, port: await hostile.listen() });
      return back || fortress.fallen !== undefined ? undefined : 'the client did not come back within 20 seconds';
    } finally {
      hostile.close();
    }
  });
}

const plans = [
  ...Object.entries(serverShapes).flatMap(([name, { doors }]) => doors.map((on) => attackServer(name, on))),
  ...Object.entries(clientShapes).flatMap(([name, { web }]) =>
    (web ? ['http'] as const : ['stdio', 'port', 'http'] as const).map((on) => attackClient(name, on))),
].filter(({ role, name, on }) => role.includes(options.role) && name.includes(options.only) && on.includes(options.on));

const hash = (text: string): number => [...text].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 0) >>> 0;

const fortresses = new Map<Role, Fortress>();

async function fortressOf(role: Role): Promise<Fortress> {
  const standing = fortresses.get(role);
  if (standing?.fallen === undefined && standing) return standing;
  await standing?.raze();
  const fortress = await Fortress.build(role);
  fortresses.set(role, fortress);
  // Code compiled and objects cached at the first use are not a leak: take the baseline after that.
  const warm = random(1);
  for (const other of role === 'server' ? [attackServer('broken messages', 'http'), attackServer('broken messages', 'stdio')]
    : [attackClient('broken messages', 'http'), attackClient('broken messages', 'stdio')]) await other.run(fortress, warm);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  fortress.baseline = (await fortress.condition())?.heapUsed ?? 0;
  fortress.peak();
  fortress.slowest = 0;
  fortress.refusal = undefined;
  return fortress;
}

/** Waits, for a bounded time, until the heap is back near its baseline, because some resources end only after a peer has left. */
async function settle(fortress: Fortress): Promise<number | undefined> {
  let held: number | undefined;
  for (let i = 0; i < 12; i++) {
    const condition = await fortress.condition();
    if (condition === undefined) return undefined;
    held = condition.heapUsed - fortress.baseline;
    if (held < MOST.heap) return held;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return held;
}

/** True if a late probe is the only harm: the machine may have caused it. */
const isLate = (harm: readonly string[]): boolean => harm.length === 1 && /^a probe took more/.test(harm[0] ?? '');

/** Runs an attack. If a probe was late, repeats it; the harm counts if the probe is late three times in a row. */
async function attack(plan: Plan, draw: () => Random): Promise<void> {
  let harm: string[] = [];
  for (let times = 0; times < 3; times++) {
    harm = await attackOnce(plan, draw());
    if (!isLate(harm)) break;
  }
  for (const text of harm) plan.harm.add(text);
}

async function attackOnce(plan: Plan, by: Random): Promise<string[]> {
  const fortress = await fortressOf(plan.role);
  const wrong = await plan.run(fortress, by);
  const held = await settle(fortress);
  const peak = fortress.peak();
  const slowest = Math.max(fortress.slowest, fortress.silence > 1_000 ? fortress.silence : 0);
  plan.count++;
  plan.slowest = Math.max(plan.slowest, slowest);
  plan.peak = Math.max(plan.peak, peak);
  plan.held = Math.max(plan.held, held ?? 0);
  const harm = [
    wrong,
    fortress.fallen,
    held === undefined && fortress.fallen === undefined && 'does not say within 10 seconds how it is',
    slowest > MOST.probeMs && `a probe took more than ${MOST.probeMs} ms`,
    fortress.refusal !== undefined && fortress.fallen === undefined && `a probe failed: ${fortress.refusal}`,
    peak > MOST.resident && `more than ${MOST.resident / MIB} MiB resident`,
    (held ?? 0) > MOST.heap && `more than ${MOST.heap / MIB} MiB are held after it`,
  ].filter((text) => typeof text === 'string');
  fortress.slowest = 0;
  fortress.refusal = undefined;
  if (harm.length > 0) {
    console.log(`${isLate(harm) ? 'late' : 'HARM'} ${plan.role}/${plan.name} on ${plan.on}: ${harm.join('; ')} (${Math.round(slowest)} ms, ${Math.round(peak / MIB)} MiB, ${Math.round((held ?? 0) / MIB)} MiB held)`);
    // Restart, so that the next attack meets a healthy process.
    await fortress.raze();
    fortresses.delete(plan.role);
  }
  return harm;
}

console.log(`siege: seed ${seed}, ${options.minutes} minutes, ${plans.length} shapes on their transports`);
const by = random(seed);
// Each plan once in a random order, then plans at random.
const order = plans.map((plan) => ({ plan, at: by.int(1e9) })).sort((a, b) => a.at - b.at).map(({ plan }) => plan);
for (let i = 0; plans.length > 0 && Date.now() < until; i++) {
  const next = order[i] ?? by.pick(plans);
  // A separate random stream, so that a shape run without the others draws the same values.
  const from = seed + hash(`${next.role}/${next.name} on ${next.on} ${next.count}`);
  await attack(next, () => random(from));
}
for (const fortress of fortresses.values()) await fortress.raze();

const known = ({ role, name }: Plan): string | undefined => unmended[`${role}/${name}`];
console.log('\nrole    on     runs  probe ms  resident  held MiB  shape');
for (const plan of plans) {
  const { role, name, on, count, slowest, peak, held, harm } = plan;
  const figures = [
    count.toString().padStart(4), slowest.toFixed(0).padStart(9), (peak / MIB).toFixed(0).padStart(9), (held / MIB).toFixed(1).padStart(9),
  ];
  const verdict = harm.size > 0 ? (known(plan) ? ` (not mended: ${known(plan)})` : ' HARM') : '';
  console.log(`${role.padEnd(7)} ${on.padEnd(5)} ${figures.join(' ')}  ${name}${verdict}`);
}
const harmful = plans.filter((plan) => plan.harm.size > 0 && !known(plan));
const unrun = plans.filter(({ count }) => count === 0);
const runs = plans.reduce((sum, { count }) => sum + count, 0);
console.log(`\nseed ${seed}: ${runs} attacks, ${unrun.length} shapes not reached in the time`);
for (const { role, name, on, harm } of harmful) console.log(`HARM ${role}/${name} on ${on}: ${[...harm].join('; ')}`);
for (const [name, why] of Object.entries(unmended)) console.log(`not mended: ${name}: ${why}`);
process.exit(harmful.length > 0 || runs === 0 ? 1 : 0);
