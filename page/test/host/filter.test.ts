// The filter language of the wire, and the addresses of the page: both must handle arbitrary input.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireEntry, WireMessage } from '../../src/messages.ts';
import { hashOf, placeOf, titleOf } from '../../src/ui/address.ts';
import { completions, readFilter } from '../../src/ui/wire/filter-language.ts';

const message = (seq: number, change: Partial<WireMessage>): WireEntry => ({
  kind: 'message', seq, at: seq, server: 'one', connection: 1, direction: 'sent', exchange: null, text: '{}', chars: 2, whole: true, shape: 'request',
  method: 'ping', rpcId: String(seq), answers: null, ms: null, sentence: '', section: '', origin: 'peer', event: null, ...change,
});
const entries: readonly WireEntry[] = [
  message(1, { method: 'tools/call', text: '{"a needle":1}', rpcId: '"q 1"' }),
  message(2, { method: 'tools/call', shape: 'error', direction: 'received', ms: 150, chars: 900 }),
  message(3, { method: 'tools/call', shape: 'error', direction: 'received', ms: 50, server: 'two' }),
  message(4, { method: 'tools/list', shape: 'result', direction: 'received', ms: 400 }),
  message(5, { method: 'tools/call', shape: 'result', direction: 'received', ms: 7, text: '{"result":{"isError":true}}' }),
  message(6, { method: 'server/discover', shape: 'error', direction: 'received', ms: 1 }),
  { kind: 'http', seq: 7, at: 7, server: 'one', connection: 1, direction: 'received', exchange: 1, method: 'POST', path: '/mcp', status: 401, headers: {}, sentence: '', section: '' },
];
const textOf = (entry: WireEntry): string => JSON.stringify(entry).toLowerCase();

function found(source: string): number[] {
  const read = readFilter(source, textOf);
  assert.ok(read.ok, read.ok ? '' : read.why);
  return entries.filter(read.test).map(({ seq }) => seq);
}

test('a filter compares, joins, denies and looks for words', () => {
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['', [1, 2, 3, 4, 5, 6, 7]], ['method == tools/call && ms > 100 && error', [2]], ['method == tools/call && error', [2, 3, 5]],
    ['error', [2, 3, 5, 7]], ['"error" server/discover', [6]], ['server == two || ms >= 400', [3, 4]], ['error && !(server == two || http)', [2, 5]],
    ['NEEDLE tools/call', [1]], ['method ~ list', [4]], ['id == "q 1"', [1]], ['status == 401', [7]], ['size > 500', [2]], ['number <= 2 !request', [2]],
    ['direction != received', [1]], ['ms<8', [5, 6]], ['tools/call&&ms>100', [2]], ['__proto__', []], ['"unfinished', []],
  ];
  for (const [source, seqs] of cases) assert.deepEqual(found(source), seqs, source);
});

test('a filter that cannot be read says why', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['constructor == 1', /no field "constructor"/], ['ms >', /value is missing/], ['ms > soon', /needs a number/], ['(error', /not closed/], ['error)', /^Expected the end, got "\)"\.$/],
    ['error &&', /missing at the end/], ['|| error', /^Expected a word, got "\|\|"\.$/], ['('.repeat(100), /too many brackets/], ['!'.repeat(100), /too many "!"/], ['a'.repeat(3_000), /at most 2000/],
  ];
  for (const [source, why] of cases) {
    const read = readFilter(source, textOf);
    assert.ok(!read.ok, source);
    assert.match(read.why, why, source);
  }
});

test('what was typed is completed by names and by values that were seen', () => {
  const ask = (source: string): string[] => completions(source, ['tools/call', 'tools/list'], ['one', 'a server']);
  assert.deepEqual(ask('method == '), ['method == tools/call', 'method == tools/list']);
  assert.deepEqual(ask('error && server == '), ['error && server == one', 'error && server == "a server"']);
  assert.deepEqual(ask('error && m'), ['error && method == ', 'error && ms > ']);
  assert.deepEqual(ask('ms > '), []);
});

test('an address leads where it was made for, and what is no address leads nowhere', () => {
  const args = '{"text":"a b&c=#/%2f","n":1.10}';
  for (const place of [
    { kind: 'wire', seq: 145 }, { kind: 'view', server: 'a/b ?#%', tab: 'tools', name: 'x/y', args }, { kind: 'view', server: 'wire', tab: 'overview', name: '', args: undefined },
    { kind: 'view', server: 'zoo', tab: 'resources', name: 'zoo://a/b?c', args: undefined },
  ] as const) assert.deepEqual(placeOf(hashOf(place)), place);
  for (const hash of ['', '#token=abc', '#/', '#//tools', '#/zoo/nowhere', '#/zoo/tools/a/b', '#/%E0%A4%A/tools', '#/wire/0', `#/zoo/tools/a?args=${'x'.repeat(30_000)}`]) {
    assert.equal(placeOf(hash), undefined, hash.slice(0, 40));
  }
  // Only the address of a tool may have arguments.
  assert.deepEqual(placeOf('#/zoo/prompts/a?args={}'), { kind: 'view', server: 'zoo', tab: 'prompts', name: 'a', args: undefined });
  assert.equal(titleOf({ server: 'zoo', tab: 'tools', name: 'echo' }), 'echo · zoo · barewire');
});
