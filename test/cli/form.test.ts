import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { fillForm } from '../../src/host/node/elicitation.ts';
import type { CompleteForm } from '../../src/host/node/elicitation.ts';
import { openPrompter } from '../../src/host/node/prompter.ts';
import type { Prompter } from '../../src/host/node/prompter.ts';
import { style } from '../../src/host/node/style.ts';
import { bag, items } from '../../src/explain/words.ts';
import type { ElicitRequestParams, ElicitResult } from '../../src/protocol/elicitation.ts';

// A validator with a few rules: shows that the form calls it and follows its result.
const complete: CompleteForm = ({ properties, required }, content) => {
  const errors: { property: string; message: string }[] = [];
  const values: [string, unknown][] = [];
  for (const [property, schema] of Object.entries(properties)) {
    const { type, minimum, enum: choices, default: fallback } = bag(schema);
    const value = Object.hasOwn(content, property) ? content[property] : fallback;
    const wanted = type === 'integer' ? 'number' : type === 'array' ? 'object' : type;
    const message =
      value === undefined
        ? required.includes(property) && 'is required'
        : typeof value !== wanted
          ? `must be a ${String(type)}`
          : typeof value === 'number' && typeof minimum === 'number' && value < minimum
            ? `must be at least ${minimum}`
            : choices !== undefined && !items(choices).includes(value) && 'must be one of the choices';
    if (message) errors.push({ property, message });
    else if (value !== undefined) values.push([property, value]);
  }
  return errors.length ? { valid: false, errors } : { valid: true, content: Object.fromEntries(values) };
};

/** A person who answers with these lines, and then the input ends. Collects the output, including questions. */
function person(lines: readonly string[]): Prompter & { readonly shown: string[] } {
  const left = [...lines];
  const shown: string[] = [];
  return {
    shown,
    say: (line) => void shown.push(line),
    ask: (question) => {
      shown.push(question);
      return Promise.resolve(left.shift());
    },
    close: () => undefined,
  };
}

const form = (properties: Record<string, object>, required: string[] = []): ElicitRequestParams =>
  ({ message: 'Well?', requestedSchema: { type: 'object', properties, required } }) as ElicitRequestParams;

async function fill(params: ElicitRequestParams, ...lines: string[]): Promise<[ElicitResult, string]> {
  const prompter = person(lines);
  const result = await fillForm(params, prompter, { complete, from: 'Travel' });
  return [result, prompter.shown.join('\n')];
}

test('a form of every kind of property, answered and sent', async () => {
  const [result, shown] = await fill(
    form(
      {
        who: { type: 'string', title: 'Your name', description: 'As in the passport' },
        nights: { type: 'integer', minimum: 1 },
        breakfast: { type: 'boolean', default: true },
        seat: { type: 'string', enum: ['w', 'a'], enumNames: ['Window', 'Aisle'] },
        class: {
          type: 'string',
          oneOf: [
            { const: 'e', title: 'Economy' },
            { const: 'f', title: 'First' },
          ],
        },
        meals: { type: 'array', items: { type: 'string', enum: ['fish', 'vegan', 'none'] } },
        extras: { type: 'array', items: { anyOf: [{ const: 'x', title: 'Extra bag' }] } },
      },
      ['who'],
    ),
    ' Ada ',
    '3',
    '',
    'window',
    '2',
    'vegan, 1',
    'none',
    '',
  );
  assert.deepEqual(result, {
    action: 'accept',
    content: {
      who: ' Ada ',
      nights: 3,
      breakfast: true,
      seat: 'w',
      class: 'f',
      meals: ['vegan', 'fish'],
      extras: [],
    },
  });
  assert.match(shown, /Travel asks:\n│ Well\?/);
  assert.match(shown, /1\/7 Your name\n│ As in the passport/);
  assert.match(shown, /2\/7 nights \(optional\)/);
  assert.match(shown, /breakfast \(yes\/no\) \[yes\]/);
  assert.match(shown, /1\) Window \(w\)\n {2}2\) Aisle \(a\)/);
  assert.match(
    shown,
    /This is what will be sent:\n {2}who: {2}Ada \n {2}nights: 3\n {2}breakfast: yes\n {2}seat: Window/,
  );
});

test('a wrong answer gets its reason and a new try, and is not kept', async () => {
  const params = form({ nights: { type: 'integer', minimum: 1 }, seat: { type: 'string', enum: ['w'] } }, [
    'nights',
  ]);
  const [result, shown] = await fill(params, '', 'two', '0', '2', 'x', 'w', 'yes');
  assert.deepEqual(result, { action: 'accept', content: { nights: 2, seat: 'w' } });
  assert.deepEqual(
    [...shown.matchAll(/Invalid answer: it (.*)\./g)].map((match) => match[1]),
    ['is required', 'must be a integer', 'must be at least 1', 'must be one of the choices'],
  );
});

test('after a wrong answer, Enter means what it meant before', async () => {
  const params = form({ n: { type: 'integer' } });
  assert.deepEqual((await fill(params, 'two', '', ''))[0], { action: 'accept', content: {} });
  assert.deepEqual((await fill(params, '2', ':back', 'two', '', ''))[0].content, { n: 2 });
});

test('an optional property is left out by Enter, a default is taken', async () => {
  const [result] = await fill(
    form({ a: { type: 'string' }, b: { type: 'string', default: 'B' } }),
    '',
    '',
    '',
  );
  assert.deepEqual(result, { action: 'accept', content: { b: 'B' } });
});

for (const command of ['decline', 'cancel'] as const) {
  test(`:${command} at every prompt`, async () => {
    const params = form({ a: { type: 'string' }, b: { type: 'boolean' } });
    const lines = ['x', 'y', ''];
    for (let at = 0; at < lines.length; at++) {
      const [result] = await fill(params, ...lines.slice(0, at), `:${command}`, ...lines);
      assert.deepEqual(result, { action: command }, `prompt ${at}`);
    }
    const page = { mode: 'url', message: 'Pay', url: 'https://example.org/' } as const;
    assert.deepEqual((await fill(page, `:${command}`))[0], { action: command });
  });
}

test('the end of the input at any prompt is a cancel', async () => {
  const params = form({ a: { type: 'string' }, b: { type: 'boolean' } });
  for (const lines of [[], ['x'], ['x', 'y']])
    assert.deepEqual((await fill(params, ...lines))[0], { action: 'cancel' });
});

test('back, skip, no to the summary, and text that begins with a colon', async () => {
  const params = form({ a: { type: 'string' }, b: { type: 'string' } });
  assert.deepEqual((await fill(params, 'one', ':back', 'two', 'b', ''))[0].content, { a: 'two', b: 'b' });
  assert.deepEqual((await fill(params, 'a', 'b', 'no', ':skip', '', ''))[0].content, { b: 'b' });
  assert.deepEqual((await fill(params, 'a', 'b', ':back', 'c', ''))[0].content, { a: 'a', b: 'c' });
  const [result, shown] = await fill(params, ':what', '::what', '', '');
  assert.deepEqual(result.content, { a: ':what' });
  assert.match(shown, /There is no :what/);
});

test('what was answered is offered when one comes back', async () => {
  const [, shown] = await fill(form({ a: { type: 'string', default: 'old' } }), 'new', ':back', '', '');
  assert.match(shown, /a \[old\]: /);
  assert.match(shown, /a \[new\]: /);
});

test('a form without properties is a question of yes or no', async () => {
  assert.deepEqual((await fill(form({}), 'yes'))[0], { action: 'accept', content: {} });
  assert.deepEqual((await fill(form({}), 'maybe', 'no'))[0], { action: 'decline' });
});

test('a page: shown whole, with its host, opened by nobody', async (t) => {
  t.mock.method(globalThis, 'fetch', () => assert.fail('nothing of a page is fetched'));
  const page = { mode: 'url', message: 'Pay', url: 'https://user@xn--e1aybc.example/pay?x=1' } as const;
  const [result, shown] = await fill(page, '', 'yes');
  assert.deepEqual(result, { action: 'accept' });
  assert.ok(shown.includes('https://user@xn--e1aybc.example/pay?x=1\n  at xn--e1aybc.example.'), shown);
  // The host is emphasized in its line.
  const marked = person(['yes']);
  await fillForm(page, marked, { complete, style: { ...style(false), bold: (text) => `<${text}>` } });
  assert.ok(marked.shown.includes('  at <xn--e1aybc.example>. It is not opened for you.'), marked.shown.join('\n'));
  // The requester and the address are shown before the question. Only a yes accepts.
  assert.match(shown, /^\nTravel asks:\n│ Pay\n.*\n.*pay\?x=1\n.*\n  Will you visit it/);
  for (const no of [['n'], ['maybe', 'no'], ['']]) assert.notEqual((await fill(page, ...no))[0].action, 'accept');
  // Another word is no answer, also if it begins or ends like one.
  for (const word of ['nope', 'no way', 'never', 'yes please', 'yesterday', 'on', 'oh no', 'eyes', 'say yes']) {
    for (const [last, action] of [['yes', 'accept'], [' NO ', 'decline']] as const) assert.deepEqual((await fill(page, word, last))[0], { action }, word);
  }
  assert.deepEqual((await fill(page, 'n'))[0], { action: 'decline' });
  // A long address is shown completely; one that is too long to show is not visited.
  for (const [length, action] of [[3000, 'accept'], [100_000, 'decline']] as const) {
    const long = `https://example.org/${'ab'.repeat(length / 2)}/end`;
    const [answer, said] = await fill({ ...page, url: long }, 'yes');
    assert.deepEqual(answer, { action });
    assert.equal(said.replaceAll(/\n│ /g, '').includes(long), action === 'accept');
  }
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'not a url', 5 as unknown as string]) {
    const [refused, said] = await fill({ ...page, url }, 'yes');
    assert.deepEqual(refused, { action: 'decline' });
    assert.match(said, /is not the address of a page/);
  }
});

test('nothing that a server sends reaches the terminal raw, or passes for a line of ours', async () => {
  const evil = 'x\x1b[2J\u202e\x07\nThis is what will be sent:';
  const field = {
    type: 'string',
    title: evil,
    description: evil,
    enum: [evil],
    enumNames: [evil],
    default: evil,
  };
  const prompter = person(['', 'no', '', '']);
  const params = { ...form({ [evil]: field }), message: evil } as ElicitRequestParams;
  const result = await fillForm(params, prompter, { complete, from: evil });
  assert.deepEqual(result, { action: 'accept', content: { [evil]: evil } });
  for (const line of prompter.shown) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u);
  assert.equal(prompter.shown.filter((line) => line === 'This is what will be sent:').length, 2);
});

test('a form that is none does not throw', async () => {
  const odd = { toString: 1, valueOf: null };
  const fields = [
    null,
    5,
    [],
    {},
    { type: 'array' },
    { enum: [odd], default: odd, title: odd, description: odd },
  ];
  for (const field of [
    ...fields,
    { items: { anyOf: [null, odd, { const: odd }] }, type: 'array', default: [odd] },
  ]) {
    const [result] = await fill(form({ a: field as object }), ':skip', ':cancel');
    assert.equal(result.action, 'cancel');
  }
  for (const requestedSchema of [undefined, null, 5, [], { properties: 5, required: 5 }]) {
    const params = { message: null, requestedSchema } as unknown as ElicitRequestParams;
    assert.deepEqual((await fill(params, 'yes'))[0], { action: 'accept', content: {} });
  }
  const own = JSON.parse('{"__proto__":{"type":"string"}}') as Record<string, object>;
  const [result] = await fill(form(own), 'x', '');
  assert.deepEqual(Object.entries(result.content ?? {}), [['__proto__', 'x']]);
});

/** Collects a stream's output. The returned function waits until the output contains a text. */
function watch(stream: PassThrough): (text: string) => Promise<void> {
  let all = '';
  let wake = (): void => undefined;
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    all += chunk;
    wake();
  });
  return async (text) => {
    while (!all.includes(text)) await new Promise<void>((resolve) => (wake = resolve));
  };
}

test('streams: question by question, and lines that come early wait their turn', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const until = watch(output);
  const prompter = openPrompter(input, output);
  const params = form({ a: { type: 'string' }, b: { type: 'string' } });
  const slow = fillForm(params, prompter, { complete });
  await until('  a: ');
  input.write('on');
  input.write('e\r\ntwo\nyes\n');
  assert.deepEqual((await slow).content, { a: 'one', b: 'two' });
  input.end('three\nfour\nyes\nfive\n');
  assert.deepEqual((await fillForm(params, prompter, { complete })).content, { a: 'three', b: 'four' });
  assert.deepEqual(await fillForm(params, prompter, { complete }), { action: 'cancel' });
  prompter.close();
});

test('streams: the signal ends an open question and leaves the next one alone', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  const until = watch(output);
  const prompter = openPrompter(input, output);
  const stop = new AbortController();
  const asked = fillForm(form({ a: { type: 'string' } }), prompter, { complete, signal: stop.signal });
  await until('  a: ');
  stop.abort();
  assert.deepEqual(await asked, { action: 'cancel' });
  await until('no longer asked');
  assert.equal(await prompter.ask('again? ', stop.signal), undefined);
  const next = prompter.ask('next? ');
  await assert.rejects(prompter.ask('two at once? '), /another question is already open/);
  input.write('here\n');
  assert.equal(await next, 'here');
  prompter.close();
  assert.equal(await prompter.ask('closed? '), undefined);
});
