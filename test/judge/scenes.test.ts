import test from 'node:test';
import { everyNth } from '../every-nth.ts';
import { compareScene } from './playing.ts';
import { legacyRows } from './scene-rows-legacy.ts';
import { modernRows } from './scene-rows-modern.ts';
import { watchRows } from './watch-rows.ts';
import { compareWatch } from './watching.ts';

// Each hidden server of the judge of clients by itself: what it says about a client that keeps the rules, and about the same client with
// one fault. See playing.ts. And what is said about each message of a client: watching.ts.

const rows = [...legacyRows, ...modernRows];

[...new Set(rows.map(({ scene }) => scene))].filter((_, at) => at % everyNth(2) === 0).forEach((name) => {
  test(`judge: what it says of a client by the scene: ${name}`, async () => {
    for (const row of rows) if (row.scene === name) await compareScene(row);
  });
});

for (const row of watchRows) test(`judge: messages of a client: ${row.about}`, () => compareWatch(row));
