import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { createFramer, decode } from '../../../src/jsonrpc/index.ts';
import { metaKeys } from '../../../src/protocol/meta.ts';

// 100,000 lines from a seeded generator, most of them spoilt, to a live server. Each line that asks for an answer
// gets one and no other line does; no answer carries the text of another; memory stays where it was.

const rounds = 200;
const linesARound = 500;
const seed = 20_260_728;

let state = seed;
/** The same numbers in every run: a linear congruence, of which the high bits are used. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}
const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;

let lastId = 0;
const modern = {
  [metaKeys.protocolVersion]: '2026-07-28',
  [metaKeys.clientInfo]: { name: 'hostile', version: '1' },
  [metaKeys.clientCapabilities]: {},
};

function message(): unknown {
  const id = ++lastId;
  const request = (method: string, params?: object): object => ({ jsonrpc: '2.0', id, method, params });
  const call = (name: string): object => request('tools/call', { name, arguments: { text: `text of ${id}` } });
  switch (random(16)) {
    case 0: case 1: case 2: return call('echo');
    case 3: case 4: return call('later');
    case 5: return call(pick(['fail', 'ask', 'none', '__proto__', 'constructor']));
    case 6: return request('tools/call', { name: 'echo', arguments: { text: `text of ${id}` }, _meta: modern });
    case 7: return request(pick(['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'ping']), {});
    case 8: return request('resources/read', { uri: pick(['note://one', 'note://a/b', 'note://%zz/b', '://']) });
    case 9: return request(pick(['resources/subscribe', 'resources/unsubscribe']), { uri: 'note://one' });
    case 10: return request('prompts/get', { name: 'plan', arguments: { city: 'Rome' } });
    case 11: return request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: 'R' },
    });
    case 12: return request(pick(['server/discover', 'logging/setLevel', 'initialize', 'no/such', 'toString']), {
      level: 'info', _meta: random(2) > 0 ? modern : {},
    });
    case 13: return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: `none ${id}` } };
    case 14: return { jsonrpc: '2.0', id: `none ${id}`, result: {} };
    default: return [request('ping'), { jsonrpc: '2.0', method: 'notifications/x' }];
  }
}

const nasty: readonly string[] = [
  'null', '-1', '1.5', '1e400', '9007199254740993', 'true', '[]', '{}', '""', '"\\u0000"', '"\\ud800"', '"__proto__"',
  '{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}', '{"toString":null}', '[[[[]]]]',
  `${'['.repeat(2000)}${']'.repeat(2000)}`, `"${'x'.repeat(3000)}"`, '"2.0"', '"tools/call"', '2', 'undefined', '\ufeff',
];

function spoil(line: Buffer): Buffer {
  const at = random(line.length);
  const rest = line.subarray(at);
  switch (random(7)) {
    case 0: return Buffer.concat([line.subarray(0, at), Buffer.from([random(256)]), line.subarray(at + 1)]);
    case 1: return Buffer.concat([line.subarray(0, at), line.subarray(at + random(8))]);
    case 2: return line.subarray(0, at);
    case 3: return Buffer.concat([line.subarray(0, at), Buffer.from(pick(nasty)), rest]);
    case 4: return Buffer.concat([line.subarray(0, at), rest, rest]);
    default: {
      // One value of the JSON becomes another: the line stays JSON.
      const text = line.toString();
      const colons = [...text.matchAll(/:("[^"]*"|\d+|\{\}|null)/g)];
      const hit = colons[random(colons.length)];
      if (hit === undefined) return line;
      const start = hit.index + 1;
      return Buffer.from(text.slice(0, start) + pick(nasty) + text.slice(start + (hit[1] as string).length));
    }
  }
}

/** What one round sends, how many answers it must get, and what the echoes among them may say. */
function round(): { bytes: Buffer; answers: number; texts: Map<unknown, Set<unknown>> } {
  const lines: Buffer[] = [];
  for (let count = 0; count < linesARound; count++) {
    let line: Buffer = Buffer.from(JSON.stringify(message()));
    for (let times = random(4); times > 0 && line.length > 0; times--) line = spoil(line);
    lines.push(line, Buffer.from('\n'));
  }
  const bytes = Buffer.concat(lines);
  let answers = 0;
  const texts = new Map<unknown, Set<unknown>>();
  const framer = createFramer({
    refused: () => answers++,
    line(text) {
      const decoded = decode(text);
      if (decoded.kind === 'request') {
        const { id, params } = decoded.message;
        const given = (params?.['arguments'] as { text?: unknown } | undefined)?.text;
        if (!texts.has(id)) texts.set(id, new Set());
        texts.get(id)?.add(given);
      }
      // At 2025-06-18 a batch is refused as one message.
      if (decoded.kind === 'request' || decoded.kind === 'refusal' || decoded.kind === 'batch') answers++;
    },
  });
  framer.push(bytes);
  return { bytes, answers, texts };
}

test('hostile: 100,000 spoilt messages, each answered or refused, and none mixed up', { timeout: 120_000 }, async (t) => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./programs/target.js', import.meta.url))]);
  t.after(() => child.kill('SIGKILL'));
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += String(chunk)));
  child.stdin.on('error', () => undefined);

  interface Answer {
    id: unknown;
    method?: string;
    result?: { content?: { text: string }[] };
    error?: object;
  }
  const received: Answer[] = [];
  let arrived: () => void = () => undefined;
  const framer = createFramer({
    refused: ({ message: why }) => assert.fail(why),
    line(text) {
      const answer = JSON.parse(text) as Answer;
      if (answer.method === undefined) received.push(answer);
    },
  });
  child.stdout.on('data', (chunk: Buffer) => {
    framer.push(chunk);
    arrived();
  });
  let ended = false;
  child.on('exit', () => {
    ended = true;
    arrived();
  });
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      assert.ok(!ended, `the server has ended: ${complaints}`);
      await new Promise<void>((resolve) => (arrived = resolve));
    }
  }
  /** A question that nothing else can be taken for. */
  async function ask(id: string, method: string, params: object): Promise<Answer> {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    let found: Answer | undefined;
    await until(() => (found = received.find((answer) => answer.id === id)) !== undefined);
    return found as Answer;
  }
  const memory = async (id: string): Promise<number> =>
    Number((await ask(id, 'tools/call', { name: 'memory' })).result?.content?.[0]?.text);

  await ask('first', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'h', version: '1' } });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');

  let before = NaN;
  let refused = 0;
  for (let number = 0; number < rounds; number++) {
    const { bytes, answers, texts } = round();
    received.length = 0;
    child.stdin.write(bytes);
    await ask(`end of ${number}`, 'ping', {});
    // The first is answered at once; what took a few microtasks more is written before the second is read.
    await ask(`really the end of ${number}`, 'ping', {});
    assert.equal(received.length, answers + 2, `round ${number}, seed ${seed}`);
    for (const { id, result, error } of received) {
      if (error !== undefined) refused++;
      const text = result?.content?.[0]?.text;
      if (text?.startsWith('text of ')) assert.ok(texts.get(id)?.has(text), `round ${number}: ${JSON.stringify(id)} got ${text}`);
    }
    // Once every path has been taken a few times.
    if (number === 40) before = await memory('before');
  }
  const after = await memory('after');
  assert.ok(refused > rounds * linesARound * 0.2, `${refused} refusals`);
  assert.ok(after - before < 4 * 1024 * 1024, `the heap grew from ${before} to ${after} bytes`);
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
