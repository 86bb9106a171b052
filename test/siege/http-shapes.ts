// Attacks on HTTP/1.1 itself: connections that are slow, idle, half-closed or reset, and messages that two programs read differently.
import { mutated } from '../http1/mutated.ts';
import { requests } from '../http1/requests.ts';
import type { Line } from './door.ts';
import { mirrored, modernMeta, patiently, post } from './door.ts';
import type { Attack, Shape } from './shape.ts';

/** A complete call of 2026-07-28. */
function call(name: string, args: object = {}): string {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: modernMeta } };
  const text = JSON.stringify(message);
  return post(text.length, mirrored(message)) + text;
}

const pause = (ms: number): Promise<unknown> => patiently(new Promise<never>(() => {}), ms);

/** Opens many connections, some at a time. Includes connections that were refused. */
async function connected({ hostile }: Attack, count: number): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const some = Array.from({ length: Math.min(200, count - lines.length) }, () => hostile.connect());
    lines.push(...some);
    await Promise.all(some.map(({ socket, closed }) => patiently(Promise.race([closed, new Promise((resolve) => void socket.once('connect', resolve))]))));
  }
  return lines;
}

/** Writes a piece to each connection repeatedly. */
async function drip(lines: readonly Line[], piece: () => string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    for (const { socket } of lines) if (!socket.destroyed) socket.write(piece());
    await pause(100);
  }
}

export const httpShapes: Readonly<Record<string, Shape>> = {
  'slow heads': {
    doors: ['http', 'http1'],
    async run(attack) {
      const { by } = attack;
      const lines = await connected(attack, 500);
      for (const line of lines) void line.write(by.pick(['', 'P', 'POST /mcp HTTP/1.1', 'POST /mcp HTTP/1.1\r\n', 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ']));
      await drip(lines, () => by.pick(['x', 'x: y\r\n', '\r', ' ', '\r\n']), 20);
    },
  },
  'slow bodies': {
    doors: ['http', 'http1'],
    async run(attack) {
      const { by } = attack;
      const lines = await connected(attack, 500);
      const chunked = by.chance(0.5);
      for (const line of lines) void line.write(post(chunked ? 'chunked' : by.pick([1000, 15_000_000])));
      await drip(lines, () => (chunked ? by.pick(['1', '\r\n', '1\r\nx\r\n', '1;x=y\r\n\n\r\n']) : ' '), 20);
    },
  },
  'idle by the thousand': {
    doors: ['http1'],
    async run(attack) {
      // Half of them wait before the first request, the others before the next one.
      for (let i = 0; i < 10_000; i += 200) {
        const lines = await connected(attack, 200);
        if (i % 400 === 0) continue;
        for (const { socket } of lines) socket.write(call('echo', { text: 'x' }));
        await Promise.all(lines.map((line) => line.hears('\r\n\r\n')));
      }
      await pause(500);
    },
  },
  'half-closed': {
    doors: ['http', 'http1'],
    async run(attack) {
      const { by } = attack;
      const lines = await connected(attack, 300);
      for (const line of lines) {
        const whole = by.pick([call('echo', { text: 'x' }), call('wait'), call('ask'), call('big', { size: 1_000_000 }), call('progress', { count: 2_000 })]);
        await line.write(by.chance(0.6) ? whole : whole.slice(0, by.int(whole.length)));
        if (by.chance(0.3)) line.deafen();
        if (by.chance(0.5)) await new Promise(setImmediate);
        line.half();
      }
      await pause(500);
    },
  },
  'resets': {
    doors: ['http', 'http1'],
    async run(attack) {
      const { by } = attack;
      for (let i = 0; i < 5; i++) {
        const lines = await connected(attack, 50);
        await Promise.all(lines.map(async (line) => {
          const whole = by.pick([call('echo', { text: 'x' }), call('wait'), call('big', { size: 1_000_000 }), call('progress', { count: 20_000 })]);
          await line.write(by.chance(0.7) ? whole : whole.slice(0, by.int(whole.length)));
          if (by.chance(0.5)) await patiently(line.hears(by.pick(['HTTP/1.1', '\r\n\r\n', 'data:'])), 200);
          line.reset();
        }));
      }
    },
  },
  'requests ahead': {
    doors: ['http', 'http1'],
    async run(attack) {
      const { by } = attack;
      for (const line of await connected(attack, 20)) {
        if (by.chance(0.5)) line.deafen();
        const whole = by.pick([call('echo', { text: 'x' }), call('wait'), call('big', { size: 1_000_000 }), 'GET /other HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n']);
        for (let i = 0; i < 20; i++) line.socket.write(whole.repeat(20));
      }
      await pause(1_000);
    },
  },
  'messages read in two ways': {
    doors: ['http', 'http1'],
    async run(attack) {
      const texts = [...mutated(requests.filter(({ want }) => typeof want === 'string').map(({ bytes }) => bytes), attack.by.int(1e9), 500)];
      for (let i = 0; i < texts.length; i += 100) {
        const lines = await connected(attack, 100);
        for (const [k, line] of lines.entries()) line.socket.write(Buffer.from(`${texts[i + k]}${call('echo', { text: 'x' })}`, 'latin1'));
        await pause(100);
        for (const line of lines) line.leave();
      }
    },
  },
};
