import assert from 'node:assert/strict';
import test from 'node:test';
import { fillForm } from '../../src/host/node/elicitation.ts';
import type { CompleteForm } from '../../src/host/node/elicitation.ts';
import { withoutComments } from '../../src/host/node/json-with-comments.ts';
import type { ElicitRequestParams, ElicitResult } from '../../src/protocol/index.ts';

// The output of a form, how it reads each kind of answer, and its checks before anything is sent. test/cli/form tests the rest.

const taken: CompleteForm = (_schema, content) => ({ valid: true, content });

async function fill(properties: Record<string, object>, lines: readonly string[], { complete = taken, required = [], columns }: { complete?: CompleteForm; required?: string[]; columns?: number } = {}): Promise<[ElicitResult, string[]]> {
  const left = [...lines];
  const shown: string[] = [];
  const params = { message: 'Well?', requestedSchema: { type: 'object', properties, required } } as ElicitRequestParams;
  const result = await fillForm(params, {
    ...columns !== undefined && { columns }, say: (line) => void shown.push(line), close: () => undefined,
    ask: (question) => {
      shown.push(question);
      return Promise.resolve(left.shift());
    },
  }, { complete });
  return [result, shown];
}
const read = async (schema: object, line: string): Promise<unknown> => (await fill({ a: schema }, [line, '']))[0].content?.['a'];

test('form: an answer is read as its kind; what does not fit stays text, for the judge to refuse', async () => {
  const cases: [object, [string, unknown][]][] = [
    [{ type: 'boolean' }, [['y', true], ['YES', true], ['true', true], ['n', false], ['No', false], ['false', false], [' yes ', true], ['yess', 'yess'], ['ano', 'ano'], ['1', '1']]],
    [{ type: 'number' }, [['1.5', 1.5], [' -2 ', -2], ['1e3', 1000], ['x', 'x'], ['Infinity', 'Infinity']]],
    [{ type: 'integer' }, [['7', 7], ['7.5', 7.5]]],
    [{ type: 'string' }, [[' as it is ', ' as it is '], ['5', '5']]],
    [{ type: 'string', enum: ['red', 'Blue', '3'] }, [['red', 'red'], ['RED', 'red'], ['blue', 'Blue'], ['2', 'Blue'], ['3', '3'], ['4', '4'], ['0', '0'], [' red ', 'red'], ['green', 'green'], ['00001', '00001']]],
    [{ type: 'string', oneOf: [{ const: 'r', title: 'Red one' }, { const: 'b', title: 'r' }] }, [['r', 'r'], ['red ONE', 'r'], ['2', 'b']]],
    [{ type: 'string', enum: ['a', 'b'], enumNames: ['First', 7] }, [['first', 'a'], ['b', 'b'], ['7', '7']]],
    [{ type: 'array', items: { enum: ['x', 'y', 'z'] } }, [['x, 2', ['x', 'y']], ['none', []], ['NONE', []], ['z', ['z']], ['x,q', ['x', 'q']]]],
    [{ type: 'array', items: { anyOf: [{ const: 'k', title: 'Key' }] } }, [['key', ['k']]]],
  ];
  for (const [schema, pairs] of cases) for (const [line, expected] of pairs) assert.deepEqual(await read(schema, line), expected, `${JSON.stringify(schema)} ${line}`);
});

test('form: each field is shown with its number, title, choices, format and what Enter takes', async () => {
  const [, shown] = await fill({
    day: { type: 'string', format: 'date', title: 'Day', default: '2026-01-01' }, sure: { type: 'boolean', default: false }, pick: { type: 'array', items: { enum: ['a', 'b'] }, default: ['a', 'b'] }, none: { type: 'array', items: { enum: ['a'] }, default: [] },
    at: { type: 'string', format: 'date-time' }, mail: { type: 'string', format: 'email' }, page: { type: 'string', format: 'uri' }, odd: { type: 'string', format: 'x', oneOf: [{ const: 'c', title: 'See' }], default: 'c' },
  }, [...Array<string>(8).fill(''), 'no', ...Array<string>(8).fill(''), ''], { required: ['day'] });
  for (const line of ['1/8 Day', '  day (YYYY-MM-DD) [2026-01-01]: ', '2/8 sure (optional)', '  sure (yes/no) [no]: ', '  pick [a, b]: ', '  none [none]: ', '  at (YYYY-MM-DDTHH:MM:SSZ): ', '  mail (name@example.com): ', '  page (https://...): ', '  1) See (c)', '  odd [See]: ',
    '  1) a', '  Choose any number of them, with commas between, or none.']) assert.ok(shown.includes(line), `${line} in ${shown.join('\n')}`);
  for (const at of ['1/8 Day', '2/8 sure (optional)', '8/8 odd (optional)']) assert.equal(shown[shown.indexOf(at) - 1], '', `an empty line before ${at}`);
  const many = (count: number): object => ({ type: 'string', enum: Array.from({ length: count }, (_, at) => `c${at}`) });
  const [, exact] = await fill({ a: many(200) }, ['c199', '']);
  assert.deepEqual([exact.includes('  200) c199'), exact.some((line) => line.includes('more, by their names'))], [true, false]);
  const [, more] = await fill({ a: many(203) }, ['c202', '']);
  assert.deepEqual([more.includes('  201) c200'), more.includes('  … and 3 more, by their names.')], [false, true]);
});

test('form: what will be sent is shown whole, and what the judge refuses at the end is asked again', async () => {
  const long = 'word '.repeat(60).trim();
  const [result, shown] = await fill({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'array' } }, [long, ':skip', 'x, y', 'yes'], { columns: 80 });
  assert.deepEqual(result, { action: 'accept', content: { a: long, c: ['x', 'y'] } });
  const review = shown.slice(shown.indexOf('This is what will be sent:'));
  assert.deepEqual([review[1], review.includes('  c: x, y'), review.some((line) => line.startsWith('  b:')), review.at(-1)], ['  a:', true, false, '  Send it? (yes/no) [yes]: ']);
  assert.ok(review.length > 6, 'a long text is in a frame of several lines');
  const [, short] = await fill({ a: { type: 'string' } }, ['x'.repeat(200), 'yes']);
  assert.ok(short.includes(`  a: ${'x'.repeat(200)}`));
  // Each field is valid by itself, but not both together.
  const together: CompleteForm = ({ properties }, content) => (Object.keys(properties).length < 2 ? { valid: true, content } : { valid: false, errors: [{ property: 'b', message: 'must be after a' }] });
  const form = fill({ a: { type: 'string' }, b: { type: 'string' } }, ['1', '2', ':cancel'], { complete: together });
  const [cancelled, said] = await form;
  assert.deepEqual(cancelled, { action: 'cancel' });
  // The reason, and the question for its field again.
  assert.deepEqual([said.includes('  b must be after a.'), said.filter((line) => line.startsWith('2/2 b')).length, said.at(-1)], [true, 2, '  b [2]: ']);
  const [again] = await fill({ a: { type: 'string' }, b: { type: 'string' } }, ['1', '2', '3', 'yes'], { complete: (schema, content) => (content['b'] === '3' ? { valid: true, content } : together(schema, content)) });
  assert.deepEqual(again, { action: 'accept', content: { a: '1', b: '3' } });
  // A refused form without fields cannot be corrected; a refusal without a reason gets a default text.
  assert.deepEqual((await fill({}, [], { complete: () => ({ valid: false, errors: [] }) }))[0], { action: 'cancel' });
  const [, anew] = await fill({ a: { type: 'string' } }, ['1', ':cancel'], { complete: (_schema, content) => (content['a'] === '1' ? { valid: false, errors: [] } : { valid: true, content }) });
  assert.ok(anew.includes('  Invalid answer: it is not valid.'));
  for (const [line, expected] of [['Y', 'accept'], ['', 'accept'], [':decline', 'decline'], [':cancel', 'cancel']] as const) assert.equal((await fill({ a: {} }, ['1', line]))[0].action, expected, line);
});

test('form: a page is visited by a clear yes only, and its whole address is shown', async () => {
  const visit = async (url: string, lines: readonly string[], columns = 40): Promise<[ElicitResult, string[]]> => {
    const left = [...lines];
    const shown: string[] = [];
    const result = await fillForm({ mode: 'url', message: 'Pay', url, elicitationId: 'e' }, {
      columns, say: (line) => void shown.push(line), close: () => undefined, ask: (question) => {
        shown.push(question);
        return Promise.resolve(left.shift());
      },
    }, { complete: taken });
    return [result, shown];
  };
  for (const [lines, action] of [[['y'], 'accept'], [[' YES '], 'accept'], [['n'], 'decline'], [[' No '], 'decline'], [['yes please', 'oh no', 'ay', 'yn', 'n'], 'decline'], [[':decline'], 'decline'], [[':cancel'], 'cancel'], [[':back', ':skip', 'y'], 'accept'], [[], 'cancel']] as const) {
    assert.equal((await visit('https://h.example/', lines))[0].action, action, lines.join());
  }
  const [, asked] = await visit('https://h.example/', ['yes please', 'oh no', 'ay', 'yn', 'n']);
  assert.equal(asked.filter((line) => line.includes('Will you visit it?')).length, 5);
  const address = `https://h.example/${'a'.repeat(600)}`;
  const [, whole] = await visit(address, ['n']);
  assert.ok(whole.map((line) => line.replace(/^\W+/, '')).join('').includes('a'.repeat(600).slice(0, 500)), whole.join('\n'));
  const [refused, why] = await visit(`https://h.example/${'a'.repeat(3_000)}`, ['y']);
  assert.equal(refused.action, 'decline');
  assert.match(why.join('\n'), /too long to be shown \(3018 characters\)/);
});

test('comments: each kind becomes white space of its length, and a comma before a bracket too', () => {
  for (const [text, expected] of [
    ['{"a":1,}', '{"a":1 }'], ['[1,]', '[1 ]'], ['[1, /* x */ ]', '[1          ]'], ['[1, // x\n]', '[1      \n]'], ['{"a":"// no","b":"/* no */"}', '{"a":"// no","b":"/* no */"}'],
    ['"a\\"// b"', '"a\\"// b"'], ['1 / 2', '1 / 2'], ['1 /', '1 /'], ['/* open', '       '], ['// open', '       '], ['/*/ 1', '     '], ['/**/1', '    1'], ['"open // \n// x', '"open // \n    '], [',,]', ', ]'], ['{,"a":1}', '{,"a":1}'], ['[1,"]"]', '[1,"]"]'], ['', ''],
    ['/*\n*/1', '  \n  1'],
  ] as const) assert.equal(withoutComments(text), expected, text);
});
