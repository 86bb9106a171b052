import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { Undeliverable } from '../../src/fleet/index.ts';
import { relayEngine } from '../../src/fleet/node/relay-engine.ts';
import type { FromRelay, Port, ToRelay } from '../../src/fleet/node/relay-engine.ts';
import { createRelay } from '../../src/fleet/node/relay.ts';
import type { Relay } from '../../src/fleet/node/relay.ts';
import { pass } from '../mock-clock.ts';
import { turn } from './scheduled-engine.ts';

// A relay, and an engine over a relay, by their messages and the manual clock.

interface End {
  readonly heard: FromRelay[];
  say(message: ToRelay): FromRelay[];
  readonly detach: () => void;
}

/** One process of a relay. */
function attach(relay: Relay): End {
  const heard: FromRelay[] = [];
  let listener: (message: ToRelay) => void = () => assert.fail('nobody listens');
  const detach = relay.attach({ send: (message) => void heard.push(message), listen: (given) => void (listener = given) });
  return {
    heard, detach,
    /** Returns what has come since, synchronously. */
    say(message) {
      const before = heard.length;
      listener(message);
      return heard.slice(before);
    },
  };
}


test('a lease that is not renewed ends after its time; whoever renews it later has lost it, and has it again', () => {
  const clock = manualClock(5000);
  const relay = createRelay(['k'], 1000, clock);
  const [one, other] = [attach(relay), attach(relay)];
  assert.deepEqual(one.say({ kind: 'join', n: 1, name: 'a' }), [{ kind: 'done', n: 1, leaseMs: 1000 }]);
  assert.deepEqual(other.say({ kind: 'join', n: 1, name: 'b' }), [{ kind: 'done', n: 1, leaseMs: 1000 }]);
  assert.deepEqual(other.say({ kind: 'join', n: 2, name: 'a' }), [{ kind: 'done', n: 2, fault: 'the name a is taken' }]);
  pass(clock, 600);
  assert.deepEqual(other.say({ kind: 'renew', name: 'b' }), []);
  // Another process cannot renew it.
  assert.deepEqual(other.say({ kind: 'renew', name: 'a' }), []);
  assert.deepEqual(other.say({ kind: 'renew', name: 'nobody' }), []);
  pass(clock, 399);
  assert.deepEqual(other.say({ kind: 'gone', n: 3, names: ['a', 'b', 'c'] }), [{ kind: 'done', n: 3, names: ['c'] }]);
  pass(clock, 1);
  assert.deepEqual(other.say({ kind: 'gone', n: 4, names: ['a', 'b'] }), [{ kind: 'done', n: 4, names: ['a'] }]);
  assert.deepEqual(other.say({ kind: 'send', n: 5, to: 'a', text: 'x' }), [{ kind: 'done', n: 5, fault: 'undeliverable' }]);
  assert.deepEqual(one.say({ kind: 'renew', name: 'a' }), [{ kind: 'lost', name: 'a' }]);
  assert.deepEqual(one.say({ kind: 'renew', name: 'a' }), []);
  const before = one.heard.length;
  assert.deepEqual(other.say({ kind: 'send', n: 6, to: 'a', text: 'x' }), [{ kind: 'done', n: 6 }]);
  assert.deepEqual(one.heard.slice(before), [{ kind: 'message', name: 'a', text: 'x' }]);
  // A name whose lease is out may be taken.
  pass(clock, 1000);
  assert.deepEqual(other.say({ kind: 'join', n: 7, name: 'a' }), [{ kind: 'done', n: 7, leaseMs: 1000 }]);
  assert.deepEqual(one.say({ kind: 'renew', name: 'a' }), []);
});

test('what is told reaches all that have joined; whoever leaves or has gone is known no more', () => {
  const relay = createRelay(['k', 'l'], 1000, manualClock());
  const [one, other, third] = [attach(relay), attach(relay), attach(relay)];
  assert.deepEqual(third.say({ kind: 'keys', n: 9 }), [{ kind: 'done', n: 9, keys: ['k', 'l'] }]);
  for (const name of ['a', 'b']) one.say({ kind: 'join', n: 1, name });
  other.say({ kind: 'join', n: 1, name: 'c' });
  assert.deepEqual(one.say({ kind: 'tell', n: 2, topic: 't', text: 'x' }), [
    ...['a', 'b'].map((name) => ({ kind: 'told', name, topic: 't', text: 'x' })), { kind: 'done', n: 2 },
  ]);
  assert.deepEqual(other.heard.at(-1), { kind: 'told', name: 'c', topic: 't', text: 'x' });
  assert.equal(third.heard.length, 1);
  // Only its own process gives a name back.
  assert.deepEqual(other.say({ kind: 'leave', n: 3, name: 'a' }), [{ kind: 'done', n: 3 }]);
  assert.deepEqual(other.say({ kind: 'gone', n: 4, names: ['a', 'b'] }), [{ kind: 'done', n: 4, names: [] }]);
  assert.deepEqual(other.say({ kind: 'leave', n: 8, name: 'nobody' }), [{ kind: 'done', n: 8 }]);
  one.say({ kind: 'leave', n: 5, name: 'a' });
  assert.deepEqual(other.say({ kind: 'gone', n: 6, names: ['a', 'b'] }), [{ kind: 'done', n: 6, names: ['a'] }]);
  const [before, own] = [other.heard.length, one.heard.length];
  one.detach();
  one.detach();
  assert.deepEqual(other.heard.slice(before), [{ kind: 'left', name: 'c', process: 'b' }]);
  assert.equal(one.heard.length, own);
  assert.deepEqual(other.say({ kind: 'gone', n: 7, names: ['b', 'c'] }), [{ kind: 'done', n: 7, names: ['b'] }]);
});

test('the stores of a relay answer with the result, or with the fault', async () => {
  const clock = manualClock();
  const one = attach(createRelay(['k'], 1000, clock));
  const keep = async (n: number, method: string, ...args: unknown[]): Promise<FromRelay[]> => {
    const before = one.heard.length;
    // As JSON, an undefined owner arrives as null.
    one.say(JSON.parse(JSON.stringify({ kind: 'keep', n, call: { method, args: args.map((arg) => arg ?? null) } })) as ToRelay);
    await turn();
    return one.heard.slice(before);
  };
  const done = (n: number, value?: unknown): object => ({ kind: 'done', n, value });
  assert.deepEqual(await keep(1, 'create', 's', undefined, 'text', 100), [done(1)]);
  assert.deepEqual(await keep(2, 'create', 's', undefined, 'text', 100), [{ kind: 'done', n: 2, fault: 'the session s exists already' }]);
  assert.deepEqual(await keep(3, 'create', 'o', 'ada', 'text', 100), [done(3)]);
  assert.deepEqual(await keep(4, 'of', 'ada'), [done(4, ['o'])]);
  assert.deepEqual(await keep(5, 'load', 's'), [done(5, { text: 'text', version: 1 })]);
  assert.deepEqual(await keep(6, 'touch', 's', 200), [done(6, true)]);
  assert.deepEqual(await keep(7, 'replace', 's', 1, 'new'), [done(7, true)]);
  assert.deepEqual(await keep(8, 'load', 's'), [done(8, { text: 'new', version: 2 })]);
  const part = { session: 's', stream: 'a-1', head: 'h', first: 1, texts: ['x'], over: true, ttlMs: 100 };
  assert.deepEqual(await keep(9, 'append', part), [done(9)]);
  assert.deepEqual(await keep(10, 'after', 's', 'a-1', 0), [done(10, { head: 'h', texts: ['x'], over: true })]);
  assert.deepEqual(await keep(11, 'drop', 's'), [done(11)]);
  assert.deepEqual(await keep(12, 'after', 's', 'a-1', 0), [done(12)]);
  assert.deepEqual(await keep(13, 'spend', 'state', 'x', 50), [done(13, true)]);
  assert.deepEqual(await keep(14, 'spend', 'state', 'x', 50), [done(14, false)]);
  // By the clock of the relay.
  pass(clock, 150);
  assert.deepEqual(await keep(15, 'load', 'o'), [done(15)]);
  assert.deepEqual(await keep(16, 'delete', 's'), [done(16, true)]);
  assert.deepEqual(await keep(17, 'spend', 'state', 'x', 500), [done(17, true)]);
});

/** An engine whose relay the test plays. */
function played(answerMs: number = 400) {
  const clock = manualClock();
  const said: ToRelay[] = [];
  let hear: (message: FromRelay) => void = () => assert.fail('nobody listens');
  const broken: { with?: Error } = {};
  const port: Port<FromRelay, ToRelay> = {
    send(message) {
      if (broken.with) throw broken.with;
      said.push(message);
    },
    listen: (listener) => void (hear = listener),
  };
  const engine = relayEngine(port, answerMs, clock);
  return { clock, said, engine, broken, hear: (message: FromRelay) => hear(message) };
}

test('an engine over a relay numbers its calls, and takes each answer once and in time', async () => {
  const { clock, said, engine, hear, broken } = played();
  const keys = engine.keys();
  const other = engine.keys();
  assert.deepEqual(said, [{ kind: 'keys', n: 1 }, { kind: 'keys', n: 2 }]);
  hear({ kind: 'done', n: 2, keys: ['AQI=', 'AwQ='] });
  hear({ kind: 'done', n: 7 });
  assert.deepEqual(await other, [new Uint8Array([1, 2]), new Uint8Array([3, 4])]);
  const refused = assert.rejects(keys, { message: 'the relay did not answer within 400 ms: does the primary process call clusterRelay()?' });
  pass(clock, 400);
  await refused;
  // The answer is late, and nobody waits for it.
  hear({ kind: 'done', n: 1, keys: [] });
  assert.equal(clock.waiting, 0, 'an answer stops its timer');
  const without = engine.keys();
  hear({ kind: 'done', n: 3 });
  assert.deepEqual(await without, []);
  const failed = engine.keys();
  hear({ kind: 'done', n: 4, fault: 'undeliverable' });
  await assert.rejects(failed, (error: Error) => !(error instanceof Undeliverable) && error.message === 'undeliverable');
  broken.with = new Error('the channel is closed');
  await assert.rejects(engine.keys(), /the channel is closed/);
  assert.equal(clock.waiting, 0, 'a call that was not sent leaves no timer');
});

test('an engine over a relay renews its lease three times per lease, until it leaves or the channel has closed', async () => {
  const { clock, said, engine, hear, broken } = played();
  const join = async (n: number, name: string) => {
    const joined = engine.join(name);
    hear({ kind: 'done', n, leaseMs: 900 });
    return joined;
  };
  const bus = await join(1, 'a');
  assert.equal(bus.leaseMs, 900);
  await assert.rejects(engine.join('a'), { message: 'the name a is taken' });
  const renewals = (): number => said.splice(0).filter(({ kind }) => kind === 'renew').length;
  renewals();
  pass(clock, 299);
  assert.equal(renewals(), 0);
  pass(clock, 1);
  assert.deepEqual(said.splice(0), [{ kind: 'renew', name: 'a' }]);
  pass(clock, 300);
  assert.equal(renewals(), 1);
  const left = bus.leave();
  assert.deepEqual(said.splice(0), [{ kind: 'leave', n: 2, name: 'a' }]);
  hear({ kind: 'done', n: 2 });
  await left;
  assert.equal(clock.waiting, 0);
  // A name that was given back, or that the relay refused, may be tried again.
  const refused = engine.join('a');
  hear({ kind: 'done', n: 3, fault: 'the name a is taken' });
  await assert.rejects(refused, /taken/);
  await join(4, 'a');
  broken.with = new Error('closed');
  pass(clock, 300);
  assert.equal(clock.waiting, 0, 'nothing is renewed over a closed channel');
});

test('an engine over a relay hands each message to its process, also those that come before its handler', async () => {
  const { said, engine, hear } = played();
  const joining = [engine.join('a'), engine.join('b')];
  for (const n of [1, 2]) hear({ kind: 'done', n, leaseMs: 900 });
  const [one, other] = await Promise.all(joining);
  const heard: string[] = [];
  hear({ kind: 'message', name: 'a', text: '1' });
  hear({ kind: 'told', name: 'a', topic: 't', text: '2' });
  hear({ kind: 'message', name: 'nobody', text: 'x' });
  const handler = (name: string) => ({
    message: (text: string) => heard.push(`${name} message ${text}`), told: (topic: string, text: string) => heard.push(`${name} told ${topic} ${text}`),
    gap: () => heard.push(`${name} gap`), lost: () => heard.push(`${name} lost`),
  });
  one?.receive({ ...handler('a'), left: (process) => heard.push(`a left ${process}`) });
  assert.deepEqual(heard.splice(0), ['a message 1', 'a told t 2']);
  // A handler without `left`.
  other?.receive(handler('b'));
  for (const name of ['a', 'b']) {
    hear({ kind: 'left', name, process: 'c' });
    hear({ kind: 'lost', name });
    hear({ kind: 'message', name, text: '3' });
    hear({ kind: 'told', name, topic: 't', text: '4' });
  }
  assert.deepEqual(heard, ['a left c', 'a lost', 'a message 3', 'a told t 4', 'b lost', 'b message 3', 'b told t 4']);
  said.length = 0;
  const calls = [one?.send('z', 'x'), one?.tell('t', 'y'), one?.gone(['z', 'b']), one?.gone(['q'])];
  assert.deepEqual(said, [
    { kind: 'send', n: 3, to: 'z', text: 'x' }, { kind: 'tell', n: 4, topic: 't', text: 'y' }, { kind: 'gone', n: 5, names: ['z', 'b'] }, { kind: 'gone', n: 6, names: ['q'] },
  ]);
  hear({ kind: 'done', n: 3, fault: 'undeliverable' });
  hear({ kind: 'done', n: 4 });
  hear({ kind: 'done', n: 5, names: ['z'] });
  hear({ kind: 'done', n: 6 });
  const [sent, told, gone, none] = await Promise.allSettled(calls);
  assert.ok(sent?.status === 'rejected' && sent.reason instanceof Undeliverable && sent.reason.process === 'z' && sent.reason.name === 'Undeliverable');
  const later = one?.send('z', 'x');
  hear({ kind: 'done', n: 7, fault: 'another fault' });
  await assert.rejects(async () => later, (error: Error) => !(error instanceof Undeliverable) && error.message === 'another fault');
  assert.deepEqual([told, gone, none], [undefined, ['z'], []].map((value) => ({ status: 'fulfilled', value })));
});
