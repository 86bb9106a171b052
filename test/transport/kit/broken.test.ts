// In a separate process: some of the broken transports never release their bytes in the process's budget.
import assert from 'node:assert/strict';
import test from 'node:test';
import { processBudget } from '../../../src/bounds/budget.ts';
import { transportTests } from '../../../src/transport/testing/index.ts';
import type { OpenTransport } from '../../../src/transport/testing/index.ts';
import { everyNth } from '../../every-nth.ts';
import { brokenTransports } from './broken.ts';
import { serialLines } from './transports.ts';

/** The first test that rejects a transport, and its error message. */
async function rejected(open: OpenTransport): Promise<string | undefined> {
  for (const { name, run } of transportTests) {
    const error: unknown = await run(open).then(() => undefined, (thrown: unknown) => thrown);
    if (error !== undefined) return `${name}: ${(error as Error).message}`;
  }
  return undefined;
}

test('the kit for transports: it passes the transport of which the broken ones are made', async () => {
  assert.equal(await rejected(serialLines), undefined);
});

test('the kit for transports: there are enough broken ones', () => {
  assert.ok(Object.keys(brokenTransports).length >= 15);
});

for (const [what, open] of Object.entries(brokenTransports).filter((_, at) => at % everyNth(6) === 0)) {
  test(`the kit for transports rejects one where ${what}`, async (t) => {
    const why = await rejected(async (server, options) => ({ ...await open(server, options), patienceMs: 700 }));
    processBudget().release(processBudget().used);
    assert.notEqual(why, undefined, 'every test passed');
    t.diagnostic(why ?? '');
  });
}
