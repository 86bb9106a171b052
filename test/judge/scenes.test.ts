import test from 'node:test';
import { compareScene } from './playing.ts';
import type { SceneRow } from './playing.ts';
import { legacyRows } from './scene-rows-legacy.ts';
import { modernRows } from './scene-rows-modern.ts';
import { watchRows } from './watch-rows.ts';
import { compareWatch } from './watching.ts';

// Each hidden server of the judge of clients by itself: what it says about a client that keeps the rules, and about the same client with
// one fault. See playing.ts.

const tables: Readonly<Record<string, readonly SceneRow[]>> = { 'earlier revisions': legacyRows, '2026-07-28, tasks and authorization': modernRows };

for (const [name, rows] of Object.entries(tables)) {
  test(`judge: scenes of ${name}: what each says about a client that keeps its rules, and about one fault`, async () => {
    for (const row of rows) await compareScene(row);
  });
}

test('judge: what it says about each message and each HTTP request of a client', async () => {
  for (const row of watchRows) await compareWatch(row);
});
