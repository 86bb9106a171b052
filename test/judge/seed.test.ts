import assert from 'node:assert/strict';
import test from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import { badgeReport, baselineOf, htmlReport, jsonReport, judgeServer, junitReport, sarifReport, textReport } from '../../src/judge/index.ts';
import type { JudgeOptions, JudgeRuling } from '../../src/judge/index.ts';
import { compile } from '../../src/schema/full/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { target } from './target.ts';

/** Resolves after some milliseconds. */
const later = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));

/** Judges a server that answers an unknown resource with a wrong code; the requests of one revision are slow. */
function judged(seed: number, slow: string): Promise<JudgeRuling> {
  const handle = fetchHandler(target());
  const options: JudgeOptions = { seed, compile, mayCall: ({ name }) => name === 'add', only: ['resources-5', 'resources-6', 'resources-8', 'lifecycle-19', 'ping-1', 'tools-18', 'transports-9', 'prompts-9', 'base-19'] };
  return judgeServer({ name: 'target', http: { url: 'http://127.0.0.1/mcp', fetch: async (to, init) => {
    const sent = typeof init?.body === 'string' ? init.body : '';
    const own = new Headers(init?.headers).get('mcp-protocol-version') ?? /"protocolVersion":"([\d-]+)"/.exec(sent)?.[1];
    if (own === slow) await later(3);
    const response = await handle(new Request(to as string, init));
    if (!/resources\/read|prompts\/get/.test(sent) || !response.body) return response;
    const text = await response.text();
    // Removes the random id of a failure from the server's log.
    return new Response(text.replaceAll(/"code":-32\d+/g, '"code":-32077').replaceAll(/id \d{8}/g, 'id 1'), response);
  } } }, options);
}

/** Every report as the bytes of its file, without the duration of the run. */
const reports = (ruling: JudgeRuling): string => {
  const still = { ...ruling, ms: 0 };
  return [jsonReport(still), sarifReport(still), badgeReport(still), baselineOf(still)].map((one) => JSON.stringify(one, undefined, 1))
    .concat(junitReport(still), htmlReport(still), textReport(still, { all: true })).join('\n');
};

test('judge: the same seed gives the same report, byte for byte, whichever revision is answered first', async () => {
  const [one, two, other] = await Promise.all([judged(7, '2025-11-25'), judged(7, '2024-11-05'), judged(8, '2025-11-25')]);
  const [first, second] = [reports(one).split('\n'), reports(two).split('\n')];
  assert.deepEqual(first.flatMap((line, at) => (line === second[at] ? [] : [[at, line, second[at]]])), []);
  assert.equal(reports(one), reports(two));
  assert.ok(one.judgements.filter(({ verdict }) => verdict === 'broken').length >= 3, 'there is evidence to compare');
  assert.ok(one.judgements.some(({ evidence }) => evidence.length === 3), 'of several revisions');
  assert.notEqual(reports(one), reports(other), 'names are derived from the seed');
});

/** Judges a server over pipes that refuses invalid requests with a wrong code. Every second pipe is slow. */
function overPipes(slow: number): Promise<JudgeRuling> {
  let pipes = 0;
  return judgeServer({ name: 'target', open: (trace) => {
    const late = ++pipes % 2 === slow;
    return memoryTransport(target(), { trace: (entry) => {
      if (entry.direction === 'sent') return trace(entry);
      const came = { ...entry, at: 0, text: entry.text.replaceAll(/"code":-32(600|700|602)/g, '"code":-32077').replaceAll(/id \d{8}/g, 'id 1') };
      if (late) void later(3).then(() => trace(came));
      else trace(came);
    } });
  } }, {
    compile, mayCall: ({ name }) => ['add', 'ask'].includes(String(name)), revisions: ['2025-11-25', '2025-06-18'],
    only: ['lifecycle-22', 'lifecycle-24', 'form-parse-error', 'form-invalid-request', 'elicitation-13', 'lifecycle-12', 'lifecycle-13', 'prompts-9', 'base-70'],
  });
}

test('judge: the same seed gives the same report, whichever of the probes that run side by side is answered first', async () => {
  const [one, two] = await Promise.all([overPipes(0), overPipes(1)]);
  // Sorts the messages in between, whose order is that of the responses.
  const still = (ruling: JudgeRuling): JudgeRuling => ({ ...ruling, judgements: ruling.judgements.map((judgement) => ({ ...judgement, evidence: judgement.evidence.map((found) => ({ ...found, entries: [] })) })) });
  const [first, second] = [reports(still(one)).split('\n'), reports(still(two)).split('\n')];
  assert.deepEqual(first.flatMap((line, at) => (line === second[at] ? [] : [[at, line, second[at]]])), []);
  assert.equal(first.length, second.length);
  assert.deepEqual(one.failures, []);
  const apart = one.judgements.flatMap(({ evidence }) => evidence).filter(({ conversation }) => conversation > 100);
  assert.ok(apart.length >= 2, 'a probe that runs beside others found something');
});
