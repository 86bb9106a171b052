import assert from 'node:assert/strict';
import test from 'node:test';
import { ActivityLog, memoryLog } from '../../src/host/activity-log.ts';
import type { Person } from '../../src/host/person.ts';
import { ServerQuestions } from '../../src/host/questions.ts';
import type { Model } from '../../src/host/questions.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../../src/protocol/index.ts';

const { signal } = new AbortController();
const answer = (text: string): CreateMessageResult => ({ role: 'assistant', model: 'm', content: { type: 'text', text } });
const request = (maxTokens: number): CreateMessageRequestParams => ({ messages: [], maxTokens });

interface Asked {
  readonly questions: ServerQuestions;
  /** The log lines without the members that every line has. */
  logged(): object[];
}

function questionsOf(person: Person, { model, maxTokens = 100 }: { model?: Model; maxTokens?: number } = {}): Asked {
  const sink = memoryLog();
  const log = new ActivityLog(sink, () => 1, (error) => assert.fail(error));
  return {
    questions: new ServerQuestions('s', person, log, model, maxTokens),
    logged: () => sink.lines.map((line) => {
      const { seq, at, previous, ...rest } = JSON.parse(line) as Record<string, unknown>;
      assert.ok(Number(seq) > 0 && at === 1 && typeof previous === 'string');
      return rest;
    }),
  };
}

test('questions: a form goes to the person with its server, and the log has the names of the fields only', async () => {
  const seen: unknown[] = [];
  const { questions, logged } = questionsOf({
    async elicit(question, context) {
      seen.push(question.message, context, this !== undefined);
      return question.message === 'Go?' ? { action: 'decline' } : { action: 'accept', content: { name: 'Ada' } };
    },
  });
  const form = (message: string) => ({ message, requestedSchema: { type: 'object', properties: {} } }) as const;
  assert.deepEqual(await questions.elicit(form('Name?'), signal), { action: 'accept', content: { name: 'Ada' } });
  assert.deepEqual(await questions.elicit(form('Go?'), signal), { action: 'decline' });
  assert.deepEqual(seen, ['Name?', { server: 's', signal }, true, 'Go?', { server: 's', signal }, true]);
  assert.deepEqual(logged(), [
    { kind: 'question', server: 's', question: 'form', message: 'Name?', action: 'accept', fields: ['name'] },
    { kind: 'question', server: 's', question: 'form', message: 'Go?', action: 'decline', fields: [] },
  ]);
});

test('questions: a page of http or https is shown with its host, and any other address is declined unseen', async (t) => {
  t.mock.method(globalThis, 'fetch', () => assert.fail('nothing of a page is fetched'));
  const seen: unknown[] = [];
  const { questions, logged } = questionsOf({
    elicitUrl: async ({ url, host }, context) => {
      seen.push([url, host, context.server, context.signal === signal]);
      return { action: 'accept' };
    },
  });
  const page = (url: string) => ({ mode: 'url', message: 'Pay', url, elicitationId: 'e' }) as const;
  const cases = [['https://h.example:8443/a', 'h.example:8443'], ['http://h.example/', 'h.example'], ['javascript:alert(1)', ''], ['file:///etc', ''], ['ftp://h/', 'h'], ['no address', '']] as const;
  const actions: string[] = [];
  for (const [url] of cases) actions.push((await questions.elicitUrl(page(url), signal)).action);
  assert.deepEqual(actions, ['accept', 'accept', 'decline', 'decline', 'decline', 'decline']);
  assert.deepEqual(seen, [['https://h.example:8443/a', 'h.example:8443', 's', true], ['http://h.example/', 'h.example', 's', true]]);
  assert.deepEqual(logged(), cases.map(([, host], at) => ({
    kind: 'question', server: 's', question: 'url', host, message: 'Pay', action: at < 2 ? 'accept' : 'decline',
    ...at >= 2 && { why: 'the URL is not an http or https address' },
  })));
  // No person can be asked.
  const alone = questionsOf({});
  assert.deepEqual(await alone.questions.elicitUrl(page('https://h/'), signal), { action: 'decline' });
  assert.deepEqual(alone.logged(), [{ kind: 'question', server: 's', question: 'url', host: 'h', message: 'Pay', action: 'decline' }]);
});

test('questions: sampling needs a model and a person for the request and for the answer', async () => {
  const yes: Person = { samplingRequest: async () => ({ allow: true }), samplingAnswer: async () => ({ allow: true }) };
  const model: Model = async () => answer('a');
  for (const [person, given] of [[yes, undefined], [{ samplingRequest: yes.samplingRequest }, model], [{ samplingAnswer: yes.samplingAnswer }, model]] as const) {
    const { questions, logged } = questionsOf(person as Person, given ? { model: given } : {});
    await assert.rejects(questions.sample(request(1), signal), { code: 'refused', message: 'sampling was refused: no person can be asked for consent' });
    assert.deepEqual(logged(), [{ kind: 'sampling', server: 's', outcome: 'refused', why: 'no person can be asked for consent' }]);
  }
  const { questions, logged } = questionsOf(yes, { model });
  assert.deepEqual(await questions.sample(request(1), signal), answer('a'));
  assert.deepEqual(logged(), [{ kind: 'sampling', server: 's', outcome: 'answered', maxTokens: 1, model: 'm', edited: false }]);
});

test('questions: the tokens of a server are spent once, and come back where nothing was asked', async () => {
  const asked: number[] = [];
  const person: { consent: Awaited<ReturnType<NonNullable<Person['samplingRequest']>>> | Error } = { consent: { allow: true } };
  const { questions, logged } = questionsOf({
    samplingRequest: async (_params, context) => {
      assert.deepEqual(context, { server: 's', signal });
      if (person.consent instanceof Error) throw person.consent;
      return person.consent;
    },
    samplingAnswer: async (given) => ({ allow: true, value: { ...given, model: 'edited' } }),
  }, { model: async ({ maxTokens }, context) => {
    assert.deepEqual(context, { server: 's', signal });
    asked.push(maxTokens);
    return answer('a');
  } });
  const refused = async (tokens: number, why: RegExp): Promise<void> => assert.rejects(questions.sample(request(tokens), signal), why);
  await refused(101, /it asks for 101 tokens, and 100 of this server's 100 are left/);
  for (const odd of [0, -1, Number.NaN]) await refused(odd, /it asks for/);
  // If the person refuses or cannot be asked, no tokens are spent.
  person.consent = { allow: false };
  await refused(100, /the person declined the request/);
  person.consent = { allow: false, reason: 'not today' };
  await refused(100, /not today/);
  person.consent = new Error('the window is closed');
  await refused(100, /the window is closed/);
  // The person may lower the number of tokens, but not raise it above the server's request.
  person.consent = { allow: true, value: request(30) };
  assert.equal((await questions.sample(request(60), signal)).model, 'edited');
  person.consent = { allow: true, value: request(1_000) };
  await questions.sample(request(20), signal);
  person.consent = { allow: true };
  await refused(51, /it asks for 51 tokens, and 50 of this server's 100 are left/);
  await questions.sample(request(50), signal);
  await refused(1, /and 0 of this server's 100 are left/);
  assert.deepEqual(asked, [30, 20, 50]);
  assert.deepEqual(logged().filter((one) => 'edited' in one).map((one) => ({ ...one })), [30, 20, 50].map((maxTokens) =>
    ({ kind: 'sampling', server: 's', outcome: 'answered', maxTokens, model: 'm', edited: true })));
});

test('questions: requests at once cannot spend the same tokens', async () => {
  const waiting: ((value: { allow: true }) => void)[] = [];
  const { questions } = questionsOf({
    samplingRequest: () => new Promise((resolve) => waiting.push(resolve)),
    samplingAnswer: async () => ({ allow: true }),
  }, { model: async () => answer('a') });
  const first = questions.sample(request(60), signal);
  await assert.rejects(questions.sample(request(60), signal), /and 40 of this server's 100 are left/);
  const second = questions.sample(request(40), signal);
  for (const go of waiting) go({ allow: true });
  assert.deepEqual(await Promise.all([first, second]), [answer('a'), answer('a')]);
});

test('questions: a model that fails, and a no to its answer, are in the log; what it was asked for is spent', async () => {
  let fails = true;
  const { questions, logged } = questionsOf({
    samplingRequest: async () => ({ allow: true }),
    samplingAnswer: async ({ model }) => (model === 'm' ? { allow: false } : { allow: false, reason: 'nonsense' }),
  }, { model: async () => {
    if (fails) throw new Error('no quota');
    return answer('a');
  } });
  await assert.rejects(questions.sample(request(50), signal), /^Error: no quota$/);
  fails = false;
  await assert.rejects(questions.sample(request(50), signal), /the person declined the answer/);
  await assert.rejects(questions.sample(request(1), signal), /and 0 of/);
  assert.deepEqual(logged().slice(0, 2), [
    { kind: 'sampling', server: 's', outcome: 'failed', why: 'no quota' },
    { kind: 'sampling', server: 's', outcome: 'refused', why: 'the person declined the answer' },
  ]);
});
