import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpServer } from '../../src/server/mcp-server.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { JournalRecord } from '../../src/tasks/journal.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { Attempts, JournalReplay } from '../../src/tasks/replay.ts';
import { sealedStore } from '../../src/tasks/sealed-store.ts';
import { runTasks, tasks } from '../../src/tasks/server.ts';
import type { TaskStore } from '../../src/tasks/store.ts';
import { accept, later } from '../server/peer.ts';
import type { Bag } from '../server/peer.ts';
import { doomed } from './doomed.ts';
import type { Doom } from './doomed.ts';
import { made, ModernTasks } from './harness.ts';

const quick = { leaseMs: 30_000, scanMs: 5, stallMs: 60 };
/** For workers that die: long enough for a busy machine, short enough to wait for. */
const mortal = { ...quick, leaseMs: 200 };
const textOf = (task: Bag): unknown => ((task['result'] as Bag)['content'] as { text: string }[])[0]?.text;

interface Effect {
  readonly step: string;
  readonly attempt: number;
  readonly key: string;
  readonly worker: number;
}

/** An order: charge, ask, pack, ship. External effects are recorded in the ledger. */
function order(ledger: Effect[], worker: number): McpServer {
  const server = new McpServer({ name: 'orders', version: '1' });
  server.tool('order', { task: 'required' }, async (_args, ctx) => {
    const step = (name: string): Promise<string> => ctx.once(name, ({ attempt, idempotencyKey }) => {
      ledger.push({ step: name, attempt, key: idempotencyKey, worker });
      return `${name} by ${worker}`;
    });
    const charged = await step('charge');
    const form = await ctx.elicit('Where to?', { city: { type: 'string' } }, { key: 'city' });
    ctx.progress(1, 2);
    const [packed, shipped] = [await step('pack'), await step('ship')];
    return `${charged}, ${packed}, ${shipped} to ${form.content?.city}`;
  });
  return server;
}

/** Runs one order whose first worker dies; a second worker completes it. */
async function killed(t: TestContext, doom: Doom): Promise<{ died: boolean; ledger: Effect[]; task: Bag }> {
  const store = memoryStore();
  const ledger: Effect[] = [];
  // The front serves the client, and runs no tasks.
  const front = order([], 0);
  const desk = tasks(front, { store, work: false });
  const first = doomed(store, doom);
  runTasks(order(ledger, 1), first.store, { limits: mortal });
  const client = await ModernTasks.to(front);
  const id = await client.begin('order');
  let died = false;
  void first.died.then(() => (died = true));
  const answered = (async () => {
    await client.is(id, 'input_required');
    await client.update(id, { city: accept({ city: 'Rome' }) });
    return client.ended(id);
  })();
  // The second worker begins when the first is dead, or has completed the order.
  await Promise.race([first.died, answered]);
  const second = runTasks(order(ledger, 2), store, { limits: quick });
  const task = await answered;
  t.after(async () => {
    await second.close();
    await desk.close();
  });
  return { died, ledger, task };
}

test('killed at each of its writes, before or after it: the order ends, and each step counts once', async (t) => {
  let deaths = 0;
  for (let write = 1; ; write++) {
    const outcomes = await Promise.all([false, true].map((reached) => killed(t, { write, reached })));
    for (const [i, { ledger, task, died }] of outcomes.entries()) {
      const what = `write ${write}, ${i ? 'after' : 'before'} it reached the store`;
      assert.equal(task['status'], 'completed', what);
      if (died) deaths++;
      const text = String(textOf(task));
      assert.match(text, /^charge by \d, pack by \d, ship by \d to Rome$/, what);
      for (const step of ['charge', 'pack', 'ship']) {
        const lines = ledger.filter((line) => line.step === step);
        // Each effect happens at least once, and twice only if the first worker died between effect and record; the second attempt has a
        // higher number.
        assert.ok(lines.length === 1 || (lines.length === 2 && died && !i), `${what}: ${step} ${lines.length} times`);
        assert.equal(new Set(lines.map(({ key }) => key)).size, 1, what);
        assert.ok((lines[0]?.attempt as number) < (lines[1]?.attempt ?? Infinity), `${what}: ${step}`);
        // Only a new lease makes the number higher than 1.
        if (!died) assert.equal(lines[0]?.attempt, 1, what);
        // The result has the value of the last attempt.
        assert.ok(text.includes(`${step} by ${lines.at(-1)?.worker}`), what);
      }
      assert.equal(ledger.filter(({ step }, n) => ledger.findIndex((line) => line.step === step) !== n).length <= 1, true, what);
    }
    if (!outcomes.some(({ died }) => died)) break;
  }
  assert.ok(deaths >= 12, `${deaths} deaths`);
});

/** A task that one handler began and another one continues. */
async function changed(
  t: TestContext, before: (server: McpServer) => void, after: (server: McpServer) => void,
  until: (client: ModernTasks, id: string) => Promise<Bag> = (client, id) => client.ended(id),
): Promise<Bag> {
  const store = memoryStore();
  const old = new McpServer({ name: 'old', version: '1' });
  before(old);
  const first = tasks(old, { store: keepOpen(store), limits: quick });
  const client = await ModernTasks.to(old);
  const id = await client.begin('work');
  await client.is(id, 'input_required');
  await first.close();
  const now = new McpServer({ name: 'new', version: '2' });
  after(now);
  const second = tasks(now, { store, limits: quick });
  t.after(() => second.close());
  const again = await ModernTasks.to(now);
  await again.update(id, { go: accept({}) });
  return until(again, id);
}

/** A store that is not closed together with its tasks. */
const keepOpen = (store: TaskStore): TaskStore => ({ ...store, close: async () => {} });

const go = { key: 'go' } as const;

test('code that has changed fails the task with the reason: a step is missing, another came, the order is another', async (t) => {
  const original = (server: McpServer): void => void server.tool('work', { task: 'required' }, async (_args, ctx) => {
    await ctx.once('a', () => 1);
    await ctx.once('b', () => 2);
    await ctx.elicit('Go?', {}, go);
    return 'done';
  });
  const cases: Record<string, [string[], RegExp]> = {
    'a step is gone': [['b', '?'], /step "a" was next, and now it is step "b"/],
    'the order is another': [['b', 'a', '?'], /step "a" was next, and now it is step "b"/],
    'a step came between': [['a', 'x', 'b', '?'], /step "b" was next, and now it is step "x"/],
    'the question came earlier': [['a', '?', 'b'], /step "b" was next, and now it is question "go"/],
    'the rest is gone': [['a'], /step "b" is missing/],
    'all is gone': [[], /step "a" is missing/],
  };
  for (const [what, [steps, reason]] of Object.entries(cases)) {
    const ran: string[] = [];
    const task = await changed(t, original, (server) => {
      server.tool('work', { task: 'required' }, async (_args, ctx) => {
        for (const step of steps) {
          if (step === '?') await ctx.elicit('Go?', {}, go);
          else await ctx.once(step, () => ran.push(step));
        }
        return 'done';
      });
    });
    assert.equal(task['status'], 'failed', what);
    assert.match(String(task['statusMessage']), reason, what);
    assert.match(String(task['statusMessage']), /code has changed since the task began/, what);
    assert.deepEqual(ran, [], what);
  }
  const same = await changed(t, original, original);
  assert.equal(same['status'], 'completed');
  const more = await changed(t, original, (server) => void server.tool('work', { task: 'required' }, async (_args, ctx) => {
    await ctx.once('a', () => 0);
    await ctx.once('b', () => 0);
    await ctx.elicit('Go?', {}, go);
    return `${await ctx.once('c', () => 'more')}`;
  }));
  assert.equal(textOf(more), 'more');
});

test('a tool that is gone fails its tasks', async (t) => {
  const task = await changed(t, (server) => void server.tool('work', { task: 'required' }, async (_args, ctx) => {
    await ctx.elicit('Go?', {}, go);
    return '';
  }), (server) => void server.tool('other', {}, () => 'other'));
  assert.equal(task['status'], 'failed');
  assert.match(String(task['statusMessage']), /Unknown tool/);
});

test('ctx.version steers: 0 for tasks that were past it, the new number for others, and it stays', async (t) => {
  const original = (server: McpServer): void => void server.tool('work', { task: 'required' }, async (_args, ctx) => {
    await ctx.once('a', () => 1);
    await ctx.elicit('Go?', {}, go);
    return 'old';
  });
  const seen: number[] = [];
  const task = await changed(t, original, (server) => void server.tool('work', { task: 'required' }, async (_args, ctx) => {
    const early = await ctx.version('wrap', 1);
    if (early >= 1) await ctx.once('wrap', () => 1);
    await ctx.once('a', () => 1);
    await ctx.elicit('Go?', {}, go);
    const late = await ctx.version('send', 2);
    seen.push(early, late);
    await ctx.elicit('Really?', {}, { key: 'really' });
    return `${early} ${late} ${await ctx.version('send', 3)}`;
  }), async (client, id) => {
    await client.when(id, ({ inputRequests }) => inputRequests !== undefined && 'really' in (inputRequests as Bag));
    await client.update(id, { really: accept({}) });
    return client.ended(id);
  });
  assert.equal(textOf(task), '0 2 2');
  assert.deepEqual(seen, [0, 2, 0, 2]);
});

test('steps that overlap go the way they went, whatever takes how long', async (t) => {
  const store = memoryStore();
  const rounds: string[][] = [];
  const define = (server: McpServer): void => void server.tool('work', { task: 'required' }, async (_args, ctx) => {
    const log: string[] = [];
    rounds.push(log);
    const slow = later<void>();
    const branch = async (names: string[], wait?: Promise<void>): Promise<void> => {
      for (const name of names) {
        await ctx.once(name, () => (name === 'a1' ? wait : undefined));
        log.push(name);
        if (name === 'b3') slow.resolve();
      }
    };
    await Promise.all([branch(['a1', 'a2'], slow.promise), branch(['b1', 'b2', 'b3'])]);
    await ctx.elicit('Go?', {}, go);
    return log.join();
  });
  const server = new McpServer({ name: 'x', version: '1' });
  define(server);
  const work = tasks(server, { store, limits: quick });
  t.after(() => work.close());
  const client = await ModernTasks.to(server);
  const id = await client.begin('work');
  await client.is(id, 'input_required');
  await client.update(id, { go: accept({}) });
  const task = await client.ended(id);
  assert.equal(task['status'], 'completed', JSON.stringify(task));
  assert.deepEqual(rounds[0], ['b1', 'b2', 'b3', 'a1', 'a2']);
  assert.deepEqual(rounds[1], rounds[0]);
});

test('of overlapping steps a missing one is told after a while', async (t) => {
  const define = (names: string[]) => (server: McpServer): void => void server.tool('work', { task: 'required' }, async (_args, ctx) => {
    await Promise.all(names.map((name) => ctx.once(name, () => name)));
    await ctx.elicit('Go?', {}, go);
    return 'done';
  });
  const task = await changed(t, define(['a', 'b', 'c']), define(['a', 'c']));
  assert.match(String(task['statusMessage']), /step "b" is missing/);
});

test('what a step throws is kept: the handler goes the same way again, and another attempt has a higher number', async (t) => {
  const { server } = made(t, { limits: quick });
  const attempts: number[] = [];
  const ways: string[] = [];
  server.tool('work', { task: 'required' }, async (_args, ctx) => {
    let way = '';
    for (let tries = 0; tries < 3; tries++) {
      try {
        await ctx.once('flaky', ({ attempt }) => {
          attempts.push(attempt);
          if (attempt < 3) throw new Error(`no luck ${attempt}`);
          return attempt;
        });
        way += 'ok';
        break;
      } catch (error) {
        way += `${(error as Error).message}, `;
      }
    }
    ways.push(way);
    await ctx.elicit('Go?', {}, go);
    return way;
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('work');
  await client.is(id, 'input_required');
  await client.update(id, { go: accept({}) });
  assert.equal(textOf(await client.ended(id)), 'no luck 1, no luck 2, ok');
  assert.deepEqual(attempts, [1, 2, 3]);
  assert.deepEqual(ways, [ways[0], ways[0]]);
});

test('attempts are counted on in the next run, which knows of the earlier ones from the journal', async (t) => {
  const { server } = made(t, { limits: quick });
  const attempts: number[] = [];
  server.tool('work', { task: 'required' }, async (_args, ctx) => {
    const flaky = (): Promise<number> => ctx.once('flaky', ({ attempt }) => {
      attempts.push(attempt);
      if (attempt < 3) throw new Error('no luck');
      return attempt;
    });
    for (let tries = 0; tries < 2; tries++) await flaky().catch(() => {});
    await ctx.elicit('Go on?', {}, go);
    return String(await flaky());
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('work');
  await client.is(id, 'input_required');
  await client.update(id, { go: accept({}) });
  assert.equal(textOf(await client.ended(id)), '3');
  assert.deepEqual(attempts, [1, 2, 3]);
});

test('a question whose text has changed goes out under a new key', async (t) => {
  const { server } = made(t, { limits: quick });
  let asks = 0;
  server.tool('work', { task: 'required' }, async (_args, ctx) => {
    const form = await ctx.elicit(`Try ${++asks > 1 ? 'again' : 'this'}?`, { a: { type: 'string' } }, go);
    return String(form.content?.a);
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('work');
  await client.is(id, 'input_required');
  await client.update(id, { go: accept({ a: 'first' }) });
  const task = await client.when(id, ({ inputRequests }) => inputRequests !== undefined && 'go~2' in (inputRequests as Bag));
  assert.deepEqual(Object.keys(task['inputRequests'] as Bag), ['go~2']);
  await client.update(id, { go: accept({ a: 'old' }), 'go~2': accept({ a: 'second' }) });
  assert.equal(textOf(await client.ended(id)), 'second');
});

test('a generator handler is a task too: its finally runs when a run ends with a question', async (t) => {
  const { ask } = await import('../../src/server/elicitation.ts');
  const { server } = made(t, { limits: quick });
  const log: string[] = [];
  server.tool('work', { task: 'required' }, function* () {
    try {
      const name = yield* ask.text('Name?', { key: 'name' });
      return `Hello ${name}`;
    } finally {
      log.push('finally');
    }
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('work');
  await client.is(id, 'input_required');
  await client.update(id, { name: accept({ value: 'Ann' }) });
  assert.equal(textOf(await client.ended(id)), 'Hello Ann');
  assert.deepEqual(log, ['finally', 'finally']);
});

test('a worker that was stopped while it got its lease begins nothing under it', async (t) => {
  const store = memoryStore();
  const leaseMs = 200;
  let stops = 1;
  const stopped: TaskStore = {
    ...store,
    close: async () => {},
    async lease(id, ms) {
      const found = await store.lease(id, ms);
      // As with SIGSTOP: the answer exists, but is read much later.
      if (found && stops-- > 0) await new Promise((resolve) => setTimeout(resolve, 2 * leaseMs));
      return found;
    },
  };
  const effects: number[] = [];
  const server = new McpServer({ name: 'x', version: '1' });
  server.tool('work', { task: 'required' }, async (_args, ctx) => ctx.once('a', ({ attempt }) => {
    effects.push(attempt);
    return `attempt ${attempt}`;
  }));
  const work = tasks(server, { store: stopped, limits: { ...quick, leaseMs } });
  t.after(() => work.close());
  const client = await ModernTasks.to(server);
  const task = await client.ended(await client.begin('work'));
  assert.equal(textOf(task), 'attempt 2');
  assert.deepEqual(effects, [2]);
});

test('a worker that closes gives its tasks back, and another goes on at once', async (t) => {
  const store = memoryStore();
  const front = order([], 0);
  const desk = tasks(front, { store, work: false });
  t.after(() => desk.close());
  const begun = later<void>();
  const server = new McpServer({ name: 'x', version: '1' }, { onError: () => {} });
  server.tool('order', { task: 'required' }, async (_args, ctx) => {
    begun.resolve();
    await new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error)));
    return 'never';
  });
  // Without the close, the lease would last for an hour.
  const one = runTasks(server, keepOpen(store), { limits: { ...quick, leaseMs: 3_600_000 } });
  const client = await ModernTasks.to(front);
  const id = await client.begin('order');
  await begun.promise;
  await one.close();
  const two = runTasks(order([], 2), store, { limits: quick });
  t.after(() => two.close());
  await client.is(id, 'input_required');
});

test('sealed: the store has nothing that a person said, and other keys open nothing', async (t) => {
  const texts: string[] = [];
  const inner = memoryStore();
  const spied: TaskStore = {
    ...inner,
    create: (task) => inner.create((texts.push(task.head), task)),
    append: (lease, after, records) => inner.append(lease, after, (texts.push(...records), records)),
    release: (lease, after, records, waiting) => inner.release(lease, after, (texts.push(...records), records), waiting),
    answer: (id, answers) => inner.answer(id, (texts.push(...answers.values()), answers)),
    end: (id, end, lease) => inner.end(id, (texts.push(end), end), lease),
  };
  const [oldKey, newKey] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)] as const;
  const { server } = made(t, { store: spied, keys: [newKey, oldKey], limits: quick });
  server.tool('work', { task: 'required', input: { type: 'object', properties: { card: { type: 'string' } } } }, async ({ card }, ctx) => {
    await ctx.once('charge', () => `charged ${card}`);
    const form = await ctx.elicit('Secret?', { secret: { type: 'string' } }, go);
    return `secret ${form.content?.secret}`;
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('work', { card: 'secret-4711' });
  await client.is(id, 'input_required');
  await client.update(id, { go: accept({ secret: 'secret-word' }) });
  assert.equal(textOf(await client.ended(id)), 'secret secret-word');
  assert.ok(texts.length >= 5);
  for (const text of texts) assert.doesNotMatch(text, /secret|Secret|charge|4711/);
  assert.equal((await sealedStore(inner, [newKey]).load(id))?.records.length, 2);
  await assert.rejects(sealedStore(inner, [oldKey]).load(id), /sealed with another key, or moved/);
  const kept = await inner.load(id);
  // A record does not open at another position.
  await assert.rejects(sealedStore({ ...inner, load: async () => kept && { ...kept, records: [...kept.records].reverse() } }, [newKey]).load(id), /another key, or moved/);
  // Nor does a task open for another owner.
  await assert.rejects(sealedStore({ ...inner, load: async () => kept && { ...kept, owner: 'principal:eve' } }, [newKey]).load(id), /another key, or moved/);
  assert.throws(() => sealedStore(inner, [new Uint8Array(16)]), /32 bytes/);
});

test('limits: maxRunning tasks run at a time in one process; the next begins when one has ended', async (t) => {
  const server = new McpServer({ name: 'slow', version: '1' });
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  server.tool('wait', { task: 'required' }, async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running--;
    return 'done';
  });
  const desk = tasks(server, { store: memoryStore(), limits: { ...quick, maxRunning: 1 } });
  t.after(() => desk.close());
  const client = await ModernTasks.to(server);
  const ids = [await client.begin('wait'), await client.begin('wait'), await client.begin('wait')];
  let all = false;
  const ended = Promise.all(ids.map((id) => client.ended(id))).then(() => (all = true));
  while (!all) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  await ended;
  assert.equal(most, 1);
});

const written = { at: 0, run: 1 };
const ended = (key: string, after: number, more: object = {}): JournalRecord => ({ t: 'step', key, value: key, after, ...written, ...more });
const asking = (...keys: string[]): JournalRecord => ({ t: 'ask', questions: {}, asked: Object.fromEntries(keys.map((key) => [key, ['digest', key] as const])), ...written });

/** A replay of these records, what it has given to the handler, and why it has failed. */
function replaying(records: readonly JournalRecord[]) {
  const clock = manualClock();
  const [given, faults]: [string[], string[]] = [[], []];
  const replay = new JournalReplay(records, 1_000, clock, (error) => void faults.push(error.message.replace(/^.*: /, '')));
  const claim = (...keys: string[]): void => keys.forEach((key) => {
    const [t, name] = key.startsWith('?') ? ['question', key.slice(1)] as const : ['step', key] as const;
    void replay.claim(t, name).then((found) => given.push(`${key}${found ? '' : ' anew'}`));
  });
  const turn = async (ms?: number): Promise<string[]> => {
    if (ms !== undefined) clock.tick(clock.now() + ms);
    for (let n = 0; n < 3; n++) await Promise.resolve();
    return given.splice(0);
  };
  return { replay, clock, faults, claim, turn };
}

test('a replay without overlap: each action at once in its order, another one fails at once, and what comes after is new', async () => {
  const records = [ended('a', 0), asking('q'), ended('b', 2)];
  const it = replaying(records);
  assert.deepEqual([it.replay.begun, it.replay.done], [false, false]);
  for (const key of ['a', '?q', 'b']) {
    it.claim(key);
    assert.deepEqual(await it.turn(), [key]);
  }
  it.claim('c');
  assert.deepEqual([await it.turn(), it.replay.begun, it.replay.done, it.replay.missing(), it.clock.waiting], [['c anew'], true, true, undefined, 0]);
  for (const [wrong, before, fault] of [['b', [], 'step "a" was next, and now it is step "b"'], ['x', [], 'step "a" was next, and now it is step "x"'], ['?a', [], 'step "a" was next, and now it is question "a"'], ['b', ['a'], 'question "q" was next, and now it is step "b"']] as const) {
    const other = replaying(records);
    other.claim(...before, wrong);
    assert.deepEqual([await other.turn(), other.faults, other.clock.waiting], [[...before], [fault.replace(/^.*: /, '')], 0], wrong);
  }
});

test('a replay with overlap: in the recorded order, one in each turn, whatever is claimed first; nothing new before, and a missing one is told after its time', async () => {
  // Steps overlapped if one began before all that had ended, if one was still open, or if several questions were open at once.
  for (const records of [[ended('a', 0), ended('b', 0)], [ended('a', 0, { open: { b: 1 } }), ended('b', 1)], [asking('a', 'b')]]) {
    const key = (name: string): string => (records[0]?.t === 'ask' ? `?${name}` : name);
    const it = replaying(records);
    it.claim('new', key('b'));
    assert.deepEqual(await it.turn(), []);
    it.claim(key('a'));
    assert.deepEqual(await it.turn(), [key('a')]);
    it.claim('later');
    assert.deepEqual(await it.turn(), [], 'the handler first does what follows from the step before');
    assert.deepEqual([await it.turn(0), await it.turn(0), await it.turn(0)], [[key('b')], ['new anew'], ['later anew']]);
    assert.deepEqual([it.faults, it.replay.missing(), it.replay.done], [[], undefined, true]);
    const lacking = replaying(records);
    lacking.claim(key('b'));
    assert.deepEqual([await lacking.turn(999), lacking.faults], [[], []]);
    assert.deepEqual([await lacking.turn(1), lacking.faults.length], [[], 1]);
    assert.match(lacking.faults[0] ?? '', /"a" is missing$/);
  }
});

test('an attempt is counted after each run that broke off at its place, and not after one that ended with a question', () => {
  const attempt = (records: readonly JournalRecord[], run: number, after: number, key: string = 'x'): number => new Attempts(records, run).begin(key, after);
  assert.deepEqual([attempt([], 1, 0), attempt([], 2, 0), attempt([], 4, 0)], [1, 2, 4]);
  // Runs 1 and 2 broke off after the step `a`.
  assert.deepEqual([attempt([ended('a', 0)], 3, 1), attempt([ended('a', 0)], 3, 0)], [3, 1]);
  // Run 1 ended with a question: the step after it was never begun. Run 2 broke off.
  assert.deepEqual([attempt([asking('q')], 2, 1), attempt([asking('q')], 3, 1), attempt([ended('a', 0), asking('q')], 2, 2)], [1, 2, 1]);
  assert.equal(attempt([asking('q'), ended('a', 1, { run: 2 })], 3, 2), 2);
  assert.equal(attempt([asking('q'), ended('a', 1, { run: 3 })], 4, 1), 2, 'run 2 broke off before the step `a`');
  // What has thrown, and what was open when another step ended.
  assert.equal(attempt([ended('x', 0, { error: 'no', attempt: 2 })], 1, 1), 3);
  assert.equal(attempt([ended('a', 0, { open: { x: 1 } })], 2, 5), 2);
});

test('a question is recorded with the steps that ran beside it, or without any', async (t) => {
  for (const beside of [true, false]) {
    const store = memoryStore();
    const { server } = made(t, { store });
    let release = (): void => {};
    server.tool('both', { task: 'required' }, async (_args, ctx) => {
      const slow = beside ? ctx.once('slow', () => new Promise<string>((resolve) => (release = () => resolve('slow')))) : 'no step';
      const form = await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' });
      return `${await slow}, ${form.action}`;
    });
    const client = await ModernTasks.to(server);
    const id = await client.begin('both');
    await client.is(id, 'working');
    release();
    await client.is(id, 'input_required');
    const asked = (await store.load(id))?.records.map((text) => JSON.parse(text) as { t: string; overlap?: true }).filter((record) => record.t === 'ask');
    assert.deepEqual(asked?.map(({ overlap }) => overlap), [beside ? true : undefined]);
    await client.update(id, { sure: accept({ sure: true }) });
    assert.equal(textOf(await client.is(id, 'completed')), `${beside ? 'slow' : 'no step'}, accept`);
  }
});

test('where a process only takes calls and another one works, nothing runs here', async (t) => {
  const { work } = made(t, { work: false });
  assert.equal(work.running, 0);
  await work.close();
});
