import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { terminalAnswers } from '../../src/host/node/index.ts';
import { openPrompter } from '../../src/host/node/prompter.ts';
import { ask, McpServer, rehearse } from '../../src/server/index.ts';

/** Types each line after the question for it was printed. Collects the output. */
function terminal(typed: readonly (readonly [after: RegExp, line: string])[]): { input: PassThrough; output: PassThrough; printed: () => string } {
  const input = new PassThrough();
  const output = new PassThrough();
  let printed = '';
  let seen = 0;
  let next = 0;
  output.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    const [after, line] = typed[next] ?? [];
    const found = after?.exec(printed.slice(seen));
    if (!found || line === undefined) return;
    seen += found.index + found[0].length;
    next++;
    input.write(`${line}\n`);
  });
  return { input, output, printed: () => printed };
}

test('terminalAnswers: every kind of question is asked in the terminal, without any client', async () => {
  const server = new McpServer({ name: 'interview', version: '1.0.0' });
  server.tool('interview', {}, function* () {
    const said: unknown[] = [];
    said.push(yield* ask.text('Your name?', { minLength: 2 }));
    said.push(yield* ask.number('How many?', { integer: true, minimum: 1, maximum: 9 }));
    said.push(yield* ask.confirm('Sure?'));
    said.push(yield* ask.select('Colour?', ['red', 'blue']));
    said.push((yield* ask.selectMany('Which?', ['a', 'b', 'c'])).join('+'));
    said.push(yield* ask.date('When?'));
    said.push(yield* ask.email('Where to?'));
    said.push(JSON.stringify(yield* ask.form('More?', { seat: { type: 'string', enum: ['window', 'aisle'] }, meal: { type: 'boolean' } })));
    yield* ask.secret('Your key?', 'https://keys.example/');
    return said.join(', ');
  });
  const send = [/Send it\?/, ''] as const;
  const { input, output, printed } = terminal([
    [/value: /, 'A'], [/Invalid answer[^]*value: /, 'Ada'], send,
    [/value: /, '12'], [/Invalid answer[^]*value: /, '3'], send,
    [/\(yes\/no\): /, 'y'], send,
    [/2\) blue[^]*value: /, '2'], send,
    [/with commas between[^]*value: /, 'a, 3'], send,
    [/\(YYYY-MM-DD\): /, '1 May'], [/Invalid answer[^]*\): /, '2026-05-01'], send,
    [/\(name@example\.com\): /, 'ada@example.com'], send,
    [/seat[^]*seat: /, 'aisle'], [/meal \(yes\/no\): /, 'no'], send,
    [/at keys\.example\. It is not opened[^]*visit it\? /, 'yes'],
  ]);
  const { result } = await rehearse(server, 'interview', {}, terminalAnswers({ input, output }));
  assert.deepEqual(result.content, [{ type: 'text', text: 'Ada, 3, true, blue, a+c, 2026-05-01, ada@example.com, {"seat":"aisle","meal":false}' }], printed());
});

test('terminalAnswers: there is no model and there are no roots in a terminal', async () => {
  const { input, output } = terminal([]);
  const answers = terminalAnswers({ input, output });
  await assert.rejects(answers('x', { method: 'roots/list', params: {} }), /a terminal cannot answer roots\/list/);
});

test('terminalAnswers: colours at a terminal only', async () => {
  const server = new McpServer({ name: 's', version: '1' });
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action);
  const before = { FORCE_COLOR: process.env['FORCE_COLOR'], NO_COLOR: process.env['NO_COLOR'], TERM: process.env['TERM'] };
  delete process.env['FORCE_COLOR'];
  delete process.env['NO_COLOR'];
  process.env['TERM'] = 'xterm';
  try {
    for (const isTTY of [true, false]) {
      const { input, output, printed } = terminal([[/yes\/no\)/, 'yes'], [/Send it\?/, 'yes']]);
      const { result } = await rehearse(server, 'ask', {}, terminalAnswers({ input, output: Object.assign(output, { isTTY }) }));
      assert.deepEqual([result.content, printed().includes('\x1b[1m')], [[{ type: 'text', text: 'accept' }], isTTY]);
    }
  } finally {
    for (const [name, value] of Object.entries(before)) if (value === undefined) delete process.env[name]; else process.env[name] = value;
  }
});

test('a prompter at a terminal draws the question again in front of what is typed; the questions of a pipe that has ended are written too', async () => {
  const { input, output, printed } = terminal([]);
  const prompter = openPrompter(input, Object.assign(output, { isTTY: true, columns: 80 }));
  const answer = prompter.ask('Name? ');
  input.write('Bob\x15Ada');
  await new Promise((resolve) => setImmediate(resolve));
  input.write('\r');
  assert.equal(await answer, 'Ada');
  // Ctrl-U has cleared the line: it is drawn anew, with the question.
  assert.equal(printed().split('Name? ').length, 3, JSON.stringify(printed()));
  prompter.close();
  const pipe = terminal([]);
  const reader = openPrompter(pipe.input, pipe.output);
  pipe.input.end('one\ntwo\n');
  await new Promise((resolve) => pipe.input.once('close', resolve));
  assert.deepEqual([await reader.ask('First? '), await reader.ask('Second? '), await reader.ask('Third? ')], ['one', 'two', undefined]);
  assert.equal(pipe.printed(), 'First? Second? ');
});
