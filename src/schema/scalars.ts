import type { Compiler } from './compile.ts';
import { SchemaError } from './errors.ts';
import type { Keywords, Node } from './nodes.ts';
import type { Check } from './run.ts';
import { fail, spend } from './run.ts';

/** The rules for numbers. */
export function numberChecks(node: Node, keywords: Keywords): Check<number>[] {
  const checks: Check<number>[] = [];
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = keywords;
  const { exclusiveMinimum: above = -Infinity, exclusiveMaximum: below = Infinity } = keywords;
  if (minimum > -Infinity || maximum < Infinity) {
    checks.push((value, run) =>
      value < minimum ? fail(run, node, 'minimum', value)
      : value > maximum ? fail(run, node, 'maximum', value)
      : true,
    );
  }
  if (above > -Infinity || below < Infinity) {
    checks.push((value, run) =>
      value <= above ? fail(run, node, 'exclusiveMinimum', value)
      : value >= below ? fail(run, node, 'exclusiveMaximum', value)
      : true,
    );
  }
  if (multipleOf !== undefined) {
    checks.push((value, run) => isMultiple(value, multipleOf) || fail(run, node, 'multipleOf', value));
  }
  return checks;
}

/**
 * The remainder is exact, but 0.3 and 0.1 are not what they look like: a decimal step gets the rounding error
 * that two conversions and one division can make, and no more.
 */
function isMultiple(value: number, step: number): boolean {
  if (value % step === 0) return true;
  const quotient = value / step;
  const distance = Math.abs(quotient - Math.round(quotient));
  return !Number.isInteger(step) && distance <= 2 * Number.EPSILON * Math.abs(quotient);
}

/** The rules for strings. Lengths are in Unicode characters, not in UTF-16 units. */
export function stringChecks(node: Node, keywords: Keywords, compiler: Compiler): Check<string>[] {
  const checks: Check<string>[] = [];
  const { minLength = 0, maxLength = Infinity, pattern, format } = keywords;
  if (minLength > 0 || maxLength < Infinity) {
    checks.push((value, run) => {
      let { length } = value;
      // A character takes one or two units, so counting is rarely needed.
      if ((length > maxLength && length <= 2 * maxLength) || (length >= minLength && length < 2 * minLength)) {
        spend(run, length);
        for (let i = 0; i < value.length - 1; i++) if ((value.codePointAt(i) ?? 0) > 0xffff) length--, i++;
      }
      return (
        length < minLength ? fail(run, node, 'minLength', value, length)
        : length > maxLength ? fail(run, node, 'maxLength', value, length)
        : true
      );
    });
  }
  if (pattern !== undefined) {
    const expression = compiler.pattern(pattern, node.path + '/pattern');
    checks.push((value, run) => expression.test(value) || fail(run, node, 'pattern', value));
  }
  if (format !== undefined) {
    const { formats } = compiler;
    if (!formats && node.resource.dialect.vocabularies?.has('format-assertion')) {
      throw new SchemaError('dialect', node.path, 'the dialect asserts formats, and compile was given none');
    }
    const check = formats && Object.hasOwn(formats, format) && formats[format];
    if (check) checks.push((value, run) => check(value) || fail(run, node, 'format', value));
  }
  return checks;
}

export function compilePattern(source: string, path: string, most: number): RegExp {
  if (source.length > most) {
    throw new SchemaError('limit', path, `the pattern exceeds the limit "pattern" (${most})`);
  }
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    throw new SchemaError('schema', path, (error as Error).message);
  }
}
