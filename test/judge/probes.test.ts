import test from 'node:test';
import { featureRows } from './probe-rows-features.ts';
import { httpRows } from './probe-rows-http.ts';
import { messageRows } from './probe-rows-messages.ts';
import { roundRows } from './probe-rows-rounds.ts';
import { compareRow } from './probing.ts';
import type { ProbeRow } from './probing.ts';

// Each probe of the judge by itself: what it sends, what it says about a server that keeps the rules, and about the same server with one
// fault. See probing.ts.

const tables: Readonly<Record<string, readonly ProbeRow[]>> = { features: featureRows, 'HTTP': httpRows, messages: messageRows, 'questions and tasks': roundRows };

for (const [name, rows] of Object.entries(tables)) {
  test(`judge: probes of ${name}: what each says about a server that keeps its rules, and about one fault`, async () => {
    for (const row of rows) await compareRow(row);
  });
}
