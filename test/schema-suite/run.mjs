// Runs the official JSON Schema Test Suite (see suite.mjs) against the built package and prints the counts. Exits with 1 on any
// failure. Remote schemas are registered, never fetched.
//
//   npm run schema-suite            all
//   npm run schema-suite -- ref     only the files whose path contains "ref"
//   SCHEMA_SUITE=<folder> npm run schema-suite     another copy of the suite
import { compile, metaschemas } from '../../dist/src/schema/full/index.js';
import { SchemaError, compile as compileSmall, formats } from '../../dist/src/schema/index.js';
import { loadSuite } from './suite.mjs';
import { readWords } from '../../scripts/words.mjs';

const { names: [wanted = ''] } = readWords({}, 1);

const DIALECTS = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
};

// Tests outside of barewire's claims: optional in the suite, and open in the specification.
const UNCLAIMED = [
  ['draft7/optional/content.json', '', 'contentEncoding and contentMediaType are annotations, as in 2020-12'],
  ['optional/cross-draft.json', '/draft2019-09/', '2019-09 is refused as an unknown dialect'],
];

const { origin, tests: suite, remotes } = loadSuite(Object.keys(DIALECTS));
const schemas = { ...metaschemas };
for (const [path, schema] of remotes) schemas[`http://localhost:1234/${path}`] = schema;

const totals = new Map();
const failures = [];
let unclaimed = 0;
let taken = 0;
let refused = 0;
for (const [path, groups] of suite) {
  if (!path.includes(wanted)) continue;
  const [draft, ...rest] = path.split('/');
  const part = rest.length === 1 ? 'required' : rest.slice(0, -1).join('/');
  // Formats are annotations, except in tests about assertion. ecmascript-regex.json is one of them: it expects the metaschema to
  // refuse a bad pattern, which only its format 'regex' can do (the suite has since moved that test to optional/format).
  const asserting =
    part === 'optional/format' || /(^|\/)(format-assertion|ecmascript-regex)\.json$/.test(path);
  for (const { description, schema, tests } of groups) {
    if (UNCLAIMED.some(([file, text]) => path.endsWith(file) && JSON.stringify(schema).includes(text))) {
      unclaimed += tests.length;
      continue;
    }
    // A schema without $schema belongs to the draft of its tests; barewire's default is 2020-12.
    const known =
      typeof schema === 'object' && !('$schema' in schema) ? { $schema: DIALECTS[draft], ...schema } : schema;
    let validate;
    let problem;
    try {
      validate = compile(known, { schemas, ...(asserting && { formats }) });
    } catch (error) {
      problem = error;
    }
    small(known, validate, tests, `${path}: ${description}`, asserting);
    for (const test of tests) {
      const key = `${draft} ${part}`;
      const count = totals.get(key) ?? { passed: 0, all: 0 };
      totals.set(key, count);
      count.all++;
      const answer = validate ? validate(test.data).valid : String(problem);
      if (answer === test.valid) count.passed++;
      else failures.push(`${path}: ${description}: ${test.description}: ${answer} instead of ${test.valid}`);
    }
  }
}

/** The small dialect either refuses a schema by keyword, or gives the same verdicts as the full one. */
function small(schema, validate, tests, where, asserting) {
  let judge;
  try {
    judge = compileSmall(schema, asserting ? { formats } : {});
  } catch (error) {
    if (!(error instanceof SchemaError)) failures.push(`${where}: the small dialect threw ${error}`);
    refused++;
    return;
  }
  taken++;
  for (const { data, description } of tests) {
    if (judge(data).valid !== validate?.(data).valid) {
      failures.push(`${where}: ${description}: the small dialect says ${judge(data).valid}`);
    }
  }
}

console.log(`JSON Schema Test Suite: ${origin}`);
for (const [part, { passed, all }] of totals) console.log(`  ${part}: ${passed} of ${all} passed`);
console.log(`  schemas that the small dialect takes: ${taken}, and agrees on; refused by name: ${refused}`);
console.log(`  optional and not claimed: ${unclaimed}`);
for (const [file, , reason] of UNCLAIMED) console.log(`    ${file}: ${reason}`);
for (const failure of failures) console.log(`FAILED ${failure}`);
if (failures.length || totals.size === 0) process.exitCode = 1;
