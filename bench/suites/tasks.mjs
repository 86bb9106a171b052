// Tasks with one step, from the call to the end, in every store; and the cost of the tasks feature for a plain call.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { here, runtime } from '../lib/process.mjs';

export const tables = {
  tasks: {
    title: 'tasks of one step a second, 64 in flight',
    unit: '/s',
    more: true,
    note: 'The bare program gives the same store the same commands with the same records, and does nothing else. In memory that is '
      + 'four entries of a map: the ratio says what a task costs, and nothing of a store. Redis and PostgreSQL run on this machine; '
      + 'Redis syncs before each answer (`appendfsync always`), and so do PostgreSQL and the folder.',
  },
  'tasks-plain': {
    title: 'plain calls a second of a server with tasks, in process',
    unit: '/s',
    more: true,
    note: 'The bare program is the same server without tasks.',
  },
};

const rows = { memory: 'memory', folder: 'folder', redis: 'Redis', postgres: 'PostgreSQL' };
const run = promisify(execFile);

function build() {
  for (const name of ['redis', 'postgres']) {
    const folder = here(`../integrations/${name}`);
    if (existsSync(`${folder}/dist/src/index.js`)) continue;
    for (const args of [['ci'], ['run', 'build']]) execFileSync('npm', ['--silent', ...args], { cwd: folder, stdio: 'ignore' });
  }
}

export async function round(bench) {
  build();
  const first = bench.inTurn({ bare: 'bare', barewire: 'barewire' })[0]?.[0] ?? 'bare';
  const one = (table, row, name) => bench.attempt([table, row], 'barewire', async () => {
    const { stdout } = await run(runtime.node, [here('tasks.mjs'), name, '--ms', String(2 * bench.ms), '--first', first]);
    for (const [peer, perSecond] of Object.entries(JSON.parse(stdout))) bench.record(table, row, peer, perSecond, {});
  });
  for (const [name, row] of Object.entries(rows)) await one('tasks', row, name);
  await one('tasks-plain', '64 in flight', 'plain');
}
