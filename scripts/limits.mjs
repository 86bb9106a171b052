// The table of limits in docs/limits.md, generated from the code: the interfaces named `…Limits` with their default objects, and
// the options that set a limit. A member's documentation ends with its default, as in `Bytes of a body; a longer one gets 413. 16
// MiB.`, which must equal the default object's value.
//
//   node scripts/limits.mjs           writes the table (after `npm run build`)
//   node scripts/limits.mjs --check   exits 1 if docs/limits.md is outdated
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where users set an interface's members. In this order; others follow by name. */
const GROUPS = {
  ConnectionLimits: 'server and client: `limits`',
  WeightLimits: 'server and client, for messages above 64 KiB: `limits`',
  ServerLimits: 'server: `limits`',
  RequestStateOptions: '`McpServer`: `requestState`',
  CoreClientLimits: 'client: `limits`',
  ClientLimits: '`McpClient`: `limits`',
  AnsweringOptions: 'client',
  ServeStdioOptions: '`serveStdio`',
  StdioTransportOptions: '`stdioTransport`',
  MessagePortOptions: '`serveMessagePort`, `messagePortTransport`',
  HttpLimits: '`serveHttp`, `httpListener`, `fetchHandler`: `limits`',
  RateLimitOptions: '`rateLimit`',
  HttpClientLimits: '`httpTransport`: `limits`',
  NodeHttpClientLimits: '`httpTransport` of `barewire/http`: `limits`',
  SchemaLimits: '`compile`: `limits`',
  FleetOptions: '`fleet`',
  TaskLimits: '`tasks`: `limits`',
  FetchLimits: '`barewire/oauth`, documents of authorization servers: `limits`',
  BearerLimits: '`bearer`: `limits`',
  ProofReplayLimits: '`proofReplays`',
  JwtVerifierLimits: '`jwtVerifier`: `limits`',
  KeySetLimits: '`jwtVerifier`: `limits`',
  IntrospectionLimits: '`introspection`: `limits`',
  BridgeLimits: '`barewire bridge`',
  ExecutableLimits: '`executables`: `limits`',
  UriTemplateLimits: '`resourceTemplate`',
  AnsweringLimits: '`answering`, `McpClient`: `limits`',
  OAuthLimits: '`oauth`, `login`: `limits`',
  FileLockLimits: '`fileStore` of `barewire/oauth/node`: `limits`',
  ConsentLimits: '`Host`: `limits`',
  RestartLimits: '`Host`, a server that dies: `limits`',
  ListingLimits: '`Host`, what a server lists: `limits`',
  SkillLimits: '`skills` and `listSkills`, of one skill',
  AppLimits: '`appBridge`, of one app',
};
/** Interfaces with options of which some are limits: those whose documentation ends with a quantity. */
const OPTIONS = new Set([
  'FleetOptions', 'RateLimitOptions', 'RequestStateOptions', 'AnsweringOptions', 'ServeStdioOptions', 'StdioTransportOptions', 'MessagePortOptions',
]);

const UNITS = {
  '': 1, Ki: 1024, Mi: 1024 ** 2, KiB: 1024, MiB: 1024 ** 2, ms: 1, s: 1000, second: 1000, seconds: 1000, minute: 60_000,
  minutes: 60_000, min: 60_000, hour: 3_600_000, hours: 3_600_000, day: 86_400_000, days: 86_400_000, steps: 1,
};

/** The value of `60 seconds`, `16 MiB`, `10,000`; undefined if the text is not a quantity. */
function quantity(text) {
  const [, number, unit = ''] = /^(?:Default:? )?(\d[\d,.]*)(?: ?([A-Za-z]+))?(?:; 0: [^.]*)?$/.exec(text) ?? [];
  return number === undefined || !(unit in UNITS) ? undefined : Number(number.replaceAll(',', '')) * UNITS[unit];
}

/** The members of an interface with their documentation, in order. */
function membersOf(body) {
  const members = [];
  for (const [, doc, name] of body.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:readonly )?(\w+)\??:/g)) {
    const text = doc.replace(/\n\s*\* ?/g, ' ').replace(/\s+/g, ' ').trim();
    // The default is the last sentence with a quantity.
    const sentences = text.split(/(?<=\.)\s+/).map((sentence) => sentence.replace(/\.$/, ''));
    const at = sentences.findLastIndex((sentence) => quantity(sentence) !== undefined);
    members.push({ name, bounds: sentences.filter((_, i) => i !== at).join('. '), standard: at < 0 ? undefined : sentences[at] });
  }
  return members;
}

const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts')).sort();
const interfaces = new Map();
const defaults = new Map();
const problems = [];
for (const file of files) {
  const text = readFileSync(`${root}src/${file}`, 'utf8');
  for (const [, name, body] of text.matchAll(/^export interface (\w+)[^{]*\{\n([^]*?)^\}/gm)) {
    if (name.endsWith('Limits') || OPTIONS.has(name)) interfaces.set(name, membersOf(body));
  }
  for (const [, constant, name] of text.matchAll(/^export const (default\w+): (\w+Limits) =/gm)) {
    defaults.set(name, (await import(new URL(`../dist/src/${file.replace(/\.ts$/, '.js')}`, import.meta.url)))[constant]);
  }
}

/** Every limit, in the order of the table. */
export const limits = [];
const order = [...Object.keys(GROUPS), ...[...interfaces.keys()].sort()];
for (const name of new Set(order)) {
  for (const { name: member, bounds, standard } of interfaces.get(name) ?? []) {
    const value = defaults.get(name)?.[member];
    if (standard === undefined) {
      if (!OPTIONS.has(name)) problems.push(`${name}.${member}: its documentation does not end with its default`);
      continue;
    }
    if (value !== undefined && value !== quantity(standard)) {
      problems.push(`${name}.${member}: documented as ${standard}, and is ${value}`);
    }
    const bare = /^[\d,.]+$/.test(standard) && /milliseconds/i.test(bounds);
    limits.push({
      where: GROUPS[name] ?? `\`${name}\``, member, standard: standard.replace(/^Default:? /, '') + (bare ? ' ms' : ''), bounds,
    });
  }
}

const lines = ['| limit | default | what it bounds |', '|---|---|---|'];
let group;
for (const { where, member, standard, bounds } of limits) {
  if (where !== group) lines.push(`| **${(group = where)}** | | |`);
  lines.push(`| \`${member}\` | ${standard} | ${bounds.replaceAll('|', '\\|')} |`);
}
const table = lines.join('\n');
const BEGIN = '<!-- limits: written by scripts/limits.mjs -->';
const END = '<!-- end of limits -->';
const FILE = 'docs/limits.md';
const page = readFileSync(`${root}${FILE}`, 'utf8');
const [before, rest] = page.split(BEGIN);
const after = rest?.split(END)[1];
if (after === undefined) problems.push(`${FILE} has no ${BEGIN} … ${END}`);
const wanted = `${before}${BEGIN}\n${table}\n${END}${after}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (problems.length === 0 && process.argv[2] !== '--check') writeFileSync(`${root}${FILE}`, wanted);
  else if (problems.length === 0 && wanted !== page) problems.push('docs/limits.md has another table: node scripts/limits.mjs');
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
export { page, problems, wanted };
