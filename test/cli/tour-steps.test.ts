import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { answersOf } from '../../src/cli/answers.ts';
import type { AnswerOptions } from '../../src/cli/answers.ts';
import { jsonReporter } from '../../src/cli/reporter.ts';
import type { Row } from '../../src/cli/reporter.ts';
import { tour } from '../../src/cli/tour.ts';
import type { TourOptions, TourResult } from '../../src/cli/tour.ts';
import { createWatchdog } from '../../src/cli/watchdog.ts';
import { style } from '../../src/host/node/style.ts';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

// The steps of the tour at servers that offer more, or less, than the example does.
interface Toured extends TourResult {
  readonly notes: readonly string[];
  readonly of: (step: string) => string;
  readonly sent: (method: string) => unknown[];
}

async function toured(server: McpServer, options: Partial<TourOptions> = {}, answers: Partial<AnswerOptions> = {}): Promise<Toured> {
  const notes: string[] = [];
  const messages: { direction: string; message?: { method?: string; params?: unknown } }[] = [];
  const reporter = jsonReporter((line) => {
    const said = JSON.parse(line) as { type: string; text?: string } & (typeof messages)[number];
    if (said.type === 'message') messages.push(said);
    else if (said.type === 'note') notes.push(said.text ?? '');
  });
  const result = await tour({
    title: 'test', transport: (trace) => memoryTransport(server, { trace }), reporter, roots: [], timeoutMs: 10_000, consent: { all: true, allowed: [], strict: false },
    answers: (hooks) => answersOf({ ...hooks, person: { present: false }, terminal: { input: process.stdin, output: process.stdout }, style: style(false), note: (text) => void notes.push(text), patienceMs: 1, defaults: true, ...answers }),
    ...options,
  });
  const of = (step: string): string => {
    const row = result.rows.find((one) => one.step.trim() === step);
    return row ? `${row.outcome}: ${row.detail}` : 'no step';
  };
  return { ...result, notes, of, sent: (method) => messages.filter(({ direction, message }) => direction === 'sent' && message?.method === method).map(({ message }) => message?.params) };
}

const named = (name: string = 's'): McpServer => new McpServer({ name, version: '1' });
const reads = { annotations: { readOnlyHint: true } } as const;
const nothing = { type: 'object', properties: {} } as const;
const legacy = { revisions: ['2025-11-25'] } as const;

test('the tour of an empty server: each step says what is not declared', async () => {
  const { rows, ok, errors } = await toured(named('empty'), legacy);
  assert.deepEqual([ok, errors], [true, 0]);
  assert.deepEqual(rows.map(({ step, outcome, detail }: Row) => `${step}: ${outcome}: ${detail}`), [
    'Opening: ok: revision 2025-11-25 with empty 1', 'Log level: ok: debug', 'Tools: absent: the server does not declare tools', 'Resources: absent: the server does not declare resources', 'Templates: absent: the server does not declare resources',
    'Prompts: absent: the server does not declare prompts', 'Reading: absent: the server does not declare resources', 'A template: absent: there are none', 'Subscribing: absent: the server does not declare subscriptions', 'Prompting: absent: the server does not declare prompts',
    'Calling tools: absent: the server does not declare tools', '  not used: absent: progress, forms, pages, sampling, roots, log messages, changes', 'Cancelling: absent: there is no tool that may be called and cancelled', 'Ping: ok: it is', 'Shutdown: ok: closed in good order',
  ].filter((line) => rows.some(({ step }) => line.startsWith(`${step}: `))));
  // Over 2026-07-28 nothing is sent for the log level.
  assert.match((await toured(named(), { revisions: ['2026-07-28'] })).of('Log level'), /^(?:ok: debug, sent with every request from now on|absent: .*)$/);
});

test('the tour: four resources and three prompts are read; made-up arguments may be refused', async () => {
  const server = named();
  for (let at = 0; at < 5; at++) server.resource(`a:${at}`, { name: `r${at}`, ...at === 3 && { description: 'It changes' } }, () => 'x');
  server.resourceTemplate('t://{userId}/{word}/{count}', { name: 't', complete: { word: () => [] } }, () => { throw new RpcError(-32602, 'no such'); });
  server.prompt('plain', {}, () => 'x');
  server.prompt('refuses', { arguments: { numDays: { required: true }, name: { complete: (value, settled) => [`${settled['numDays']}${value}`] } } }, () => { throw new RpcError(-32602, 'not these'); });
  server.prompt('third', { arguments: { a: {} } }, () => 'x');
  server.prompt('fourth', {}, () => 'x');
  const all = await toured(server, legacy);
  assert.ok(all.ok, JSON.stringify(all.rows));
  assert.equal(all.of('Resources'), 'ok: 5 resources listed');
  assert.equal(all.of('Reading'), 'ok: 4 of 5 read');
  assert.equal(all.of('A template'), 'ok: t://1/example/1 was refused: no such');
  assert.equal(all.of('Prompting'), 'ok: plain became messages, refuses was refused: not these, third became messages');
  assert.equal(all.of('Subscribing'), 'ok: a:3');
  assert.equal(all.of('Unsubscribing'), 'ok: a:3');
  assert.deepEqual((all.sent('prompts/get') as { name: string; arguments?: object }[]).map(({ name, arguments: args }) => [name, args]), [['plain', undefined], ['refuses', { numDays: '1', name: '1' }], ['third', { a: 'example' }]]);
  // A short walk leaves out what its tools do not need.
  const short = await toured(server, { ...legacy, only: ['x'] });
  assert.deepEqual(['Resources', 'Prompts', 'Reading', 'Prompting', 'A template', 'Subscribing'].map((step) => short.of(step).split(':')[0]), ['no step', 'no step', 'no step', 'no step', 'ok', 'ok']);
  const broken = named();
  broken.prompt('plain', {}, () => { throw new RpcError(-32602, 'not this'); });
  assert.equal((await toured(broken, legacy)).of('Prompting'), 'failed: not this');
});

test('the tour: which tools are called, and why others are not', async () => {
  const server = named();
  server.tool('good', { ...reads, input: nothing }, (_args, ctx) => (ctx.progress(1), ctx.progress(2), 'x'));
  server.tool('fails', reads, () => ({ isError: true, content: [] }));
  server.tool('refuses', { ...reads, input: nothing }, () => { throw new RpcError(-32602, 'no'); });
  server.tool('hidden', reads, () => 'x');
  server.tool('guess', { ...reads, input: { type: 'object', properties: { a: { type: 'string', pattern: '^[0-9]{4}$' } }, required: ['a'] } as never }, () => 'x');
  server.tool('destroys', {}, () => 'x');
  const all = await toured(server, { ...legacy, consent: { all: false, allowed: [], strict: false }, whyHidden: ({ name }) => (name === 'hidden' ? 'it is hidden' : undefined) });
  assert.equal(all.of('Calling tools'), 'ok: 3 called, 1 of them returned isError, refused: refuses, 3 listed only');
  assert.deepEqual([all.errors, all.of('progress')], [2, 'ok: 2 reports']);
  assert.deepEqual(all.notes.map((note) => note.replace(/(made for it: ).*/, '$1…')), ['It is not called: it is hidden.', 'It is not called: no arguments could be made for it: …', 'It is not called: it has no hints, and so counts as destructive; consent with --yes or --allow destroys.']);
  const many = named();
  for (let at = 0; at < 27; at++) many.tool(`t${at}`, reads, () => 'x');
  const called = await toured(many, legacy);
  assert.deepEqual([called.of('Calling tools'), called.notes], ['ok: 25 called, 2 listed only', ['It is not called: the tour calls at most 25 tools.', 'It is not called: the tour calls at most 25 tools.']]);
  assert.equal((await toured(many, { ...legacy, only: ['t3'] })).of('Calling tools'), 'ok: 1 called');
  const none = named();
  none.tool('destroys', {}, () => 'x');
  const refused = await toured(none, { ...legacy, consent: { all: false, allowed: [], strict: false } });
  assert.deepEqual([refused.of('Calling tools'), refused.of('Cancelling')], ['absent: 1 tool listed, no consent to call one', 'absent: there is no tool that may be called and cancelled']);
});

test('the tour: a call is cancelled, a slow one if there is one, and none that the server says changes something', async () => {
  const cancelled: string[] = [];
  const server = named();
  const hang = (name: string, more: object = {}): void => void server.tool(name, { ...more, input: nothing }, async (_args, ctx) => {
    if (ctx.signal.aborted) cancelled.push(name);
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => (cancelled.push(name), resolve())));
    return 'x';
  });
  hang('changes', { annotations: { readOnlyHint: false } });
  hang('first');
  hang('very_slow', { description: 'x' });
  const only = ['none'];
  const { of } = await toured(server, { ...legacy, only });
  assert.deepEqual([of('Cancelling'), cancelled], ['ok: very_slow was cancelled', ['very_slow']]);
  const quick = named();
  quick.tool('changes', { annotations: { readOnlyHint: false } }, () => 'x');
  assert.equal((await toured(quick, { ...legacy, only })).of('Cancelling'), 'absent: there is no tool that may be called and cancelled');
  const fails = named();
  fails.tool('slow', { input: nothing }, () => { throw new RpcError(-32602, 'no'); });
  assert.equal((await toured(fails, { ...legacy, only })).of('Cancelling'), 'ok: slow had failed before it could be cancelled: no');
  const answers = named();
  answers.tool('progress', { input: nothing }, () => 'x');
  assert.equal((await toured(answers, { ...legacy, only })).of('Cancelling'), 'ok: progress had answered before it could be cancelled');
});

test('the tour without a person: forms with defaults, declined, or impossible; pages and sampling', async () => {
  const server = named();
  server.tool('form', { ...reads, input: nothing }, async (_args, ctx) => JSON.stringify(await ctx.elicit('Which?', { seat: { type: 'string', enum: ['a', 'b'], default: 'b' } })));
  server.tool('odd', { ...reads, input: nothing }, async (_args, ctx) => JSON.stringify(await ctx.elicit('Which?', { long: { type: 'string', minLength: 2_000 } })));
  server.tool('page', { ...reads, input: nothing }, async (_args, ctx) => JSON.stringify(await ctx.elicitUrl('Pay', 'https://pay.example/')));
  server.tool('sample', { ...reads, input: nothing }, async (_args, ctx) => JSON.stringify(await ctx.sample({ maxTokens: 5, messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] })));
  const { notes, of } = await toured(server, { ...legacy, only: ['form', 'page', 'sample'] });
  assert.deepEqual(notes, ['The form is accepted with its defaults, and made-up values for the rest.', 'There is no person to visit the page, so it is declined.', 'A canned answer replaces that of a model.']);
  assert.deepEqual([of('forms'), of('pages'), of('sampling')], ['ok: 1 form answered', 'ok: 1 visit asked for', 'ok: 1 question to the model answered']);
  const odd = await toured(server, { ...legacy, only: ['odd'] });
  assert.match(odd.notes[0] ?? '', /^The form cannot be filled in without a person \(.*\), so it is declined\.$/);
  const none = await toured(server, { ...legacy, only: ['form'] }, { defaults: false });
  assert.deepEqual(none.notes, ['There is no person to fill in the form, so it is declined; --defaults accepts it with its defaults.']);
});

test('the person at a terminal fills in forms while the tour pauses, until no key was pressed for too long', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  let wake: () => void = () => {};
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    wake();
  });
  const until = async (words: RegExp): Promise<void> => {
    while (!words.test(shown)) await new Promise<void>((resolve) => (wake = resolve));
    shown = '';
  };
  const told: string[] = [];
  const person = { present: true };
  const answers = answersOf({ person, terminal: { input, output }, style: style(false), from: () => 'bank', pause: () => void told.push('pause'), resume: () => void told.push('resume'), note: (text) => void told.push(text), patienceMs: 45_000, defaults: false });
  const context = { signal: new AbortController().signal } as Parameters<typeof answers.onElicit>[1];
  const form = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } } as const;
  const first = answers.onElicit(form, context);
  await until(/bank asks:[^]*name/);
  t.mock.timers.tick(40_000);
  input.write('Ada\n');
  await until(/Send it/);
  // Each key begins the time again.
  t.mock.timers.tick(40_000);
  input.write('yes\n');
  assert.deepEqual(await first, { action: 'accept', content: { name: 'Ada' } });
  assert.deepEqual(told.splice(0), ['pause', 'resume']);
  const second = answers.onElicitUrl({ mode: 'url', message: 'Pay', url: 'https://pay.example/', elicitationId: 'e' } as never, context);
  await until(/Will you visit it/);
  t.mock.timers.tick(45_000);
  assert.deepEqual(await second, { action: 'decline' });
  assert.deepEqual([person.present, told], [false, ['pause', 'resume', 'No key was pressed for 45 s: from now on, no questions are asked.', 'There is no person to visit the page, so it is declined.']]);
  assert.equal(input.listenerCount('data'), 0);
});

test('a request without an answer ends after a silence, or after a time with messages; not while a person thinks', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const asked = (watchdog: ReturnType<typeof createWatchdog>): { said: string; signal: AbortSignal | undefined } => {
    const state: { said: string; signal: AbortSignal | undefined } = { said: '', signal: undefined };
    watchdog.guard((signal) => {
      state.signal = signal;
      return new Promise<never>(() => {});
    }).catch((error: unknown) => (state.said = String(error)));
    return state;
  };
  const pass = async (ms: number): Promise<void> => {
    for (let at = 0; at < ms; at += 250) {
      t.mock.timers.tick(250);
      await Promise.resolve();
    }
    for (let at = 0; at < 10; at++) await Promise.resolve();
  };
  const watchdog = createWatchdog(2_000, 5_000);
  const silent = asked(watchdog);
  await pass(1_750);
  assert.equal(silent.said, '');
  await pass(250);
  assert.deepEqual([silent.said, silent.signal?.aborted], ['Error: no answer: 2 s without a message', true]);
  const talking = asked(watchdog);
  for (let at = 0; at < 4; at++) {
    await pass(1_000);
    watchdog.heard();
  }
  assert.equal(talking.said, '');
  watchdog.pause();
  await pass(10_000);
  assert.equal(talking.said, '');
  watchdog.resume();
  await pass(750);
  assert.equal(talking.said, '');
  await pass(250);
  assert.equal(talking.said, 'Error: no answer within 5 s');
});
