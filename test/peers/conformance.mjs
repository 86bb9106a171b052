// npm run conformance: the official suite against barewire's server and client. Exit code 1 where anything fails.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, each, node22, run } from './processes.mjs';
import { runtimes } from './runtimes.mjs';

const suite = at('test/peers/node_modules/@modelcontextprotocol/conformance/dist/index.js');
const requirements = at('test/peers/node_modules/@modelcontextprotocol/conformance/requirements');
const client = `${process.execPath} ${at('dist/test/peers/everything/client.js')}`;
// The suite has scenarios for the tasks extension, which barewire does not implement.
const isExtension = (scenario) => scenario.startsWith('tasks-');

const serverLegs = [
  { revision: '2025-11-25', args: ['--requirements', '2025-11-25'] },
  { revision: '2025-06-18', args: ['--spec-version', '2025-06-18'] },
  { revision: '2026-07-28', args: ['--requirements', '2026-07-28'] },
];

const clientScenarios = [
  ['2025-06-18', ['initialize', 'tools_call']],
  ['2025-11-25', [
    'initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry', 'json-schema-2020-12-preservation',
  ]],
  ['2026-07-28', [
    'tools_call', 'request-metadata', 'sep-2322-client-request-state', 'http-standard-headers', 'http-custom-headers',
    'http-invalid-tool-headers', 'json-schema-ref-no-deref', 'json-schema-2020-12-preservation',
  ]],
].flatMap(([revision, scenarios]) => scenarios.map((scenario) => ({ revision, scenario })));

/** The scenarios that a revision requires of a server, from the suite's own list. */
async function required(revision) {
  const text = await readFile(join(requirements, `${revision}.yaml`), 'utf8').catch(() => '');
  const section = /^server:\n((?:  - .*\n)+)/m.exec(text)?.[1] ?? '';
  return section.split('\n').map((line) => line.replace('  - ', '').trim()).filter(Boolean);
}

const count = (checks, status) => checks.filter((check) => check.status === status).length;

function judge(scenario, checks, why = '') {
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  return {
    scenario,
    passed: count(checks, 'SUCCESS'),
    failed: failed.length,
    ok: failed.length === 0 && checks.length > 0 && why === '',
    reasons: [...failed.map((check) => `${check.id}: ${check.errorMessage ?? check.description}`), ...why ? [why] : []],
  };
}

/** What the suite left in its output directory: a directory for each scenario, with its checks. */
async function results(directory) {
  const found = new Map();
  for (const entry of await readdir(directory)) {
    // server-<scenario>-2026-01-02T03-04-05-678Z
    const scenario = entry.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    found.set(scenario, JSON.parse(await readFile(join(directory, entry, 'checks.json'), 'utf8')));
  }
  return found;
}

async function inScratch(work) {
  const directory = await mkdtemp(join(tmpdir(), 'barewire-conformance-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function serverLeg({ runtime, revision, args }) {
  const server = await runtime.start();
  try {
    return await inScratch(async (directory) => {
      const { output } = await run(node22(), [suite, 'server', '--url', server.url, ...args, '-o', directory], { cwd: directory });
      const found = await results(directory);
      const rows = [...found].filter(([scenario]) => !isExtension(scenario)).map(([scenario, checks]) => judge(scenario, checks));
      for (const scenario of await required(revision)) {
        if (args[0] === '--requirements' && !found.has(scenario)) rows.push(judge(scenario, [], 'it did not run'));
      }
      if (rows.length === 0) rows.push(judge('(all)', [], output.slice(-2000)));
      return { title: `server on ${runtime.name}, ${revision}`, rows, left: [...found.keys()].filter(isExtension).length };
    });
  } finally {
    await server.stop();
  }
}

async function clientScenario({ revision, scenario }) {
  return inScratch(async (directory) => {
    const args = ['client', '--command', client, '--scenario', scenario, '--spec-version', revision, '-o', directory];
    const { code, output } = await run(node22(), [suite, ...args], { timeoutMs: 60_000, cwd: directory });
    const checks = (await results(directory)).get(scenario) ?? [];
    return { revision, row: judge(scenario, checks, code === 0 ? '' : `the suite ended with code ${code}: ${output.slice(-600)}`) };
  });
}

function print({ title, rows, left = 0 }) {
  const good = rows.filter(({ ok }) => ok).length;
  console.log(`\n${title}: ${good} of ${rows.length} scenarios pass`);
  for (const { scenario, passed, failed, ok, reasons } of rows) {
    console.log(`  ${ok ? 'pass' : 'FAIL'}  ${scenario.padEnd(46)} ${String(passed).padStart(3)} checks${failed ? `, ${failed} failed` : ''}`);
    for (const reason of reasons) console.log(`        ${reason}`);
  }
  if (left > 0) console.log(`  (${left} scenarios of the tasks extension, which barewire does not implement, are not counted)`);
}

// node test/peers/conformance.mjs [runtime…]: node unless named; `all` for every runtime that is there.
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const chosen = runtimes.filter(({ name }) => named.includes('all') || named.includes(name) || (named.length === 0 && name === 'node'));
if (chosen.length === 0) {
  console.error(`There is no such runtime: choose from ${runtimes.map(({ name }) => name).join(', ')}, all`);
  process.exit(2);
}

const begun = performance.now();
// The suite waits for half a second at some places: a machine that is asked for more than it has would fail there.
const width = Math.min(4, availableParallelism());
const legs = chosen.flatMap((runtime) => serverLegs.map((leg) => ({ runtime, ...leg })));
const reports = await each(legs, width, serverLeg);
if (named.length === 0 || named.includes('node') || named.includes('all')) {
  const played = await each(clientScenarios, width, clientScenario);
  for (const revision of new Set(played.map((one) => one.revision))) {
    reports.push({ title: `client, ${revision}`, rows: played.filter((one) => one.revision === revision).map(({ row }) => row) });
  }
}
reports.forEach(print);

const rows = reports.flatMap((report) => report.rows);
const failed = rows.filter(({ ok }) => !ok).length;
const checks = rows.reduce((sum, { passed }) => sum + passed, 0);
console.log(`\n${rows.length - failed} of ${rows.length} scenarios pass, ${checks} checks, `
  + `${((performance.now() - begun) / 1000).toFixed(0)} s`);
process.exitCode = failed === 0 ? 0 : 1;
