// Processes that test files left running. An environment variable names their run and file: scripts/tests/end.mjs sets it, and
// child processes inherit it. Needs /proc; elsewhere none are found.
import { readdirSync, readFileSync } from 'node:fs';

const name = 'BAREWIRE_STARTED_BY';

/** `run`: the pid of the runner. */
const wordOf = (run, file) => `${run} ${file}`;

/** Marks the processes that this process starts from now on as the file's. */
export function markChildren(run, file) {
  process.env[name] = wordOf(run, file);
}

/** Ends the processes of a file, or of all files of a run, with their descendants. Returns their descriptions. */
export function endLeftovers(run, file) {
  const wanted = `${name}=${wordOf(run, file ?? '')}`;
  const processes = new Map();
  for (const pid of pids()) {
    const found = read(pid);
    if (found) processes.set(pid, found);
  }
  const left = new Set([...processes].filter(([, { environment }]) =>
    environment.some((entry) => (file === undefined ? entry.startsWith(wanted) : entry === wanted))).map(([pid]) => pid));
  // A process with another environment is found by its parent.
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
    // After the process name, which may contain any character: the state, and the parent.
    const parent = Number(text('stat').replace(/^.*\)/s, '').trim().split(' ')[1]);
    return { parent, environment: text('environ').split('\0'), command: text('cmdline').replaceAll('\0', ' ').trim().slice(0, 200) };
  } catch {
    return undefined;
  }
}
