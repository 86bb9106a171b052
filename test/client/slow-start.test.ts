import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { ConnectionError } from '../../src/jsonrpc/errors.ts';
import { legacy, modern, RpcFault, Scripted } from './scripted.ts';
import type { Script } from './scripted.ts';
import { mockClock } from '../mock-clock.ts';

// A slow server over a pipe: `npx` may download a package first. The clock is scripted.

const both: Script = (sent, wire) =>
  sent.method === 'initialize' ? legacy()(sent, wire) : modern()(sent, wire);
const silent: Script = (sent, wire) => (sent.method === 'server/discover' ? undefined : legacy()(sent, wire));
/** The error for `initialize` arrives before the discovery result. */
const overtaken: Script = (sent, wire) => {
  if (sent.method !== 'server/discover' || sent.id === undefined) return modern()(sent, wire);
  const { id } = sent;
  setTimeout(() => wire.answer(id, modern()(sent, wire) as object), 10);
  return undefined;
};

const servers: Record<string, { script: Script; era: 'modern' | 'legacy' }> = {
  'a modern server': { script: modern(), era: 'modern' },
  'a modern server whose refusal of initialize comes first': { script: overtaken, era: 'modern' },
  'a server of both eras': { script: both, era: 'modern' },
  'a legacy server that answers the probe with an error': { script: legacy(), era: 'legacy' },
  'a legacy server that is silent': { script: silent, era: 'legacy' },
};

/** Lets all promises settle while the clock stands still. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function pass(t: TestContext, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await settle();
    t.mock.timers.tick(100);
  }
  await settle();
}

/** Messages before the server's start wait in the pipe, and are answered in order. */
function starting(script: Script, startMs: number): Scripted {
  const waiting: (() => void)[] = [];
  let started = startMs === 0;
  if (!started) {
    setTimeout(() => {
      started = true;
      for (const answer of waiting) answer();
    }, startMs);
  }
  const wire: Scripted = new Scripted('pipe', (sent) => {
    if (started) return script(sent, wire);
    waiting.push(() => {
      const answer = script(sent, wire);
      if (answer !== undefined && sent.id !== undefined) wire.answer(sent.id, answer);
    });
    return undefined;
  });
  return wire;
}

for (const [name, { script, era }] of Object.entries(servers)) {
  for (const startMs of [0, 4000, 12_000]) {
    test(`${name}, started after ${startMs} ms: ${era}`, async (t) => {
      mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
      const errors: Error[] = [];
      const wire = starting(script, startMs);
      const client = new McpClient({ name: 'patient', version: '1' }, { onError: (error) => errors.push(error) });
      const connected = client.connect(wire);
      connected.catch(() => {});
      await pass(t, startMs + 4000);
      await connected;
      assert.equal(client.revision?.era, era);
      // The response of the losing request is dropped, and that request is not cancelled.
      assert.deepEqual(errors, []);
      assert.ok(!wire.methods().includes('notifications/cancelled'));
      assert.equal(wire.methods().filter((method) => method === 'initialize').length, era === 'legacy' || startMs ? 1 : 0);
      const called = client.callTool('echo');
      await settle();
      await called;
      assert.equal(wire.sent.at(-1)?.method, 'tools/call');
      await client.close();
    });
  }
}

test('a slow server that leaves at the probe is started again, and asked initialize alone', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const wire = starting((sent, wire) => {
    if (sent.method === 'server/discover') wire.receiver.closed('the server exited with code 1');
    return wire.reopened ? legacy()(sent, wire) : undefined;
  }, 4000);
  const client = new McpClient({ name: 'patient', version: '1' });
  const connected = client.connect(wire);
  await pass(t, 8000);
  await connected;
  assert.equal(wire.reopened, 1);
  assert.deepEqual(wire.methods(), ['server/discover', 'initialize', 'initialize', 'notifications/initialized']);
  await client.close();
});

test('both refused: the refusal of initialize is told, or that of the probe where it speaks of eras', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const refused = async (probe: RpcFault | undefined, expected: RegExp): Promise<void> => {
    const wire = starting((sent) => (sent.method === 'initialize' ? new RpcFault(-32603, 'broken') : probe), 4000);
    const client = new McpClient({ name: 'patient', version: '1' });
    const connected = client.connect(wire);
    const rejected = assert.rejects(connected, expected);
    await pass(t, 70_000);
    await rejected;
  };
  await refused(new RpcFault(-32601, 'unknown'), /broken/);
  await refused(new RpcFault(-32022, 'no', { supported: ['2099-01-01'] }), /server speaks 2099-01-01/);
  // A probe without an answer ends with its own timeout.
  await refused(undefined, /broken/);
});

test('neither answered: connecting ends when the time of a request is over', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const client = new McpClient({ name: 'patient', version: '1' });
  const rejected = assert.rejects(client.connect(new Scripted('pipe', () => undefined)), (error) =>
    error instanceof ConnectionError && error.reason === 'timeout');
  await pass(t, 70_000);
  await rejected;
});
