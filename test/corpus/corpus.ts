import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { McpClient } from '../../src/client/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { parseTranscript } from '../../src/transcript/index.ts';
import { parseHttpTranscript } from '../transcripts/http-wire.ts';
import type { HttpStep } from '../transcripts/http-wire.ts';
import { fixture } from '../transcripts/server.ts';
import { behaviours } from './behaviours.ts';

// The corpus: every transcript as a line of JSON, and the server for each feature.

/**
 * Version of the form and of the transcripts. Major: players of the corpus must change; minor: new transcripts or members; patch:
 * a corrected transcript.
 */
export const version = '1.0.0';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const transcripts = `${root}test/transcripts/`;
/** The folder of the corpus. */
export const folder: string = `${root}test/corpus/`;

type Json = Readonly<Record<string, unknown>>;

function files(): string[] {
  return readdirSync(transcripts, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/')).filter((name) => /\.(wire|http)$/.test(name)).sort();
}

function httpStep(step: HttpStep): Json {
  const { at, exchange } = step;
  switch (step.kind) {
    case 'request':
      return { at, exchange, kind: 'request', method: step.method, path: step.path, headers: Object.fromEntries(step.headers), ...step.body !== undefined && { body: step.body } };
    case 'response':
      return { at, exchange, kind: 'response', status: step.status, headers: Object.fromEntries(step.headers), ...step.body !== undefined && { body: step.body } };
    case 'event':
      return { at, exchange, kind: 'event', fields: Object.fromEntries(step.fields), ...step.data !== undefined ? { data: step.data } : { text: step.text ?? '' } };
    case 'restart': return { at, kind: 'restart' };
    default: return { at, exchange, kind: step.kind };
  }
}

/** Replaces the random id of a failure; the transcript tests put a fixed one there, which other players need not know. */
const withoutChance = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json), (_name, value: unknown) => (typeof value === 'string' && / failed \(id [0-9a-f]+\)/.test(value) ? '<any>' : value));

/** Converts a transcript to a line of the corpus. */
function entry(file: string): Json {
  const text = readFileSync(transcripts + file, 'utf8');
  const kind = file.endsWith('.http') ? 'http' : 'wire';
  const feature = basename(file, `.${kind}`);
  // Transcripts with invalid messages of one side are played only to the other side.
  const only = feature.startsWith('client-') ? { for: 'client' } : feature.startsWith('refused-') ? { for: 'server' } : {};
  const head = { corpus: version, kind, revision: dirname(file), feature, ...only };
  if (kind === 'http') {
    const { title, defined, steps } = parseHttpTranscript(text);
    return { ...head, title, defined: Object.fromEntries(defined), steps: steps.map(httpStep) };
  }
  const { title, defined, lines } = parseTranscript(text);
  const steps = lines.map(({ at, from, raw, json, anyOrder }) =>
    ({ at, from, ...raw ? { raw: json } : { message: withoutChance(json) }, ...anyOrder && { anyOrder } }));
  return { ...head, title, defined: Object.fromEntries(defined), steps };
}

/** The lists of a feature's server, as a client of the newest revision sees them. */
async function server(feature: string): Promise<Json> {
  const client = new McpClient({ name: 'corpus', version: '1.0.0' });
  await client.connect(memoryTransport(fixture(feature)));
  try {
    const { tools, prompts, resources, completions } = client.capabilities ?? {};
    return {
      corpus: version, feature, does: behaviours[feature] ?? [],
      server: client.server, ...client.instructions !== undefined && { instructions: client.instructions },
      capabilities: { ...tools && { tools }, ...prompts && { prompts }, ...resources && { resources }, ...completions && { completions } },
      tools: tools ? await client.listTools() : [],
      prompts: prompts ? await client.listPrompts() : [],
      resources: resources ? await client.listResources() : [],
      resourceTemplates: resources ? await client.listResourceTemplates() : [],
    };
  } finally {
    await client.close();
  }
}

const ndjson = (lines: readonly unknown[]): string => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;

/** The generated files of the corpus, by name. */
export async function make(): Promise<ReadonlyMap<string, string>> {
  const all = files().map(entry);
  const features = [...new Set(all.filter((line) => line['for'] !== 'client').map(({ feature }) => String(feature)))].sort();
  const servers: Json[] = [];
  for (const feature of features) servers.push(await server(feature));
  return new Map([['transcripts.ndjson', ndjson(all)], ['servers.ndjson', ndjson(servers)]]);
}
