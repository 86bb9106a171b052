// npm run explore:faults [-- TEXT]: restores old faults in a copy of the sources, one at a time, and checks that the explorer finds each.
// In a row of faults.json, `mended` is the commit that fixed the fault or introduced the rule.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { readWords } from '../../scripts/words.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { names: [only] } = readWords({}, 1);
const faults = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8')).filter(({ name }) => only === undefined || name.includes(only));
const folder = mkdtempSync(join(tmpdir(), 'barewire-explore-'));
let missed = 0;
try {
  for (const { name, world, mended, file, from, to } of faults) {
    const text = readFileSync(join(root, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${name}: ${file} has not once what is to be replaced`);
    const outfile = join(folder, 'explore.mjs');
    await build({
      entryPoints: [join(root, 'test/explore/run.ts')], bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile, logLevel: 'warning',
      plugins: [{ name: 'fault', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, ({ path }) => (path === join(root, file) ? { contents: text.replace(from, () => to), loader: 'ts' } : undefined)) }],
    });
    const { status, stdout } = spawnSync(process.execPath, [outfile, '--only', world, '--runs', '1000000', '--seconds', process.env.SECONDS_EACH ?? '120'], { encoding: 'utf8' });
    const why = new RegExp(`^${world}: (.*)$`, 'm').exec(stdout)?.[1];
    const runs = /^\w[\w ]*?\s{2,}(\d+)/m.exec(stdout.split('\n').slice(1).join('\n'))?.[1];
    const found = status === 1 && why !== undefined;
    if (!found) missed++;
    console.log(`${found ? 'found ' : 'MISSED'}  ${name} (${world}, ${mended}): ${found ? `after ${runs} complete runs: ${why}` : `${runs} complete runs`}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${faults.length - missed} of ${faults.length} faults are found`);
process.exitCode = missed > 0 ? 1 : 0;
