import assert from 'node:assert/strict';
import test from 'node:test';
import { askConsent } from '../../src/cli/ask-consent.ts';
import { openDesk } from '../../src/cli/desk.ts';
import { changeLines, personAt } from '../../src/cli/host-person.ts';
import { jsonLine } from '../../src/cli/json-line.ts';
import { hanging } from '../../src/host/node/lines.ts';
import { columnsOf } from '../../src/host/node/frame.ts';
import type { Prompter } from '../../src/host/node/prompter.ts';
import type { Person } from '../../src/host/person.ts';
import { style } from '../../src/host/node/style.ts';
import type { Tool } from '../../src/protocol/tools.ts';
import { randomOf } from '../random.ts';

const plain = style(false);

function prompterOf(answers: readonly string[], columns: number = 80): Prompter & { readonly lines: string[]; readonly questions: string[] } {
  const left = [...answers];
  const lines: string[] = [];
  const questions: string[] = [];
  return {
    columns, lines, questions,
    say: (line) => void lines.push(line),
    ask: async (question) => {
      questions.push(question);
      return left.shift();
    },
    close: () => {},
  };
}

test('consent: 400,000 characters are shown by their beginning and end, what is left out is counted, and "m" shows all', async () => {
  const content = `BEGIN${'x'.repeat(399_990)}END!!`;
  const tool: Tool = { name: 'write_file', inputSchema: { type: 'object' } };
  const prompter = prompterOf(['m', 'm', 'y']);
  assert.equal(await askConsent(prompter, plain, 'files', tool, { content, path: '/etc/passwd' }), true);
  const first = prompter.lines.findIndex((line) => line.includes('characters within them are left out'));
  assert.ok(first > 0 && first < 40, `${first}`);
  const shown = prompter.lines.slice(0, first).join('');
  assert.ok(shown.includes('BEGIN') && shown.includes('END!!') && shown.includes('"path": "/etc/passwd"'));
  assert.match(prompter.lines[first] ?? '', /^399,000 characters/);
  // Two pieces of 200 rows.
  assert.equal(prompter.lines.slice(first + 2, -1).length, 2 * 200 + 1);
  assert.match(prompter.lines.at(-1) ?? '', /^└ [\d,]+ characters more/);
  assert.equal(prompter.questions.length, 3);
});

const pieces = ['a', ' ', '\n', '\\n', '\r', '\t', '\x1b[1A', '\u202e', '日', '😀', '\ud83d', '└', '│', ' '.repeat(70), 'Run it? [y/N] ', 'bank will run pay', 'with exactly these arguments:'];

test('no text of a server or of arguments leaves its frame, in any question to the person', async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed);
    const text = (): string => Array.from({ length: Math.floor(random() * 40) }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    const columns = 40 + Math.floor(random() * 80);
    const prompter = prompterOf(['n', 'n', 'n'], columns);
    const person = personAt(openDesk(prompter), plain);
    const server = 'bank';
    const context = { server, signal: new AbortController().signal };
    const tool: Tool = { name: text() || 't', description: text(), inputSchema: { type: 'object' }, annotations: { title: text() } };
    await person.approve?.({ server, tool, digest: '', args: { [text()]: text() }, principal: 'user', why: 'default' }, context);
    await person.acceptChange?.({ kind: 'changed', server, name: tool.name, diff: [`- ${text()}`, `+ ${text()}`] }, context);
    await person.samplingRequest?.({
      maxTokens: 1, systemPrompt: text(), messages: [{ role: 'user', content: { type: 'text', text: text() } }],
    }, context);
    const lines = prompter.lines.flatMap((line) => hanging(line, columns));
    for (const line of lines) {
      assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u, `seed ${seed}`);
      assert.ok(columnsOf(line) <= columns, `seed ${seed}: ${JSON.stringify(line)}`);
      // A line may begin with the command's own sentence only if the command wrote it.
      assert.doesNotMatch(line, /^Run it/, `seed ${seed}: ${JSON.stringify(line)}`);
    }
    for (const ours of ['with exactly', 'bank will run']) assert.equal(lines.filter((line) => line.startsWith(ours)).length, 1, `seed ${seed}`);
  }
});

// 2025-11-25 client/elicitation#user-interaction-model, client/sampling#user-interaction-model, server/tools#user-interaction-model.
test('the person at the terminal sees what a server asks, and only what was typed is the answer', async () => {
  const context = { server: 'bank', signal: new AbortController().signal };
  const at = <T>(answers: readonly string[], put: (person: ReturnType<typeof personAt>) => Promise<T> | undefined): Promise<[T | undefined, string]> => {
    const prompter = prompterOf(answers);
    return Promise.resolve(put(personAt(openDesk(prompter), plain))).then((answer) => [answer, [...prompter.lines, ...prompter.questions].join('\n')]);
  };
  const page = { mode: 'url', message: 'Pay?', url: 'https://bank.example/pay?n=1', elicitationId: 'e', host: 'bank.example' } as const;
  for (const [typed, action] of [[['yes'], 'accept'], [['no'], 'decline'], [[':cancel'], 'cancel'], [[], 'cancel']] as const) {
    const [answer, shown] = await at(typed, (person) => person.elicitUrl?.(page, context));
    assert.deepEqual(answer, { action });
    for (const part of ['bank asks:', 'Pay?', 'https://bank.example/pay?n=1', '  at bank.example.']) assert.ok(shown.includes(part), shown);
  }
  const form = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } } as const;
  for (const [typed, answer] of [[['Ada', 'yes'], { action: 'accept', content: { name: 'Ada' } }], [['Ada', ':back', 'Eve', ''], { action: 'accept', content: { name: 'Eve' } }], [['Ada', ':decline'], { action: 'decline' }]] as const) {
    const [given, shown] = await at(typed, (person) => person.elicit?.(form, context));
    assert.deepEqual(given, answer);
    assert.ok(shown.includes('bank asks:') && shown.includes('Name?') && shown.includes('This is what will be sent:'), shown);
  }
  const prompt = { maxTokens: 7, systemPrompt: 'Be short.', messages: [{ role: 'user', content: { type: 'text', text: 'How much?' } }] } as const;
  for (const [typed, allow] of [[['y'], true], [['YES'], true], [['n'], false], [[''], false], [['sure'], false], [[], false]] as const) {
    const [consent, shown] = await at(typed, (person) => person.samplingRequest?.({ ...prompt, messages: [...prompt.messages] }, context));
    assert.deepEqual(consent, { allow }, typed.join());
    for (const part of ['bank asks a model, for at most 7 tokens', 'Be short.', 'How much?']) assert.ok(shown.includes(part), shown);
  }
  const call = { server: 'bank', tool: { name: 'pay', inputSchema: { type: 'object' } }, digest: '', args: { euros: 12 }, principal: 'user', why: 'default' } as const;
  for (const [typed, allow] of [[['o'], 'once'], [['s'], 'session'], [['a'], 'always'], [['n'], false], [[''], false], [['please'], false], [[], false]] as const) {
    const [decision, shown] = await at(typed, (person) => person.approve?.(call, context));
    assert.equal(decision?.allow, allow, typed.join());
    assert.ok(shown.includes('bank will run pay') && shown.includes('"euros": 12'), shown);
  }
});

test('the person at a terminal sees which server asks, and only a yes is one', async () => {
  const context = { server: 'bank', signal: new AbortController().signal };
  const form = { message: 'Sure?', requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } } } as const;
  const request = { maxTokens: 5, messages: [{ role: 'user', content: { type: 'text', text: 'hm?' } }] } as const;
  const call = { server: 'bank', tool: { name: 'pay', inputSchema: { type: 'object' } }, digest: '', args: {}, principal: 'user', why: 'rule' } as const;
  const questions: Record<string, (person: Person) => Promise<unknown> | undefined> = {
    form: async (person) => (await person.elicit?.(form, context))?.action === 'accept',
    page: async (person) => (await person.elicitUrl?.({ mode: 'url', message: 'Pay', url: 'https://pay.example/', elicitationId: 'e', host: 'pay.example' }, context))?.action === 'accept',
    sampling: async (person) => (await person.samplingRequest?.({ ...request, messages: [...request.messages] }, context))?.allow,
    call: async (person) => (await person.approve?.(call, context))?.allow === 'once',
  };
  for (const [name, ask] of Object.entries(questions)) {
    for (const [answers, given] of [[['y', 'y'], true], [['n', 'n'], false], [[], false]] as const) {
      const prompter = prompterOf(answers);
      assert.equal(await ask(personAt(openDesk(prompter), plain)), given, `${name}: ${answers.join()}`);
      assert.ok(prompter.questions.length > 0, name);
      assert.match(prompter.lines.join('\n'), /^bank (?:asks|will run)\b/m, name);
    }
  }
});

test('a grant that reaches further is asked for by what it covers', async () => {
  const prompter = prompterOf(['s']);
  const person = personAt(openDesk(prompter), plain);
  const decision = await person.approve?.(
    { server: 's', tool: { name: 't', inputSchema: { type: 'object' } }, digest: '', args: { a: 1 }, principal: 'user', why: 'default' },
    { server: 's', signal: new AbortController().signal },
  );
  assert.deepEqual(decision, { allow: 'session' });
  assert.match(prompter.questions.join(), /\[o\]nce, or with any arguments for this \[s\]ession or \[a\]lways/);
});

test('a difference is bounded, and what is left out is counted', () => {
  const diff = Array.from({ length: 5_000 }, (_, i) => `+ m${i}: ${'x'.repeat(10_000)}`);
  const lines = changeLines({ kind: 'changed', server: 's', name: 't', diff }, plain, 80);
  assert.ok(lines.length < 600);
  assert.equal(lines.at(-1), '└ 4940 differences more were left out');
});

test('a line that does not fit the terminal goes on behind a mark, and colours take no column', () => {
  assert.deepEqual(hanging('abc', 10), ['abc']);
  assert.deepEqual(hanging('abcdefghijklm', 10), ['abcdefghij', '  ┆ klm']);
  const { red } = style(true);
  assert.deepEqual(hanging(red('abcdefghij'), 10), [red('abcdefghij')]);
});

test('JSON for scripts is the same JSON, with nothing in it that a terminal obeys', () => {
  const value = { '\u202ekey': ['\x9b31m', '\ud83d', '😀', 'über', '\u{e0041}'] };
  const line = jsonLine(value);
  assert.deepEqual(JSON.parse(line), value);
  assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Cs}]/u);
  assert.ok(line.includes('😀') && line.includes('über'));
  assert.equal(jsonLine(undefined), 'null');
});
