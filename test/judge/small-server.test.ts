import assert from 'node:assert/strict';
import test from 'node:test';
import { judgeServer } from '../../src/judge/index.ts';
import type { JudgeRuling, RuleVerdict } from '../../src/judge/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { leapingClock } from '../mock-clock.ts';
import { smallServer } from './small-server.ts';
import { target } from './target.ts';

// For each verdict of a probe: a correct server keeps the rule, and the same server with one fault breaks it.

const faults: Readonly<Record<string, RuleVerdict>> = {
  'tasks-37': 'broken', 'tasks-34': 'broken', 'tasks-4': 'broken', 'tasks-40': 'broken', 'tasks-43': 'broken', 'tasks-60': 'broken', 'progress-4': 'broken', 'schema-2': 'broken',
  'schema-14': 'broken', 'stdio-1': 'broken',
  // Two careful readers could differ here.
  'tasks-44': 'dispute', 'tasks-57': 'dispute', 'prompts-16': 'dispute', 'tools-21': 'dispute',
};

// The judge waits seconds for what does not come.
const clock = leapingClock();
const judged = (fault: string | undefined, only: readonly string[]): Promise<JudgeRuling> => judgeServer(smallServer(fault, clock), { only, revisions: ['2025-11-25'], answerMs: 1_500, clock });
const verdictOf = ({ judgements }: JudgeRuling, id: string) => judgements.find(({ rule }) => rule.id === id)?.verdict;

test('judge: a small server that is right keeps each of these rules', async () => {
  const ruling = await judged(undefined, Object.keys(faults));
  assert.deepEqual(ruling.failures, []);
  assert.deepEqual(ruling.others.map(({ rule, evidence }) => [rule.id, evidence[0]?.expected]), []);
  // No user asks it for a prompt with arguments.
  for (const id of Object.keys(faults)) assert.equal(verdictOf(ruling, id), id === 'prompts-16' ? 'not-seen' : 'kept', id);
});

for (const [id, verdict] of Object.entries(faults)) {
  test(`judge: a small server with one fault: ${id}`, async () => {
    const ruling = await judged(id, [id]);
    assert.equal(verdictOf(ruling, id), verdict);
    const [evidence] = ruling.judgements.find(({ rule }) => rule.id === id)?.evidence ?? [];
    assert.ok(evidence && evidence.expected !== '' && evidence.came !== '');
  });
}

test('judge: what a line of stdout is that only looks like a piece of a message', async () => {
  const printed = (text: string): Promise<JudgeRuling> => judgeServer({
    name: 'target', open: (trace) => memoryTransport(target(), { trace(entry) {
      if (entry.direction === 'received' && entry.text.includes('"prompts":[')) trace({ ...entry, text });
      trace(entry);
    } }),
  }, { only: ['stdio-4', 'stdio-1'], quick: true, revisions: ['2025-11-25'], answerMs: 500, clock });
  for (const text of ['[info] listing', 'listing']) {
    const ruling = await printed(text);
    assert.deepEqual(['stdio-1', 'stdio-4'].map((id) => verdictOf(ruling, id)), ['kept', 'broken'], text);
  }
});

test('judge: a modern request after a handshake is answered by what it says itself', async () => {
  const ruled = (edit: (text: string) => string): Promise<JudgeRuling> => judgeServer({
    name: 'target', open: (trace) => memoryTransport(target(), { trace: (entry) => trace(entry.direction === 'received' ? { ...entry, text: edit(entry.text) } : entry) }),
  }, { only: ['base-80'], revisions: ['2026-07-28', '2025-11-25'], answerMs: 1_500, clock, mayCall: ({ name }) => name === 'ask' });
  assert.equal(verdictOf(await ruled((text) => text), 'base-80'), 'kept');
  assert.equal(verdictOf(await ruled((text) => (text.includes('"id":"judge-modern"') ? text.replace('"resultType":"complete",', '') : text)), 'base-80'), 'broken');
  assert.equal(verdictOf(await ruled((text) => (text.includes('"id":"judge-modern"') ? '{"jsonrpc":"2.0","id":"judge-modern","error":{"code":-32600,"message":"no"}}' : text)), 'base-80'), 'dispute');
});

// 2025-11-25 basic/lifecycle#initialization: before notifications/initialized a server sends no requests but pings and logs.
test('judge: a question before notifications/initialized breaks a rule, a notification does not', async () => {
  for (const [text, verdict] of [
    ['{"jsonrpc":"2.0","id":"q","method":"roots/list"}', 'broken'], ['{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}', 'kept'], ['{"jsonrpc":"2.0","id":"p","method":"ping"}', 'kept'],
  ] as const) {
    let told = 0;
    const ruling = await judgeServer({
      name: 'target', open: (trace) => memoryTransport(target(), { trace(entry) {
        trace(entry);
        if (entry.direction !== 'sent' || !entry.text.includes('"tools/call"')) return;
        told++;
        trace({ direction: 'received', text, at: entry.at });
      } }),
    }, { only: ['lifecycle-12'], revisions: ['2025-11-25'], answerMs: 10_000, clock, mayCall: ({ name }) => name === 'ask' });
    assert.deepEqual([verdictOf(ruling, 'lifecycle-12'), told > 0], [verdict, true], text);
  }
});
