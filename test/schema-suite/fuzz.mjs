// Compares barewire's verdicts with ajv's on random schemas and values.
//
//   node fuzz.mjs [pairs] [seed]      pairs: default 100,000; the full run is 1000000
//
// A disagreement is printed with its schema and value, and the exit code is 1. Known ones are in EXPLAINED, with the reason, and
// are counted separately.
import Ajv2020 from 'ajv/dist/2020.js';
import Ajv7 from 'ajv';
import { compile } from '../../dist/src/schema/full/index.js';
import { randomOf } from '../../dist/test/random.js';
import { numberOf, readWords } from '../../scripts/words.mjs';

const { names: [count, drawn] } = readWords({}, 2);
const wanted = numberOf(count, 100_000, 'pairs');
const seed = numberOf(drawn, 1, 'seed');
const VALUES = 100;

const next = randomOf(seed);
/** An integer from 0 to n - 1. */
const pick = (n) => Math.floor(next() * n);
const one = (list) => list[pick(list.length)];
const chance = (n) => pick(n) === 0;
const several = (most, make) => Array.from({ length: pick(most + 1) }, make);
const some = (most, make) => Array.from({ length: 1 + pick(most) }, make);

const NAMES = ['a', 'b', 'c', 'aa', 'ab', 'foo', 'constructor', '__proto__', 'toString', '', 'é', 'a/b', '0'];
const SCALARS = [
  null,
  true,
  false,
  0,
  1,
  2,
  3,
  -1,
  1.5,
  2.5,
  10,
  1e20,
  '',
  'a',
  'b',
  'ab',
  'aab',
  'foo',
  '😀',
  '😀a',
  '0',
  'true',
];
const PATTERNS = ['^a', 'b$', '^[ab]+$', '.', '^$', 'o{2}', '^(a|b)$', '😀', '^\\p{L}', '^.$'];
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

// Defined as own properties, because one of the names is __proto__.
function record(entries) {
  const out = {};
  for (const [key, value] of entries)
    Object.defineProperty(out, key, { value, enumerable: true, writable: true, configurable: true });
  return out;
}

function value(depth) {
  const kind = depth > 0 ? pick(5) : 0;
  if (kind === 1 || kind === 2) return several(3, () => value(depth - 1));
  if (kind === 3 || kind === 4) return record(several(3, () => [one(NAMES), value(depth - 1)]));
  return one(SCALARS);
}

const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems'];

function schema(depth, draft7, root = false) {
  if (!root && chance(12)) return !chance(4);
  const sub = () => schema(depth - 1, draft7);
  const out = {};
  const add = (key, make) => (out[key] = make());
  const KEYWORDS = [
    ['type', () => (chance(3) ? [...new Set(some(3, () => one(TYPES)))] : one(TYPES))],
    ['type', () => one(TYPES)],
    ['enum', () => unique(some(4, () => value(1)))],
    ['const', () => value(1)],
    ['minimum', () => pick(5) - 1],
    ['maximum', () => pick(5) - 1],
    ['exclusiveMinimum', () => pick(5) - 1],
    ['exclusiveMaximum', () => pick(5) - 1],
    ['multipleOf', () => one([1, 2, 0.5, 3])],
    ['minLength', () => pick(3)],
    ['maxLength', () => pick(3)],
    ['pattern', () => one(PATTERNS)],
    ['minItems', () => pick(3)],
    ['maxItems', () => pick(3)],
    ['uniqueItems', () => true],
    ['minProperties', () => pick(3)],
    ['maxProperties', () => pick(3)],
    ['required', () => [...new Set(several(2, () => one(NAMES)))]],
  ];
  const APPLICATORS = [
    ['properties', () => record(several(3, () => [one(NAMES), sub()]))],
    ['properties', () => record(several(3, () => [one(NAMES), sub()]))],
    ['patternProperties', () => record(some(2, () => [one(PATTERNS), sub()]))],
    ['additionalProperties', () => (chance(2) ? false : sub())],
    ['propertyNames', sub],
    ['items', sub],
    ['contains', sub],
    ['allOf', () => some(2, sub)],
    ['anyOf', () => some(3, sub)],
    ['oneOf', () => some(3, sub)],
    ['not', sub],
    ['if', sub],
    ['then', sub],
    ['else', sub],
    ['$ref', () => one(['#', '#/$defs/a', '#/$defs/b'])],
    ...(draft7 ?
      [
        ['items', () => several(2, sub)],
        ['additionalItems', () => (chance(2) ? false : sub())],
        ['dependencies', () => record([[one(NAMES), chance(2) ? sub() : several(2, () => one(NAMES))]])],
      ]
    : [
        ['prefixItems', () => some(2, sub)],
        ['minContains', () => pick(3)],
        ['maxContains', () => pick(3)],
        ['dependentSchemas', () => record([[one(NAMES), sub()]])],
        ['dependentRequired', () => record([[one(NAMES), [...new Set(several(2, () => one(NAMES)))]]])],
        // No $dynamicRef: ajv drops its siblings. The official suite covers it.
        ['$ref', () => '#here'],
        ...UNEVALUATED.map((key) => [key, () => (chance(2) ? false : sub())]),
      ]),
  ];
  for (const [key, make] of some(3, () =>
    one(
      depth > 0 ?
        chance(3) ? KEYWORDS
        : APPLICATORS
      : KEYWORDS,
    ),
  ))
    add(key, make);
  if (out.minContains !== undefined || out.maxContains !== undefined) out.contains ??= sub();
  if (out.then !== undefined || out.else !== undefined) out.if ??= sub();
  // Draft-07 ignores the siblings of a $ref; ajv does not.
  if (draft7 && out.$ref && !root) return { $ref: out.$ref };
  if (draft7) delete out.$ref;
  if (root) {
    out.$defs = { a: schema(1, draft7), b: schema(1, draft7) };
    if (draft7) out.$schema = 'http://json-schema.org/draft-07/schema#';
    else out.$anchor = 'here';
    out.$id = `https://example.com/${counts.schemas}`;
  }
  return out;
}

const unique = (list) => [...new Map(list.map((item) => [JSON.stringify(item), item])).values()];

/** A value that often fits: it follows the schema where that is easy, with occasional errors. */
function fitting(made, depth) {
  if (typeof made !== 'object' || depth < 0 || chance(6)) return value(2);
  if ('const' in made) return made.const;
  if (made.enum) return one(made.enum);
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    if (made[key] && chance(2)) return fitting(one(made[key]), depth - 1);
  const type =
    [made.type].flat()[0] ??
    (made.properties || made.required ? 'object'
    : made.items || made.prefixItems ? 'array'
    : undefined);
  if (type === 'object') {
    const named = Object.keys(made.properties ?? {}).filter(() => !chance(3));
    return record([
      ...(made.required ?? []).map((key) => [key, value(1)]),
      ...named.map((key) => [key, fitting(made.properties[key], depth - 1)]),
      ...several(1, () => [one(NAMES), value(1)]),
    ]);
  }
  if (type === 'array') {
    const first = (made.prefixItems ?? (Array.isArray(made.items) ? made.items : [])).map((item) =>
      fitting(item, depth - 1),
    );
    return [
      ...first,
      ...several(2, () => fitting(Array.isArray(made.items) ? made.additionalItems : made.items, depth - 1)),
    ];
  }
  return value(2);
}

const has = (made, ...keys) => keys.some((key) => JSON.stringify(made).includes(`"${key}":`));

// Known differences: when each may happen, and why.
const EXPLAINED = [
  {
    why: 'A reference to itself that consumes nothing: barewire names its limit, ajv fills the stack or happens to stop.',
    when: ({ expected, limit }) => limit || /^RangeError/.test(expected),
  },
  {
    why: 'ajv throws: over a property whose name objects inherit, or over a variable that its own code lacks.',
    when: ({ expected }) => /^(Type|Reference)Error/.test(expected),
  },
  {
    why: 'ajv looks up what is evaluated by name in an object that inherits some.',
    when: ({ made, subject }) => has(made, ...UNEVALUATED) && has(subject, 'toString', 'constructor'),
  },
  {
    why: 'ajv lets an empty array pass "contains" when other rules for items stand beside it or within it.',
    when: ({ made, subject }) => has(made, 'contains') && JSON.stringify(subject).includes('[]'),
  },
  {
    why: 'ajv counts as evaluated what an "if" that failed, or the "then" that was not taken, would have evaluated.',
    when: ({ made }) => has(made, 'if') && has(made, ...UNEVALUATED),
  },
  {
    why: 'ajv compares with fast-deep-equal, which calls the methods toString and valueOf of values that have them.',
    when: ({ made, subject }) =>
      has(made, 'const', 'enum', 'uniqueItems') && has(subject, 'toString', 'constructor'),
  },
  {
    why: 'ajv divides, and 1e20 / 3 is a whole number in floating point; barewire takes the remainder, which is exact.',
    when: ({ made, subject }) =>
      has(made, 'multipleOf') && JSON.stringify(subject).includes('100000000000000000000'),
  },
  {
    why: 'ajv does not require a property whose name is empty.',
    when: ({ made }) => /"(required|dependentRequired|dependencies)":[^\]]*""/.test(JSON.stringify(made)),
  },
  {
    why: 'ajv leaves out a property named __proto__ from "properties", and from what is unevaluated.',
    when: ({ made, subject }) =>
      has(made, '__proto__') || (has(subject, '__proto__') && has(made, ...UNEVALUATED)),
  },
  {
    why: 'ajv does not count an item that "contains" has found as evaluated, as 2020-12 does.',
    when: ({ made }) => has(made, 'contains') && has(made, 'unevaluatedItems'),
  },
  {
    why: 'ajv counts as evaluated the items of "prefixItems" in an alternative of "anyOf" that failed.',
    when: ({ made, expected }) =>
      expected === true && has(made, 'anyOf') && has(made, 'prefixItems') && has(made, 'unevaluatedItems'),
  },
];

/** True if the two disagree; the schema may be malformed after shrinking. */
function disagree(made, subject, draft7) {
  try {
    const ajv = new (draft7 ? Ajv7 : Ajv2020)({
      strict: false,
      validateFormats: false,
      ownProperties: true,
      logger: false,
    });
    const expected = ajv.compile(made)(subject);
    const result = compile(made)(subject);
    return result.valid !== expected && !JSON.stringify(result).includes('exceeds');
  } catch {
    return false;
  }
}

/** Removes everything that the disagreement does not need. */
function shrink(made, subject, draft7) {
  let best = { made, subject };
  for (let again = true; again;) {
    again = false;
    for (const part of ['made', 'subject']) {
      for (const smaller of reductions(best[part])) {
        const next = { ...best, [part]: smaller };
        if (!disagree(next.made, next.subject, draft7)) continue;
        best = next;
        again = true;
        break;
      }
    }
  }
  return best;
}

function* reductions(value) {
  if (typeof value !== 'object' || value === null) return;
  const list = Array.isArray(value);
  const entries = Object.entries(value);
  const rebuild = (rest) => (list ? rest.map(([, item]) => item) : record(rest));
  for (const [key, item] of entries) {
    if (key === '$schema') continue;
    yield rebuild(entries.filter(([other]) => other !== key));
    if (typeof item === 'object' && item !== null) yield item;
    for (const smaller of reductions(item))
      yield rebuild(entries.map(([other, old]) => [other, other === key ? smaller : old]));
    if (typeof item === 'object' && !list)
      yield rebuild(entries.map(([other, old]) => [other, other === key ? true : old]));
  }
}

const counts = { pairs: 0, valid: 0, schemas: 0, refused: 0, explained: 0, wrong: 0 };
const start = performance.now();
let ajv;
while (counts.pairs < wanted) {
  const draft7 = chance(3);
  if (counts.schemas++ % 50 === 0) ajv = undefined;
  const options = {
    strict: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    addUsedSchema: false,
  };
  ajv ??= { 7: new Ajv7(options), 2020: new Ajv2020(options) };
  const made = schema(3, draft7, true);
  let ours;
  let theirs;
  try {
    theirs = ajv[draft7 ? 7 : 2020].compile(made);
  } catch {
    // A schema that ajv refuses (two equal items in an enumeration, a reference into a boolean) proves nothing.
    counts.refused++;
    continue;
  }
  try {
    ours = compile(made, { maxErrors: chance(2) ? 1 : 100 });
  } catch (error) {
    counts.wrong++;
    console.log(`barewire refuses: ${error.message}\n  ${JSON.stringify(made)}`);
    continue;
  }
  for (let i = 0; i < VALUES; i++) {
    const subject = chance(3) ? value(3) : fitting(made, 3);
    let expected;
    try {
      expected = theirs(subject);
    } catch (error) {
      expected = String(error);
    }
    const result = ours(subject);
    counts.pairs++;
    if (result.valid) counts.valid++;
    if (result.valid === expected) continue;
    const limit =
      !result.valid && result.errors.some(({ keyword }) => keyword === 'depth' || keyword === 'work');
    if (EXPLAINED.some(({ when }) => when({ made, subject, expected, limit }))) {
      counts.explained++;
      continue;
    }
    counts.wrong++;
    if (counts.wrong <= 10) {
      const least = shrink(made, subject, draft7);
      console.log(
        `ajv ${expected}, barewire ${result.valid}\n  ${JSON.stringify(made)}\n  ${JSON.stringify(subject)}`,
      );
      console.log(`  in short: ${JSON.stringify(least.made)} on ${JSON.stringify(least.subject)}`);
    }
    break;
  }
}
const seconds = ((performance.now() - start) / 1000).toFixed(0);
console.log(
  `seed ${seed}: ${counts.pairs} pairs of ${counts.schemas - counts.refused} schemas in ${seconds} s, ` +
    `${counts.valid} valid; ${counts.wrong} disagreements, ${counts.explained} explained; ajv refused ${counts.refused} schemas`,
);
if (counts.wrong || counts.pairs === 0) process.exitCode = 1;
