// Attacks on a client: the responses of a hostile server. Each is bounded in count and time.
import type { Random } from '../hostile/mutations.ts';
import { mutated } from '../hostile/mutations.ts';
import type { Asked, HostileServer } from './hostile-server.ts';

type Bag = Record<string, unknown>;

export interface ClientShape {
  /** True for revision 2026-07-28, false for an earlier one; undefined: chosen at random. */
  readonly modern?: boolean;
  /** Only over HTTP. */
  readonly web?: boolean;
  /** Answers a request and returns true, or returns false for the default valid response. */
  answer(asked: Asked, server: HostileServer, by: Random): Promise<boolean> | boolean;
}

const MIB = 2 ** 20;
const tool = (name: string, more: Bag = {}): Bag => ({ name, inputSchema: { type: 'object' }, ...more });
const text = (json: unknown): string => JSON.stringify(json);
const result = (id: unknown, value: Bag): Bag => ({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...value } });
const notification = (method: string, params: Bag): Bag => ({ jsonrpc: '2.0', method, params });

/** Sends a message repeatedly, as long as it is accepted, and then responds. */
async function flood(asked: Asked, server: HostileServer, message: (i: number) => string, count: number): Promise<boolean> {
  const until = Date.now() + 2_000;
  const many = 100;
  for (let i = 0; i < count && Date.now() < until; i += many) {
    if (!await asked.say(Array.from({ length: many }, (_, k) => message(i + k)))) return true;
  }
  await asked.end(text(result(asked.id, server.sound(asked))));
  return true;
}

const called = ({ method }: Asked): boolean => method === 'tools/call';

export const clientShapes: Readonly<Record<string, ClientShape>> = {
  'pages without end': {
    answer(asked, _, by) {
      if (!asked.method.endsWith('/list')) return false;
      const tools = Array.from({ length: 100 }, (_, i) => tool(`t${i}`, { description: 'x'.repeat(by.pick([10, 10_000])) }));
      return asked.end(text(result(asked.id, { tools, resources: tools, prompts: tools, nextCursor: String(by.int(1e9)) })));
    },
  },
  'output schemas with hostile patterns': {
    answer(asked, _, by) {
      if (asked.method === 'tools/list') {
        const pattern = by.pick([
          '^a*a*a{4000}b$', '^a*a*b$', '^(a+)+$', '^(a|aa)+$', '^(a*)*\\1$', '(?<=a*a*)b', 'a?'.repeat(1_000) + 'b',
          '\\p{L}'.repeat(100), `(?:${'a{1000}'.repeat(3)}){1000}`, '(?=(a*)*b)', '^(?:(?:){999999999}){999999}a*a*!',
        ]);
        const outputSchema = by.pick([
          { type: 'object', properties: { list: { items: { pattern } } } },
          { type: 'object', properties: { list: { items: { anyOf: Array(500).fill({ pattern }) } } } },
          { type: 'object', patternProperties: { [pattern]: false } },
        ]);
        return asked.end(text(result(asked.id, { tools: [tool('any', { outputSchema })] })));
      }
      if (!called(asked)) return false;
      const long = 'a'.repeat(by.pick([9_998, 100_000, 1_000_000]));
      return asked.end(text(result(asked.id, {
        content: [], structuredContent: { list: Array(by.pick([1, 10])).fill(long), [long.slice(0, 100_000)]: 1 },
      })));
    },
  },
  'output schemas that are too much': {
    answer(asked, _, by) {
      if (asked.method !== 'tools/list') return false;
      const depth = by.pick([500, 900, 20_000]);
      const schema = by.pick([
        () => '{"items":'.repeat(depth) + 'true' + '}'.repeat(depth),
        () => text({ anyOf: Array(200_000).fill({}) }),
        () => text({ $ref: '#/$defs/d0', $defs: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }])) }),
        () => text({ properties: Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`p${i}`, { pattern: `^${'(a|b)'.repeat(900)}${i}$` }])) }),
      ])();
      return asked.end(text(result(asked.id, { tools: [tool('any', { outputSchema: '@' })] })).replace('"@"', schema));
    },
  },
  'output schemas times values': {
    answer(asked, _, by) {
      if (asked.method === 'tools/list') {
        const rule = by.pick<Bag>([
          { properties: { a: true } }, { required: ['k1'] }, { minProperties: 1 }, { propertyNames: { maxLength: 100 } },
          { additionalProperties: { type: 'number' } }, { patternProperties: { '^a': true } }, { unevaluatedProperties: true },
          { additionalProperties: { uniqueItems: true } }, { enum: [{ k1: 1 }] }, { anyOf: [{ minLength: 1 }, { maxProperties: 1 }] },
        ]);
        return asked.end(text(result(asked.id, { tools: [tool('any', { outputSchema: { type: 'object', allOf: Array(by.pick([3_300, 4_900, 9_000])).fill(rule) } })] })));
      }
      const count = by.pick([100, 100_000]);
      return called(asked) && asked.end(text(result(asked.id, {
        content: [], structuredContent: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])),
      })));
    },
  },
  'input requests by the thousand': {
    modern: true,
    answer(asked, _, by) {
      if (!called(asked)) return false;
      const inputRequests = Object.fromEntries(Array.from({ length: by.pick([100, 100_000]) }, (_, i) => [`k${i}`, {
        method: by.pick(['elicitation/create', 'roots/list', 'sampling/createMessage', 'unknown']),
        params: { message: 'x', requestedSchema: { type: 'object', properties: {} }, messages: [], maxTokens: 1 },
      }]));
      return asked.end(text(result(asked.id, { resultType: 'input_required', inputRequests, requestState: 'x'.repeat(by.pick([1, MIB])) })));
    },
  },
  'states without questions': {
    modern: true,
    answer: (asked) => called(asked) && asked.end(text(result(asked.id, { resultType: 'input_required', requestState: 'again' }))),
  },
  'pings': {
    modern: false,
    answer: (asked, server) => called(asked) && flood(asked, server, (i) => text({ jsonrpc: '2.0', id: i, method: 'ping' }), 500_000),
  },
  'questions': {
    modern: false,
    answer: (asked, server, by) => called(asked) && flood(asked, server, (i) => text({
      jsonrpc: '2.0', id: `q${i}`, method: by.pick(['elicitation/create', 'roots/list', 'sampling/createMessage', 'unknown']),
      params: {
        mode: by.pick(['form', 'url', 'other', undefined]), message: 'x'.repeat(100), url: 'https://example.com', messages: [],
        requestedSchema: by.pick<unknown>([{ type: 'object', properties: {} }, { type: 'object', properties: { a: { type: 'array' } } }, 1]),
      },
    }), 20_000),
  },
  'progress': {
    answer: (asked, server, by) => called(asked) && flood(asked, server, (i) => text(notification('notifications/progress', {
      progressToken: by.pick<unknown>([asked.token, null, {}, i]), progress: i, message: 'x'.repeat(1_000),
    })), 200_000),
  },
  'notifications': {
    answer: (asked, server, by) => called(asked) && flood(asked, server, (i) => text(by.pick([
      notification('notifications/message', { level: 'error', data: 'x'.repeat(1_000) }),
      notification('notifications/tools/list_changed', {}),
      notification('notifications/resources/updated', { uri: `note://${i}` }),
      notification('notifications/cancelled', { requestId: i }),
      notification('notifications/unknown', { x: i }),
    ])), 200_000),
  },
  'answers to nothing': {
    answer: (asked, server, by) => called(asked) && flood(asked, server, (i) => text(by.pick<unknown>([
      { jsonrpc: '2.0', id: i + 1_000, result: {} }, { jsonrpc: '2.0', id: null, error: { code: -1, message: 'x' } },
      { jsonrpc: '2.0', id: `${i}`, error: { code: 1, message: 'x'.repeat(1_000) } }, [], 1,
    ])), 100_000),
  },
  'batches': {
    answer(asked, _, by) {
      const item = by.pick(['1', '{}', '[]', '{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"result":{}}']);
      return by.chance(0.3) && asked.end(`[${Array(by.int(2_000_000)).fill(item).join()}]`);
    },
  },
  'many values': {
    answer(asked, _, by) {
      const list = `[${Array(by.int(4_000_000)).fill(by.pick(['{}', '[]', '0'])).join()}]`;
      return by.chance(0.3) && asked.end(text(result(asked.id, { content: '@', tools: '@' })).replaceAll('"@"', list));
    },
  },
  'depth': {
    answer(asked, _, by) {
      const depth = by.pick([900, 5_000, 100_000, 3_000_000]);
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      const answer = by.pick<Bag>([
        result(asked.id, { content: '@', structuredContent: '@' }), result(asked.id, { protocolVersion: '@', capabilities: '@' }),
        { jsonrpc: '2.0', id: asked.id, error: { code: -32022, message: 'x', data: '@' } }, { jsonrpc: '2.0', id: '@', method: 'ping' },
        { jsonrpc: '2.0', id: asked.id, error: '@' },
      ]);
      return by.chance(0.5) && asked.end(text(answer).replaceAll('"@"', deep));
    },
  },
  'answers that are too long': {
    answer: (asked, _, by) => called(asked) && asked.end(text(result(asked.id, { content: [{ type: 'text', text: 'x'.repeat(by.pick([15, 17, 60]) * MIB) }] }))),
  },
  'errors that are too long': {
    answer: (asked, _, by) => by.chance(0.5) && asked.end(text({
      jsonrpc: '2.0', id: asked.id, error: { code: by.pick([-32022, -32601, -32602, 1]), message: 'x'.repeat(10 * MIB), data: { supported: Array(100_000).fill('x') } },
    })),
  },
  'no answers': { answer: (_, __, by) => by.chance(0.5) },
  'broken messages': {
    async answer(asked, server, by) {
      for (let i = 0; i < 20; i++) {
        await asked.say([Buffer.from(mutated(result(asked.id, server.sound(asked)), notification('x', {}), by)).toString('latin1')]);
      }
      return asked.end(text(result(asked.id, server.sound(asked))));
    },
  },
  'one byte at a time': {
    async answer(asked, server) {
      if (!called(asked)) return false;
      await asked.trickle(text(result(asked.id, { ...server.sound(asked), x: 'x'.repeat(50_000) })));
      return true;
    },
  },
  'answers that never end': {
    web: true,
    answer: (asked, _, by) => called(asked) && asked.raw(
      `HTTP/1.1 200 OK\r\ncontent-type: ${by.pick(['application/json', 'text/event-stream'])}\r\ncontent-length: 100000000\r\n\r\n${by.pick(['', 'data: ', ': '])}`, 'x'.repeat(by.pick([1_000, MIB])), by.pick([1, 14, 80]),
    ),
  },
  'streams cut before the first id': {
    web: true,
    answer: (asked, _, by) => (called(asked) || asked.method === 'GET') && asked.raw(
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n${by.pick(['', 'retry: 0\n\n', 'retry: 0\nid: 1\ndata: \n\n', 'id: 1\n', ': \n'])}`, '', 0,
    ),
  },
  'heads of HTTP': {
    web: true,
    answer: (asked, _, by) => asked.raw(by.pick([
      'HTTP/1.1 302 Found\r\nlocation: /mcp\r\ncontent-length: 0\r\n\r\n', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`,
      'HTTP/1.1 401 no\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\n\r\n', 'HTTP/1.1 404 no\r\ncontent-length: 0\r\n\r\n',
      `HTTP/1.1 500 no\r\ncontent-length: 5000000\r\n\r\n${'x'.repeat(5_000_000)}`, 'HTTP/1.1 202 ok\r\ncontent-length: 0\r\n\r\n',
      `HTTP/1.1 200 OK\r\nmcp-session-id: ${'x'.repeat(8_000)}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`, 'garbage',
    ]), '', 0),
  },
};
