import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { style } from '../../src/host/node/style.ts';
import { width } from '../../src/explain/safe-text.ts';
import { renderStructured } from '../../src/cli/render.ts';
import { table } from '../../src/cli/terminal.ts';
import { everyNth } from '../every-nth.ts';
import { bytesOf, resultOf } from './generated-results.ts';
import { inProcess } from './in-process.ts';
import { programAt } from '../program-at.ts';

// A pipe gets a tool's result unchanged, byte for byte.
const server = [process.execPath, programAt('test/cli/fixture-results.js')];
const malformed = [process.execPath, programAt('test/cli/fixture-malformed.js')];
const home = mkdtempSync(join(tmpdir(), 'barewire-pipe-'));
test.after(() => rmSync(home, { recursive: true, force: true }));

const run = (words: readonly string[], input: string = ''): ReturnType<typeof inProcess> => inProcess(words, { env: { BAREWIRE_HOME: home, FORCE_COLOR: '1' }, input });

test('a pipe gets every text block byte for byte, and structured content where there is no text: generated results', async () => {
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { results: { command: server[0], args: server.slice(1) } } }));
  writeFileSync(join(home, 'rules.json'), JSON.stringify([{ tool: 'give', then: 'allow' }]));
  const step = everyNth(15);
  const numbers = Array.from({ length: 300 }, (_, at) => at).filter((at) => at % step === 0);
  const { code, bytes: out, err } = await run(['host'], numbers.map((number) => `call results/give number=${number}`).join('\n'));
  assert.equal(code, 0, err);
  let at = 0;
  for (const number of numbers) {
    const wanted = Buffer.from(bytesOf(resultOf(number)));
    const came = out.subarray(at, at + wanted.length);
    assert.ok(came.equals(wanted), `result ${number}: ${JSON.stringify(came.toString().slice(0, 200))} for ${JSON.stringify(wanted.toString().slice(0, 200))}`);
    at += wanted.length;
  }
  assert.equal(at, out.length);
});

test('barewire call writes the same: the first three results', async () => {
  for (let number = 0; number < 3; number++) {
    const { code, out } = await run(['call', 'give', `number=${number}`, '--', ...server]);
    assert.equal(code, 0);
    assert.equal(out, bytesOf(resultOf(number)));
  }
});

test('a blob goes into a pipe as its bytes; what a pipe cannot hold is told on stderr', async () => {
  const blob = { contents: [{ uri: 'a:b', mimeType: 'image/png', blob: Buffer.from([0, 255, 10, 13]).toString('base64') }] };
  assert.deepEqual((await run(['read', 'a:b', '--', ...malformed, JSON.stringify(blob)])).bytes, Buffer.from([0, 255, 10, 13]));
  const { out, err } = await run(['call', 'odd', '--', ...malformed, '{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"text","text":"x"}]}']);
  assert.equal(out, 'x\n');
  assert.match(err, /left out: image image\/png, 3 bytes; --save FOLDER keeps it/);
});

test('at a terminal a table wraps its cells, never cuts a name, and counts what it leaves out', () => {
  const options = { style: style(false), columns: 60, save: undefined };
  const rows = Array.from({ length: 1_500 }, (_, at) => Object.fromEntries(Array.from({ length: 15 }, (_, column) => [`c${column}`, `${at}`])));
  const lines = renderStructured({ rows }, options);
  assert.equal(lines.at(-1), '… 500 rows and 8 columns (c7, c8, c9, c10, c11, c12, c13, c14) more were left out; --json, or a pipe, gets all.');
  const long = 'every word of this sentence is shown, however few columns the screen has, and this_word_is_long_as_well';
  const wrapped = renderStructured({ rows: [{ name: 'x', text: long }] }, { ...options, columns: 30 });
  for (const line of wrapped) assert.ok(width(line) <= 30, line);
  assert.equal(wrapped.slice(2).join('').replaceAll(/\s|^x/g, ''), long.replaceAll(' ', ''));
  const name = 'a_name_that_is_longer_than_the_screen';
  assert.ok(table(['name', 'about'], [[name, 'many words']], { columns: 20, whole: [0] }).some((line) => line.startsWith(name)));
});
