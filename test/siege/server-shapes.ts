// Attacks on a server. Each is bounded in count and time; the same seed draws the same values.
import type { Random } from '../hostile/mutations.ts';
import { mutated } from '../hostile/mutations.ts';
import { inLines, initialize, modernMeta, post, patiently } from './door.ts';
import type { DoorKind } from './door.ts';
import { httpShapes } from './http-shapes.ts';
import type { Attack, Shape } from './shape.ts';

const all: readonly DoorKind[] = ['stdio', 'port', 'http', 'http1', 'fetch'];
const web: readonly DoorKind[] = ['http', 'http1', 'fetch'];
const MIB = 2 ** 20;
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

let ids = 0;
const call = (name: string, args: object, modern: boolean, more: object = {}): object => ({
  jsonrpc: '2.0', id: `call-${++ids}`, method: 'tools/call',
  params: { name, arguments: args, ...(modern ? { _meta: { ...modernMeta, progressToken: ids } } : { _meta: { progressToken: ids } }), ...more },
});

/** Enters the legacy or the modern era. Returns true for modern. */
async function enter({ by, hostile }: Attack): Promise<boolean> {
  const modern = by.chance(0.5);
  if (!modern) await hostile.shake(by.pick(revisions));
  return modern;
}

const nest = (depth: number, by: Random): string => {
  const [open, close] = by.pick([['[', ']'], ['{"a":', '}']] as const);
  return open.repeat(depth) + '1' + close.repeat(depth);
};

export const serverShapes: Readonly<Record<string, Shape>> = {
  ...httpShapes,
  'batch of calls with large answers': {
    doors: all,
    async run({ by, hostile }) {
      await hostile.shake('2025-03-26');
      if (by.chance(0.5)) hostile.deafen();
      const size = by.pick([1_000_000, 15_000_000]);
      await hostile.say(Array.from({ length: 5 + by.int(40) }, () => call('big', { size }, false)));
      await hostile.settle();
    },
  },
  'batch of lists': {
    doors: all,
    async run({ by, hostile }) {
      await hostile.shake('2025-03-26');
      const item = `{"jsonrpc":"2.0","id":1,"method":"${by.pick(['tools/list', 'resources/list', 'ping'])}"}`;
      await hostile.say(`[${Array(1 + by.int(100_000)).fill(item).join()}]`);
      await hostile.settle();
    },
  },
  'batch of what is no message': {
    doors: all,
    async run({ by, hostile }) {
      if (by.chance(0.5)) await hostile.shake('2025-03-26');
      const item = by.pick(['1', '{}', '[]', 'null', '""']);
      await hostile.say(`[${Array(by.int(5_000_000)).fill(item).join()}]`);
      await hostile.settle();
    },
  },
  'many values': {
    doors: all,
    async run({ by, hostile }) {
      const item = by.pick(['{}', '[]', '0', '{"a":1}']);
      const list = `[${Array(by.int(4_000_000)).fill(item).join()}]`;
      await hostile.say(by.chance(0.5) ? `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${list}}}` : `{"x":${list}}`);
      await hostile.settle();
    },
  },
  'depth': {
    doors: all,
    async run(attack) {
      const { by, hostile } = attack;
      const deep = nest(by.pick([900, 5_000, 100_000, 3_000_000]), by);
      const place = by.int(6);
      if (place < 2) await enter(attack);
      const text = JSON.stringify([
        { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '@', capabilities: {}, clientInfo: {} } },
        call('echo', { text: '@' }, by.chance(0.5)),
        { jsonrpc: '2.0', id: '@', method: 'ping' },
        { jsonrpc: '2.0', id: 1, method: '@' },
        { jsonrpc: '2.0', id: 1, result: '@' },
        { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': '@' } } },
      ][place]).replace('"@"', deep);
      await hostile.say(text, place === 5 ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' } : {});
      await hostile.settle();
    },
  },
  'retained fields': {
    doors: all,
    async run({ by, another }) {
      const size = by.pick([10_000, 1 * MIB, 12 * MIB]);
      const count = Math.min(200, Math.ceil(200 * MIB / size));
      for (let i = 0; i < count; i++) {
        const one = another();
        const client = { name: 'x'.repeat(size), version: '1', title: 'y' };
        await one.shake(by.pick(revisions), client, false);
        if (web.includes(one.door.kind)) one.leave();
      }
    },
  },
  'subscriptions': {
    doors: all,
    async run(attack) {
      const { by, hostile } = attack;
      const modern = await enter(attack);
      const size = by.pick([10, 1_000, 100_000]);
      const count = Math.min(2_000, 30 * MIB / size);
      for (let i = 0; i < count; i += 100) {
        const uris = Array.from({ length: Math.min(100, count) }, (_, k) => `note://${i + k}/${'x'.repeat(size)}`);
        if (modern) {
          await hostile.say({
            jsonrpc: '2.0', id: `listen-${i}`, method: 'subscriptions/listen',
            params: { notifications: { resourceSubscriptions: uris }, _meta: modernMeta },
          });
        }
        else for (const uri of uris.slice(0, 20)) await hostile.say({ jsonrpc: '2.0', id: uri, method: 'resources/subscribe', params: { uri } });
      }
      await hostile.settle();
    },
  },
  'requests without reading': {
    doors: all,
    async run(attack) {
      const { by, hostile } = attack;
      const modern = await enter(attack);
      hostile.deafen();
      const message = by.pick([
        () => ({ jsonrpc: '2.0', id: ++ids, method: 'ping', ...(modern && { params: { _meta: modernMeta } }) }),
        () => ({ jsonrpc: '2.0', id: ++ids, method: 'tools/list', params: modern ? { _meta: modernMeta } : {} }),
        () => call('big', { size: 1_000_000 }, modern),
        () => call('progress', { count: 100_000 }, modern),
        () => call('echo', { text: 'x'.repeat(100_000) }, modern),
      ]);
      const lines = new Set<unknown>();
      const count = inLines(hostile.door) ? 20_000 : 300;
      const until = Date.now() + 3_000;
      for (let i = 0; i < count && Date.now() < until; i++) {
        const line = await hostile.say(message());
        line.deafen();
        lines.add(line);
        if (line.socket.writableNeedDrain) break;
      }
      await patiently(new Promise<never>(() => {}), 500);
    },
  },
  'waits that never end': {
    doors: all,
    async run({ by, another }) {
      for (let i = 0; i < 100; i++) {
        const one = another();
        const modern = by.chance(0.3);
        if (!modern) await one.shake(by.pick(revisions), undefined, by.chance(0.5));
        for (let k = 0; k < 5; k++) await one.say(call(by.pick(['ask', 'wait']), {}, modern));
        if (by.chance(0.7)) one.leave();
      }
    },
  },
  'lifecycle out of order': {
    doors: all,
    async run({ by, another }) {
      for (let i = 0; i < 30; i++) {
        const one = another();
        for (let k = by.int(6); k >= 0; k--) {
          await one.say(by.pick([
            () => initialize(by.pick([...revisions, '2026-07-28', 'none'])),
            () => ({ jsonrpc: '2.0', method: 'notifications/initialized' }),
            () => call(by.pick(['echo', 'ask', 'wait']), { text: 'x' }, by.chance(0.5)),
            () => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: `call-${ids}` } }),
            () => ({ jsonrpc: '2.0', id: by.int(5), result: {} }),
            () => ({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } }),
            () => ({ jsonrpc: '2.0', id: 'l', method: 'logging/setLevel', params: { level: 'debug' } }),
            () => ({ jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta: modernMeta } }),
          ])());
        }
        await one.settle();
        one.leave();
      }
    },
  },
  'broken messages': {
    doors: all,
    async run(attack) {
      const { by, hostile } = attack;
      const modern = await enter(attack);
      for (let i = 0; i < (inLines(hostile.door) ? 500 : 60); i++) {
        const message = call(by.pick(['echo', 'match', 'ask']), { text: 'x' }, modern) as Record<string, unknown>;
        await hostile.sayBytes(mutated(message, initialize('2025-06-18'), by));
      }
      await hostile.settle();
    },
  },
  'strings against patterns': {
    doors: all,
    async run(attack) {
      const { by, hostile } = attack;
      const modern = await enter(attack);
      for (let i = 0; i < 5; i++) {
        const text = 'a'.repeat(by.pick([30, 1_000, 10_000, 1_000_000])) + by.pick(['', '!', ' a']);
        await hostile.say(call('match', by.pick([
          { words: text }, { twice: text }, { list: Array(20).fill(text.slice(0, 100_000)) },
        ]), modern));
      }
      await hostile.settle();
    },
  },
  'sealed states': {
    doors: all,
    async run({ by, hostile }) {
      for (let i = 0; i < 20; i++) {
        const answers = Object.fromEntries(Array.from({ length: by.pick([1, 1_000, 100_000]) }, (_, k) => [`k${k}`, { action: 'accept' }]));
        await hostile.say(call('ask', {}, true, { requestState: 'A'.repeat(by.pick([4, 65_536, 5 * MIB])), inputResponses: answers }));
      }
      await hostile.settle();
    },
  },
  'a message that is too long': {
    doors: ['stdio', 'http', 'http1', 'fetch'],
    async run({ by, hostile }) {
      const length = by.pick([17, 40]) * MIB;
      if (inLines(hostile.door)) {
        await hostile.say(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(length)}"}}`);
        return await hostile.settle();
      }
      const line = hostile.connect();
      await line.write(post(by.chance(0.5) ? length : 'chunked'));
      for (let i = 0; i < length / MIB; i++) if (!await line.write(`100000\r\n${'x'.repeat(MIB)}\r\n`)) break;
    },
  },
  'one byte at a time': {
    doors: ['stdio', 'http', 'http1', 'fetch'],
    async run({ by, hostile, another }) {
      const peers = inLines(hostile.door) ? Array.from({ length: 4 }, () => another()) : [];
      const until = Date.now() + 3_000;
      await Promise.all([hostile, ...peers].map(async (one) => {
        const line = one.connect();
        line.socket.setNoDelay(true);
        const chunked = by.chance(0.5);
        if (!inLines(one.door)) await line.write(post(chunked ? 'chunked' : 200_000));
        for (let i = 0; i < 200_000 && Date.now() < until && !line.socket.destroyed; i++) {
          await line.write(!inLines(one.door) && chunked ? '1\r\nx\r\n' : 'x');
          // A separate packet each, as far as the system allows.
          if (i % 20 === 0) await new Promise(setImmediate);
        }
      }));
    },
  },
  'bodies that never end': {
    doors: ['stdio', 'http', 'http1', 'fetch'],
    async run({ by, hostile }) {
      const size = by.pick([100_000, 4 * MIB, 15 * MIB]);
      const part = 'x'.repeat(Math.min(size, MIB));
      const until = Date.now() + 3_000;
      for (let i = 0; i < 60 && Date.now() < until; i++) {
        const line = hostile.connect();
        if (!inLines(hostile.door)) await line.write(post(16 * MIB));
        for (let sent = 0; sent < size && Date.now() < until; sent += part.length) if (!await line.write(part)) break;
      }
      await patiently(new Promise<never>(() => {}), 300);
    },
  },
  'heads that never end': {
    doors: web,
    async run({ by, hostile }) {
      for (let i = 0; i < 100; i++) {
        const line = hostile.connect();
        await line.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ${'x'.repeat(by.int(100_000))}`);
      }
    },
  },
  'sessions by the thousand': {
    doors: web,
    async run({ by, another }) {
      const until = Date.now() + 3_000;
      for (let i = 0; i < 500 && Date.now() < until; i++) {
        const one = another();
        await one.shake(by.pick(revisions.slice(1)), undefined, by.chance(0.5));
        one.leave();
      }
    },
  },
  'streams that are opened and cut': {
    doors: web,
    async run({ by, another }) {
      for (let i = 0; i < 20; i++) {
        const one = another();
        const old = by.chance(0.3);
        if (!old) await one.shake(by.pick(revisions.slice(1)));
        for (let k = 0; k < 10; k++) {
          const line = one.connect();
          const last = by.chance(0.3) ? `last-event-id: ${by.pick(['0', 'x'.repeat(10_000), '1-1', '-1'])}\r\n` : '';
          const session = Object.entries(one.fields).map(([name, value]) => `${name}: ${value}\r\n`).join('');
          await line.write(`GET ${old ? '/sse' : '/mcp'} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\n${session}${last}\r\n`);
          if (by.chance(0.5)) line.leave();
        }
        await one.say(call('progress', { count: 2_000 }, false));
        one.leave();
      }
    },
  },
};
