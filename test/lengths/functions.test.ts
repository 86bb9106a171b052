import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { longFunctions } from './functions.ts';

/** Maximum lines of a function without a reason, nested functions included. */
const most = 60;

/** Longer functions that still await review. Names are removed from this list, never added: see CONTRIBUTING.md. */
const notYet: readonly string[] = [
  'cli/answers.ts answersOf',
  'cli/bridge/relay.ts relay',
  'cli/commands/host.ts run',
  'cli/commands/tour.ts run',
  'cli/options.ts readOptions',
  'cli/reporter.ts watchReporter',
  'cli/tour.ts tour',
  'cli/tour.ts walk',
  'cli/with-client.ts withClient',
];

test('lengths: a function of more than 60 lines says why in its comment', () => {
  const long = longFunctions(fileURLToPath(new URL('../../../src', import.meta.url)), most);
  assert.ok(long.some(({ reason }) => reason !== undefined), 'no function has a reason: the comments were not found');
  assert.deepEqual(long.filter(({ reason }) => reason === undefined).map(({ name }) => name), notYet);
});

test('lengths: what counts as a function, and where its reason is found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-lengths-test-'));
  const lines = (count: number): string => 'void 0;\n'.repeat(count);
  writeFileSync(join(folder, 'a.ts'), `
export function outer() {\nfunction inner() {\n${lines(3)}}\n${lines(2)}}
/** Says what it does.\n * More than 4 lines is no reason. Long function: it is one\n * long table. */
export const table = () => {\n${lines(9)}};
class A {\n  // Long function: a state machine.\n  constructor() {\n${lines(9)}}\n  get long() {\n${lines(9)}return 1; }\n  short() {\n${lines(2)}}\n}
export const made = { method: function () {\n${lines(9)}} };
`);
  try {
    assert.deepEqual(longFunctions(folder, 6).map(({ name, reason }) => [name, reason]), [
      ['a.ts outer', undefined], ['a.ts table', 'it is one long table.'], ['a.ts constructor', 'a state machine.'], ['a.ts long', undefined],
      ['a.ts method', undefined],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
