import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the table of limits in docs/limits.md is what the code says', () => {
  const { status, stderr } = spawnSync(process.execPath, [`${root}scripts/limits.mjs`, '--check'], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
});

/** Those whose test crosses the default without naming it, or is still to be written. None may be added. */
const unnamed = new Set([
  'approvalMs', 'maxAsks', 'maxBackoffMs', 'maxQuestions', 'maxBatch', 'maxValues', 'maxDepth', 'retryMs', 'maxConnections', 'maxIdleConnections', 'idleMs',
  'maxTasks', 'maxTasksPerPrincipal', 'maxJournalBytes', 'maxResultBytes', 'maxTtlMs', 'pollIntervalMs', 'maxRunning',
  'leaseMs', 'scanMs', 'statusIntervalMs', 'stallMs',
  'maxTokenLength', 'maxProofLength', 'leewayMs', 'maxProofAgeMs', 'nonceLifetimeMs', 'maxKeys', 'maxKeysStaleMs',
  'keysCooldownMs',
]);

test('every limit of the table is set by a test, which crosses it', () => {
  const tests = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== 'limits.test.ts')
    .map((file) => readFileSync(`${root}test/${file}`, 'utf8'))
    .join('\n');
  const rows = [...readFileSync(`${root}docs/limits.md`, 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
  assert.ok(rows.length > 40, String(rows.length));
  assert.deepEqual([...new Set(rows)].filter((name) => !unnamed.has(name) && !new RegExp(`\\b${name}\\b`).test(tests)), []);
});
