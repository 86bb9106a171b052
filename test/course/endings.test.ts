import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { judge } from './chapter.ts';
import { chapters } from './chapters.ts';
import { Desk } from './desk.ts';
import { everyNth } from '../every-nth.ts';

// Every wait of the checker must end when the reader's program ends. The timeouts here are longer than those of the tests, so a wait that
// continues makes the test hang.

const ending = fileURLToPath(new URL('ending.js', import.meta.url));
const forever = { startMs: 3_600_000, patienceMs: 3_600_000 };

type Places = readonly (readonly [chapter: number, check: number])[];
/** A check for each way to run a program: lines and HTTP, both roles, and with the checker or barewire at the other end. */
const kinds: Places = [[1, 1], [3, 6], [7, 1], [7, 8], [9, 1], [9, 11], [10, 1], [10, 9], [11, 10], [12, 1], [12, 6], [12, 8]];
const stages: readonly (readonly [stage: string, places: Places])[] = [
  ['at-once', [...chapters.map(({ number }) => [number, 1] as const), ...kinds]],
  ['after-a-moment', kinds],
  ['first-line', kinds],
  ['listening', [[7, 1], [9, 1], [9, 11], [11, 7], [12, 1]]],
];

for (const [turn, [stage, all]] of stages.entries()) {
  // Each stage uses other places.
  const places = all.filter((_, index) => (index + turn) % everyNth(6) === 0);
  test(`a program that ends (${stage}) ends each check, and the report has its exit code and its stderr`, async () => {
    await Promise.all(places.map(async ([number, place]) => {
      const check = chapters[number - 1]?.checks[place - 1];
      assert.ok(check);
      const { fault, life } = await judge(check, new Desk({ command: [process.execPath, ending, stage], ...forever }));
      const told = `${fault?.came} ${life?.obituary}`;
      assert.match(told, /code 3|came 3|^3 /, `${number}.${place}: ${told}`);
      assert.match(life?.complaints ?? '', /the disk is full/, `${number}.${place}`);
      assert.match(life?.command ?? '', /ending\.js/, `${number}.${place}`);
    }));
  });
}

test('a program that does not flush is told so: its input is closed, and what it then writes is shown', async () => {
  const [check] = chapters[0]?.checks ?? [];
  assert.ok(check);
  const { fault } = await judge(check, new Desk({ command: [process.execPath, ending, 'buffered'], startMs: 300, patienceMs: forever.patienceMs }));
  assert.match(fault?.came ?? '', /^nothing: the program was silent for 300 ms; once its input was closed it wrote \{"jsonrpc":"2\.0".*\}: flush\?/);
});

test('the command line tells of a server over HTTP that ends before it listens, with real line breaks', async () => {
  const main = fileURLToPath(new URL('main.js', import.meta.url));
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [main, '9', `"${process.execPath}" "${ending}" after-a-moment`], (error, output) => resolve({ code: error?.code, output }));
  });
  assert.equal(code, 1);
  assert.match(output, /FAIL  a request that is POSTed/);
  assert.match(output, /started   .*ending\.js after-a-moment http \d+\n/);
  assert.match(output, /came      an end: the program ended with code 3\n {8}stderr\n {10}the disk is full\n {12}at line 7\n/);
});
