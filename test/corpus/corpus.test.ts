import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compile } from '../../src/schema/full/index.ts';
import type { JsonSchema } from '../../src/schema/index.ts';
import { behaviours } from './behaviours.ts';
import { folder, make, version } from './corpus.ts';

const made = await make();
const lines = (name: string): Record<string, unknown>[] =>
  (made.get(name) ?? '').trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
const schema = JSON.parse(readFileSync(`${folder}schema.json`, 'utf8')) as JsonSchema;

test('the corpus is what `npm run corpus` writes', () => {
  for (const [name, text] of made) assert.ok(readFileSync(folder + name, 'utf8') === text, `${name} is not up to date: npm run corpus`);
});

test('every line fits the schema, and one that is changed does not', () => {
  const validate = compile(schema);
  for (const name of made.keys()) {
    for (const line of lines(name)) {
      const judged = validate(line);
      assert.ok(judged.valid, `${String(line['feature'])}: ${JSON.stringify(judged)}`);
      for (const member of Object.keys(line).filter((one) => one !== 'instructions' && one !== 'for')) {
        const { [member]: _left, ...rest } = line;
        assert.equal(validate(rest).valid, false, `${String(line['feature'])} without ${member}`);
      }
      assert.equal(validate({ ...line, more: 1 }).valid, false);
    }
  }
});

test('every transcript has its server, and every server says what it does', () => {
  const features = new Set(lines('transcripts.ndjson').filter((line) => line['for'] !== 'client').map(({ feature }) => feature));
  assert.deepEqual(lines('servers.ndjson').map(({ feature }) => feature), [...features].sort());
  assert.deepEqual(Object.keys(behaviours).filter((feature) => !features.has(feature)), []);
});

test('the corpus holds every message of the transcripts, and names its version in its document', () => {
  const steps = lines('transcripts.ndjson').flatMap((line) => line['steps'] as unknown[]);
  assert.ok(steps.length > 1500, String(steps.length));
  assert.ok(readFileSync(`${folder}README.md`, 'utf8').includes(`Version ${version}`));
});
