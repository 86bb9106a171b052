// Builds dist/: the checker of the course as one readable file, the relay for a reader's client, and the chapters with links that
// work outside a clone. It reads the sources, not their build.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const { homepage } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const tree = `${homepage.replace(/#.*$/, '')}/tree/main`;

rmSync(`${here}dist`, { recursive: true, force: true });
mkdirSync(`${here}dist/course`, { recursive: true });
const common = { bundle: true, platform: 'node', format: 'esm', target: 'node20', absWorkingDir: root, logLevel: 'warning' };
await build({ ...common, entryPoints: ['test/course/learn.ts'], outfile: `${here}dist/learn.js` });
await build({ ...common, entryPoints: ['test/course/relay.ts'], outfile: `${here}dist/relay.js` });
writeFileSync(`${here}dist/bin.js`, "#!/usr/bin/env node\nimport { main } from './learn.js';\n\nprocess.exitCode = await main(process.argv.slice(2));\n", { mode: 0o755 });
for (const name of readdirSync(`${root}docs/course`).filter((one) => one.endsWith('.md'))) {
  const text = readFileSync(`${root}docs/course/${name}`, 'utf8')
    .replaceAll('npm run course -- ', 'barewire-learn ').replaceAll('`npm run course`', '`barewire-learn`')
    .replace(/A clone of this repository is needed only for the exam:[^]*?as below;/, 'A clone of barewire is needed only for the exam;')
    .replace('From the folder of the clone:', 'In any folder:').replace('It runs in the folder of the clone, so give\nabsolute paths.', 'It runs in the folder where you are.')
    // Links to files outside this package point to the project's repository.
    .replaceAll(/\]\((\.\.\/[^)]+|solution[^)]*)\)/g, (_, to) => `](${new URL(to, `${tree}/docs/course/`)})`);
  writeFileSync(`${here}dist/course/${name}`, text);
}
cpSync(`${root}LICENSE`, `${here}LICENSE`);
