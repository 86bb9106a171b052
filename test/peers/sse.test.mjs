// Compares the event-stream parser with eventsource-parser, on streams of a seeded generator.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createParser } from 'eventsource-parser';
import { randomOf } from '../../dist/test/random.js';
import { sseParser } from '../../dist/src/transport/http/sse-parser.js';

const fields = ['data', 'data', 'data', 'event', 'id', 'retry', '', 'dat', 'Data', 'data ', 'unknown'];
const values = ['', ' ', 'x', ' x', '  x', 'a:b', ':', 'message', '10', '-1', '007', '1e3', 'é', '日本語', '😀', '\ufeff', '{"a": 1}'];
const ends = ['\n', '\n', '\r', '\r\n'];

function stream(random) {
  const pick = (list) => list[Math.floor(random() * list.length)];
  let text = random() < 0.1 ? '\ufeff' : '';
  for (let lines = Math.floor(random() * 24); lines > 0; lines--) {
    const kind = random();
    if (kind < 0.25) text += '';
    else if (kind < 0.32) text += pick(['data', 'id', 'event', ':', ':comment', ': data: x']);
    else text += `${pick(fields)}:${pick(values)}`;
    text += pick(ends);
  }
  if (random() < 0.5) text += pick(ends) + pick(ends);
  // eventsource-parser holds back a CR at the end of its input until another line has ended, in case an LF follows.
  return `${text}:\n`;
}

/** Cuts a sequence at random places. */
function cut(whole, random, most) {
  const pieces = [];
  for (let at = 0; at < whole.length;) {
    const to = Math.min(whole.length, at + 1 + Math.floor(random() * most));
    pieces.push(whole.slice(at, to));
    at = to;
  }
  return pieces;
}

test('50,000 streams are read alike, however they are cut', () => {
  const random = randomOf(20_260_728);
  const encoder = new TextEncoder();
  let events = 0;
  for (let n = 0; n < 50_000; n++) {
    const text = stream(random);
    const ours = [];
    let retry;
    const mine = sseParser({ onEvent: ({ type, data, id }) => ours.push({ type, data, id }), utf8: 'replace' });
    for (const piece of cut(encoder.encode(text), random, 1 + n % 40)) mine.push(piece);

    const theirs = [];
    const other = createParser({
      // It reports no id for an event that sets none; by the rules the last one holds.
      onEvent: ({ event = '', data, id }) => theirs.push({ type: event || 'message', data, id }),
      onRetry: (value) => (retry = value),
    });
    // Its input comes from a TextDecoder, which removes the byte order mark.
    for (const piece of cut([...text.replace(/^\ufeff/, '')], random, 1 + n % 40)) other.feed(piece.join(''));

    const where = `stream ${n}: ${JSON.stringify(text)}`;
    assert.deepEqual(ours.map(({ type, data }) => ({ type, data })), theirs.map(({ type, data }) => ({ type, data })), where);
    theirs.forEach(({ id }, at) => id === undefined || assert.equal(ours[at].id, id, where));
    assert.equal(mine.retry, retry, where);
    events += ours.length;
  }
  assert.ok(events > 50_000, `only ${events} events: the generator is at fault`);
});
