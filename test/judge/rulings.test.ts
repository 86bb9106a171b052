import test from 'node:test';
import { compareRuling } from './ruling.ts';
import { rulingRows } from './ruling-rows.ts';

// Whole runs of the judge, in made time: how it opens a server, which probes it runs, and what the ruling says. See ruling.ts.

for (const row of rulingRows) test(`judge: a whole run: ${row.about}`, () => compareRuling(row));
