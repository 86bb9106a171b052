/**
 * The step of a test that looks at every place or draws thousands of cases: 1, which is all of them, but `n` in `npm test`.
 * All are taken where a file is run by itself, and by `node scripts/test.mjs --whole`, which CI runs after `npm test`.
 */
export const everyNth = (n: number): number => (process.env['BAREWIRE_TESTS'] === 'some' ? n : 1);
