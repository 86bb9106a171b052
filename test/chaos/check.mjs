// What has to hold after the chaos run, whatever happened.
import { leaseMs } from './order.mjs';

/** Milliseconds by which a lease may end early: file times are of the last tick, of the disk's and of the kernel's. */
const ticks = 30;
/** Milliseconds between the time that an effect notes and its line in the log, beyond which the process stood still there. */
const stoodStill = leaseMs / 2;
/** How long after a blow its store may still be heard of as away. */
const echoMs = 20_000;
/** What stores say that are away. All else that a worker reports is a fault. */
const away = /ENOSPC|takes no more|ECONN|EPIPE|ENOENT|[Ss]ocket|[Cc]onnection|client is (closed|offline)|starting up|LOADING|shutting down|recovery mode|task could not be kept|not answered in time|[Tt]imeout|not queryable/;

/** For a fault: what had been done in the seconds before, and how long before. */
const doneBefore = (blows, at) => {
  const near = blows.filter((blow) => at >= blow.at && at - (blow.till ?? blow.at) < 5000);
  return `; before it: ${near.map((blow) => `${blow.what} ${Math.round(at - blow.at)}${blow.till === undefined ? '' : `–${Math.round(at - blow.till)}`} ms`).join(', ') || 'nothing'}`;
};

/** Each order has ended, with the values of its journal and the word that was acknowledged. */
function checkOrders({ results, kept, words }, counts, faults) {
  results.forEach(({ status, value, reason }, n) => {
    if (status !== 'fulfilled') return faults.push(`order ${n}: ${reason}`);
    counts.ended++;
    const task = kept[n];
    if (!task) return faults.push(`order ${n}: it has ended, and the store does not have it`);
    const records = task.records.map((text) => JSON.parse(text));
    const steps = records.filter(({ t }) => t === 'step');
    const names = steps.map(({ key }) => key);
    if (names.join() !== 'charge,pack,ship') faults.push(`order ${n}: the journal has the steps ${names.join()}`);
    const wanted = [n, ...steps.map((step) => step.value), words.get(n)].join(' ');
    if (value !== wanted) faults.push(`order ${n}: the result is ${JSON.stringify(value)}, the journal says ${JSON.stringify(wanted)}`);
    // No write of a run was accepted once a later one had the task.
    for (let i = 1; i < records.length; i++) {
      if (records[i].run < records[i - 1].run) faults.push(`order ${n}: run ${records[i].run} wrote after run ${records[i - 1].run}`);
    }
    counts.leases += records.at(-1)?.run ?? 0;
  });
}

/** The ledger: effects and written values by their keys, and who had which lease from when to when. */
function readLedger(lines, blows, counts, faults) {
  const effects = new Map();
  const written = new Map();
  /** By worker and task: its last lease there. */
  const leases = new Map();
  // A worker that was stopped itself has not heard its store meanwhile: it says so when it goes on.
  const stoppedMs = 1.8 * leaseMs + 1000;
  const isAway = (at, worker) => blows.some(({ what, pid, at: from, till = from }) => at >= from && (what === 'stop'
    ? pid === worker && at <= from + stoppedMs
    : ['disk', 'stall', 'cut', 'silence', 'restart', 'sleep'].includes(what) && at <= till + echoMs));
  let latest = 0;
  lines.forEach((line, at) => {
    const [what, key, pid, ...rest] = line.split(' ');
    if (what === 'effect') {
      counts.effects++;
      const [attempt, when, step] = rest;
      const made = effects.get(key) ?? [];
      latest = Math.max(latest, Number(when));
      // Stopped in the middle of an effect: nothing can keep that from coming after the next attempt's.
      const interrupted = latest - Number(when) > stoodStill;
      if (interrupted) counts['interrupted themselves']++;
      const lease = leases.get(`${pid} ${key.slice(0, key.lastIndexOf('-'))}`);
      made.push({ at, pid: Number(pid), attempt: Number(attempt), when: Number(when), step, interrupted, lease });
      effects.set(key, made);
    } else if (what === 'leased') {
      const [fence, asked, had] = rest.map(Number);
      const lease = leases.get(`${pid} ${key}`);
      if (lease?.fence === fence) lease.renewed = asked;
      else leases.set(`${pid} ${key}`, { fence, had, renewed: asked });
    } else if (what === 'written') {
      if (written.has(key)) faults.push(`${key}: its value was written twice`);
      written.set(key, at);
    } else if (what === 'refused') counts['writes refused']++;
    else if (what === 'failed') {
      counts['writes failed']++;
      if (!isAway(Number(rest[0]), Number(pid))) faults.push(`a write of a worker fails, and nothing was done to its store: ${rest.slice(1).join(' ').slice(0, 300)}${doneBefore(blows, Number(rest[0]))}`);
    } else if (what === 'error') {
      const message = rest.slice(1).join(' ');
      counts['faults of the store reported']++;
      if (!away.test(message) || !isAway(Number(rest[0]), Number(pid))) faults.push(`a worker reports ${message.slice(0, 300)}${doneBefore(blows, Number(rest[0]))}`);
    }
  });
  return { effects, written };
}

/** `clock`: the blow that sets the clock by which leases go. */
export function check({ results, kept, words, lines, blows, clock }) {
  const faults = [];
  const counts = { ended: 0 };
  Object.assign(counts, {
    effects: 0, 'effects made again': 0, 'interrupted themselves': 0, 'writes refused': 0, 'writes failed': 0,
    'faults of the store reported': 0, leases: 0,
  });
  checkOrders({ results, kept, words }, counts, faults);
  const { effects, written } = readLedger(lines, blows, counts, faults);
  // A clock that is set forward by more than a lease ends all that are held by it.
  const forward = blows.filter(({ what, by }) => what === clock && by > 0);
  /** Whether such a step came between the last renewal of a lease and the start of a later one. */
  const ended = (lease, later) => forward.some(({ at, till = at }) => till >= lease.renewed && at <= later.had);
  /**
   * Whether an attempt came after a later one, because such a step gave the task to a second worker while the first still
   * counted its lease by its own time: either of the two may come first. Of a write only the second's is accepted.
   */
  const crossed = (late, other) =>
    late.attempt < other.attempt && ended(late.lease, other.lease) && late.when <= late.lease.renewed + leaseMs + ticks;

  for (const [key, tries] of effects) {
    for (let i = 1; i < tries.length; i++) {
      counts['effects made again']++;
      const [before, again] = [tries[i - 1], tries[i]];
      if (again.interrupted) continue;
      if (crossed(again, before)) {
        counts['attempts that crossed'] = (counts['attempts that crossed'] ?? 0) + 1;
        continue;
      }
      if (again.attempt <= before.attempt) faults.push(`${key}: attempt ${again.attempt} after attempt ${before.attempt}: ${JSON.stringify(tries)}`);
      if (again.lease === before.lease) faults.push(`${key}: made twice under one lease: ${JSON.stringify(tries)}`);
      // Nobody takes a task before the time of the lease that another has is over, unless the clock that it goes by was set.
      const over = again.lease.had >= before.lease.renewed + leaseMs - ticks;
      if (!over && !ended(before.lease, again.lease)) faults.push(`${key}: taken from worker ${before.pid} before its time was over: ${JSON.stringify(tries)}`);
    }
    const stands = written.get(key);
    const after = tries.filter((made, i) => stands !== undefined && made.at > stands && !made.interrupted && !tries.slice(0, i).some((other) => crossed(made, other)));
    if (after.length > 0) faults.push(`${key}: ran again after its value was written`);
  }
  return { faults, counts };
}
