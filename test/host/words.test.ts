import assert from 'node:assert/strict';
import test from 'node:test';
import { rawWordsOf, stem, tooCommon, wordsOf } from '../../src/host/words.ts';

test('words: names are split where their case changes, and at whatever is no letter and no digit', () => {
  for (const [text, words] of [
    ['createPullRequest', 'create pull request'], ['create_pull-request/now', 'create pull request now'], ['HTMLParser', 'html parser'], ['parseHTML', 'parse html'], ['v2Beta', 'v2 beta'], ['ID', 'id'],
    ["the server's name", 'the server name'], ['the servers’ names', 'the servers names'], ["it's", 'it'], ["o'clock", 'o clock'], ['größeÄndern', 'größe ändern'], ['Zürich 2026', 'zürich 2026'], ['', ''], ['…!', ''],
  ] as const) assert.equal(rawWordsOf(text).join(' '), words, text);
  assert.deepEqual(rawWordsOf(`${'a'.repeat(3_999)} b c`), ['a'.repeat(3_999)]);
});

test('words: what every sentence has is left out of a search, and nothing else', () => {
  assert.deepEqual(wordsOf('Could you please use the files of a repository'), [stem('files'), stem('repository')]);
  for (const word of ['a', 'an', 'from', 'its', 'let', 'would', 'your', 'these']) assert.ok(tooCommon.has(word), word);
  for (const word of ['', 'file', 'all', 'get', 'list']) assert.ok(!tooCommon.has(word), word);
});

test('words: the forms of one word have one stem, and words that only look alike have not', () => {
  for (const forms of [
    'search searches searching searched', 'box boxes', 'match matches matched', 'push pushes pushing pushed', 'quiz quizes', 'class classes', 'file files filing filed', 'query queries', 'plan plans planning planned planner',
    'run running runner', 'stop stopped stopping', 'delete deletes deleted deleting', 'create creates created creator', 'translation translations', 'pay payment payments', 'dark darkness', 'day days',
    'key keys', 'copy copies', 'slow slowly', 'repeated repeatedly', 'edit editor editing', 'commit commits committed', 'log logs logging logger', 'map mapping', 'grab grabbed',
  ]) {
    const stems = new Set(forms.split(' ').map(stem));
    assert.equal(stems.size, 1, `${forms}: ${[...stems].join()}`);
  }
  // Words too short for an ending, and endings that would leave too little.
  assert.deepEqual(['is', 'bus', 'ring', 'bed', 'virus', 'glass', 'free', 'menu'].map(stem), ['is', 'bus', 'ring', 'bed', 'virus', 'glass', 'free', 'menu']);
  assert.deepEqual(['ability', 'city', 'reply', 'play', 'note', 'see', 'falling', 'pressed', 'nations'].map(stem), ['abiliti', 'citi', 'rep', 'play', 'not', 'see', 'fall', 'press', 'nat']);
});
