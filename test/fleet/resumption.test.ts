import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryEngine } from '../../src/fleet/index.ts';
import type { FleetEngine, StreamStore } from '../../src/fleet/index.ts';
import type { Live } from '../transport/http/harness.ts';
import { startFleet } from './harness.ts';
import { read } from './reading.ts';

/** An engine whose stores answer asynchronously, as over a network. */
function slow(engine: FleetEngine): FleetEngine {
  const { streams } = engine as { streams: StreamStore };
  const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    ...engine,
    streams: {
      append: async (part) => {
        await later();
        return streams.append(part);
      },
      after: async (...which) => {
        await later();
        const found = await streams.after(...which);
        await later();
        return found;
      },
      drop: streams.drop,
    },
  };
}

const engines = { memory: () => memoryEngine(), 'a slow one': () => slow(memoryEngine()) };
const whole = ['progress 1', 'progress 2', 'progress 3', 'result of 1'];

for (const [name, engine] of Object.entries(engines)) {
  for (const version of ['2025-06-18', '2025-11-25']) {
    test(`${version}, ${name}: an answer that is complete is read on in another process after each of its events`, async (t) => {
      const bench = await startFleet(t, { version, engine: engine() });
      const headers = await bench.open(0, version);
      for (let cut = version === '2025-11-25' ? 0 : 1; cut <= 4; cut++) {
        const first = await bench.call(0, headers, 'count');
        // An event with an id and no data comes first in 2025-11-25.
        const begun = cut === 0 ? { words: [], last: (await first.next())?.id } : await read(first, cut);
        first.cut();
        for (const member of [0, 1, 2]) {
          const rest = await read(await bench.get(member, headers, begun.last));
          assert.deepEqual([...begun.words, ...rest.words], whole, `cut after ${cut}, process ${member}`);
        }
      }
      assert.deepEqual(bench.errors, []);
    });
  }

  test(`${name}: a call that goes on is carried by one process after another, cut after each of its events`, async (t) => {
    const bench = await startFleet(t, { version: '2025-11-25', engine: engine() });
    const headers = await bench.open(0);
    for (let start = 0; start < 3; start++) {
      // The response begins with its first event.
      bench.step();
      let live = await bench.call(start, headers, 'steps', { n: 5 });
      const words: string[] = [];
      let last: string | undefined;
      for (let i = 1; i <= 6; i++) {
        if (i > 1) bench.step();
        const got = await read(live, 1, last);
        words.push(...got.words);
        last = got.last;
        if (i === 6) break;
        live.cut();
        live = await bench.get(start + i, headers, last);
      }
      assert.equal(await live.next(), undefined);
      assert.deepEqual(words, [1, 2, 3, 4, 5].map((n) => `progress ${n}`).concat('result of 1'));
    }
    assert.deepEqual(bench.errors, []);
  });

  test(`${name}: what is written while nobody carries the stream is there for who comes back`, async (t) => {
    const bench = await startFleet(t, { version: '2025-11-25', engine: engine() });
    const headers = await bench.open(0);
    bench.step();
    const first = await bench.call(0, headers, 'steps', { n: 3 });
    const begun = await read(first, 1);
    first.cut();
    for (let i = 0; i < 3; i++) bench.step();
    const rest = await read(await bench.get(1, headers, begun.last));
    assert.deepEqual([...begun.words, ...rest.words], whole);
  });

  test(`${name}: of the connections that carry one stream the last one does`, async (t) => {
    const bench = await startFleet(t, { version: '2025-11-25', engine: engine() });
    const headers = await bench.open(0);
    bench.step();
    const first = await bench.call(0, headers, 'steps', { n: 3 });
    const { last } = await read(first, 1);
    const lives = [first];
    for (const member of [1, 2, 0, 1]) {
      const live = await bench.get(member, headers, last);
      // The previous stream has ended, whichever process held it.
      assert.equal(await lives.at(-1)?.next(), undefined);
      lives.push(live);
    }
    for (let i = 0; i < 3; i++) bench.step();
    assert.deepEqual((await read(lives.at(-1) as Live)).words, whole.slice(1));
    assert.deepEqual(bench.errors, []);
  });

  test(`${name}: the GET stream goes on in any process, and the last one that was opened carries`, async (t) => {
    const bench = await startFleet(t, { version: '2025-11-25', engine: engine() });
    const headers = await bench.open(0);
    const subscribed = await bench.post(2, headers, {
      jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'note:a' },
    });
    assert.equal(subscribed.status, 200);
    const update = (member: number): void => bench.members[member % 3]?.server.resourceUpdated('note:a');
    const updated = 'notifications/resources/updated note:a';
    let live = await bench.get(0, headers);
    // The resource may have changed before the client listened.
    assert.deepEqual((await read(live, 1)).words, [updated]);
    for (let round = 0; round < 5; round++) {
      update(round);
      const { words, last } = await read(live, 1);
      assert.deepEqual(words, [updated]);
      live.cut();
      // Changes while the client is disconnected, and after it has resumed in another process.
      update(round + 1);
      live = await bench.get(round + 1, headers, last);
      assert.deepEqual((await read(live, 1)).words, [updated]);
    }
    const other = await bench.get(1, headers);
    assert.equal(await live.next(), undefined);
    // The client may have missed any notification between the two streams.
    assert.deepEqual((await read(other, 3)).words, [
      'notifications/tools/list_changed', 'notifications/resources/list_changed', updated,
    ]);
    update(0);
    assert.deepEqual((await read(other, 1)).words, [updated]);
    assert.deepEqual(bench.errors, []);
  });
}

test('a stream opens for its own session alone, and an id of none is refused', async (t) => {
  const bench = await startFleet(t, { version: '2025-11-25', engine: memoryEngine() });
  const [mine, yours] = [await bench.open(0), await bench.open(1)];
  bench.step();
  const live = await bench.call(0, mine, 'steps', { n: 1 });
  const { last } = await read(live, 1);
  for (const member of [0, 1, 2]) {
    assert.equal((await bench.get(member, yours, last)).status, 400, `process ${member}`);
    for (const id of ['x', '', 'a-b-c', `${last}0000000000000000`, 'nobody-1-1', `${bench.members[1]?.fleet.process}-zz-3`]) {
      assert.equal((await bench.get(member, mine, id)).status, 400, `${member} ${id}`);
    }
  }
  bench.step();
  assert.deepEqual((await read(live)).words, ['result of 1']);
});
