import assert from 'node:assert/strict';
import test from 'node:test';
import { changeIn, sessionSettings } from '../../src/fleet/session-settings.ts';
import { readRecord, writeRecord } from '../../src/fleet/session-records.ts';
import type { StoredRecord } from '../../src/fleet/session-records.ts';
import type { Decoded, Request } from '../../src/jsonrpc/message.ts';
import { randomOf } from '../random.ts';

const empty: StoredRecord = {
  agreed: { version: '2025-11-25', client: { name: 'c', version: '1' }, capabilities: {} },
  principal: undefined, level: undefined, watched: [], opened: 0, listener: undefined,
};
const request = (method: string, params: Record<string, unknown>): Request => ({ jsonrpc: '2.0', id: 1, method, params });
const subscribe = (uri: string): Request => request('resources/subscribe', { uri });
const unsubscribe = (uri: string): Request => request('resources/unsubscribe', { uri });

/** A session that performs settings requests, and throws on a repeated one. */
function openSession(id: string) {
  const watched = new Set<string>();
  const levels: string[] = [];
  const peer = {
    receive(decoded: Decoded): void {
      assert.equal(decoded.kind, 'request');
      if (decoded.kind !== 'request') return;
      const { method, params = {} } = decoded.message;
      const uri = String(params['uri']);
      if (method === 'logging/setLevel') levels.push(String(params['level']));
      else if (method === 'resources/subscribe') assert.ok(!watched.has(uri) && watched.add(uri), `${uri} is watched twice`);
      else assert.ok(watched.delete(uri), `${uri} was not watched`);
    },
  };
  return { session: { id, peer }, watched, levels };
}

test('a record is read as it was written, and what another program wrote in its place is refused', () => {
  const full: StoredRecord = { ...empty, principal: 'ada', level: 'info', watched: ['a', 'b'], opened: 7, listener: { process: 'p', stream: 's', replaced: ['q'] } };
  for (const record of [empty, full, { ...full, listener: { process: 'p', stream: 's' } }]) assert.deepEqual(readRecord(writeRecord(record)), record);
  const { agreed, listener } = full;
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    agreed: [undefined, null, 'x', ...Object.keys(agreed).flatMap((name) => [undefined, 5, null].map((value) => ({ ...agreed, [name]: value })))],
    principal: [5, null, {}], level: ['loud', 5, null], watched: [undefined, null, 'a', {}, [5], ['a', null]], opened: [undefined, '7', null],
    listener: [5, null, 'x', {}, ...['process', 'stream'].flatMap((name) => [undefined, 5, null].map((value) => ({ ...listener, [name]: value }))), ...['q', null, [5], ['q', {}]].map((replaced) => ({ ...listener, replaced }))],
  };
  for (const [name, values] of Object.entries(wrong)) for (const value of values) {
    const text = JSON.stringify({ ...full, [name]: value });
    assert.throws(() => readRecord(text), /the record of a session in the store is malformed/, text);
  }
  for (const text of ['null', '[]', '5', '"x"', '{}']) assert.throws(() => readRecord(text), /the record of a session in the store is malformed/, text);
});

test('what a request changes in the record', () => {
  const level = changeIn(request('logging/setLevel', { level: 'debug' }));
  assert.equal(level?.(empty).level, 'debug');
  assert.equal(changeIn(request('logging/setLevel', { level: 'loud' }))?.({ ...empty, level: 'error' }).level, 'error');
  assert.deepEqual(changeIn(subscribe('a'))?.({ ...empty, watched: ['a', 'b'] }).watched, ['b', 'a']);
  assert.deepEqual(changeIn(unsubscribe('a'))?.({ ...empty, watched: ['a', 'b'] }).watched, ['b']);
  assert.deepEqual(changeIn({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe' })?.(empty).watched, ['undefined']);
  assert.equal(changeIn({ jsonrpc: '2.0', id: 1, method: 'logging/setLevel' })?.({ ...empty, level: 'error' }).level, 'error');
  for (const method of ['tools/call', 'initialize', 'resources/read', 'x/resources/subscribe', 'resources/subscribed', 'resources/ununsubscribe']) assert.equal(changeIn(request(method, {})), undefined);
});

test('a session without a GET stream here is told the level alone; with one, what it missed', () => {
  const listening = new Set<string>();
  let ids = 0;
  const settings = sessionSettings(() => `x-${++ids}`, (id) => listening.has(id));
  const { session, watched, levels } = openSession('s');
  assert.equal(settings.has(session), false);
  // It subscribes to nothing.
  settings.served(session, request('logging/setLevel', { level: 'debug' }));
  assert.equal(settings.has(session), false);
  settings.apply(session, { ...empty, level: 'info', watched: ['a'] });
  assert.deepEqual([settings.has(session), levels, [...watched]], [true, ['info'], []]);
  listening.add('s');
  settings.apply(session, { ...empty, level: 'info', watched: ['a', 'b'] });
  settings.apply(session, { ...empty, level: 'error', watched: ['b'] });
  assert.deepEqual([levels, [...watched]], [['info', 'error'], ['b']]);
});

test('whichever process serves the requests, and whenever records come, the session watches what its record says', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed);
    let listens = false;
    const settings = sessionSettings(() => 'id', () => listens);
    const { session, watched } = openSession('s');
    let record = empty;
    settings.apply(session, record);
    for (let step = 0; step < 40; step++) {
      const uri = ['a', 'b', 'c'][Math.floor(random() * 3)] as string;
      const on = !record.watched.includes(uri);
      const message = on ? subscribe(uri) : unsubscribe(uri);
      record = changeIn(message)?.(record) ?? record;
      if (random() < 0.5) {
        // A request served in this process changes the session before its record. Without a listener it may be repeated.
        if (on) watched.add(uri);
        else watched.delete(uri);
        settings.served(session, message);
      }
      if (random() < 0.3) listens = !listens;
      settings.apply(session, record);
      if (listens) assert.deepEqual([...watched].toSorted(), [...record.watched].toSorted(), `seed ${seed}`);
    }
  }
});
