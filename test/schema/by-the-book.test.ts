import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/schema/full/index.ts';
import type { JsonSchema, ValidationError, ValidationResult } from '../../src/schema/index.ts';
import { everyNth } from '../every-nth.ts';
import { random } from '../hostile/mutations.ts';
import { endless, keeps } from './by-the-book.ts';
import { makeSchema, makeValue } from './made.ts';
import type { More } from './made.ts';

const errorsOf = (result: ValidationResult): readonly ValidationError[] => (result.valid ? [] : result.errors);

/** The value at a pointer; undefined if it does not exist. */
function at(root: unknown, pointer: string): unknown {
  return pointer.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((part, step) => (Object.hasOwn(Object(part), step) ? (part as Record<string, unknown>)[step] : undefined), root);
}

/** The places in errors exist, and each keyword's rule is at its place. */
function checkPlaces(schema: JsonSchema, value: unknown, errors: readonly ValidationError[]): void {
  for (const { path, schemaPath, keyword } of errors) {
    const inName = /\/propertyNames(\/|$)/.test(schemaPath);
    assert.ok(inName || at({ value }, `/value${path}`) !== undefined, `${path} in ${JSON.stringify(value)}`);
    const rule = at({ schema }, `/schema${schemaPath.slice(1)}`);
    assert.ok(keyword === 'false' ? rule === false : schemaPath.endsWith(`/${keyword}`) && rule !== undefined, `${schemaPath} in ${JSON.stringify(schema)}`);
  }
}

for (const [dialect, seed] of [['2020-12', 1], ['draft-07', 2]] as [More, number][]) {
  test(`${dialect}: random schemas judge random values as the specification says, keyword by keyword`, () => {
    const by = random(seed);
    let compared = 0;
    let valid = 0;
    for (let i = 0; i < 500 / everyNth(4); i++) {
      const schema = makeSchema(by, dialect);
      const all = compile(schema);
      const few = compile(schema, { maxErrors: 1 + (i % 3) });
      for (let k = 0; k < 4; k++) {
        const value = makeValue(by, 3);
        let expected: boolean;
        try {
          expected = keeps(schema, value);
        } catch (error) {
          assert.equal(error, endless);
          continue;
        }
        const says = all(value);
        if (says.valid !== expected) assert.fail(`not ${expected}: ${JSON.stringify(value)} of ${JSON.stringify(schema)}`);
        checkPlaces(schema, value, errorsOf(says));
        // With a limit, the result has the first of all errors.
        assert.deepEqual(errorsOf(few(value)), errorsOf(says).slice(0, 1 + (i % 3)));
        compared++;
        if (expected) valid++;
      }
    }
    assert.ok(compared > 1_500 / everyNth(4) && valid > compared / 10 && valid < compared * 0.9, `${valid} of ${compared}`);
  });
}
