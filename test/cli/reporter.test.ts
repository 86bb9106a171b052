import assert from 'node:assert/strict';
import test from 'node:test';
import { explainPassing, explainedHttpLines, explainedLines } from '../../src/cli/explainer.ts';
import { createExplainer, quietReporter, watchReporter } from '../../src/cli/reporter.ts';
import type { ExplainedMessage, Reporter, Row } from '../../src/cli/reporter.ts';
import { style } from '../../src/host/node/style.ts';
import type { Style } from '../../src/host/node/style.ts';

// What the tour and trace print: for a person, and as explanations of messages.

/** Paints that show their names, so that a test sees which one was used; they take columns, so only short lines show them. */
const named = Object.fromEntries(['bold', 'dim', 'cyan', 'green', 'red', 'yellow', 'magenta'].map((name) => [name, (text: string) => `<${name} ${text}>`])) as unknown as Style;
const watched = (columns: number, use: (reporter: Reporter) => void, paints: Style = named): string[] => {
  const lines: string[] = [];
  use(watchReporter({ print: (line) => void lines.push(line), style: paints, columns }));
  return lines;
};
const plain = style(false);
const message = (more: Partial<ExplainedMessage> = {}): ExplainedMessage => ({ at: 1_234, direction: 'sent', text: '{"id":1}', message: { id: 1 }, what: 'what it is', section: 'section', ...more });
const row = (more: Partial<Row> = {}): Row => ({ step: 'Ping', outcome: 'ok', detail: 'it is', messages: 2, ms: 1.6, ...more });

test('the tour for a person: titles, steps, parts, notes, problems and results', () => {
  assert.deepEqual(watched(200, (one) => one.walk('T\u001b')), ['', '<bold T\\x1b>', '<bold ═════>', '<dim Each message: the seconds since the start, then → from the client or ← from the server; below it,>', '<dim what it means and the section of the specification.>']);
  assert.deepEqual(watched(20, (one) => one.walk('x'.repeat(30))).slice(2, 4), [`<bold ${'═'.repeat(20)}>`, '<dim Each message: the>']);
  assert.deepEqual(watched(200, (one) => one.step('S', 'words of it')), ['', `<bold ── S ${'─'.repeat(95)}>`, '<dim words of it>']);
  assert.deepEqual(watched(8, (one) => one.step('Long name', 'a bc')), ['', '<bold ── Long name ───>', '<dim a bc>']);
  assert.deepEqual(watched(200, (one) => one.part('p\u001b')), ['', '   <bold p\\x1b>']);
  assert.deepEqual(watched(24, (one) => one.note('one two three\u001b')), ['         <yellow (one two>', '         <yellow three\\x1b)>']);
  assert.deepEqual(watched(200, (one) => one.problem('no\u001b')), ['         <red Problem: no\\x1b>']);
  assert.deepEqual(watched(200, (one) => one.problem('x'.repeat(2_000))), [`         <red Problem:>`, `         <red ${'x'.repeat(2_000)}>`]);
  assert.deepEqual(watched(200, (one) => one.problem('x'.repeat(3_234))).at(-1), '         <red 1,234 characters more>');
  assert.match(watched(Infinity, (one) => one.problem('x'.repeat(3_234)))[0] ?? '', /^ {9}<red Problem: x{2000}… 1,234 characters more>$/);
  assert.deepEqual(watched(40, (one) => one.stderr('a\u001b')), ['         <dim stderr │ a\\x1b>']);
  assert.deepEqual(watched(28, (one) => one.stderr('x'.repeat(20))), [`         <dim stderr │ ${'x'.repeat(9)}…>`]);
  assert.deepEqual(watched(200, (one) => {
    one.result(row());
    one.result(row({ outcome: 'failed', detail: 'no\u001b' }));
    one.result(row({ outcome: 'absent', detail: '' }));
  }), ['   <green ok>  Ping: it is', '   <red failed>  Ping: no\\x1b', '   <dim not there>  Ping']);
  assert.deepEqual(watched(200, (one) => {
    one.end(true, 'good\u001b');
    one.end(false, 'bad');
  }), ['', '<green <bold good\\x1b>>', '', '<magenta <bold bad>>']);
});

test('the tour for a person: a message is one line, cut to the screen, or a line a member; colours say its direction', () => {
  assert.deepEqual(watched(80, (one) => one.message(message())), ['<dim   1.234> <cyan → {"id":1}>', '           what it is  <dim section>']);
  assert.deepEqual(watched(80, (one) => one.message(message({ direction: 'received', at: -5 })))[0], '<dim   0.000> <green ← {"id":1}>');
  assert.deepEqual(watched(80, (one) => one.message(message({ message: { error: {} } })))[0], '<dim   1.234> <red → {"id":1}>');
  assert.deepEqual(watched(80, (one) => one.message(message({ message: undefined })))[0], '<dim   1.234> <red → {"id":1}>');
  assert.deepEqual(watched(25, (one) => one.message(message({ text: `{"id":"${'x'.repeat(9)}"}` })))[0], `<dim   1.234> <cyan → {"id":"${'x'.repeat(7)}…>`);
  // The explanation and its section are one line if they fit, without their colours.
  const fits = message({ what: 'x'.repeat(10), section: 's'.repeat(7) });
  assert.equal(watched(30, (one) => one.message(fits), plain)[1], `           ${'x'.repeat(10)}  ${'s'.repeat(7)}`);
  assert.deepEqual(watched(29, (one) => one.message(fits), plain).slice(1), [`           ${'x'.repeat(10)}`, `           ${'s'.repeat(7)}`]);
  assert.deepEqual(watched(20, (one) => one.message(message({ what: 'one two three' })), plain).slice(1), ['           one two', '           three', '           section']);
  // With unlimited width a message of more than 100 characters gets a line for each member.
  const long = (count: number): ExplainedMessage => message({ text: 'y'.repeat(count), message: { a: '\u001b' } });
  assert.deepEqual(watched(Infinity, (one) => one.message(long(101))).slice(0, 3), ['<dim   1.234> <cyan → {>', '          <cyan   "a": "\\u001b">', '          <cyan }>']);
  assert.equal(watched(Infinity, (one) => one.message(long(100)))[0], `<dim   1.234> <cyan → ${'y'.repeat(100)}>`);
  assert.equal(watched(Infinity, (one) => one.message({ ...long(101), message: undefined })).length, 2);
  assert.equal(watched(500, (one) => one.message(long(101))).length, 2);
  // Over HTTP: the fields of the event.
  assert.equal(watched(80, (one) => one.message(message({ event: { id: 'a\u001b', event: undefined, retry: 5 } })))[0], '          <dim event id: a\\x1b, retry: 5>');
  assert.equal(watched(80, (one) => one.message(message({ event: {} }))).length, 2);
  const head = { at: 1, exchange: 7, lines: ['POST /mcp', `accept: ${'x'.repeat(30)}`], what: 'w', section: 's' } as const;
  assert.deepEqual(watched(40, (one) => one.http({ ...head, direction: 'sent' })), ['<dim   0.001> <magenta → POST /mcp> <dim #7>', `          <dim accept: ${'x'.repeat(21)}…>`, '           w  <dim s>']);
  assert.deepEqual(watched(Infinity, (one) => one.http({ ...head, direction: 'received' })).slice(0, 2), ['<dim   0.001> <magenta ← POST /mcp> <dim #7>', `          <dim accept: ${'x'.repeat(30)}>`]);
});

test('the tour for a person: what is said during a pause is printed once after it', () => {
  const lines = watched(80, (one) => {
    one.pause();
    one.note('a');
  });
  assert.deepEqual(lines, []);
  assert.deepEqual(watched(80, (one) => {
    one.pause();
    one.note('a');
    one.resume();
    one.note('b');
    one.resume();
  }), ['         <yellow (a)>', '         <yellow (b)>']);
});

test('the table at the end, and the quiet tour, which prints only that and problems', () => {
  const rows = [row(), row({ step: 'Gone', outcome: 'failed', detail: 'x\u001b', messages: 0, ms: 5 }), row({ step: 'None', outcome: 'absent', detail: '', messages: 12, ms: 120.5 })];
  const table = ['step  result  messages   ms  what happened', '────  ──────  ────────  ───  ─────────────', 'Ping  ok             2    2  it is', 'Gone  FAILED                 x\\x1b', 'None  –             12  121'];
  assert.deepEqual(watched(200, (one) => one.summary('T\u001b', rows), plain), ['', 'T\\x1b', ...table]);
  assert.match(watched(200, (one) => one.summary('T', rows)).join('\n'), /<bold step>[^]*<green ok>[^]*<red FAILED>[^]*<dim –>/);
  assert.deepEqual([170, 100].map((columns) => Math.max(...watched(columns, (one) => one.summary('T', [row({ detail: 'x'.repeat(300) })]), plain).map(({ length }) => length))), [160, 100]);
  const quiet: string[] = [];
  const one = quietReporter({ print: (line) => void quiet.push(line), style: named, columns: 200 });
  for (const say of [one.walk, one.part, one.note, one.stderr]) say('x');
  one.step('x', 'y');
  one.message(message());
  one.http({ at: 1, exchange: 7, direction: 'sent', lines: [], what: 'w', section: 's' });
  one.result(row());
  one.pause();
  one.problem('no\u001b');
  one.resume();
  one.end(true, 'good\u001b');
  one.end(false, 'bad');
  assert.deepEqual(quiet.splice(0), ['<red Problem: no\\x1b>', '<green good\\x1b>', '<red bad>']);
  quietReporter({ print: (line) => void quiet.push(line), style: plain, columns: 200 }).summary('T', rows);
  assert.deepEqual(quiet, ['T', ...table, '']);
});

const passes = (texts: readonly (readonly ['client' | 'server', unknown])[]): { readonly what: string[]; readonly sections: string[]; readonly revision: string | undefined } => {
  const explained = explainPassing();
  const said = texts.map(([from, value]) => explained(from, typeof value === 'string' ? value : JSON.stringify(value)));
  return { what: said.map(({ what }) => what), sections: said.map(({ section }) => section), revision: explained.revision() };
};

test('trace: an answer is explained by its request, and sections are those of the revision that was agreed', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const answer = { jsonrpc: '2.0', id: 1, result: { tools: [] } };
  const asked = passes([['client', call], ['server', answer], ['server', answer]]);
  assert.notEqual(asked.what[1], asked.what[2], 'the request is forgotten with its answer');
  // Each side has its own requests.
  assert.equal(passes([['server', call], ['server', answer]]).what[1], asked.what[2]);
  assert.equal(passes([['server', call], ['client', answer]]).what[1] === passes([['client', answer]]).what[0], false);
  assert.equal(passes([['client', [call]], ['server', [answer]]]).what.length, 2);
  assert.equal(passes([['client', { ...call, method: 5 }], ['server', answer]]).what[1], asked.what[2]);
  const agreed = (value: object): string | undefined => passes([['server', value]]).revision;
  assert.equal(agreed({ id: 1, result: { protocolVersion: '2025-03-26' } }), '2025-03-26');
  assert.equal(agreed({ id: 1, result: { protocolVersion: '1999-01-01' } }), undefined);
  assert.equal(agreed({ id: 1, result: { protocolVersion: 5 } }), undefined);
  assert.equal(agreed({ id: 1, params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } }), '2026-07-28');
  assert.equal(agreed([{ id: 1, result: { protocolVersion: '2024-11-05' } }] as object), '2024-11-05');
  const sections = passes([['server', { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-03-26' } }], ['client', call]]).sections;
  assert.match(sections[1] ?? '', /^2025-03-26/);
  assert.match(passes([['client', 'no JSON']]).what[0] ?? '', /JSON/);
  assert.notEqual(passes([['client', answer]]).what[0], passes([['server', { jsonrpc: '2.0', id: 1, error: {} }]]).what[0]);
});

test('trace: a message and a head as lines', () => {
  const said = { what: 'what', section: 'where' };
  assert.deepEqual(explainedLines('1.234', 'client', '{}\u001b', said, named, 80), ['<dim   1.234> <cyan → {}\\x1b>', '           what  <dim where>']);
  assert.deepEqual(explainedLines('1.234', 'server', 'x'.repeat(20), said, named, 24), [`<dim   1.234> <green ← ${'x'.repeat(13)}…>`, '           what', '           <dim where>']);
  assert.deepEqual(explainedLines('1.234', 'server', `${'x'.repeat(200)}\u001b`, said, plain, Infinity)[0], `  1.234 ← ${'x'.repeat(200)}\\x1b`);
  assert.deepEqual([22, 21].map((columns) => explainedLines('1', 'client', '', said, plain, columns).length), [2, 3]);
  const head = { kind: 'http', exchange: 3, method: 'POST', path: '/mcp', headers: { accept: 'x' }, at: 0 } as const;
  assert.deepEqual(explainedHttpLines('0.5', { ...head, direction: 'sent' }, said, named, 80), ['<dim     0.5> <magenta → POST /mcp> <dim #3>', '          <dim accept: x>', '           what  <dim where>']);
  assert.match(explainedHttpLines('0.5', { ...head, direction: 'received', status: 200 }, said, plain, 80)[0] ?? '', /← 200 to POST \/mcp #3$/);
});

test('the tour explains an answer by its request, each side for itself, and heads by themselves', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const answer = { jsonrpc: '2.0', id: 1, result: { tools: [] } };
  const explained = createExplainer(100, () => '2025-06-18');
  const see = (direction: 'sent' | 'received', value: unknown): ExplainedMessage => {
    const said = explained({ direction, text: typeof value === 'string' ? value : JSON.stringify(value), at: 130, exchange: 4, event: { id: 'e' } });
    assert.ok(said.kind === 'message');
    return said;
  };
  const unasked = see('received', answer);
  see('sent', [call]);
  const asked = see('received', answer);
  assert.notEqual(asked.what, unasked.what);
  assert.deepEqual([asked.at, asked.direction, asked.message, asked.exchange, asked.event], [30, 'received', answer, 4, { id: 'e' }]);
  assert.match(asked.section, /^2025-06-18/);
  assert.equal(see('sent', { ...answer, id: 9 }).what, see('sent', { ...answer, id: 9 }).what);
  see('received', { ...call, id: 'r' });
  assert.notEqual(see('sent', { ...answer, id: 'r' }).what, see('sent', { ...answer, id: 'x' }).what);
  assert.deepEqual([see('sent', 'no JSON').message, see('sent', 'no JSON').text], [undefined, 'no JSON']);
  const head = explained({ kind: 'http', direction: 'sent', exchange: 3, method: 'POST', path: '/mcp', headers: { accept: 'x' }, at: 101 });
  assert.ok(head.kind === 'http');
  assert.deepEqual([head.at, head.direction, head.exchange, head.lines, head.section.slice(0, 10)], [1, 'sent', 3, ['POST /mcp', 'accept: x'], '2025-06-18']);
});
