// The workers of the chaos run: kills, replaces, stops and continues them, and tells them the state of the machine.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { trueTime } from './clock.mjs';

const file = fileURLToPath(new URL('worker.mjs', import.meta.url));

/**
 * @param size number of workers at a time
 * @param args arguments of each worker
 * @param blows receives a record of each blow: kind, worker, time
 */
export function crewOf(size, args, blows) {
  /** The state of the disk for all workers. */
  let machine = { disk: 0 };
  const members = [];
  /** Workers that ended without being killed by this run. */
  const died = [];

  function hire() {
    const child = fork(file, [...args, JSON.stringify(machine)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.gone = new Promise((resolve) => child.once('exit', (code, signal) => {
      if (!child.killed) died.push(`worker ${child.pid} ended by itself: ${code ?? signal}`);
      resolve();
    }));
    // Or the worker was killed before it was ready.
    child.ready = Promise.race([child.gone, new Promise((resolve) => child.once('message', () => {
      // Repeats the state of the machine, which may have changed before the worker listened.
      if (child.connected) child.send(machine, () => {});
      resolve();
    }))]);
    child.stopped = false;
    child.on('error', () => {});
    members.push(child);
    return child;
  }

  const note = (child, what) => blows.push({ pid: child.pid, at: trueTime(), what });
  const end = (child) => {
    members.splice(members.indexOf(child), 1);
    child.kill('SIGKILL');
    return child.gone;
  };
  const go = (child) => {
    if (child.stopped && child.kill('SIGCONT')) child.stopped = false;
  };

  for (let n = 0; n < size; n++) hire();
  return {
    died,
    ready: () => Promise.all(members.map(({ ready }) => ready)),
    /** Workers that are not stopped. */
    awake: () => members.filter(({ stopped }) => !stopped),
    get size() {
      return members.length;
    },
    kill(child) {
      note(child, 'kill');
      void end(child);
      return hire().ready;
    },
    /** Resolves when the worker continues. */
    async stop(child, ms, what = 'stop') {
      note(child, what);
      child.stopped = true;
      child.kill('SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, ms));
      go(child);
    },
    tell(change) {
      machine = { ...machine, ...change };
      for (const child of members) if (child.connected) child.send(machine, () => {});
    },
    /** Reduces the number of workers. */
    shrink(to) {
      for (const child of members.slice(to)) {
        note(child, 'end');
        void end(child);
      }
    },
    /** Continues the stopped workers, so that they can report. */
    go: () => members.forEach(go),
    end: () => Promise.all([...members].map(end)),
  };
}
