// Expressions constructed from a text: each place is run, and its expressions are checked like literals.
import { expressionsOf, root, sourcesOf } from './expressions.mjs';

const from = (path) => import(new URL(`dist/src/${path}`, `file://${root}`).href);

/**
 * By file: `run` constructs its expressions; `most`: the maximum length of their input, if the code cuts it. A file without `run`
 * constructs them from an author's schema; `why` gives the bound of their cost.
 */
const places = {
  'src/jsonrpc/message.ts': { run: async () => (await from('jsonrpc/message.js')).unreadable('{"id":1,"x":', 'cut'), most: 256 },
  'src/schema/idn.ts': { run: async () => (await from('schema/idn.js')).isHostname('a\u200cb.example', true) },
  'src/schema/formats.ts': { run: async () => (await from('schema/formats.js')).formats.uri.test('https://example.com/a?b#c') },
  'src/schema/patterns.ts': { why: 'a `pattern` is the author\'s; whether the engine may run it is decided by its estimated cost' },
  'page/src/host/exact-numbers.ts': { why: 'a mark that the page made, without operators, and then `[^"]*`, which ends at the next quote' },
  'page/src/json/lexemes.ts': { why: 'the same' },
};

/** The expressions of the listed places, as literals; throws for a place that is not listed, or constructs none. */
export async function madeExpressions(folders) {
  const found = folders.flatMap((folder) => sourcesOf(folder)).flatMap((file) => expressionsOf(file).made.map((at) => ({ file, at })));
  const unknown = found.filter(({ file }) => !Object.hasOwn(places, file));
  if (unknown.length > 0) throw new Error(`RegExp is named where this test does not know what is made: ${unknown.map(({ at }) => at).join(', ')}; list the file in made.mjs`);
  const all = [];
  for (const [file, { run, why, most }] of Object.entries(places)) {
    if (!found.some((one) => one.file === file)) throw new Error(`${file} makes no expression any more`);
    if (why) continue;
    const made = await recorded(run);
    if (made.length === 0) throw new Error(`${file} made no expression`);
    all.push(...made.map(({ source, flags }) => ({ at: `${file} (made)`, pattern: source, flags, most })));
  }
  return all;
}

/** The expressions constructed while `run` runs. */
async function recorded(run) {
  const native = globalThis.RegExp;
  const made = [];
  globalThis.RegExp = new Proxy(native, {
    construct(target, words) {
      const one = Reflect.construct(target, words);
      made.push(one);
      return one;
    },
  });
  try {
    await run();
  } finally {
    globalThis.RegExp = native;
  }
  return made;
}
