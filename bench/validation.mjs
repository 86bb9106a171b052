// JSON Schema validators side by side on a realistic tool schema: the cost of compilation, and validations per second.
//
//   npx tsc && cd bench && npm ci && node validation.mjs
//
// ajv and schemasafe generate code (new Function); cfworker interprets; barewire makes closures. The figures are medians over
// rounds with all libraries in turn, so that a busy moment of the machine affects all.
//
// A validator that stops at the first error does less work than one that lists all, so there are two tables with every library.
// Their defaults differ: barewire lists all errors, the others stop at the first. Their errors differ too: barewire and ajv give
// places, keyword and a message (barewire's with the value), cfworker the same for each level of the path, schemasafe the two
// places without a message.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const schema = {
  type: 'object',
  properties: {
    destination: { type: 'string', minLength: 2, maxLength: 80, description: 'A city or an airport' },
    date: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    class: { enum: ['economy', 'premium', 'business', 'first'] },
    budget: { type: 'number', minimum: 0, exclusiveMaximum: 1_000_000 },
    passengers: {
      type: 'array',
      minItems: 1,
      maxItems: 9,
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1 },
          age: { type: 'integer', minimum: 0, maximum: 130 },
          meal: { type: 'string', enum: ['any', 'vegetarian', 'vegan'] },
        },
        required: ['name', 'age'],
        additionalProperties: false,
      },
    },
    options: {
      type: 'object',
      properties: {
        flexible: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 10 },
      },
      additionalProperties: false,
    },
  },
  required: ['destination', 'date', 'passengers'],
  additionalProperties: false,
};

const trip = (age, more) => ({
  destination: 'Lisbon',
  date: '2026-08-01',
  class: 'economy',
  budget: 1200.5,
  passengers: [
    { name: 'Ada', age: 36, meal: 'vegan' },
    { name: 'Grace', age },
  ],
  options: { flexible: true, tags: ['work', 'sun'] },
  ...more,
});
// Parsed like a message, so that each has its own objects.
const VALID = JSON.parse(JSON.stringify(trip(45)));
const INVALID = JSON.parse(JSON.stringify(trip(-1)));
const THREE_ERRORS = JSON.parse(
  JSON.stringify(trip(45, { date: 'tomorrow', class: 'steerage', budget: '12' })),
);

/**
 * By name: loads the library; returns a function that makes a validator of a schema (true: the value is valid), which lists all
 * errors or only the first.
 */
const LIBRARIES = {
  barewire: async () => {
    const { compile } = await import('../dist/src/schema/compile.js');
    return (made, all) => {
      const validate = compile(made, all ? {} : { maxErrors: 1 });
      return (value) => validate(value).valid;
    };
  },
  ajv: async () => {
    const { default: Ajv } = await import('ajv/dist/2020.js');
    return (made, allErrors) => new Ajv({ allErrors }).compile(made);
  },
  '@exodus/schemasafe': async () => {
    const { validator } = await import('@exodus/schemasafe');
    return (made, allErrors) => validator(made, { mode: 'lax', includeErrors: true, allErrors });
  },
  '@cfworker/json-schema': async () => {
    const { Validator } = await import('@cfworker/json-schema');
    return (made, all) => {
      const validator = new Validator(made, '2020-12', !all);
      return (value) => validator.validate(value).valid;
    };
  },
};

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

/** Calls per second, over about `ms` milliseconds. */
function rate(call, ms) {
  let calls = 0;
  const start = performance.now();
  let now = start;
  do {
    for (let i = 0; i < 200; i++) call();
    calls += 200;
    now = performance.now();
  } while (now - start < ms);
  return (calls / (now - start)) * 1000;
}

/** The first compilation in a fresh process, in milliseconds. */
function firstCompile(name, all) {
  const self = fileURLToPath(import.meta.url);
  return Number(execFileSync(process.execPath, [self, '--first', name, all ? 'all' : ''], { encoding: 'utf8' }));
}

/**
 * Measures every library twice: listing all errors, and stopping at the first.
 * @returns one row each: compile times in milliseconds (in a fresh process, and warm), validations per second
 */
export async function measureValidation({ rounds = 15, ms = 60 } = {}) {
  const rows = [];
  for (const [name, load] of Object.entries(LIBRARIES)) {
    const make = await load();
    for (const all of [true, false]) {
      const validate = make(schema, all);
      const row = { name, all, make, validate, compile: [], valid: [], invalid: [], threeErrors: [] };
      if (!validate(VALID) || validate(INVALID) || validate(THREE_ERRORS))
        throw new Error(`${name} judges wrongly`);
      rows.push(row);
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) {
      row.valid.push(rate(() => row.validate(VALID), ms));
      row.invalid.push(rate(() => row.validate(INVALID), ms));
      row.threeErrors.push(rate(() => row.validate(THREE_ERRORS), ms));
    }
  }
  for (const row of rows) {
    for (let i = 0; i < 200; i++) {
      const start = performance.now();
      row.make(schema, row.all);
      row.compile.push(performance.now() - start);
    }
  }
  return rows.map(({ name, all, compile, valid, invalid, threeErrors }) => ({
    name,
    all,
    firstCompileMs: median([1, 2, 3].map(() => firstCompile(name, all))),
    compileMs: median(compile),
    validPerSecond: median(valid),
    invalidPerSecond: median(invalid),
    threeErrorsPerSecond: median(threeErrors),
  }));
}

/** The rows as text, grouped by mode, with barewire's figures as multiples of the others'. */
export function table(rows) {
  const figures = (row) => [row.validPerSecond, row.invalidPerSecond, row.threeErrorsPerSecond];
  const lines = ['millions of validations a second     valid   1 error  3 errors   compile, warm (first in a process) ms'];
  for (const all of [true, false]) {
    lines.push('', all ? 'listing all errors' : 'stopping at the first error');
    const group = rows.filter((row) => row.all === all);
    const own = figures(group.find(({ name }) => name === 'barewire'));
    for (const row of group) {
      const rates = figures(row).map((perSecond) => (perSecond / 1e6).toFixed(2).padStart(9));
      const compiles = [row.compileMs.toFixed(3).padStart(9), `(${row.firstCompileMs.toFixed(2)})`];
      lines.push(['  ' + row.name.padEnd(30), ...rates, ...compiles].join(' '));
    }
    for (const row of group.slice(1)) {
      const times = figures(row).map((perSecond, i) => (own[i] / perSecond).toFixed(2).padStart(9));
      lines.push(['  barewire / ' + row.name.padEnd(19), ...times].join(' '));
    }
  }
  return lines.join('\n');
}

if (process.argv[2] === '--first') {
  const make = await LIBRARIES[process.argv[3]]();
  const start = performance.now();
  make(schema, process.argv[4] === 'all');
  console.log(performance.now() - start);
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(table(await measureValidation()));
}
