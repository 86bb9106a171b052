// npm run conformance: runs the official suite against barewire's server and client, with the suite's own lists. Exits 1 if
// anything fails, also unscored scenarios. Prints scenarios of the suite that no leg runs.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, each, node24, run } from './processes.mjs';
import { runtimes } from './runtimes.mjs';
import { readWords } from '../../scripts/words.mjs';

const suite = at('test/peers/node_modules/@modelcontextprotocol/conformance/dist/index.js');
const requirements = at('test/peers/node_modules/@modelcontextprotocol/conformance/requirements');
// Node runs the TypeScript sources: the client starts without compiling.
const client = `${node24()} --disable-warning=ExperimentalWarning ${at('test/peers/everything/client.ts')}`;
/** Required scenarios that the suite itself skips for every server. */
const skippedBySuite = ['tasks-status-notifications'];
/** A scenario that checked nothing. */
const isSkipped = ({ checks }) => checks.length > 0 && checks.every(({ status }) => status === 'SKIPPED');

// `--requirements`: the list that the suite froze for a revision, and further unscored scenarios. Without a list, all scenarios
// of a revision run.
const serverLegs = [
  { revision: '2025-11-25', args: ['--requirements', '2025-11-25'] },
  { revision: '2025-06-18', args: ['--spec-version', '2025-06-18'] },
  { revision: '2026-07-28', args: ['--requirements', '2026-07-28'] },
];
/** Extension scenarios on no list of the suite: each runs by name in these revisions. */
const extensionScenarios = (names) => names.filter((name) => name.startsWith('sep-2640-'));
const extensionRevisions = ['2025-11-25', '2026-07-28'];
const clientLegs = ['fetch', 'node:http'].flatMap((sender) => [
  { sender, revision: '2025-03-26', args: ['--spec-version', '2025-03-26'] },
  { sender, revision: '2025-06-18', args: ['--spec-version', '2025-06-18'] },
  { sender, revision: '2025-11-25', args: ['--requirements', '2025-11-25'] },
  { sender, revision: '2026-07-28', args: ['--requirements', '2026-07-28'] },
]);

/** The scenarios required of a role by a revision, from the suite's list. */
async function required(revision, role) {
  const text = await readFile(join(requirements, `${revision}.yaml`), 'utf8').catch(() => '');
  const section = new RegExp(`^${role}:\\n((?:  - .*\\n)+)`, 'm').exec(text)?.[1] ?? '';
  return section.split('\n').map((line) => line.replace('  - ', '').trim()).filter(Boolean);
}

const count = (checks, status) => checks.filter((check) => check.status === status).length;

function judge(scenario, checks, why = '') {
  const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  return {
    scenario,
    passed: count(checks, 'SUCCESS'),
    skipped: count(checks, 'SKIPPED'),
    failed: failed.length,
    ok: failed.length === 0 && checks.length > 0 && why === '',
    reasons: [...failed.map((check) => `${check.id}: ${check.errorMessage ?? check.description}`), ...why ? [why] : []],
  };
}

/** Reads the suite's output directory: for each scenario the checks, and the client's stderr. */
async function results(directory) {
  const found = new Map();
  for (const entry of await readdir(directory, { recursive: true })) {
    // server-<scenario>-2026-01-02T03-04-05-678Z/checks.json; a scenario's name may contain a slash.
    const scenario = /^(?:server-)?(.*)-\d{4}-\d\d-\d\dT[\d-]+Z\/checks\.json$/.exec(entry)?.[1];
    if (scenario === undefined) continue;
    const errors = await readFile(join(directory, entry, '../stderr.txt'), 'utf8').catch(() => '');
    found.set(scenario, { checks: JSON.parse(await readFile(join(directory, entry), 'utf8')), errors });
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

/** The results of a leg, required scenarios first. */
async function report(role, title, { revision, args }, found, why) {
  const must = args[0] === '--requirements' ? await required(revision, role) : [];
  const rows = [...found].filter(([, one]) => !isSkipped(one)).map(([scenario, { checks, errors }]) =>
    judge(scenario, checks, /^(?:\w*Error\b|node:|Uncaught)/m.test(errors) ? errors.slice(-600) : ''));
  for (const scenario of must) {
    if (!found.has(scenario)) rows.push(judge(scenario, [], 'it did not run'));
    else if (isSkipped(found.get(scenario)) && !skippedBySuite.includes(scenario)) rows.push(judge(scenario, [], 'each of its checks was skipped'));
  }
  for (const scenario of extensionScenarios([...found.keys()])) {
    if (isSkipped(found.get(scenario))) rows.push(judge(scenario, [], 'each of its checks was skipped: the extension was not found'));
  }
  if (rows.length === 0) rows.push(judge('(all)', [], why));
  rows.sort((a, b) => must.includes(b.scenario) - must.includes(a.scenario));
  return { title, rows, must, skipped: [...found].filter(([, one]) => isSkipped(one)).map(([scenario]) => scenario), played: [...found.keys()] };
}

async function serverLeg({ runtime, ...which }) {
  const server = await runtime.start();
  try {
    return await inScratch(async (directory) => {
      const { output } = await run(node24(), [suite, 'server', '--url', server.url, ...which.args, '-o', directory], { cwd: directory });
      const extensions = runtime.hasSkills && extensionRevisions.includes(which.revision) ? extensionScenarios(await listed('server')) : [];
      for (const scenario of extensions) {
        await run(node24(), [suite, 'server', '--url', server.url, '--scenario', scenario, '--spec-version', which.revision, '--force', '-o', directory], { cwd: directory });
      }
      return report('server', `server on ${runtime.name}, ${which.revision}`, which, await results(directory), output.slice(-2000));
    });
  } finally {
    await server.stop();
  }
}

/**
 * The suite would start all scenarios of a list at once, and some wait for at most half a second: so run as many at a time as
 * there are processors.
 */
async function clientLeg(which) {
  const extensions = extensionRevisions.includes(which.revision) ? extensionScenarios(await listed('client')) : [];
  const scenarios = [...await listed('client', which.args), ...extensions];
  const played = await each(scenarios, Math.min(4, availableParallelism()), (scenario) => inScratch(async (directory) => {
    const args = ['client', '--command', `${client} ${which.sender}`, '--scenario', scenario, '--spec-version', which.revision, '--force', '-o', directory];
    const { output } = await run(node24(), [suite, ...args], { cwd: directory, timeoutMs: 60_000 });
    return (await results(directory)).get(scenario) ?? { checks: [], errors: `Error: ${output.slice(-600)}` };
  }));
  const found = new Map(scenarios.map((scenario, i) => [scenario, played[i]]));
  return report('client', `client over ${which.sender}, ${which.revision}`, which, found, 'the suite lists no scenario');
}

/** The names of a role's scenarios; `filter` is `--requirements` or `--spec-version`. */
async function listed(role, filter) {
  const names = async (...args) => {
    const { output } = await run(node24(), [suite, 'list', ...args]);
    return [...output.matchAll(/^\s+-\s+(\S+)/gm)].map(([, name]) => name);
  };
  const all = await names(`--${role}`);
  // A requirements list covers both roles.
  return filter ? (await names(`--${role}`, ...filter)).filter((name) => all.includes(name)) : all;
}

function print({ title, rows, must, skipped }) {
  const good = rows.filter(({ ok }) => ok).length;
  const scored = rows.filter(({ scenario, ok }) => ok && must.includes(scenario)).length;
  console.log(`\n${title}: ${good} of ${rows.length} scenarios pass${must.length > 0 ? `, ${scored} of the ${must.length} required` : ''}`);
  for (const { scenario, passed, failed, skipped: left, ok, reasons } of rows) {
    const note = must.length > 0 && !must.includes(scenario) ? ' (not scored)' : '';
    console.log(`  ${ok ? 'pass' : 'FAIL'}  ${(scenario + note).padEnd(58)} ${String(passed).padStart(3)} checks${left ? `, ${left} skipped` : ''}${failed ? `, ${failed} failed` : ''}`);
    for (const reason of reasons) console.log(`        ${reason}`);
  }
  for (const scenario of skipped) console.log(`  skip  ${scenario}: each of its checks was skipped`);
}

// node test/peers/conformance.mjs [runtime…] [client]: default: node and the client; `all`: every available runtime.
const { names: named } = readWords({}, [...runtimes.map(({ name }) => name), 'client', 'all']);
const chosen = runtimes.filter(({ name }) => named.includes('all') || named.includes(name) || (named.length === 0 && name === 'node'));
const withClient = named.length === 0 || ['node', 'client', 'all'].some((name) => named.includes(name));

const begun = performance.now();
// The suite waits only half a second in some places: an overloaded machine would fail there.
const width = Math.min(4, availableParallelism());
const legs = chosen.flatMap((runtime) => serverLegs.map((one) => ({ runtime, ...one })));
const reports = await each(legs, width, serverLeg);
if (withClient) reports.push(...await each(clientLegs, 1, clientLeg));
reports.forEach(print);

for (const [role, there] of [['server', chosen.length > 0], ['client', withClient]]) {
  if (!there) continue;
  const played = new Set(reports.filter(({ title }) => title.startsWith(role)).flatMap((report) => report.played));
  const missing = (await listed(role)).filter((scenario) => !played.has(scenario));
  console.log(`\n${role} scenarios of the suite that no leg plays: ${missing.join(', ') || 'none'}`);
}

const rows = reports.flatMap((report) => report.rows);
const failed = rows.filter(({ ok }) => !ok).length;
const checks = rows.reduce((sum, { passed }) => sum + passed, 0);
const unchecked = rows.reduce((sum, { skipped }) => sum + skipped, 0);
const left = reports.reduce((sum, { skipped }) => sum + skipped.length, 0);
console.log(`\n${rows.length - failed} of ${rows.length} scenarios pass, ${checks} checks; skipped: ${left} whole scenarios, and ${unchecked} checks of the others; `
  + `${((performance.now() - begun) / 1000).toFixed(0)} s`);
process.exitCode = failed === 0 ? 0 : 1;
