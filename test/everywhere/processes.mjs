// The runtimes that are programs: Node, Bun, Deno. Each runs process.ts.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The path of a program in this folder's packages: those of one platform, without install scripts. */
export function installed(path) {
  const file = fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`there is no ${path}: the runtimes are installed for Linux on x64 only`);
  return file;
}

/** Runs a program; rejects if it fails. Resolves with its stdout. */
export function output(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env }, timeout: 100_000 });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => { stdout += text; });
    child.stderr.setEncoding('utf8').on('data', (text) => { stderr += text; });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${command} ended with ${code ?? signal}:\n${stderr.slice(-4000)}`));
    });
  });
}

async function run(name, command, args, env) {
  const version = (await output(command, ['--version'], env)).match(/\d+\.\d+\.\d+/)?.[0];
  const cells = JSON.parse(await output(command, args, { ...env, SMOKE_ARGS: JSON.stringify(args) }));
  return { title: `${name} ${version}`, cells };
}

export const node = (name) => async (bundles) => run('Node', installed(`${name}/bin/node`), [bundles.process]);
export const bun = async (bundles) => run('Bun', installed('@oven/bun-linux-x64/bin/bun'), [bundles.process]);
// Otherwise Deno checks for updates.
export const deno = async (bundles) =>
  run('Deno', installed('@deno/linux-x64-glibc/deno'), ['run', '-A', '--no-config', bundles.process], { DENO_NO_UPDATE_CHECK: '1' });
