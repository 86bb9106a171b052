import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test from 'node:test';
import { showContents, showPrompt, showResult } from '../../src/cli/output.ts';
import type { Output } from '../../src/cli/output.ts';
import { pipedContents, pipedPrompt, pipedResult } from '../../src/cli/piped.ts';
import { progressBar } from '../../src/cli/progress-bar.ts';
import { described, renderBlock, renderContents, renderPrompt, renderResult, renderStructured, textLines } from '../../src/cli/render.ts';
import { style } from '../../src/host/node/style.ts';
import type { Style } from '../../src/host/node/style.ts';
import type { ContentBlock } from '../../src/protocol/content.ts';

// Results as lines for a person, and unchanged for a pipe.
const named = Object.fromEntries(['bold', 'dim', 'red', 'yellow'].map((name) => [name, (text: string) => `<${name} ${text}>`])) as unknown as Style;
const how = { style: named, columns: 80, save: undefined };
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const text = (words: string): ContentBlock => ({ type: 'text', text: words });
const picture: ContentBlock = { type: 'image', mimeType: 'image/png', data: base64('png') };
const sound: ContentBlock = { type: 'audio', mimeType: 'audio/x\u001b', data: base64('s') };
const film = { type: 'film', reel: 1 } as unknown as ContentBlock;
const blob: ContentBlock = { type: 'resource', resource: { uri: 'a:b', blob: base64('12') } };
const link: ContentBlock = { type: 'resource_link', uri: 'a:\u001b', name: 'n', title: 'T' };
const inner: ContentBlock = { type: 'resource', resource: { uri: 'a:\u001b', text: 'x\ny' } };

test('each kind of content as lines', () => {
  assert.deepEqual(textLines('a\r\nb\tc\u001b\n\n\rd'), ['a', 'b\tc\\x1b', '', '\\rd']);
  for (const [block, lines] of [
    [text('a\nb'), ['a', 'b']], [picture, ['<dim [image image/png, 3 bytes; --save FOLDER keeps it]>']], [sound, ['<dim [audio audio/x\\x1b, 1 bytes; --save FOLDER keeps it]>']], [film, ['{"type":"film","reel":1}']],
    [link, ['<bold T>  a:\\x1b']], [{ ...link, title: undefined }, ['<bold n>  a:\\x1b']], [inner, ['<dim a:\\x1b>', 'x', 'y']], [blob, ['<dim a:b>', '<dim [blob , 2 bytes; --save FOLDER keeps it]>']],
    [{ type: 'resource', resource: { uri: 'a:b', mimeType: 'x/y', blob: base64('12') } }, ['<dim a:b>', '<dim [blob x/y, 2 bytes; --save FOLDER keeps it]>']],
  ] as const) assert.deepEqual(renderBlock(block, how), lines);
  assert.equal(described('blob', 'x/y', base64('x'.repeat(1_234))), 'blob x/y, 1,234 bytes');
  assert.deepEqual(renderContents({ contents: [{ uri: 'a:b', text: 'x' }] }, how), ['x']);
  assert.deepEqual(renderContents({ contents: [{ uri: 'a:b', text: 'x' }, { uri: 'a:\u001b', blob: base64('1') }] }, how), ['<dim a:b>', 'x', '<dim a:\\x1b>', '<dim [blob , 1 bytes; --save FOLDER keeps it]>']);
  assert.deepEqual(renderPrompt({ messages: [{ role: 'user', content: text('a\nb') }], description: 'D\u001b' }, how), ['<dim D\\x1b>', '<bold user:>', '  a', '  b']);
  assert.deepEqual(renderPrompt({ messages: [] }, how), []);
});

test('binary content is saved under names of our own, which tell its type', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-render-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const save = join(folder, 'a', 'b');
  for (const [mimeType, ending] of [
    ['image/png', 'png'], ['image/jpeg', 'jpg'], ['image/gif', 'gif'], ['image/webp', 'webp'], ['image/svg+xml', 'svg'], ['audio/wav', 'wav'], ['audio/mpeg', 'mp3'], ['audio/ogg', 'ogg'], ['application/pdf', 'pdf'], ['application/json', 'json'], ['../x', 'bin'],
    // Names that every object has.
    ...['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((name) => [name, 'bin'] as const),
  ] as const) {
    const [line = ''] = renderBlock({ type: 'image', mimeType, data: base64(mimeType) }, { ...how, save });
    const [, file = ''] = /^<dim \[image .* bytes\]> (.*)$/.exec(line) ?? [];
    assert.match(basename(file), new RegExp(`^image-\\d+\\.${ending}$`));
    assert.equal(readFileSync(file, 'utf8'), mimeType);
  }
  const { out, notes } = pipedResult({ content: [picture, sound, blob] }, save);
  assert.deepEqual([out.map((file) => basename(String(file)).replace(/\d+/, 'N')), notes], [['image-N.png\n', 'audio-N.bin\n', 'blob-N.bin\n'], []]);
  const kept = pipedContents({ contents: [{ uri: 'a:b', blob: base64('1') }] }, save);
  assert.match(String(kept.out[0]), /blob-\d+\.bin\n$/);
  // Files and links that are there, such as those of a repository, stay as they were.
  const [, last = ''] = /-(\d+)\./.exec(String(kept.out[0])) ?? [];
  const at = (number: number): string => join(save, `blob-${number}.bin`);
  writeFileSync(at(Number(last) + 1), 'theirs');
  writeFileSync(join(folder, 'precious'), 'precious');
  symlinkSync(join(folder, 'precious'), at(Number(last) + 2));
  symlinkSync(join(folder, 'nothing'), at(Number(last) + 3));
  assert.equal(pipedContents({ contents: [{ uri: 'a:b', blob: base64('new') }] }, save).out[0], `${at(Number(last) + 4)}\n`);
  assert.deepEqual([at(Number(last) + 1), join(folder, 'precious'), at(Number(last) + 4)].map((file) => readFileSync(file, 'utf8')), ['theirs', 'precious', 'new']);
  assert.ok(!existsSync(join(folder, 'nothing')));
});

test('structured content: in the place of a text that repeats it, with a hint beside another text', () => {
  const value = { a: 1 };
  const table = ['<bold name>  <bold value>', '────  ─────', 'a     1'];
  assert.deepEqual(renderResult({ content: [text('x'), text('y')] }, how), ['x', 'y']);
  assert.deepEqual(renderResult({ content: [], structuredContent: value }, how), table);
  assert.deepEqual(renderResult({ content: [picture, text('{ "a": 1 }')], structuredContent: value }, how), ['<dim [image image/png, 3 bytes; --save FOLDER keeps it]>', ...table]);
  const hint = '<dim The result also has structured content: --json shows it.>';
  for (const texts of [['{"a":2}'], ['no JSON'], ['{"a":1}', '{"a":1}']]) assert.deepEqual(renderResult({ content: texts.map(text), structuredContent: value }, how), [...texts, hint]);
  assert.deepEqual(renderResult({ content: [picture], structuredContent: value }, how).length, 4);
});

test('structured content as a table: a list of objects, or one object of simple values', () => {
  const rows = ['<bold a>  <bold b\\x1b>', '─  ───────', '1  x', '   {"c":1}'];
  const list = [{ a: 1, 'b\u001b': 'x' }, { 'b\u001b': { c: 1 } }];
  assert.deepEqual(renderStructured(list, how), rows);
  assert.deepEqual(renderStructured({ list }, how), rows);
  const asJson = (value: unknown): void => assert.deepEqual(renderStructured(value, how), JSON.stringify(value, null, 2).split('\n'));
  for (const value of [{ list, more: 1 }, { list: [] }, { list: [1] }, { list: [{}, 1] }, { a: { b: 1 } }, [], 'x', 5, null]) asJson(value);
  assert.deepEqual(renderStructured({ a: null, b: '\u001b', c: true }, how).slice(2), ['a     null', 'b     \\x1b', 'c     true']);
  assert.deepEqual(renderStructured({ a: { b: '\u009b' } }, how)[2], '    "b": "\\x9b"');
  const many = (rowCount: number, columns: number): object => ({ rows: Array.from({ length: rowCount }, () => Object.fromEntries(Array.from({ length: columns }, (_, at) => [`c${at}`, 1]))) });
  const left = (value: object, columns: number): string => renderStructured(value, { ...how, columns }).at(-1) ?? '';
  assert.doesNotMatch(left(many(1_000, 1), 80), /left out/);
  assert.equal(left(many(1_001, 1), 80), '<yellow … 1 rows more were left out; --json, or a pipe, gets all.>');
  assert.equal(left(many(2_234, 1), 80), '<yellow … 1,234 rows more were left out; --json, or a pipe, gets all.>');
  // A column has at least six characters and two blanks.
  assert.doesNotMatch(left(many(1, 3), 22), /left out/);
  assert.equal(left(many(1, 3), 21), '<yellow … 1 columns (c2) more were left out; --json, or a pipe, gets all.>');
  assert.match(left(many(1, 23), 6), /… 22 columns \(c1, .*, c20\) more/);
  assert.match(left(many(1, 23), 1), /… 22 columns/);
});

test('a result for a pipe: texts and links, structured content where there is no text, and notes of the rest', () => {
  assert.deepEqual(pipedResult({ content: [text('a\u001b'), link, inner, film, picture] }, undefined), { out: ['a\u001b\n', 'a:\u001b\n', 'x\ny\n', '{"type":"film","reel":1}\n'], notes: ['left out: image image/png, 3 bytes; --save FOLDER keeps it'] });
  assert.deepEqual(pipedResult({ content: [picture], structuredContent: { a: 1 } }, undefined).out, ['{"a":1}\n']);
  assert.deepEqual(pipedResult({ content: [text('x')], structuredContent: { a: 1 } }, undefined).out, ['x\n']);
  assert.deepEqual(pipedResult({ content: [] }, undefined), { out: [], notes: [] });
  assert.deepEqual(pipedPrompt({ messages: [{ role: 'user', content: text('a') }], description: 'D\u001b' }, undefined), { out: ['a\n'], notes: ['D\\x1b'] });
  assert.deepEqual(pipedPrompt({ messages: [{ role: 'user', content: text('a') }, { role: 'assistant', content: picture }] }, undefined), { out: ['user:\n', 'a\n', 'assistant:\n'], notes: ['left out: image image/png, 3 bytes; --save FOLDER keeps it'] });
  const one = { uri: 'a:b', blob: base64('1') };
  assert.deepEqual(pipedContents({ contents: [one] }, undefined), { out: [Buffer.from('1')], notes: [] });
  assert.deepEqual(pipedContents({ contents: [one, { ...one, mimeType: 'x/y' }] }, undefined), { out: [], notes: ['left out: blob , 1 bytes; --save FOLDER keeps it', 'left out: blob x/y, 1 bytes; --save FOLDER keeps it'] });
  assert.deepEqual(pipedContents({ contents: [{ uri: 'a:b', text: 'x' }] }, undefined), { out: ['x\n'], notes: [] });
});

test('a result goes to JSON, to a pipe, into a frame or onto the screen; that of an error is red', () => {
  const shown = (more: Partial<Output>, use: (output: Output) => void): string[] => {
    const lines: string[] = [];
    use({ json: false, piped: false, render: how, write: (bytes) => void lines.push(`write ${String(bytes)}`), print: (line) => void lines.push(line), note: (line) => void lines.push(`note ${line}`), ...more });
    return lines;
  };
  const result = { content: [text('a')] };
  assert.deepEqual(shown({ json: true, piped: true }, (one) => showResult(one, result)), ['{"content":[{"type":"text","text":"a"}]}']);
  assert.deepEqual(shown({ piped: true }, (one) => showResult(one, { content: [text('a'), picture] })), ['write a\n', 'note left out: image image/png, 3 bytes; --save FOLDER keeps it']);
  assert.deepEqual(shown({}, (one) => showResult(one, result)), ['a']);
  assert.deepEqual(shown({}, (one) => showResult(one, { ...result, isError: true })), ['<red a>']);
  const frame = { columns: 80, dim: named.dim };
  assert.deepEqual(shown({ frame }, (one) => showResult(one, { content: [link] })), ['<dim │> T  a:\\x1b']);
  assert.deepEqual(shown({ frame }, (one) => showResult(one, { ...result, isError: true })), ['<dim │> <red a>']);
  // The frame takes three columns.
  const wide = { rows: [{ a: 'x'.repeat(90) }] };
  assert.deepEqual(shown({ frame }, (one) => showResult(one, { content: [], structuredContent: wide }))[1]?.replace('<dim │> ', '').length, 77);
  assert.deepEqual(shown({}, (one) => showContents(one, { contents: [{ uri: 'a:b', text: 'x' }] })), ['x']);
  assert.deepEqual(shown({ piped: true }, (one) => showContents(one, { contents: [{ uri: 'a:b', text: 'x' }] })), ['write x\n']);
  assert.deepEqual(shown({}, (one) => showPrompt(one, { messages: [{ role: 'user', content: text('x') }] })), ['<bold user:>', '  x']);
  assert.deepEqual(shown({ piped: true }, (one) => showPrompt(one, { messages: [{ role: 'user', content: text('x') }] })), ['write x\n']);
});

test('progress: a bar at a terminal, a line for each message elsewhere', () => {
  const drawn = (terminal: object, reports: readonly Parameters<ReturnType<typeof progressBar>['show']>[0][], hides: number = 0): string[] => {
    const writes: string[] = [];
    const bar = progressBar({ ...terminal, write: (bytes: string) => (writes.push(bytes), true) } as unknown as Parameters<typeof progressBar>[0]);
    for (const one of reports) bar.show(one);
    for (let at = 0; at < hides; at++) bar.hide();
    return writes;
  };
  assert.deepEqual(drawn({}, [{ progress: 1 }, { progress: 2, message: 'a\u001b' }, { progress: 3, total: 4, message: 'b' }], 1), ['2 a\\x1b\n', '3/4 b\n']);
  const terminal = { isTTY: true, columns: 60 };
  const bar = (full: number): string => `\r\u001b[K${'█'.repeat(full)}${'░'.repeat(24 - full)}`;
  assert.deepEqual(drawn(terminal, [{ progress: 1, total: 4 }, { progress: 9, total: 4, message: 'm' }, { progress: -1, total: 4 }, { progress: 2, total: 3 }], 2), [`${bar(6)}  25 %`, `${bar(24)} 100 % m`, `${bar(0)}   0 %`, `${bar(16)}  66 %`, '\r\u001b[K']);
  assert.deepEqual(drawn(terminal, [{ progress: 7 }, { progress: 8, total: 0, message: 'm' }]), ['\r\u001b[K7', '\r\u001b[K8 m']);
  assert.deepEqual(drawn({ isTTY: true }, [{ progress: 7, message: 'x'.repeat(100) }])[0]?.length, 4 + 79);
  assert.deepEqual(drawn({ isTTY: true, columns: 10 }, [{ progress: 7, message: 'x'.repeat(100) }]), ['\r\u001b[K7 xxxxxx…']);
  assert.deepEqual(drawn(terminal, [], 1), []);
});
