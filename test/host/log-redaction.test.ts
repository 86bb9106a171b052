import assert from 'node:assert/strict';
import test from 'node:test';
import { ActivityLog, memoryLog } from '../../src/host/activity-log.ts';
import { redact } from '../../src/host/redaction.ts';
import { randomOf } from '../random.ts';

// The log keeps words and identifiers, and leaves out keys, whatever their member's name.
const random = randomOf(9);
const draw = (alphabet: string, length: number): string => Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
const letters = 'abcdefghijklmnopqrstuvwxyz';
const base64 = `${letters}${letters.toUpperCase()}0123456789-_`;

/** Keys in the formats of services; long and from a large alphabet, so that none is a word by chance. */
const keys: readonly (() => string)[] = [
  () => `sk-${draw(base64, 40)}7a`, () => `ghp_${draw(base64.slice(0, 62), 36)}`, () => `AKIA${draw('ABCDEFGHIJKLMNOP234567', 16)}`, () => `${draw(base64, 43)}9z`,
  () => `${draw('0123456789abcdef', 31)}f`, () => `eyJhbGciOiJIUzI1NiJ9.eyJ${draw(base64, 30)}.${draw(base64, 43)}`, () => `xoxb-${draw('0123456789', 12)}-${draw(base64.slice(0, 62), 24)}1`,
  () => `${draw('0123456789abcdef', 8)}-4b1c-4aaa-9d20-${draw('0123456789abcdef', 11)}a`,
];

test('the log leaves keys out, whatever they are called and wherever they stand', () => {
  for (let i = 0; i < 2_000; i++) {
    const key = (keys[i % keys.length] as () => string)();
    const name = draw(letters, 1 + Math.floor(random() * 8)).replace(/(id|ids|server|tool|call|principal|digest|formerly)$/, '') || 'x';
    const values = [
      { [name]: key }, { [name]: [key] }, { deep: { [name]: { [name]: key } } }, { [name]: `use ${key} for this` }, { [name]: `https://api.example.com/v1?${name}=${key}` },
      { [name]: `https://ann:${key}@api.example.com/` }, { [name]: `https://api.example.com/${key}/mcp` }, { [name]: `Bearer ${key}` }, { [key]: 1 }, { [name]: `"${key}"` },
      { sessionId: key }, { session_id: key }, { authId: key }, { _meta: { [name]: key } },
    ];
    for (const value of values) {
      const text = JSON.stringify(redact(value));
      if (Object.hasOwn(value, key)) continue;
      assert.ok(!text.includes(key), `${JSON.stringify(value)} is logged as ${text}`);
    }
  }
});

test('the log keeps words, numbers, addresses, and what names a thing', () => {
  const values = [
    { path: '/home/ann/projects/travel/src/main.test.ts' }, { when: '2026-11-23T05:00:00.000Z' }, { to: 'ann.smith84@example.com' }, { amount: 12.5 }, { text: 'A sentence, of any length.' },
    { url: 'https://example.com/docs/getting-started' }, { orderId: '3f2a9c41-77aa-4b1c-9d20-0c1e2f3a4b5c' }, { id: '507f1f77bcf86cd799439011' }, { ids: ['507f1f77bcf86cd799439011'] },
    { server: 'github', tool: 'create_pull_request_review', call: 'a1b2c3d4e5f6a7b8c9d0', principal: 'user-7f3a9b2c1d4e5f6a', digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    { _meta: { progressToken: 7, 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }, { phone: '+49 30 123456' }, { iban: 'DE00 0000 0000' }, { flag: true, nothing: null },
  ];
  for (const value of values) assert.deepEqual(redact(value), value);
  assert.deepEqual(redact({ _meta: { 'com.example/key': 'short', progressToken: 1 } }), { _meta: { 'com.example/key': '[redacted]', progressToken: 1 } });
  assert.deepEqual(redact({ id: 'sk-abcdefghijklmnopqrst' }), { id: '[redacted]' });
});

test('a line of the activity log holds no key of a call', async () => {
  const sink = memoryLog();
  const log = new ActivityLog(sink, () => 1, (error) => assert.fail(error));
  const key = (keys[3] as () => string)();
  await log.record('asked', { call: 'c1', server: 's', tool: 't', args: { query: `find ${key}`, url: `https://x.example/?q=${key}` } });
  assert.equal(sink.lines.length, 1);
  assert.ok(!sink.lines[0]?.includes(key), sink.lines[0]);
  assert.match(sink.lines[0] ?? '', /"call":"c1"/);
});
