// Starting, watching and ending the programs under test.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

export const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The node executable for every program, also the bare one; `--node PATH` changes it for all. */
export const runtime = { node: process.execPath };

export const running = new Set();

const environment = (extra) => ({ PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...extra });

/** Starts a stdio server: a child with three pipes; its stderr is kept for the error message. */
export function spawnStdio(program, env = {}) {
  const child = spawn(runtime.node, [here(program)], { env: environment(env), stdio: ['pipe', 'pipe', 'pipe'] });
  keepComplaints(child);
  running.add(child);
  return child;
}

/** Starts an HTTP server and waits for its port. A `shared` one survives several attempts. */
export async function spawnHttp(program, env = {}, nodeArgs = [], shared = false) {
  const child = spawn(runtime.node, [...nodeArgs, here(program)], {
    env: environment(env),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  keepComplaints(child);
  if (!shared) running.add(child);
  const { port } = await ask(child, undefined, 'port');
  child.port = port;
  return child;
}

function keepComplaints(child) {
  child.complaints = '';
  child.stderr.on('data', (chunk) => {
    if (child.complaints.length < 4000) child.complaints += chunk;
  });
  child.stdin?.on('error', () => {});
  child.on('error', (error) => (child.complaints += error.message));
}

/** Sends a control message and waits for the answer with `key`. */
export function ask(child, message, key) {
  return new Promise((resolve, reject) => {
    const onMessage = (answer) => {
      if (!(key in answer)) return;
      stop();
      resolve(answer);
    };
    const onExit = (code) => {
      stop();
      reject(new Error(`the program ended (${code}): ${child.complaints.trim().slice(0, 600)}`));
    };
    const stop = () => {
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    if (message !== undefined) child.send(message);
  });
}

/** Ends programs that a failed attempt may have left; `shared` programs are not included. */
export async function endAll() {
  for (const child of running) await end(child);
}

export function end(child) {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGKILL');
  });
}

/** Peak resident memory in bytes (VmHWM), or NaN without /proc. */
export function peakMemory(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return NaN;
  }
}

/** Processor time in seconds, user and system, all threads, in steps of 10 ms; NaN without /proc. */
export function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return NaN;
  }
}

const cores = cpus().map((_, core) => core);

/** True if processes can be pinned to a core (taskset, Linux). */
export const pins = cores.length > 1 && spawnSync('taskset', ['-V']).error === undefined;

/**
 * Pins processes to one core, or allows all cores again. With one call in flight the two ends never run at the same time; on two
 * cores the figure would be the machine's time to wake an idle core (several times that of the fast programs), not their own.
 */
export function pin(pids, together) {
  if (!pins) return;
  for (const pid of pids) {
    execFileSync('taskset', ['-a', '-p', '-c', together ? '0' : cores.join(','), String(pid)], { stdio: 'ignore' });
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
