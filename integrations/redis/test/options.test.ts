import assert from 'node:assert/strict';
import test from 'node:test';
import { redisEngine, redisStore } from '../src/index.ts';

// Not connected: options are checked before anything else.
const places: readonly (readonly [string, (options: unknown) => Promise<unknown>, readonly string[]])[] = [
  ['redisStore', async (options) => redisStore({} as never, options as object), ['prefix', 'onError']],
  ['redisEngine', async (options) => redisEngine({} as never, options as object), ['prefix', 'leaseMs', 'answerMs', 'maxBytesPerStream', 'onError']],
];

for (const [place, call, names] of places) {
  test(`${place}: an unknown option and a value of another kind are refused by name`, async () => {
    for (const name of names) {
      const misspelt = `${name}x`;
      await assert.rejects(call({ [misspelt]: {} }), {
        name: 'TypeError', code: 'unknown_option', message: `${place}: options.${misspelt} is unknown, did you mean ${name}?`,
      });
      await assert.rejects(call({ [name]: [] }), { name: 'TypeError', code: 'invalid_option' }, name);
    }
  });
}
