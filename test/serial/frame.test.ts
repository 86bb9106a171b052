import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { crc32 as ofZlib } from 'node:zlib';
import { stuff, unstuff } from '../../src/transport/serial/cobs.ts';
import { crc32 } from '../../src/transport/serial/crc32.ts';
import { frameKinds, linkState, noLink, readFrame, writeFrame } from '../../src/transport/serial/frame.ts';
import type { Frame } from '../../src/transport/serial/frame.ts';
import { randomOf } from '../random.ts';
import { vectors } from './vectors.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('the checksum of "123456789" is the one that its catalogue names', () => {
  assert.equal((~crc32(-1, Buffer.from('123456789')) >>> 0).toString(16), 'cbf43926');
  if (typeof ofZlib === 'function') assert.equal(~crc32(-1, Buffer.from('barewire')) >>> 0, ofZlib('barewire'));
});

test('stuffing: the examples of the paper, and everything comes back', () => {
  assert.equal(hex(stuff(Uint8Array.of(0))), '010100');
  assert.equal(hex(stuff(Uint8Array.of(0, 0))), '01010100');
  assert.equal(hex(stuff(Uint8Array.of(0x11, 0x22, 0, 0x33))), '031122023300');
  const random = randomOf(1);
  for (let length = 0; length <= 254; length++) {
    const content = Uint8Array.from({ length }, () => (random() < 0.3 ? 0 : Math.floor(random() * 256)));
    const frame = stuff(content);
    assert.equal(frame.indexOf(0), length + 1, 'the only zero is the last byte');
    assert.deepEqual(unstuff(frame.slice(0, -1)), content);
  }
});

test('a distance that leads beyond the frame is refused', () => {
  for (const bytes of [[5, 1, 2], [2], [1, 3, 1], [255]]) assert.equal(unstuff(Uint8Array.from(bytes)), undefined);
});

test('the vectors of docs/serial.md are what is written and read', () => {
  const page = readFileSync(new URL('../../../docs/serial.md', import.meta.url), 'utf8');
  for (const { what, ids, frame, bytes } of vectors) {
    const state = ids ? linkState(ids[0], ids[1]) : noLink;
    assert.equal(hex(writeFrame(frame, state)), bytes, what);
    assert.deepEqual(readFrame(Buffer.from(bytes, 'hex').subarray(0, -1), state), frame, what);
    assert.ok(page.includes(`| ${what} | ${frame.side} |`) && page.includes(`\`${bytes}\` |`), `docs/serial.md: ${what}`);
    if (ids) assert.equal(linkState(ids[1], ids[0]), state, 'whichever end computes it');
  }
});

test('a frame in which any bit is flipped, that is cut or joined with another, is not taken', () => {
  const state = linkState(1, 2);
  const frame: Frame = { kind: frameKinds.data, side: 'client', number: 7, expected: 3, window: 8, payload: Buffer.from('{"id":1}') };
  const bytes = writeFrame(frame, state).slice(0, -1);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = bytes.slice();
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    assert.equal(readFrame(damaged, state), undefined, `bit ${bit}`);
  }
  for (let cut = 0; cut < bytes.length; cut++) assert.equal(readFrame(bytes.slice(0, cut), state), undefined, `cut at ${cut}`);
  assert.equal(readFrame(Uint8Array.from([...bytes, ...bytes]), state), undefined);
});

test('a frame of another link, of another version or of an unknown kind is not taken', () => {
  const frame: Frame = { kind: frameKinds.ack, side: 'server', number: 0, expected: 0, window: 8, payload: new Uint8Array(0) };
  assert.equal(readFrame(writeFrame(frame, linkState(1, 2)).slice(0, -1), linkState(1, 3)), undefined);
  const content = (first: number): Uint8Array => {
    const bytes = Uint8Array.of(first, 0, 0, 8, 0);
    const sum = ~crc32(noLink, bytes);
    return stuff(Uint8Array.of(...bytes, sum, sum >>> 8, sum >>> 16, sum >>> 24)).slice(0, -1);
  };
  assert.ok(readFrame(content(0x10), noLink), 'hello');
  assert.equal(readFrame(content(0x20), noLink), undefined, 'version 2');
  assert.equal(readFrame(content(0x17), noLink), undefined, 'kind 7');
});
