// LANGUAGES.md: one table per mode with the programs as rows, the goals, and the exclusions.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { median, spread } from '../lib/stats.mjs';
import { modes } from './plans.mjs';
import { programs, rustLock } from './peers.mjs';

const read = (path) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
const number = (value, digits = value < 10 ? 1 : 0) => (Number.isFinite(value) ? value.toLocaleString('en', { maximumFractionDigits: digits }) : '?');

function said(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim().split('\n')[0];
  } catch {
    return `${command} is missing`;
  }
}

/** The installed or linked versions, from the manifests of the builds. */
function versions(redis) {
  const npm = (name) => JSON.parse(read(`../node_modules/${name}/package.json`)).version;
  const gone = (file, pattern) => pattern.exec(read(file))?.[1] ?? '?';
  const crate = (name) => {
    const lock = existsSync(rustLock) ? readFileSync(rustLock, 'utf8') : '';
    return new RegExp(`name = "${name}"\\nversion = "([^"]+)"`).exec(lock)?.[1] ?? '?';
  };
  const python = (name) => gone('python/requirements.txt', new RegExp(`^${name}==(\\S+)`, 'm'));
  const module = (path) => gone('go/go.mod', new RegExp(`${path} v(\\S+)`));
  const artifact = (name) => gone('java/pom.xml', new RegExp(`<artifactId>${name}</artifactId>\\s*<version>([^<]+)`));
  return [
    `Rust: ${said('cargo', ['--version'])}; rmcp ${crate('rmcp')}, hyper ${crate('hyper')}, tokio ${crate('tokio')}, redis ${crate('redis')}, reqwest ${crate('reqwest')}; built with \`--release\` and thin LTO`,
    `Go: ${said('go', ['env', 'GOVERSION'])}; go-sdk ${module('modelcontextprotocol/go-sdk')}, go-redis ${module('redis/go-redis/v9')}`,
    `Python: ${said('python3', ['--version'])}; mcp ${python('mcp')}, fastmcp ${python('fastmcp')}, uvicorn ${python('uvicorn')} with what it comes with (no uvloop), redis ${python('redis')}, httpx2`,
    `Java: OpenJDK ${said('java', ['--version']).replace(/^openjdk /, '')}; Java SDK ${artifact('mcp')} in Jetty ${artifact('jetty-ee10-servlet')}, Lettuce ${artifact('lettuce-core')}; \`-XX:MaxRAM=2g\``,
    `npm: @modelcontextprotocol/server ${npm('@modelcontextprotocol/server')}, redis ${npm('redis')}, undici ${npm('undici')}`,
    `Redis ${redis}, in memory, without a file`,
  ];
}

/** The samples of one cell, by round. */
const cell = (samples, mode, column, name) => samples.filter((each) => each.mode === mode && each.column === column && each.name === name);

/** The ratios of two programs in each round that measured both. */
function ratios(samples, mode, column, name, base) {
  const others = new Map(cell(samples, mode, column, base).map((each) => [each.round, each.perSecond]));
  return cell(samples, mode, column, name).filter(({ round }) => others.has(round)).map(({ round, perSecond }) => perSecond / others.get(round));
}

const shown = (values) => {
  if (values.length === 0) return '–';
  const [low, high] = spread(values);
  return `${median(values).toFixed(2)}${values.length > 1 ? ` (${low.toFixed(2)}–${high.toFixed(2)})` : ''}`;
};

function modeTable(samples, mode) {
  const { title, unit, what } = modes[mode];
  const lines = [
    `## ${title}`, '', `${what[0].toUpperCase()}${what.slice(1)}.`, '',
    `| | ${unit} | of barewire | p99, ms | processor, µs each | on one thread: ${unit} | of barewire | processor, µs each |`,
    '|---|---:|---:|---:|---:|---:|---:|---:|',
  ];
  const of = (found, key) => number(median(found.map((each) => each[key] ?? NaN)));
  for (const [name, program] of Object.entries(programs)) {
    const many = cell(samples, mode, 'many', name);
    const one = cell(samples, mode, 'one', name);
    if (many.length + one.length === 0) continue;
    const first = many.length === 0 ? ['–', '–', '–', '–'] : [of(many, 'perSecond'), name === 'barewire' ? '1' : shown(ratios(samples, mode, 'many', name, 'barewire')), of(many, 'p99'), of(many, 'micros')];
    const second = one.length === 0 ? ['–', '–', '–'] : [of(one, 'perSecond'), name === 'barewire' ? '1' : shown(ratios(samples, mode, 'one', name, 'barewire')), of(one, 'micros')];
    lines.push(`| ${program.label} | ${[...first, ...second].join(' | ')} |`);
  }
  const busy = [];
  for (const [name, program] of Object.entries(programs)) {
    for (const column of ['many', 'one']) {
      const share = median(cell(samples, mode, column, name).map(({ driver }) => driver ?? NaN));
      if (share > 0.85 && !(program.alone && column === 'one')) busy.push(`${program.label}${column === 'one' ? ', one thread' : ''} (${Math.round(share * 100)} % of a core)`);
    }
  }
  if (busy.length > 0) lines.push('', `The load generator may have been the limit here: ${busy.join('; ')}.`);
  return lines;
}

function targets(samples) {
  const row = (title, column, base, wanted, name = 'barewire') => {
    const cells = Object.keys(modes).map((mode) => {
      const found = ratios(samples, mode, column, name, base);
      return found.length === 0 ? '–' : `${shown(found)}${wanted === undefined || median(found) >= wanted ? '' : ', **missed**'}`;
    });
    return `| ${title} | ${wanted ?? ''} | ${cells.join(' | ')} |`;
  };
  return [
    '## What barewire was to reach', '',
    'barewire on one process, divided by the other program of the same round: the median over the rounds, the lowest and the highest.', '',
    `| | wanted | ${Object.values(modes).map(({ title }) => title).join(' | ')} |`, `|---|---:|${Object.keys(modes).map(() => '---:|').join('')}`,
    row('of go-sdk as it comes', 'many', 'go-sdk', 1),
    row('of rmcp as it comes', 'many', 'rmcp', 1),
    row('on `http1`, of rmcp as it comes', 'many', 'rmcp', 1, 'barewire-http1'),
    row('of bare hyper on one thread', 'one', 'hyper', 0.5),
    row('on `http1`, of bare hyper on one thread', 'one', 'hyper', 0.4, 'barewire-http1'),
    row('of bare node:http', 'many', 'bare'),
    row('on `http1`, of bare node:http', 'many', 'bare', undefined, 'barewire-http1'),
    row('for comparison: bare node:http, of bare hyper on one thread', 'one', 'hyper', undefined, 'bare'),
  ];
}

function memory(runners) {
  const lines = ['## Memory', '', 'The most resident memory of each process after all modes (of two processes, their sum; pages that they share count twice).', '', '| | MiB | on one thread: MiB |', '|---|---:|---:|'];
  for (const [name, program] of Object.entries(programs)) {
    const peak = (column) => {
      const runner = runners.find((each) => each.name === name && each.columns.includes(column));
      return runner === undefined ? '–' : number(runner.peak / 2 ** 20, 0);
    };
    if (runners.some((each) => each.name === name)) lines.push(`| ${program.label} | ${peak('many')} | ${peak('one')} |`);
  }
  return lines;
}

/** The page without its first lines, which name the machine and the day. */
export function page({ samples, runners, faults, rounds, seconds, lengths, redis }) {
  const highest = Math.max(...runners.map(({ peak }) => peak)) / 2 ** 20;
  return [
    ...versions(redis).map((line) => `- ${line}`),
    `- ${rounds === 1 ? 'One round' : `${rounds} rounds`} of ${lengths.ms} ms for each program and mode, after ${lengths.lead} ms that do not count; ${Math.round(seconds)} s in all`,
    '', '## How it is measured', '',
    'Every program has the same three tools and is built as its documentation shows: `bench/languages`. All programs are',
    'started and warmed first and then take turns: each mode goes through all of them before the next mode begins, and each',
    'round begins with another program. A ratio is taken inside a round, where both programs met the same machine.', '',
    'The load generator is one thread of Rust, the same for all. It reads every answer, JSON or events, and looks for what',
    'the answer must contain; a run with a wrong answer counts for nothing and is named below. The programs, Redis, the HTTP service and',
    'the generator share all cores of the machine. "As it comes" is the first group of columns. "One thread" is `current_thread`,',
    '`GOMAXPROCS=1` and `ActiveProcessorCount=1`. Programs of Node and Python run their code on one thread either way: they',
    'are measured once and stand in both groups. "Processor" is the processor time of the server for one repetition,',
    'all its threads and processes, user and system; for the last three modes a repetition has four requests (three where',
    'the server has no sessions and so no `DELETE`). barewire on two processes seals a session into its id and keeps nothing:',
    'it answers `DELETE` with 405.', '',
    ...targets(samples), '',
    ...Object.keys(modes).filter((mode) => samples.some((each) => each.mode === mode)).flatMap((mode) => [...modeTable(samples, mode), '']),
    ...memory(runners), '',
    '## What is left out', '',
    `- A limit of 2 CPUs and 2 GB for each server: the machine has these cores for everything together. No process took more than ${number(highest, 0)} MiB.`,
    '- The modes that a program does not serve: the Java SDK 2.1 has no 2026-07-28, and go-sdk serves it with `Stateless` alone; rmcp without sessions and go-sdk with `Stateless` have no session to call in.',
    '- A network: all is on one machine. Other clients, proxies, TLS, authorization. Long runs: a program meets each mode for a few seconds.',
    '- Several processes or workers in the other languages; uvloop for Python; GraalVM, Quarkus and other frameworks for Java; Bun and Deno.',
    '- In Node the tool `product` uses undici\'s `request`. Node\'s own `fetch`, which stands on the same library, costs several times as much processor time a call.',
    ...(faults.length === 0 ? [] : ['- What failed in this run:', ...faults.map((fault) => `  - ${fault}`)]),
    '', '## Figures published elsewhere', '',
    'The best-known public comparison (TM Dev Lab, "MCP Server Performance Benchmark v2", February 2026) had 50 users of k6 on a',
    'virtual machine of Azure with 8 vCPU and 32 GB, each server in a container of 2 vCPU and 2 GB, stateless Streamable HTTP, and',
    'three tools that ask Redis and an HTTP service side by side. It reports, in requests a second (`initialize`, `tools/call` and',
    '`tools/list` alone are counted): Rust (rmcp, patched) 4,845, Quarkus 4,739, Go (mcp-go) 3,616, Java (Spring MVC) 3,540, Bun 876,',
    'Node (official SDK, four processes) 423, Python (FastMCP, four workers) 259. Its machine, tools, clients and counting are',
    'others than here, so that none of these figures can be set beside ours. The three last modes here follow the shape of its load.',
  ];
}
