import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { findUser } from '../../src/executables/confinement.ts';
import { readDescription } from '../../src/executables/description.ts';
import { checkFile, checkFolder, checkRead } from '../../src/executables/file-checks.ts';
import { readPipelines, resolveReferences } from '../../src/executables/pipeline.ts';
import { readSaying } from '../../src/executables/sayings.ts';

// Messages of a tool, names in its folder, and steps of a pipeline: without a process.

test('a line of a tool: each kind of message, and what is none', () => {
  const cases: [string, unknown][] = [
    ['{"result":0,"error":"x"}', { kind: 'result', value: 0 }],
    ['{"result":null}', { kind: 'result', value: null }],
    ['{"error":"no"}', { kind: 'error', message: 'no' }],
    ['{"error":5}', { kind: 'error', message: 'it failed' }],
    ['{"error":{"message":"no","code":"E1"}}', { kind: 'error', message: 'no', code: 'E1' }],
    ['{"error":{"message":5,"code":404}}', { kind: 'error', message: 'it failed', code: '404' }],
    ['{"error":{"message":"no","code":{}}}', { kind: 'error', message: 'no' }],
    ['{"progress":0.5}', { kind: 'progress', progress: 0.5 }],
    ['{"progress":{"progress":1,"total":2,"message":"half"}}', { kind: 'progress', progress: 1, total: 2, message: 'half' }],
    ['{"progress":{"progress":1,"total":"2","message":5}}', { kind: 'progress', progress: 1 }],
    ['{"progress":{"progress":1,"total":1e999}}', { kind: 'progress', progress: 1 }],
    ['{"progress":1e999}', undefined],
    ['{"progress":"1"}', undefined],
    ...['"text"', 'null', '5', 'true', '["level"]', '{"level":5}'].map((data): [string, unknown] => [`{"log":${data}}`, { kind: 'log', level: 'info', data: JSON.parse(data) }]),
    ['{"log":{"level":"loud","data":1}}', { kind: 'log', level: 'info', data: { level: 'loud', data: 1 } }],
    ['{"log":{"level":"error","data":1,"message":2}}', { kind: 'log', level: 'error', data: 1 }],
    ['{"log":{"level":"error","message":2}}', { kind: 'log', level: 'error', data: 2 }],
    ['{"log":{"level":"error"}}', { kind: 'log', level: 'error', data: null }],
    ...['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'].map((level): [string, unknown] => [`{"log":{"level":"${level}","data":1}}`, { kind: 'log', level, data: 1 }]),
    ['{"partial":[1]}', { kind: 'partial', value: [1] }],
    ['{"ask":{"message":"Which?"}}', { kind: 'ask', message: 'Which?', schema: { type: 'object', properties: {} } }],
    ['{"ask":{"message":"Which?","schema":{"a":1}}}', { kind: 'ask', message: 'Which?', schema: { a: 1 } }],
    ['{"ask":{"message":5}}', undefined],
    ['{"ask":"Which?"}', undefined],
    ['{"call":{"name":"t"}}', { kind: 'call', name: 't', params: {} }],
    ['{"call":{"name":"t","params":{"a":1}}}', { kind: 'call', name: 't', params: { a: 1 } }],
    ['{"call":{"name":"t","params":[1]}}', { kind: 'call', name: 't', params: {} }],
    ['{"call":{"params":{}}}', undefined],
    ['{"call":"t"}', undefined],
    ['{}', undefined], ['[]', undefined], ['null', undefined], ['5', undefined], ['{', undefined],
  ];
  for (const [line, said] of cases) assert.deepEqual(readSaying(line), said, line);
});

test('a description: what it may have, and which member is wrong', () => {
  assert.deepEqual(readDescription({ name: 'a.b-C_9', other: 1 }), { name: 'a.b-C_9', parameters: { type: 'object' } });
  assert.deepEqual(readDescription({ name: 'a', title: 'T', description: 'D', parameters: { properties: { x: {} }, type: 'array' }, output: { type: 'object' }, annotations: { readOnlyHint: true }, stdin: 'open' }),
    { name: 'a', title: 'T', description: 'D', parameters: { type: 'array', properties: { x: {} } }, output: { type: 'object' }, annotations: { readOnlyHint: true }, stdin: 'open' });
  assert.deepEqual(readDescription({ name: 'a', stdin: 'closed', title: '' }), { name: 'a', title: '', parameters: { type: 'object' } });
  assert.equal(readDescription({ name: 'x'.repeat(128) }).name.length, 128);
  for (const name of ['', 'x'.repeat(129), 'a b', 'a\n', 'ä', 5, undefined]) assert.throws(() => readDescription({ name }), /its name is not 1 to 128 of/, String(name));
  for (const value of [null, [], 'text']) assert.throws(() => readDescription(value), /its description is not an object/);
  assert.throws(() => readDescription({ name: 'a', title: 5 }), /its title is not a text/);
  assert.throws(() => readDescription({ name: 'a', description: {} }), /its description is not a text/);
  assert.throws(() => readDescription({ name: 'a', parameters: [] }), /its parameters is not an object/);
  assert.throws(() => readDescription({ name: 'a', output: true }), /its output is not an object/);
  assert.throws(() => readDescription({ name: 'a', annotations: 'x' }), /its annotations is not an object/);
});

test('a pipeline: its steps, and references only to what is known before', () => {
  const pipeline = (steps: unknown, more: object = {}): string => JSON.stringify({ name: 'p', steps, ...more });
  assert.deepEqual(readPipelines(pipeline([{ tool: 'a' }, { tool: 'b', params: { x: ['$last.y', '$$z', '$steps.0'] } }])),
    [{ name: 'p', parameters: { type: 'object' }, steps: [{ tool: 'a', params: {} }, { tool: 'b', params: { x: ['$last.y', '$$z', '$steps.0'] } }] }]);
  assert.deepEqual(readPipelines(`[${pipeline([{ tool: 'a' }], { result: '$steps.0' })}, ${pipeline([{ tool: 'a' }], { result: null })}]`).map(({ result }) => result), ['$steps.0', null]);
  assert.equal(readPipelines(pipeline(Array(50).fill({ tool: 'a' })))[0]?.steps.length, 50);
  const refused: [string, RegExp][] = [
    [pipeline([]), /^Error: pipeline p: it has no steps$/], [pipeline('a'), /it has no steps/], [pipeline(Array(51).fill({ tool: 'a' })), /more than 50 steps/],
    [pipeline([{ tool: 5 }]), /step 0 names no tool/], [pipeline([{ tool: 'a' }, null]), /step 1 names no tool/],
    [pipeline([{ tool: 'a', params: '$last' }]), /\$last is not known before step 0/], [pipeline([{ tool: 'a', params: ['$steps.0'] }]), /\$steps\.0 is not known before step 0/],
    [pipeline([{ tool: 'a' }, { tool: 'a', params: { deep: { x: '$steps.1.y' } } }]), /\$steps\.1\.y is not known before step 1/],
    [pipeline([{ tool: 'a' }], { result: '$steps.1' }), /\$steps\.1 is not known before step 1/],
    [pipeline([{ tool: 'a', params: '$' }]), /"\$" is unknown/], [pipeline([{ tool: 'a', params: '$param' }]), /"\$param" is unknown/], [pipeline([{ tool: 'a', params: '$params.' }]), /is unknown/],
    [pipeline([{ tool: 'a', params: '$paramsx' }]), /is unknown/], [pipeline([{ tool: 'a' }, { tool: 'a', params: '$steps' }]), /is unknown/],
    ['5', /its description is not an object/], ['{', /JSON/],
  ];
  for (const [text, why] of refused) assert.throws(() => readPipelines(text), why, text.slice(0, 100));
  const values = { params: { a: { b: [10, 20] }, n: null }, steps: ['first', { deep: true }] };
  assert.deepEqual(resolveReferences({ p: '$params', b: '$params.a.b.1', l: '$last', d: '$last.deep', s: ['$steps.0', '$steps.1.deep'], t: '$$x', u: 'a $params', n: null, k: 5 }, values),
    { p: values.params, b: 20, l: { deep: true }, d: true, s: ['first', true], t: '$x', u: 'a $params', n: null, k: 5 });
  for (const missing of ['$params.c', '$params.a.b.2', '$params.n.x', '$steps.0.length', '$last.toString', '$params.a.b.length.x']) {
    assert.throws(() => resolveReferences(missing, values), { message: `there is no ${missing}` });
  }
});

/** A temporary folder of the test. */
function folder(t: TestContext): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-files-')));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const unix = process.platform === 'win32' ? 'files have no such rights on Windows' : false;
const root = process.getuid?.() === 0;

test('a folder and its files: who may change them, what is a program, and where links lead', { skip: unix }, async (t) => {
  const path = folder(t);
  const file = (name: string, mode: number): string => {
    const full = join(path, name);
    writeFileSync(full, '');
    chmodSync(full, mode);
    return name;
  };
  chmodSync(path, 0o755);
  assert.equal(checkFolder(path), path);
  assert.throws(() => checkFolder(join(path, file('text', 0o644))), /text is not a folder$/);
  for (const [mode, why] of [[0o775, /is writable by its group \(chmod g-w\)$/], [0o757, /is writable by others$/]] as const) {
    chmodSync(path, mode);
    assert.throws(() => checkFolder(path), why);
  }
  chmodSync(path, 0o755);
  for (const mode of [0o100, 0o010, 0o001, 0o755]) {
    const found = checkFile(path, file(`run-${mode}`, mode));
    assert.ok(found && 'path' in found && found.path === join(path, `run-${mode}`), String(mode));
  }
  assert.equal(checkFile(path, 'text'), undefined, 'what is not executable is no tool');
  assert.equal(checkFile(path, file('.hidden', 0o755)), undefined);
  assert.equal(checkFile(path, file('pipeline.json', 0o755)), undefined);
  mkdirSync(join(path, 'inner'));
  assert.equal(checkFile(path, 'inner'), undefined);
  assert.deepEqual(checkFile(path, file('open', 0o757)), { fault: 'it is writable by others' });
  assert.deepEqual(checkFile(path, file('group', 0o775)), { fault: 'it is writable by its group (chmod g-w)' });
  const socket = createServer().listen(join(path, 'socket'));
  await once(socket, 'listening');
  chmodSync(join(path, 'socket'), 0o755);
  assert.deepEqual(checkFile(path, 'socket'), { fault: 'it is not a regular file' });
  socket.close();
  assert.deepEqual(checkFile(path, 'gone'), { fault: 'it cannot be read: it is gone, or is a broken link' });
  symlinkSync(join(path, 'run-64'), join(path, 'link'));
  const link = checkFile(path, 'link');
  assert.ok(link && 'path' in link && link.name === 'link' && link.path === join(path, 'run-64'));
  symlinkSync('/bin/sh', join(path, 'outside'));
  symlinkSync(join(path, 'inner/deep'), join(path, 'deep'));
  writeFileSync(join(path, 'inner/deep'), '', { mode: 0o755 });
  for (const name of ['outside', 'deep']) assert.deepEqual(checkFile(path, name), { fault: 'it is a link that leads out of the folder' });
  checkRead(join(path, 'text'));
  writeFileSync(join(path, 'large'), '');
  for (const [size, why] of [[1_048_576, undefined], [1_048_577, 'it has more than 1048576 bytes'], [2 ** 40, 'it has more than 1048576 bytes']] as const) {
    truncateSync(join(path, 'large'), size);
    if (why === undefined) checkRead(join(path, 'large'));
    else assert.throws(() => checkRead(join(path, 'large')), { message: why });
  }
  rmSync(join(path, 'large'));
  assert.throws(() => checkRead(join(path, 'link')), /^Error: it is not a regular file$/);
  assert.throws(() => checkRead(join(path, 'open')), /^Error: it is writable by others$/);
  const before = checkFile(path, 'run-64');
  writeFileSync(join(path, 'run-64'), 'changed');
  const after = checkFile(path, 'run-64');
  assert.ok(before && 'version' in before && after && 'version' in after && before.version !== after.version);
});

test('a file of another user is not run', { skip: unix || (root ? false : 'only root may give a file away') }, (t) => {
  const path = folder(t);
  writeFileSync(join(path, 'foreign'), '', { mode: 0o755 });
  chownSync(join(path, 'foreign'), 12345, 0);
  assert.deepEqual(checkFile(path, 'foreign'), { fault: 'it belongs to another user (12345)' });
});

test('--user: a name, or numbers, and never root', { skip: unix || (root ? false : 'only root may run tools as another user') }, () => {
  assert.deepEqual(findUser('1234:5678'), { uid: 1234, gid: 5678 });
  const { uid, gid } = findUser('nobody');
  assert.ok(uid > 0 && gid > 0);
  for (const text of ['0:0', '0:5', '5:0', 'root']) assert.throws(() => findUser(text), /tools are not run as root/, text);
  for (const text of ['nobod', 'no such user', '5', '5:', 'x5:5', '5:5x']) assert.throws(() => findUser(text), /there is no user/, text);
});
