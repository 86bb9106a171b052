import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import type { ErrorPlace } from '../../src/server/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { everyNth } from '../every-nth.ts';
import { returned, secret, thrown } from './hostile-values.ts';
import { connect, modernMeta } from './peer.ts';
import type { Answer, Bag, Peer } from './peer.ts';

// Whatever a handler throws or returns: the caller gets one answer without internal details, the author gets one report, and the process
// survives and serves the next request.

interface Place {
  readonly method: string;
  readonly params: Bag;
  readonly what: ErrorPlace['what'];
}

/** Kinds of handlers. */
const places: Readonly<Record<string, Place>> = {
  tool: { method: 'tools/call', params: { name: 'plain' }, what: 'tool' },
  'tool with output': { method: 'tools/call', params: { name: 'structured' }, what: 'tool' },
  resource: { method: 'resources/read', params: { uri: 'note://one' }, what: 'resource' },
  template: { method: 'resources/read', params: { uri: 'other://x' }, what: 'resource' },
  prompt: { method: 'prompts/get', params: { name: 'plan' }, what: 'prompt' },
  completion: { method: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: '' } }, what: 'completion' },
  extension: { method: 'thing/do', params: {}, what: 'method' },
};

interface Bench {
  readonly server: McpServer;
  readonly heard: { readonly error: Error; readonly what: string }[];
  act: () => unknown;
}

function bench(): Bench {
  const heard: { error: Error; what: string }[] = [];
  const server = new McpServer({ name: 'test', version: '1' }, { onError: (error, { what }) => void heard.push({ error, what }) });
  const self: Bench = { server, heard, act: () => 'fine' };
  const handler = (): never => self.act() as never;
  server.tool('plain', {}, handler);
  server.tool('structured', { output: { type: 'object' } }, handler);
  server.tool('fine', {}, () => 'fine');
  server.resource('note://one', {}, handler);
  server.resourceTemplate('other://{x}', { complete: { x: handler } }, handler);
  server.prompt('plan', { arguments: { city: { complete: handler } } }, handler);
  server.extend({ id: 'com.example/thing', methods: { 'thing/do': handler } });
  return self;
}

const capabilities = { elicitation: { form: {} }, extensions: { 'com.example/thing': {} } };

type Ask = (place: Place) => Promise<{ readonly text: string; readonly answer: Answer }>;

const overMemory = (peer: Peer, era: 'legacy' | 'modern'): Ask => async ({ method, params }) => {
  const answer = await (era === 'legacy' ? peer.request(method, params) : peer.modern(method, params, capabilities));
  return { text: JSON.stringify(answer), answer };
};

/** The only message that a caller may get about a failure. */
const failure = /^(Failed: )?(plain|structured|fine|plan|note:\/\/one|other:\/\/x|completion\/complete|thing\/do) failed \(id \d+\)$/;

/** Checks one answer and the reports to the author. */
function judge(name: string, place: Place, { text, answer }: Awaited<ReturnType<Ask>>, heard: Bench['heard']): 'failed' | 'answered' {
  // A handler could return `secret` as plain data; no value here does.
  assert.ok(!text.includes(secret), `${name}: ${text}`);
  const { result, error } = answer;
  assert.ok(error ? Number.isInteger(error.code) && typeof error.message === 'string' : typeof result === 'object' && result !== null && !Array.isArray(result), `${name}: ${text}`);
  const said = error ? error.message : result?.['isError'] === true ? (result['content'] as { text: string }[])[0]?.text ?? '' : undefined;
  for (const { error: told } of heard) {
    // The report is readable, whatever was thrown.
    assert.ok(told instanceof Error && typeof told.message === 'string', name);
  }
  if (said === undefined) return 'answered';
  // A template whose handler returns nothing reports that the resource does not exist.
  if (said === 'polite' || said === 'cancelled' || said === 'Resource not found: other://x') return 'failed';
  assert.match(said, failure, `${name}: ${said}`);
  assert.deepEqual(heard.map(({ what }) => what), [place.what], `${name}: ${said}`);
  return 'failed';
}

const modes: Readonly<Record<string, (value: () => unknown) => () => unknown>> = {
  'thrown at once': (value) => () => {
    throw value();
  },
  'thrown later': (value) => async () => {
    await Promise.resolve();
    throw value();
  },
  'thrown by a generator': (value) => function* () {
    throw value();
  },
};

for (const era of ['legacy', 'modern'] as const) {
  test(`hostile values: what a handler throws is a failure like any other, in every place, in the ${era} era`, async () => {
    const own = bench();
    const peer = await connect(own.server, era === 'legacy' ? { revision: '2025-11-25', capabilities } : {});
    const ask = overMemory(peer, era);
    const step = everyNth(16);
    const ways = Object.entries(modes);
    let [at, failed] = [0, 0];
    for (const [name, make] of thrown()) {
      for (const [placeName, place] of Object.entries(places)) {
        if (place.what === 'method' && era === 'legacy') continue;
        // Rotate the modes: over all values, each place sees each mode.
        const [mode, around] = ways[at % ways.length] ?? [];
        if (at++ % step !== 0) continue;
        own.heard.length = 0;
        own.act = around?.(make) ?? (() => {});
        const whole = `${placeName}, ${mode}: ${name}`;
        assert.equal(judge(whole, place, await ask(place), own.heard), 'failed', whole);
        failed++;
      }
    }
    assert.ok(failed > 3_000 / step, String(failed));
    own.heard.length = 0;
    assert.equal((await ask({ method: 'tools/call', params: { name: 'fine' }, what: 'tool' })).answer.result?.['isError'], undefined);
    assert.deepEqual(own.heard, []);
  });

  test(`hostile values: what a handler returns is a result or a failure, in every place, in the ${era} era`, async () => {
    const own = bench();
    const peer = await connect(own.server, era === 'legacy' ? { revision: '2025-06-18', capabilities } : {});
    const ask = overMemory(peer, era);
    const step = everyNth(22);
    let [at, failed, answered] = [0, 0, 0];
    for (const [name, make] of returned()) {
      for (const [placeName, place] of Object.entries(places)) {
        if (place.what === 'method' && era === 'legacy') continue;
        for (const asynchronous of [false, true]) {
          if (at++ % step !== 0) continue;
          own.heard.length = 0;
          own.act = asynchronous ? async () => make() : make;
          const whole = `${placeName}, ${asynchronous ? 'later' : 'at once'}: ${name}`;
          if (judge(whole, place, await ask(place), own.heard) === 'failed') failed++;
          else answered++;
        }
      }
    }
    assert.ok(failed > 2_500 / step && answered > 500 / step, `${failed} failed, ${answered} answered`);
  });
}

test('hostile values: over HTTP the answer is the same, with its status, and the listener lives', async (t) => {
  const own = bench();
  const errors: Error[] = [];
  const { port, close } = await serveHttp(own.server, { onError: (error) => errors.push(error) });
  t.after(() => close({ drainMs: 0 }));
  const post = (body: Bag, headers: Record<string, string>): Promise<{ status: number; text: string; session: string }> => new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        .on('end', () => resolve({ status: answer.statusCode ?? 0, text, session: String(answer.headers['mcp-session-id']) }));
    }).on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }));
  });
  const { session } = await post({ method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } } }, {});
  const legacy: Ask = async ({ method, params }) => {
    const { text } = await post({ method, params }, { 'mcp-session-id': session });
    return { text, answer: JSON.parse(text) as Answer };
  };
  const modern: Ask = async ({ method, params }) => {
    const name = params['name'] ?? params['uri'];
    const { text } = await post({ method, params: { ...params, _meta: modernMeta(capabilities) } }, {
      'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...typeof name === 'string' && { 'mcp-name': name },
    });
    return { text, answer: JSON.parse(text) as Answer };
  };
  const step = everyNth(22);
  let at = 0;
  for (const [name, make] of thrown()) {
    for (const place of [places['tool'], places['prompt']] as Place[]) {
      for (const ask of [legacy, modern]) {
        if (at++ % step !== 0) continue;
        own.heard.length = 0;
        own.act = () => {
          throw make();
        };
        assert.equal(judge(name, place, await ask(place), own.heard), 'failed', name);
      }
    }
  }
  assert.deepEqual(errors, []);
});

test('hostile values: what list filters, functions around handlers and deferrals throw says nothing to the caller either', async () => {
  for (const [name, make] of thrown()) {
    if (/ throws after| whose /.test(name)) continue;
    const heard: Bench['heard'] = [];
    const server = new McpServer({ name: 'test', version: '1' }, {
      onError: (error, { what }) => void heard.push({ error, what }),
      listFilter: { key: () => '', shows: (_kind, entry) => {
        if (entry === 'shown') return true;
        throw make();
      } },
      around: [(call, next) => {
        if (call.name === 'shown') throw make();
        return next();
      }],
    });
    server.tool('shown', {}, () => 'fine');
    server.resource('note://one', {}, () => 'fine');
    const peer = await connect(server, { revision: '2025-11-25' });
    for (const [method, params] of [['resources/list', {}], ['resources/read', { uri: 'note://one' }], ['tools/call', { name: 'shown' }]] as const) {
      heard.length = 0;
      const text = JSON.stringify(await peer.request(method, params));
      assert.ok(!text.includes(secret), `${method}, ${name}: ${text}`);
      assert.ok(heard.length === 1 || /polite|cancelled/.test(text), `${method}, ${name}: ${heard.length} ${text}`);
    }
  }
});

test('hostile values: without onError they are written to stderr, and an onError that throws them ends nothing', async () => {
  const { error } = console;
  const lines: string[] = [];
  console.error = (...parts: unknown[]) => void lines.push(parts.map(String).join(' '));
  try {
    const step = everyNth(9);
    let [at, told] = [0, 0];
    for (const [name, make] of thrown()) {
      if (at++ % step !== 0) continue;
      for (const options of [{}, { onError: () => {
        told++;
        throw make();
      } }]) {
        const server = new McpServer({ name: 'test', version: '1' }, options);
        server.tool('plain', {}, () => {
          throw make();
        });
        lines.length = 0;
        const peer = await connect(server);
        const text = JSON.stringify(await peer.modern('tools/call', { name: 'plain' }));
        assert.ok(!text.includes(secret), `${name}: ${text}`);
        if (/plain failed/.test(text)) assert.equal(lines.length, 1, `${name}: ${lines.join('\n')}`);
      }
    }
    assert.ok(told > 100 / step);
  } finally {
    console.error = error;
  }
});
