import test from 'node:test';
import { everyNth } from '../every-nth.ts';
import { featureRows } from './probe-rows-features.ts';
import { httpRows } from './probe-rows-http.ts';
import { messageRows } from './probe-rows-messages.ts';
import { roundRows } from './probe-rows-rounds.ts';
import { compareRow } from './probing.ts';

// Each probe of the judge by itself: what it sends, what it says about a server that keeps the rules, and about the same server with one
// fault. See probing.ts.

const rows = [...featureRows, ...messageRows, ...roundRows, ...httpRows];

[...new Set(rows.map(({ probe }) => probe))].filter((_, at) => at % everyNth(2) === 0).forEach((name) => {
  test(`judge: what it says of a server by the probe: ${name}`, async () => {
    for (const row of rows) if (row.probe === name) await compareRow(row);
  });
});
