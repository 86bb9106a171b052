/**
 * The step of a test that checks every place or draws thousands of cases: `n` in `npm test`, otherwise 1 (all). A file run by
 * itself takes all, and so does `node scripts/test.mjs --whole`, which CI runs after `npm test`.
 */
export const everyNth = (n: number): number => (process.env['BAREWIRE_TESTS'] === 'some' ? n : 1);
