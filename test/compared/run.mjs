// npm run compared: writes docs/compared.md. Each package is installed into its own folder, ours from its tarball; each cell is
// the output of a command there, and the page shows the commands. The newest versions come from the registry.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { readWords } from '../../scripts/words.mjs';

readWords();

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here('../..');
const scratch = mkdtempSync(join(tmpdir(), 'barewire-compared-'));

/** The compared packages. `load`: the import for a server, or for a client if the package has no server. */
const subjects = [
  { name: 'barewire', install: 'barewire', load: 'barewire/server' },
  { name: 'official SDK v2', install: '@modelcontextprotocol/server @modelcontextprotocol/client', load: '@modelcontextprotocol/server' },
  { name: 'FastMCP', install: 'fastmcp', load: 'fastmcp' },
  { name: 'mcp-use', install: 'mcp-use', load: 'mcp-use/server' },
  { name: 'Inspector', install: '@modelcontextprotocol/inspector', load: '@modelcontextprotocol/inspector/cli/build/cli.js' },
  { name: 'mcporter', install: 'mcporter', load: 'mcporter' },
];

const first = ({ install }) => install.split(' ')[0];

/** The rows. `command` runs in the folder of each package by a shell, after `NAME` and `LOAD` are replaced. */
const rows = [
  { what: 'version', command: () => `node -p 'JSON.parse(fs.readFileSync("node_modules/NAME/package.json")).version'` },
  { what: 'licence', command: () => `node -p 'JSON.parse(fs.readFileSync("node_modules/NAME/package.json")).license'` },
  { what: 'Node that it names', command: () => `node -p 'JSON.parse(fs.readFileSync("node_modules/NAME/package.json")).engines?.node ?? "none named"'` },
  { what: 'packages installed', command: () => 'npm ls --all --parseable | tail -n +2 | sort -u | wc -l' },
  { what: 'MB on disk', command: () => `du -sk --apparent-size node_modules | awk '{ printf "%.1f", $1 * 1.024 / 1000 }'` },
  { what: 'packages that run a script when they are installed', command: () => `find node_modules -name package.json -path '*/node_modules/*' -exec grep -lE '"(pre|post)?install": *"' {} + | wc -l` },
  { what: 'JavaScript files that make code from text', command: () => `grep -rlE --include='*.js' --include='*.mjs' --include='*.cjs' '(new Function\\(|[^a-zA-Z_.$]eval\\()' node_modules | wc -l` },
  { what: 'a program in CommonJS can load it', command: () => `timeout 10 node -e 'require("LOAD"); console.log("yes"); process.exit()' >out 2>/dev/null </dev/null && tail -1 out || echo no` },
  { what: 'modules loaded by one import', command: () => `timeout 20 node --import ./count.mjs -e 'import("LOAD")' 2>/dev/null </dev/null | tail -1` },
  { what: 'ms of processor time for that import, the least of 5', command: () => `node least.mjs LOAD` },
];

writeFileSync(join(scratch, 'hooks.mjs'), `
export async function initialize({ port }) { globalThis.port = port; }
export async function load(url, context, next) {
  if (url.startsWith('file:') && !url.endsWith('/count.mjs')) globalThis.port.postMessage(url);
  return next(url, context);
}
`);
const count = `
import { register } from 'node:module';
import Module from 'node:module';
const { port1, port2 } = new MessageChannel();
const seen = new Set();
port1.on('message', (url) => seen.add(url));
port1.unref();
register('../hooks.mjs', import.meta.url, { data: { port: port2 }, transferList: [port2] });
const load = Module._load;
process.on('exit', () => {
  for (const file of Object.keys(Module._cache ?? {})) seen.add('file://' + file);
  console.log(seen.size);
});
setTimeout(() => process.exit(), 5000).unref();
process.exitCode = 0;
`;
const least = `
import { spawnSync } from 'node:child_process';
const time = (code) => {
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code + 'const { user, system } = process.resourceUsage ? { user: process.resourceUsage().userCPUTime, system: process.resourceUsage().systemCPUTime } : {}; console.log("ms=" + (user + system) / 1000); process.exit();'], { encoding: 'utf8', input: '', timeout: 20_000 });
  const found = /ms=([\\d.]+)/.exec(stdout);
  return status === 0 && found ? Number(found[1]) : undefined;
};
const least = (code) => {
  const times = Array.from({ length: 5 }, () => time(code));
  return times.includes(undefined) ? undefined : Math.min(...times);
};
const bare = least('');
const loaded = least('await import(' + JSON.stringify(process.argv[2]) + ');');
console.log(loaded === undefined ? 'its import ends the process' : Math.max(0, loaded - bare).toFixed(0));
`;

const table = new Map(rows.map(({ what }) => [what, []]));
try {
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', scratch], { cwd: root });
  for (const subject of subjects) {
    const folder = join(scratch, subject.name.replaceAll(' ', '-'));
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "commonjs" }\n');
    writeFileSync(join(folder, 'count.mjs'), count);
    writeFileSync(join(folder, 'least.mjs'), least);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const wanted = subject.name === 'barewire' ? [join(scratch, `barewire-${version}.tgz`)] : subject.install.split(' ');
    execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], { cwd: folder, stdio: 'inherit' });
    if (!existsSync(join(folder, 'node_modules', first(subject)))) throw new Error(`${subject.name} was not installed`);
    for (const { what, command } of rows) {
      // A path outside `exports` is loaded as a file.
      const load = /\.js$/.test(subject.load) ? `./node_modules/${subject.load}` : subject.load;
      const text = command().replaceAll('NAME', first(subject)).replaceAll('LOAD', load);
      const { stdout, stderr } = spawnSync('sh', ['-c', text], { cwd: folder, encoding: 'utf8', timeout: 60_000 });
      const cell = stdout.trim().split('\n').at(-1);
      if (!cell) throw new Error(`${subject.name}, ${what}: nothing was printed; ${stderr}`);
      console.log(`${subject.name}, ${what}: ${cell}`);
      table.get(what).push(cell);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const page = `<!-- Written by test/compared/run.mjs. -->
# Compared

What was installed on ${new Date().toISOString().slice(0, 10)} (Node ${process.versions.node}, ${process.platform}, ${cpus().length} cores, others at work on them), and what a command printed
there: \`npm run compared\`. The table has what a command can say. It says nothing of what each is for: FastMCP, mcp-use and the SDK are
frameworks or libraries with features that barewire leaves to others, Inspector and mcporter are tools, and the size of a tool that
nobody deploys matters little. Each was installed by \`npm install --ignore-scripts\` into an empty folder, in the version that npm chose for this Node; ours from its tarball:

${subjects.map(({ name, install }) => `- ${name}: \`${install}\``).join('\n')}

| | ${subjects.map(({ name }) => name).join(' | ')} |
|---|${subjects.map(() => '---').join('|')}|
${rows.map(({ what }) => `| ${what} | ${table.get(what).map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')}

The commands, in the folder of each. \`NAME\` is the first package of its list; \`LOAD\` is what is imported to make a server, or, of a tool,
its main module: ${subjects.map(({ name, load }) => `\`${load}\` (${name})`).join(', ')}.

| row | command |
|---|---|
${rows.map(({ what, command }) => `| ${what} | \`${command().replaceAll('|', '\\|')}\` |`).join('\n')}

\`count.mjs\` and \`least.mjs\` are in [run.mjs](../test/compared/run.mjs). "Make code from text" finds \`new Function(\` and \`eval(\` in any
installed file, whether it is ever loaded or not.
`;
writeFileSync(join(root, 'docs/compared.md'), page);
