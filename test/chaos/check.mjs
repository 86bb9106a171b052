// What has to hold after the chaos run, whatever was killed and stopped.
import { leaseMs } from './order.mjs';

/** Milliseconds between the time that an effect notes and its line in the log, beyond which the process stood still there. */
const stoodStill = leaseMs / 2;

export function check({ results, kept, words, lines, blows }) {
  const faults = [];
  const counts = {
    ended: 0, kills: 0, stops: 0, effects: 0, 'effects made again': 0, 'of them after a kill or stop': 0, 'of them after a delay': 0, 'interrupted themselves': 0, 'writes refused': 0, 'late, the machine being busy': 0, 'leases in all': 0,
  };
  for (const { what } of blows) counts[what === 'kill' ? 'kills' : 'stops']++;

  // Every order has ended, with the values of its journal and the word that was acknowledged.
  results.forEach(({ status, value, reason }, n) => {
    if (status !== 'fulfilled') return faults.push(`order ${n}: ${reason}`);
    counts.ended++;
    const task = kept[n];
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
    counts['leases in all'] += records.at(-1)?.run ?? 0;
  });

  const effects = new Map();
  const written = new Map();
  const late = [];
  let latest = 0;
  lines.forEach((line, at) => {
    const [what, key, pid, ...rest] = line.split(' ');
    if (what === 'effect') {
      counts.effects++;
      const [attempt, when, step] = rest;
      const before = effects.get(key) ?? [];
      latest = Math.max(latest, Number(when));
      // Stopped in the middle of an effect: nothing can keep that from coming after the next attempt's.
      const interrupted = latest - Number(when) > stoodStill;
      if (interrupted) counts['interrupted themselves']++;
      before.push({ at, pid: Number(pid), attempt: Number(attempt), when: Number(when), step, interrupted });
      effects.set(key, before);
    } else if (what === 'written') {
      if (written.has(key)) faults.push(`${key}: its value was written twice`);
      written.set(key, at);
    } else if (what === 'refused') counts['writes refused']++;
    else if (what === 'late') {
      counts['late, the machine being busy']++;
      late.push({ pid: Number(pid), ms: Number(rest[0]), at: Number(rest[1]) });
    } else if (what === 'error') faults.push(`a worker reports ${line.slice(6, 300)}`);
  });

  for (const [key, tries] of effects) {
    for (let i = 1; i < tries.length; i++) {
      counts['effects made again']++;
      const [before, again] = [tries[i - 1], tries[i]];
      if (again.interrupted) continue;
      if (again.attempt <= before.attempt) faults.push(`${key}: attempt ${again.attempt} after attempt ${before.attempt}: ${JSON.stringify(tries)}`);
      // Killed or stopped after the effect; or held up by a machine that was too busy.
      const struck = blows.some(({ pid, at }) => pid === before.pid && at >= before.when - 5);
      const heldUp = late.some(({ pid, at }) => pid === before.pid && at >= before.when);
      counts[struck ? 'of them after a kill or stop' : 'of them after a delay']++;
      if (!struck && !heldUp) faults.push(`${key}: made again, and worker ${before.pid} was neither killed nor stopped`);
    }
    const stands = written.get(key);
    const after = tries.filter(({ at, interrupted }) => stands !== undefined && at > stands && !interrupted);
    if (after.length > 0) faults.push(`${key}: ran again after its value was written`);
  }
  return { faults, counts };
}
