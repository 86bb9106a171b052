import assert from 'node:assert/strict';
import test from 'node:test';
import { checkArguments } from '../../src/cli/argument-check.ts';
import { describePrompt, describeTool } from '../../src/cli/describe-tool.ts';
import type { DescribeOptions } from '../../src/cli/describe-tool.ts';
import { style } from '../../src/host/node/style.ts';
import type { Tool } from '../../src/protocol/tools.ts';

// Tools and prompts as they are shown to a person, and arguments that a tool refuses.
const how: DescribeOptions = { style: style(false), columns: 200, target: ['here', ''] };
const of = (properties: object, required: readonly string[] = [], more: Partial<Tool> = {}): Tool => ({ name: 't', inputSchema: { type: 'object', properties, required: [...required] }, ...more } as Tool);
const typeSaid = (schema: unknown): string => describeTool(of({ a: schema }), how)[4]?.replace(/^a\s*/, '') ?? '';

test('a tool: each type in a few words', () => {
  for (const [schema, words] of [
    [true, 'any'], [{}, 'any'], [{ const: 'x' }, '"x"'], [{ const: null, type: 'string' }, 'null'], [{ enum: ['a', 1, '\u001b'] }, 'a | 1 | \\x1b'], [{ enum: [{ a: 1 }] }, '{"a":1}'],
    [{ enum: Array.from({ length: 12 }, (_, at) => at) }, '0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11'], [{ enum: Array.from({ length: 13 }, (_, at) => at) }, '0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | …'],
    [{ type: 'array' }, 'list'], [{ type: 'array', items: { type: 'string' } }, 'list of string'], [{ type: 'array', items: true }, 'list'], [{ type: ['string', 'null'] }, 'string | null'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'string' }] }, 'string | number'], [{ oneOf: [{ type: 'string' }, true] }, 'string | any'], [{ anyOf: [{ type: 'null' }], oneOf: [{ type: 'string' }] }, 'null'], [{ anyOf: 5 }, 'any'],
    [{ anyOf: Array.from({ length: 13 }, (_, at) => ({ const: at })) }, '0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11'],
  ] as const) assert.equal(typeSaid(schema), words, JSON.stringify(schema));
});

test('a tool: each bound in words', () => {
  for (const [keyword, value, words] of [
    ['minimum', 0, 'from 0'], ['exclusiveMinimum', 1, 'above 1'], ['maximum', 2, 'to 2'], ['exclusiveMaximum', 3, 'below 3'], ['multipleOf', 4, 'in steps of 4'], ['minLength', 5, 'characters from 5'], ['maxLength', 6, 'characters to 6'],
    ['minItems', 7, 'items from 7'], ['maxItems', 8, 'items to 8'], ['format', 'date', 'as date'], ['pattern', '^\u001b', 'like ^\\x1b'], ['default', 'x', 'default "x"'], ['default', null, 'default null'],
  ] as const) assert.equal(typeSaid({ type: 'string', [keyword]: value }), `string, ${words}`);
  assert.equal(describeTool(of({ a: { type: 'string', maximum: 1, default: 1, description: 'About \u001b a' } }, ['a']), how)[4], 'a         string, required, to 1, default 1  About \\x1b a');
});

test('a tool: what the server says of it, what it returns, and an example for a shell', () => {
  const last = (tool: Tool, target: DescribeOptions['target'] = ['here', '']): string => describeTool(tool, { ...how, target }).at(-1) ?? '';
  for (const [annotations, said] of [
    [undefined, 'nothing, so it may be destructive'], [{ readOnlyHint: true }, 'it only reads'], [{ readOnlyHint: true, destructiveHint: false }, 'it only reads'], [{ destructiveHint: false }, 'it is not destructive'], [{ destructiveHint: true }, 'nothing, so it may be destructive'], [{ readOnlyHint: false }, 'nothing, so it may be destructive'],
  ] as const) assert.ok(describeTool(of({}, [], { annotations }), how).includes(`The server says of it: ${said}.`), said);
  assert.deepEqual(describeTool({ name: 'x\u001b', inputSchema: { type: 'object' } }, how), ['x\\x1b', '', 'It takes no arguments.', '', 'The server says of it: nothing, so it may be destructive.', '', "Example:  barewire call here 'x\\x1b'"]);
  assert.ok(describeTool(of({}, [], { outputSchema: { type: 'object' } }), how).includes('It returns object.'));
  assert.ok(describeTool(of({}, [], { outputSchema: { type: 'object', properties: { a: {}, 'b\u001b': {} } } }), how).includes('It returns object of a, b\\x1b.'));
  assert.equal(last(of({ a: { const: '@x' }, b: { const: 5 }, c: { const: ['y z'] }, d: { const: 'y z' } }, ['a', 'b', 'c', 'd'])), "Example:  barewire call here t a=@@x b=5 'c:=[\"y z\"]' 'd=y z'");
  assert.equal(last(of({ a: { type: 'string', pattern: '^[0-9]{4}$' } }, ['a'])), "Example:  barewire call here t '…'".replaceAll("'", ''));
  // A waiting time stays as it is.
  assert.equal(last(of({ delay: { type: 'number' } })), 'Example:  barewire call here t');
  assert.equal(last(of({}), ['', '-- node x.js']), 'Example:  barewire call t -- node x.js');
  const bold = describeTool(of({ a: {} }, ['a']), { ...how, style: style(true) });
  assert.match(bold[0] ?? '', /^\x1b\[1mt\x1b\[22m a=ANY$/);
});

test('a prompt: its arguments, and an example with those that are required', () => {
  assert.deepEqual(describePrompt({ name: 'p' }, how), ['p', '', 'It takes no arguments.', '', 'Example:  barewire get here p']);
  assert.deepEqual(describePrompt({ name: 'p', description: 'One\ntwo', arguments: [{ name: 'a', required: true, description: 'The \u001b a' }, { name: 'b' }] }, { ...how, target: ['', '-- x'] }), [
    'p a=TEXT [b=TEXT]', '', 'One', 'two', '', 'argument            description', '────────  ────────  ───────────', 'a         required  The \\x1b a', 'b', '', 'Example:  barewire get p a=… -- x',
  ]);
});

const check = (inputSchema: object, args: Record<string, unknown>): void => checkArguments({ name: 't\u001b', inputSchema: { type: 'object', ...inputSchema } }, args);

test('arguments that a tool refuses: unknown names where all names are known, and at most five faults', () => {
  for (const keyword of ['patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref', '$dynamicRef', 'if', 'dependentSchemas', 'unevaluatedProperties']) {
    const value = { patternProperties: { '^x$': {} }, allOf: [{}], anyOf: [{}], oneOf: [{}], $ref: '#/$defs/x', $dynamicRef: '#/$defs/x', if: {}, dependentSchemas: {}, unevaluatedProperties: true }[keyword];
    check({ properties: {}, [keyword]: value, $defs: { x: {} } }, { x: 1 });
  }
  assert.throws(() => check({ properties: { aaa: {}, bbb: {} }, additionalProperties: false }, { zzzzzzz: 1 }), { message: 't\\x1b has no argument zzzzzzz; there are aaa, bbb' });
  assert.throws(() => check({ properties: { aaa: {} } }, { aab: 1 }), { message: 't\\x1b has no argument aab; did you mean aaa?' });
  assert.throws(() => check({ properties: Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`name${at}`, {}])) }, { z: 1 }), ({ message }: Error) => message.endsWith('name28, name29'));
  assert.throws(() => check({ properties: {} }, { [`${'x'.repeat(80)}y\u001b`]: 1 }), ({ message }: Error) => /has no argument x+\.\.\.; it takes none$/.test(message) && message.length < 130);
  const numbers = (count: number): [object, Record<string, unknown>] => {
    const names = Array.from({ length: count }, (_, at) => `n${at}`);
    return [{ properties: Object.fromEntries(names.map((name) => [name, { type: 'number' }])) }, Object.fromEntries(names.map((name) => [name, 'x']))];
  };
  assert.throws(() => check(...numbers(5)), ({ message }: Error) => message.split('; ').length === 5 && message.startsWith('t\\x1b: n0 '));
  assert.throws(() => check(...numbers(7)), ({ message }: Error) => message.split('; ').length === 6 && message.endsWith('; and 2 more'));
  assert.throws(() => check({ properties: { a: { properties: { b: { type: 'number' } } } } }, { a: { b: 'x' } }), ({ message }: Error) => message.startsWith('t\\x1b: a.b '));
  assert.throws(() => check({ required: ['a'] }, {}), ({ message }: Error) => /^t\\x1b: \S/.test(message));
});
