// indexedDbStore on a third-party implementation of IndexedDB.
import assert from 'node:assert/strict';
import test from 'node:test';
import 'fake-indexeddb/auto';
import { indexedDbStore } from '../../dist/lib/oauth.js';

test('indexedDbStore: texts change only from what was expected, also from two connections at once', async () => {
  const store = indexedDbStore('one');
  const other = indexedDbStore('one');
  assert.equal(await store.get('a'), undefined);
  assert.equal(await store.update('a', 'other', 'x'), false);
  const won = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).update('a', undefined, String(i))));
  assert.equal(won.filter(Boolean).length, 1);
  const text = await other.get('a');
  assert.equal(await store.update('a', text, undefined), true);
  assert.equal(await other.get('a'), undefined);
});

test('indexedDbStore: a key that cannot be read out comes back as it is, and signs', async () => {
  const { keys } = indexedDbStore('two');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const { privateKey } = await crypto.subtle.generateKey(algorithm, false, ['sign']);
  await keys.put('k', { privateKey, jwk: { kty: 'EC' } });
  const kept = await keys.get('k');
  assert.equal(kept.privateKey.extractable, false);
  assert.deepEqual(kept.jwk, { kty: 'EC' });
  await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, kept.privateKey, new Uint8Array(1));
  await keys.delete('k');
  assert.equal(await keys.get('k'), undefined);
});

test('indexedDbStore: a database that is of another kind is named', async () => {
  await new Promise((resolve) => { indexedDB.open('three', 7).onsuccess = resolve; });
  await assert.rejects(indexedDbStore('three').get('a'), { code: 'store_unreadable', message: /the database three/ });
});
