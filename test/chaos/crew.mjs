// The workers of the chaos run: they are killed and replaced, stopped and continued, and told what their machine is like.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { trueTime } from './clock.mjs';

const file = fileURLToPath(new URL('worker.mjs', import.meta.url));

/**
 * @param size how many work at a time
 * @param args of each worker
 * @param blows what is done to whom, and when, is added to it
 */
export function crewOf(size, args, blows) {
  /** What the disks of all are like. */
  let machine = { disk: 0 };
  const members = [];
  /** Workers that ended and were not killed here. */
  const died = [];

  function hire() {
    const child = fork(file, [...args, JSON.stringify(machine)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.gone = new Promise((resolve) => child.once('exit', (code, signal) => {
      if (!child.killed) died.push(`worker ${child.pid} ended by itself: ${code ?? signal}`);
      resolve();
    }));
    // Or it was killed before.
    child.ready = Promise.race([child.gone, new Promise((resolve) => child.once('message', () => {
      // What it was told before it listened.
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
    /** Those that could be stopped. */
    awake: () => members.filter(({ stopped }) => !stopped),
    get size() {
      return members.length;
    },
    kill(child) {
      note(child, 'kill');
      void end(child);
      return hire().ready;
    },
    /** Resolves when it goes on. */
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
    /** From now on so many work. */
    shrink(to) {
      for (const child of members.slice(to)) {
        note(child, 'end');
        void end(child);
      }
    },
    /** Those that are stopped still have something to say. */
    go: () => members.forEach(go),
    end: () => Promise.all([...members].map(end)),
  };
}
