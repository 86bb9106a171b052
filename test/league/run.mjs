// npm run league -- install | servers [NAME …] | clients [NAME …] | report
// Installs the targets, judges each, and writes docs/league.md from results/. If the machine permits, the targets run with only
// the loopback interface.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeReport, writeUpstream } from './report.mjs';
import { at, clients, go, python, servers } from './targets.mjs';
import { readWords } from '../../scripts/words.mjs';

const top = fileURLToPath(new URL('../../', import.meta.url));
const barewire = process.env.BAREWIRE_CLI ?? join(top, 'dist/lib/cli.js');
const { names: [what, ...names] } = readWords({}, 1000);

/** Runs this script again without a network; undefined: it already runs so, or the machine does not permit it. */
function withoutNetwork() {
  if (process.env.BAREWIRE_LEAGUE_INSIDE || process.platform !== 'linux') return undefined;
  const inside = 'ip link set lo up && exec "$@"';
  for (const flags of [['-n'], ['-rn']]) {
    if (spawnSync('unshare', [...flags, 'sh', '-c', 'ip link set lo up']).status !== 0) continue;
    const { status } = spawnSync('unshare', [...flags, 'sh', '-c', inside, 'sh', process.execPath, ...process.argv.slice(1)], { stdio: 'inherit', env: { ...process.env, BAREWIRE_LEAGUE_INSIDE: '1' } });
    return status ?? 1;
  }
  console.error('The targets run with the network of this machine.');
  return undefined;
}

function install() {
  const run = (command, args, options = {}) => {
    console.log([command, ...args].join(' '));
    return spawnSync(command, args, { cwd: at('.'), stdio: 'inherit', timeout: 600_000, ...options }).status === 0;
  };
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional']);
  mkdirSync(at('.targets/go'), { recursive: true });
  for (const [name, requirement] of Object.entries(python)) {
    const folder = at(`.targets/${name}`);
    if (existsSync(join(folder, 'bin/python')) && spawnSync(join(folder, 'bin/python'), ['-c', `import importlib.metadata as m; assert m.version('${requirement.split('==')[0].replace(/\[.*/, '')}') == '${requirement.split('==')[1]}'`]).status === 0) continue;
    if (run('python3', ['-m', 'venv', folder])) run(join(folder, 'bin/python'), ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', requirement]);
  }
  const { official, other } = go();
  run('go', ['build', '-o', at('.targets/go/use'), '.'], { cwd: at('clients/go') });
  for (const [name, program] of [['official-everything', `github.com/modelcontextprotocol/go-sdk/examples/server/everything@${official}`], ['mcp-go-everything', `github.com/mark3labs/mcp-go/examples/everything@${other}`]]) {
    if (run('go', ['install', program], { env: { ...process.env, GOBIN: at('.targets/go') } })) renameSync(at('.targets/go/everything'), at(`.targets/go/${name}`));
  }
}

/** Runs the command to its end; returns its output. */
function output(command, args, { env, seconds }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => { out += text; });
    child.stderr.setEncoding('utf8').on('data', (text) => { err = (err + text).slice(-2000); });
    const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch {} };
    const timer = setTimeout(end, seconds * 1000);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      end();
      resolve({ code: signal ?? code, out, err });
    });
  });
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a server over HTTP, which prints its address or takes a port. */
async function listening({ command, args = [], env, http }) {
  const port = http.port ? await freePort() : undefined;
  const [file, ...words] = [...command, ...args];
  const child = spawn(file, words, { env: { ...process.env, ...env, ...port && { [http.port]: String(port) } }, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const url = await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), 20_000);
    const found = (address) => { clearTimeout(timer); resolve(address); };
    let said = '';
    const look = (text) => {
      said += text;
      if (!port && /http:\/\/127\.0\.0\.1:\d+\/\S+/.test(said)) found(said.match(/http:\/\/127\.0\.0\.1:\d+\/\S+/)[0]);
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    child.on('exit', () => found(undefined));
    if (port) {
      const knock = () => fetch(`http://127.0.0.1:${port}${http.path}`).then(() => found(`http://127.0.0.1:${port}${http.path}`), () => { if (child.exitCode === null) setTimeout(knock, 200); });
      void knock();
    }
  });
  return { url, stop: () => { try { process.kill(-child.pid, 'SIGKILL'); } catch {} } };
}

const ofSecurity = ({ id, sections }) => id.startsWith('authorization') || sections.some(({ section }) => /security|authorization/.test(section));
/** Security faults go to the maintainers, not here; so do other faults with the same evidence. */
function secretsOf(told) {
  const bytes = ({ evidence = [] }) => evidence.map(({ sent, came }) => JSON.stringify([sent, came]));
  const known = new Set(told.filter((one) => one.verdict === 'broken' && ofSecurity(one)).flatMap(bytes));
  return new Set(told.filter((one) => ofSecurity(one) || bytes(one).some((pair) => known.has(pair))));
}
const most = 1500;
const cut = (text, folder) => {
  const plain = text?.replaceAll(folder, '/tmp/files').replaceAll(top, '/').replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:0');
  return plain?.length > most ? `${plain.slice(0, most)} … (${plain.length} characters)` : plain;
};

function kept(name, target, { code, out, err }, kind, folder) {
  const { package: from, registry, version, of } = target;
  const about = { name, package: from, registry, version, ...of && { of }, date: new Date().toISOString().slice(0, 10) };
  let report;
  try {
    report = JSON.parse(out.trim().split('\n').at(-1));
  } catch {
    return { ...about, stopped: `no report (${code}): ${cut(err.trim().slice(-300), folder)}` };
  }
  const { judgements, revisions, ruleSet, seed, stopped, failures, ms } = report;
  const count = (level, verdict) => judgements.filter((one) => one.level === level && one.verdict === verdict).length;
  const told = judgements.filter(({ verdict }) => verdict === 'broken' || verdict === 'dispute');
  const secret = secretsOf(told);
  for (const one of secret) console.error(`${kind} ${name}: ${one.id} belongs to a fault of security, and is left out: ${JSON.stringify(one.evidence?.[0]).slice(0, 600)}`);
  return {
    ...about, ruleSet, seed, revisions, seconds: Math.round(ms / 1000), ...stopped && { stopped: cut(stopped, folder) }, ...failures?.length && { failures },
    counts: Object.fromEntries(['MUST', 'SHOULD'].map((level) => [level, Object.fromEntries(['broken', 'dispute', 'kept', 'not-applicable', 'not-seen'].map((verdict) => [verdict, count(level, verdict)]))])),
    ...secret.size > 0 && { withheld: secret.size },
    told: told.filter((one) => !secret.has(one)).map(({ id, level, text, verdict, sections, evidence }) => ({
      id, level, text, verdict, address: (sections.find(({ revision }) => revision === evidence[0].revision) ?? sections[0]).address,
      evidence: evidence.map(({ revision, sent, expected, came }) => ({ revision, ...sent && { sent: cut(sent, folder) }, expected: cut(expected, folder), came: cut(came, folder) })),
    })),
  };
}

function keep(kind, name, result) {
  mkdirSync(at(`results/${kind}`), { recursive: true });
  writeFileSync(at(`results/${kind}/${name.replaceAll(/[^a-z0-9]+/gi, '-')}.json`), `${JSON.stringify(result, undefined, 1)}\n`);
  const { counts, revisions, stopped, told = [] } = result;
  console.log(`${kind} ${name}: ${stopped ?? `${revisions.join(' ')}: ${counts.MUST.kept} MUSTs kept, broken: ${told.filter(({ verdict }) => verdict === 'broken').map(({ id, level }) => `${id}${level === 'MUST' ? '' : '?'}`).join(' ') || '-'}`}`);
}

async function judgeServers() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-league-')));
  const files = join(folder, 'files');
  mkdirSync(files);
  writeFileSync(join(files, 'note.txt'), 'a note\n');
  spawnSync('git', ['init', '-q', files]);
  for (const [name, target] of Object.entries(servers(files))) {
    if (names.length > 0 && !names.includes(name)) continue;
    const { command, args = [], env = {}, http } = target;
    const served = http && await listening(target);
    // A program inherits only a few environment variables; `env` passes the others.
    const given = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const words = http ? [served.url ?? 'http://127.0.0.1:9/'] : ['--', ...given.length > 0 ? ['env', ...given] : [], ...command, ...args];
    const came = http && !served.url ? { code: 'not started', out: '', err: 'it did not listen within 20 s' }
      : await output(process.execPath, [barewire, 'judge', '--json', '--timeout', '30', ...words], { env: { ...env, BAREWIRE_HOME: folder }, seconds: 240 });
    served?.stop();
    keep('servers', name, kept(name, target, came, 'server', folder));
  }
  rmSync(folder, { recursive: true, force: true });
}

async function judgeClients() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-league-')));
  for (const [name, target] of Object.entries(clients())) {
    for (const [way, words] of [['HTTP', ['http', '{url}']], ['stdio', ['stdio', '{program}']]]) {
      const whole = `${name}, ${way}`;
      if (names.length > 0 && !names.includes(name) && !names.includes(whole)) continue;
      const came = await output(process.execPath, [barewire, 'judge', '--client', '--json', '--', ...target.command, ...words], { env: { MCP_USE_ANONYMIZED_TELEMETRY: 'false', BAREWIRE_HOME: folder }, seconds: 420 });
      keep('clients', whole, kept(whole, { ...target, way }, came, 'client', folder));
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

const work = { install, servers: judgeServers, clients: judgeClients, report: () => {
  writeReport(top);
  console.log(`${writeUpstream(top)} reports`);
} };
if (!Object.hasOwn(work, what ?? '')) {
  console.error('npm run league -- install | servers [NAME …] | clients [NAME …] | report');
  process.exit(2);
}
const status = what === 'servers' || what === 'clients' ? withoutNetwork() : undefined;
if (status === undefined) await work[what]();
else process.exitCode = status;
