import assert from 'node:assert/strict';
import test from 'node:test';
import { page } from '../../src/protocol/pagination.ts';

interface Item {
  readonly name: string;
  readonly sequence: number;
}
let sequence = 0;
const item = (name: string): Item => ({ name, sequence: sequence++ });
const names = (items: readonly Item[] = []): string => items.map(({ name }) => name).join('');

// Walks all pages; `between` may change the list after each.
function walk(
  list: Map<string, Item>,
  size: number,
  between: (seen: string) => void = () => undefined,
): string[] {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const got = page(list.values(), cursor, size);
    assert.ok(got);
    pages.push(names(got.items));
    cursor = got.nextCursor;
    between(pages.join(''));
  } while (cursor !== undefined);
  return pages;
}
const listOf = (text: string): Map<string, Item> => new Map([...text].map((name) => [name, item(name)]));

test('pages hold a list in its order, once', () => {
  assert.deepEqual(walk(listOf('abcdefg'), 3), ['abc', 'def', 'g']);
  assert.deepEqual(walk(listOf('abcdef'), 3), ['abc', 'def']);
  assert.deepEqual(walk(listOf('abc'), 1), ['a', 'b', 'c']);
  assert.deepEqual(walk(listOf('abc'), Infinity), ['abc']);
  assert.deepEqual(walk(listOf(''), 3), ['']);
});

test('what is removed between pages hides nothing, the last item of a page included', () => {
  for (const gone of ['a', 'c', 'd', 'abc', 'cd', 'f', 'abcdefg']) {
    const list = listOf('abcdefg');
    const pages = walk(list, 3, () => [...gone].forEach((name) => list.delete(name)));
    const expected = [...'abcdefg'].filter((name) => 'abc'.includes(name) || !gone.includes(name));
    assert.equal(pages.join(''), expected.join(''), gone);
  }
});

test('what is added between pages repeats nothing and comes last', () => {
  const list = listOf('abcdefg');
  assert.deepEqual(
    walk(list, 3, (seen) => seen.length === 3 && list.set('x', item('x'))),
    ['abc', 'def', 'gx'],
  );
});

test('what is updated between pages keeps its place', () => {
  const list = listOf('abcd');
  const update = (): unknown => list.set('a', { name: 'A', sequence: list.get('a')?.sequence ?? -1 });
  assert.deepEqual(walk(list, 2, update), ['ab', 'cd']);
  assert.deepEqual(walk(list, 2), ['Ab', 'cd']);
});

test('another server that registered the same goes on with the same cursor', () => {
  const list = (): Item[] => [...'abcd'].map((name, at) => ({ name, sequence: at }));
  assert.equal(names(page(list(), page(list(), undefined, 2)?.nextCursor, 2)?.items), 'cd');
});

test('a cursor that no page gave is refused', () => {
  const list = [...'abcd'].map((name, at) => ({ name, sequence: at * 1000 }));
  const cursor = page(list, undefined, 2)?.nextCursor ?? '';
  assert.match(cursor, /^[\w-]+$/);
  assert.equal(names(page(list, cursor, 2)?.items), 'cd');
  const bad = [
    '',
    '0',
    'a',
    '1',
    'page2',
    'invalid-cursor',
    'eyJwYWdlIjogM30=',
    '-1',
    '__proto__',
    'NaN',
    'z'.repeat(1e6),
  ];
  const near = [...cursor].flatMap((_, i) => [
    cursor.slice(0, i),
    cursor.slice(0, i) + '_' + cursor.slice(i + 1),
  ]);
  for (const text of [...bad, ...near, ` ${cursor}`, `${cursor} `, cursor.toUpperCase(), `0${cursor}`])
    assert.equal(page(list, text, 2), undefined, text.slice(0, 20));
  for (const other of [null, 0, 1, true, {}, [cursor], { toString: 1 }])
    assert.equal(page(list, other, 2), undefined);
});

test('cursors of high sequence numbers survive', () => {
  for (const high of [0, 1, 46649, 2 ** 31, 2 ** 32 + 1, 2 ** 39]) {
    const list = [high, high + 1].map((at) => ({ name: String(at), sequence: at }));
    const next = page(list, page(list, undefined, 1)?.nextCursor, 1);
    assert.deepEqual(next, { items: [list[1]] });
  }
});
