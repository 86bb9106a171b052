// npm run trials: each subcommand as for a new user, on ten servers of the npm registry, in a pseudo-terminal and in a pipe.
// `--write` stores the results in docs/trials.md; a name selects one server.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configuration, serversIn } from './servers.mjs';
import { readWords } from '../../scripts/words.mjs';

const main = fileURLToPath(new URL('../../dist/lib/cli.js', import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-trials-')));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const all = serversIn(folder);
const config = join(folder, 'servers.json');
writeFileSync(config, JSON.stringify(configuration(all)));
const env = { ...process.env, BAREWIRE_HOME: folder, TERM: 'xterm-256color' };
delete env.NO_COLOR;
delete env.FORCE_COLOR;
const { values, names: only } = readWords({ write: { type: 'boolean' } }, 100);
const columns = 100;

const quoted = (word) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
// eslint-disable-next-line no-control-regex
const plain = (text) => text.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '').replaceAll('\r', '');

/**
 * Runs the command to its end, in a pipe or in a pseudo-terminal with a number of columns. `answers`: texts typed each time after
 * a printed text. `interrupt`: a text after which Ctrl-C is pressed.
 */
function run(words, { tty = false, input, answers = [], interrupt, timeoutMs = 90_000 } = {}) {
  const line = [process.execPath, main, ...words].map(quoted).join(' ');
  const child = tty
    ? spawn('script', ['-qec', `stty cols ${columns} rows 40; ${line}`, '/dev/null'], { env, cwd: folder, stdio: 'pipe' })
    : spawn(process.execPath, [main, ...words], { env, cwd: folder, stdio: 'pipe' });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  let [out, err, seen, interrupted] = ['', '', 0, false];
  const look = () => {
    for (const [after, typed] of answers) {
      for (let at; (at = (out + err).indexOf(after, seen)) >= 0;) {
        seen = at + after.length;
        child.stdin.write(typed);
      }
    }
    if (interrupt && !interrupted && (out + err).includes(interrupt)) {
      interrupted = true;
      if (tty) child.stdin.write('\u0003');
      else child.kill('SIGINT');
    }
  };
  child.stdout.setEncoding('utf8').on('data', (text) => ((out += text), look()));
  child.stderr.setEncoding('utf8').on('data', (text) => ((err += text), look()));
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);
  else if (!tty) child.stdin.end();
  return new Promise((resolve) => child.once('close', (code, signal) => {
    clearTimeout(timer);
    resolve({ code: signal ? `ended by ${signal}` : code, out, err });
  }));
}

/** The fault of a run in a few words; undefined: none. */
function fault({ code, out, err }, { codes = [0], wants, json = false, wide = false }, tty) {
  const said = plain(out + err);
  if (!codes.includes(code)) return `ended with ${code} instead of ${codes.join(' or ')}: ${said.trim().slice(-300)}`;
  if (/^\s+at .*\.js:\d+/m.test(said)) return `a stack trace: ${said.slice(-300)}`;
  if (!tty && /\u001b/.test(out + err)) return 'colours or cursor movements in a pipe';
  if (wants && !wants.test(said)) return `${wants} did not come: ${said.trim().slice(-300)}`;
  if (json) {
    try {
      for (const line of out.trim().split('\n')) JSON.parse(line);
    } catch (error) {
      return `no JSON: ${error.message}`;
    }
  }
  // A terminal breaks longer lines in the middle of words.
  const long = tty && !wide && said.split('\n').find((line) => [...line].length > columns);
  return long ? `a line of ${[...long].length} columns: ${long.slice(0, 80)}` : undefined;
}

/** The trials of one server: name, words, and expected result. */
function trials(name, server) {
  const { call, reads = false, failing = false, wants, writes, read, get, complete, command, args, more = [] } = server;
  const at = ['--config', config, name];
  const wire = join(folder, `${name}.wire`);
  const consent = reads ? [] : ['--allow', call?.[0] ?? ''];
  const list = [
    ['doctor', ['doctor', ...at], { codes: [0, 1], wants: /first answer after/ }],
    ['list', ['list', ...at], { wants: /Tools/ }],
    ['list --json', ['list', '--json', ...at], { json: true, wide: true }],
    ['tour', ['tour', '--fast', '--defaults', '--timeout', '20', command, ...args, ...more], {
      wants: /Every step was answered|All went well/, answers: [['Run it? [y/N]', 'n\n']], wide: true,
    }],
    ...call ? [['call', ['call', ...consent, ...at, ...call], { wants, wide: true, codes: failing ? [0, 1] : [0] }]] : [],
    ...call && !reads ? [['call, asked', ['call', ...at, ...call], { tty: { wants, wide: true, answers: [['[y/N]', 'y\n']] }, pipe: { codes: [3], wants: /consent|--allow|--yes/ } }]] : [],
    ...writes ? [['call, refused', ['call', ...at, writes, '--json'], { tty: { codes: [2, 3, 130], wide: true, answers: [['[y/N]', 'n\n'], ['[y/N] ', 'n\n'], [': ', ':cancel\n']] }, pipe: { codes: [2, 3] } }]] : [],
    ...read ? [['read', ['read', ...at, read], { wants: /\S/, wide: true }]] : [],
    ...get ? [['get', ['get', ...at, ...get], { wants: /\S/, wide: true }]] : [],
    ...complete ? [['complete', ['complete', ...at, ...complete], { wants: /Engineering/ }]] : [],
    ['watch', ['watch', ...at], { interrupt: 'Watching', codes: [0] }],
    ['trace', ['list', '--', process.execPath, main, 'trace', '--to', join(folder, `${name}.log`), ...at], { wants: /Tools/ }],
    ['record', ['list', '--', process.execPath, main, 'record', wire, ...at], { wants: /Tools/ }],
    ['replay', ['list', '--', process.execPath, main, 'replay', wire], { wants: /Tools/ }],
    ['bridge', ['list', '--', process.execPath, main, 'bridge', ...at], { wants: /Tools/ }],
  ];
  return list;
}

const rows = [];
const failures = [];
async function tried(server, name, words, how) {
  const row = { server, name };
  for (const tty of [true, false]) {
    const { tty: _t, pipe: _p, ...common } = how;
    const own = { ...common, ...tty ? how.tty : how.pipe };
    const began = performance.now();
    const came = await run(words, { ...own, tty });
    const wrong = fault(came, own, tty);
    row[tty ? 'terminal' : 'pipe'] = wrong === undefined ? 'ok' : 'FAILED';
    if (wrong !== undefined) failures.push(`${server} ${name}, ${tty ? 'terminal' : 'pipe'}: ${wrong}`);
    row.ms = Math.round(performance.now() - began);
  }
  rows.push(row);
  console.log(`${server.padEnd(12)} ${name.padEnd(14)} terminal ${row.terminal}, pipe ${row.pipe}`);
}

for (const [name, server] of Object.entries(all)) {
  if (only.length > 0 && !only.includes(name)) continue;
  for (const [trial, words, how] of trials(name, server)) await tried(name, trial, words, how);
}
if (only.length === 0 || only.includes('host')) {
  // The host asks about everything that no rule allows, whatever the annotations.
  const rules = join(folder, 'rules.json');
  writeFileSync(rules, JSON.stringify([{ server: 'everything', tool: 'echo', then: 'allow' }]));
  const input = ['servers', 'list', 'find echo message', 'call everything/echo message=hi', 'call hello/add a=1 b=2', 'log', 'quit'].join('\n');
  await tried('all ten', 'host', ['host', '--config', config, '--rules', rules], {
    wants: /Echo: hi[^]*hello\/add was not called/, wide: true, tty: { answers: [['barewire> ', ''], ['(y, s, a, n)', 'n\n'], ['[y/N]', 'n\n']], input: `${input}\n` }, pipe: { input: `${input}\n`, codes: [0, 1, 3] }, codes: [0, 1, 3],
  });
  await tried('all ten', 'log --verify', ['log', '--verify'], { wants: /\S/ });
  await tried('all ten', 'pins', ['pins'], {});
  await tried('none', '--help', ['--help'], { wants: /barewire/ });
  await tried('none', 'a wrong name', ['list', '--config', config, 'nobody'], { codes: [2], wants: /no server is called nobody/, wide: true });
  await tried('none', 'no such program', ['list', '--', './nonesuch'], { codes: [4], wants: /no such program/, wide: true });
}

if (values.write) {
  const servers = Object.entries(all).map(([name, { package: of, version }]) => `| ${name} | \`${of}\` | ${version} |`);
  const names = [...new Set(rows.map(({ name }) => name))];
  const word = ({ terminal, pipe }) => (terminal === 'ok' && pipe === 'ok' ? 'ok' : `terminal ${terminal}, pipe ${pipe}`);
  const table = [...Object.keys(all), 'all ten', 'none'].map((server) =>
    `| ${server} | ${names.map((name) => rows.filter((row) => row.server === server && row.name === name).map(word)[0] ?? '').join(' | ')} |`);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  writeFileSync(new URL('../../docs/trials.md', import.meta.url), `# Trials

\`npm run trials\` installs ten servers from the npm registry and runs each subcommand of barewire on each of them as a new user
would: in a pseudo-terminal of ${columns} columns and in a pipe. A run is \`ok\` if it ends with the right code, prints what is asked
for, no stack trace, no colours in a pipe, and no line that is too wide for the terminal. \`npm run trials -- --write\` keeps the
table below, which is of barewire ${version} on Node ${process.versions.node}.

The tour calls what its server says only reads. The tools of \`chart\` and \`context7\` go to the network: they are called in the
tour alone, and where there is no network they come back as errors.

| name | package | version |
|---|---|---|
${servers.join('\n')}

| server | ${names.join(' | ')} |
|---|${names.map(() => '---|').join('')}
${table.join('\n')}
`);
}
console.log(`${rows.length} trials in a terminal and in a pipe, ${failures.length} failed`);
for (const failure of failures) console.log(`  ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
