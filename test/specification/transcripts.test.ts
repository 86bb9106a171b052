import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compile } from '../../src/schema/full/index.ts';
import type { JsonSchema, Validate } from '../../src/schema/index.ts';
import { parseTranscript } from '../../src/transcript/transcript.ts';

// Every message of every transcript fits the schema of its revision: a request and a notification by its method, a result by the
// method of its request, an error by the definition of errors. The schemas are reduced to their facts
// (scripts/specification.mjs).

const root = fileURLToPath(new URL('../../../', import.meta.url));

type Bag = Readonly<Record<string, unknown>>;
const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null && !Array.isArray(value);

interface Specification {
  readonly definitions: Readonly<Record<string, Bag>>;
  /** The definitions of requests and notifications, by method. */
  readonly byMethod: ReadonlyMap<string, string>;
  validate(definition: string): Validate;
}

function read(revision: string): Specification {
  const schema = JSON.parse(readFileSync(`${root}test/specification/${revision}.json`, 'utf8')) as Bag;
  const home = '$defs' in schema ? '$defs' : 'definitions';
  const definitions = schema[home] as Specification['definitions'];
  const byMethod = new Map<string, string>();
  for (const [name, definition] of Object.entries(definitions)) {
    const method = ((definition['properties'] as Bag | undefined)?.['method'] as Bag | undefined)?.['const'];
    if (typeof method === 'string') byMethod.set(method, name);
  }
  const made = new Map<string, Validate>();
  return {
    definitions, byMethod,
    validate(definition) {
      let validate = made.get(definition);
      if (!validate) made.set(definition, validate = compile({ ...schema, $ref: `#/${home}/${definition}` } as JsonSchema));
      return validate;
    },
  };
}

const placeholder = /^<[a-z][a-z0-9 -]*>$/;

function at(value: unknown, path: string): unknown {
  return path.split('/').slice(1).reduce((inner, step) => (isBag(inner) || Array.isArray(inner) ? (inner as Bag)[step] : undefined), value);
}

/** Violations of the definition. A placeholder counts as any required value. */
function faults(validate: Validate, message: unknown): string[] {
  const judged = validate(message);
  if (judged.valid) return [];
  return judged.errors
    .filter(({ path }) => !(typeof at(message, path) === 'string' && placeholder.test(at(message, path) as string)))
    .map(({ path, message }) => `${path} ${message}`);
}

function fill(json: unknown, defined: ReadonlyMap<string, unknown>): unknown {
  if (typeof json === 'string') return defined.has(json) ? fill(defined.get(json), defined) : json;
  if (Array.isArray(json)) return json.map((item) => fill(item, defined));
  if (!isBag(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, fill(value, defined)]));
}

/** The definitions that a message must satisfy. */
function definitionsOf(message: Bag, { definitions, byMethod }: Specification): string[] {
  const { method, error, id } = message;
  const known = (...names: string[]): string[] => names.filter((name) => definitions[name]);
  if (error !== undefined) return known('JSONRPCErrorResponse', 'JSONRPCError').slice(0, 1);
  if (typeof method === 'string') {
    const envelope = id === undefined ? 'JSONRPCNotification' : 'JSONRPCRequest';
    const own = byMethod.get(method);
    return own === undefined ? [envelope] : [envelope, own];
  }
  return known('JSONRPCResultResponse', 'JSONRPCResponse').slice(0, 1);
}

function resultOf(result: Bag, asked: string | undefined, { definitions, byMethod }: Specification): string | undefined {
  if (result['resultType'] !== undefined && result['resultType'] !== 'complete') {
    return result['resultType'] === 'input_required' ? 'InputRequiredResult' : undefined;
  }
  // 2025-11-25 basic/utilities/tasks#creating-tasks: a request with `task` has another result.
  if (isBag(result['task']) && definitions['CreateTaskResult']) return 'CreateTaskResult';
  const name = asked === undefined ? undefined : byMethod.get(asked)?.replace(/Request$/, 'Result');
  return name !== undefined && definitions[name] ? name : undefined;
}

const folder = `${root}test/transcripts/`;
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wire')).sort();
const specifications = new Map<string, Specification>();
let judged = 0;

/** Client messages that are wrong on purpose and get no error: notifications, and answers to questions. */
const onPurpose = /cancellation\.wire|wrong-answers\.wire/;

/**
 * The three oldest schemas require an id in errors; JSON-RPC 2.0 (section 5) uses null, and so does barewire. Since 2025-11-25
 * the id is omitted.
 */
const nullId = /^20(24-11-05|25-03-26|25-06-18)/;

for (const file of files) {
  test(`${file} fits the schema of its revision`, () => {
    const revision = dirname(file);
    const specification = specifications.get(revision) ?? read(revision);
    specifications.set(revision, specification);
    const { defined, lines } = parseTranscript(readFileSync(folder + file, 'utf8'));
    const asked = new Map<string, string>();
    const wrong: { fault: string; excused: string | undefined }[] = [];
    const refused = new Set<string>();
    for (const line of lines) {
      if (line.raw || (line.from === 'client' && onPurpose.test(file))) continue;
      const json = fill(line.json, defined);
      for (const message of Array.isArray(json) ? json : [json]) {
        if (!isBag(message)) continue;
        const other = line.from === 'client' ? 'server' : 'client';
        if (typeof message['method'] === 'string') asked.set(`${line.from} ${JSON.stringify(message['id'])}`, message['method']);
        const method = asked.get(`${other} ${JSON.stringify(message['id'])}`);
        // Invalid messages that provoke an error are excused: the client's, and in transcripts that test a client the server's.
        const excused = line.from === (basename(file).startsWith('client-') ? 'server' : 'client') ? JSON.stringify(message['id']) : undefined;
        const note = (name: string, part: unknown): void => {
          for (const fault of faults(specification.validate(name), part)) {
            if (fault.startsWith('/id null') && nullId.test(file)) continue;
            wrong.push({ fault: `line ${line.at}: ${name}${fault}`, excused });
          }
        };
        for (const name of definitionsOf(message, specification)) note(name, message);
        const { result } = message;
        const name = isBag(result) && resultOf(result, method, specification);
        if (name) note(name, result);
        if (message['error'] !== undefined || (isBag(result) && result['isError'] === true)) refused.add(JSON.stringify(message['id']));
        judged++;
      }
    }
    assert.deepEqual(wrong.filter(({ excused }) => excused === undefined || !refused.has(excused)).map(({ fault }) => fault), []);
  });
}

test('there were transcripts to judge', () => {
  assert.ok(judged > 500, String(judged));
  const { validate } = specifications.get('2025-11-25') ?? read('2025-11-25');
  assert.equal(validate('JSONRPCErrorResponse')({ jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }).valid, false);
  assert.equal(validate('CallToolResult')({ content: [{ type: 'text' }] }).valid, false);
});
