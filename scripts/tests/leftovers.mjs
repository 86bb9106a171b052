// Processes that test files have started and left. Each has in its environment which file of which run it belongs to:
// scripts/tests/end.mjs puts it there, and whatever the file starts inherits it. Needs /proc; elsewhere nothing is found.
import { readdirSync, readFileSync } from 'node:fs';

const name = 'BAREWIRE_STARTED_BY';

/** `run`: the pid of the process that runs the files. */
const wordOf = (run, file) => `${run} ${file}`;

/** What this process starts from now on belongs to this file. */
export function markChildren(run, file) {
  process.env[name] = wordOf(run, file);
}

/** Ends what a file of a run has started, or all its files where none is named, with all that those have started. Returns what it was. */
export function endLeftovers(run, file) {
  const wanted = `${name}=${wordOf(run, file ?? '')}`;
  const processes = new Map();
  for (const pid of pids()) {
    const found = read(pid);
    if (found) processes.set(pid, found);
  }
  const left = new Set([...processes].filter(([, { environment }]) =>
    environment.some((entry) => (file === undefined ? entry.startsWith(wanted) : entry === wanted))).map(([pid]) => pid));
  // What has an environment of its own is found by its parent.
  for (let size = -1; size !== left.size;) {
    size = left.size;
    for (const [pid, { parent }] of processes) if (left.has(parent)) left.add(pid);
  }
  left.delete(process.pid);
  return [...left].flatMap((pid) => {
    try {
      process.kill(pid, 'SIGKILL');
      return [`${processes.get(pid).command} (${pid})`];
    } catch {
      return [];
    }
  });
}

function pids() {
  try {
    return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)).map(Number);
  } catch {
    return [];
  }
}

function read(pid) {
  try {
    const text = (file) => readFileSync(`/proc/${pid}/${file}`, 'latin1');
    // After the name, which may hold anything: the state, and the parent.
    const parent = Number(text('stat').replace(/^.*\)/s, '').trim().split(' ')[1]);
    return { parent, environment: text('environ').split('\0'), command: text('cmdline').replaceAll('\0', ' ').trim().slice(0, 200) };
  } catch {
    return undefined;
  }
}
