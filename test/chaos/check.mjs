// The conditions that must hold after the chaos run.
import { leaseMs } from './order.mjs';

/** Milliseconds by which a lease may end early: file times are rounded to ticks of the disk and of the kernel. */
const ticks = 30;
/** If an effect's own time and its line in the log are further apart, in milliseconds, its process was stopped in between. */
const stoodStill = leaseMs / 2;
/** How long after a blow, in milliseconds, a worker may still report its store as away. */
const echoMs = 20_000;
/** Messages of stores that are away. Every other error that a worker reports is a fault. */
const away = /ENOSPC|takes no more|ECONN|EPIPE|ENOENT|[Ss]ocket|[Cc]onnection|client is (closed|offline)|starting up|LOADING|shutting down|recovery mode|task could not be kept|not answered in time|[Tt]imeout|not queryable/;

/** For a fault's text: the blows of the seconds before it. */
const doneBefore = (blows, at) => {
  const near = blows.filter((blow) => at >= blow.at && at - (blow.till ?? blow.at) < 5000);
  return `; before it: ${near.map((blow) => `${blow.what} ${Math.round(at - blow.at)}${blow.till === undefined ? '' : `–${Math.round(at - blow.till)}`} ms`).join(', ') || 'nothing'}`;
};

/** Each order has ended, with the values of its journal and the acknowledged answer. */
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
    // No write of an old run was accepted after a newer run had the task.
    for (let i = 1; i < records.length; i++) {
      if (records[i].run < records[i - 1].run) faults.push(`order ${n}: run ${records[i].run} wrote after run ${records[i - 1].run}`);
    }
    counts.leases += records.at(-1)?.run ?? 0;
  });
}

/** The ledger: effects and written values by key, and the leases: worker, start and end. */
function readLedger(lines, blows, counts, faults) {
  const effects = new Map();
  const written = new Map();
  /** The last lease of each worker and task. */
  const leases = new Map();
  // A stopped worker could not hear its store, and reports that when it continues.
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
      // The worker was stopped in the middle of an effect: nothing can prevent that the effect ends after that of the next
      // attempt.
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

/** `clock`: the kind of blow that sets the clock of the leases. */
export function check({ results, kept, words, lines, blows, clock }) {
  const faults = [];
  const counts = { ended: 0 };
  Object.assign(counts, {
    effects: 0, 'effects made again': 0, 'interrupted themselves': 0, 'writes refused': 0, 'writes failed': 0,
    'faults of the store reported': 0, leases: 0,
  });
  checkOrders({ results, kept, words }, counts, faults);
  const { effects, written } = readLedger(lines, blows, counts, faults);
  // Setting the clock forward by more than a lease ends all leases.
  const forward = blows.filter(({ what, by }) => what === clock && by > 0);
  /** True if the clock was set forward between the last renewal of a lease and the start of a later one. */
  const ended = (lease, later) => forward.some(({ at, till = at }) => till >= lease.renewed && at <= later.had);
  /**
   * True if a clock step explains that an attempt ended after a later one: a second worker got the task while the first still
   * counted its lease by its own time. Both may finish in either order; a write is accepted only from the second.
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
      // No worker takes a task before the other's lease has expired, unless the clock of the leases was set.
      const over = again.lease.had >= before.lease.renewed + leaseMs - ticks;
      if (!over && !ended(before.lease, again.lease)) faults.push(`${key}: taken from worker ${before.pid} before its time was over: ${JSON.stringify(tries)}`);
    }
    const stands = written.get(key);
    const after = tries.filter((made, i) => stands !== undefined && made.at > stands && !made.interrupted && !tries.slice(0, i).some((other) => crossed(made, other)));
    if (after.length > 0) faults.push(`${key}: ran again after its value was written`);
  }
  return { faults, counts };
}
