import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from '../../src/jsonrpc/message.ts';
import { errorCodes, McpServer, RpcError, ServerCore, ToolError, tools } from '../../src/server/index.ts';
import type { ErrorPlace, ServerOptions } from '../../src/server/index.ts';
import { connect, modernMeta, textOf } from './peer.ts';
import type { Bag, Peer } from './peer.ts';

const info = { name: 'test', version: '1' };
const revision = '2025-11-25';

interface Heard {
  readonly error: Error;
  readonly where: ErrorPlace;
}

/** A server that records its reported errors. */
function listened(options: ServerOptions = {}): { server: McpServer; heard: Heard[] } {
  const heard: Heard[] = [];
  return { server: new McpServer(info, { ...options, onError: (error, where) => heard.push({ error, where }) }), heard };
}

/** Runs without output to stderr, and returns the lines that would have been printed. */
async function stderrOf(run: () => Promise<void>): Promise<string[]> {
  const { error } = console;
  const lines: string[] = [];
  console.error = (...parts: unknown[]) => void lines.push(parts.join(' '));
  try {
    await run();
  } finally {
    console.error = error;
  }
  return lines;
}

test('an exception stays with the author, with its stack, its request and the id that the caller reads', async () => {
  for (const era of ['legacy', 'modern'] as const) {
    const { server, heard } = listened();
    server.tool('book_trip', {}, async () => {
      throw new Error('password=hunter2');
    });
    const peer = await connect(server, era === 'legacy' ? { revision } : {});
    const answer = era === 'legacy' ? await peer.call('book_trip') : await peer.modern('tools/call', { name: 'book_trip' });
    const [, id] = /^failed: book_trip failed \(id ([0-9a-f]+)\)$/.exec(textOf(answer)) ?? [];
    assert.ok(id, textOf(answer));
    assert.equal(heard.length, 1);
    const { error, where } = heard[0] as Heard;
    assert.match(error.stack ?? '', /password=hunter2[^]*failures\.test/);
    assert.deepEqual({ ...where, request: where.request?.method }, {
      what: 'tool', name: 'book_trip', request: 'tools/call', id,
    });
  }
});

test('resources, prompts, completions, extensions and notifications are reported likewise', async () => {
  const { server, heard } = listened({
    onRootsChanged: () => {
      throw new Error('secret roots');
    },
  });
  const fail = (): never => {
    throw new Error('secret');
  };
  server.resource('note://one', {}, fail);
  server.prompt('plan', { arguments: { city: { complete: fail } } }, fail);
  server.extend({ id: 'com.example/thing', methods: { 'thing/do': fail } });
  const peer = await connect(server, { revision });
  const extensions = { extensions: { 'com.example/thing': {} } };
  const answers = [
    await peer.request('resources/read', { uri: 'note://one' }),
    await peer.request('prompts/get', { name: 'plan' }),
    await peer.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: '' },
    }),
    await peer.modern('thing/do', {}, extensions),
  ];
  for (const { error } of answers) {
    assert.equal(error?.code, -32603);
    assert.match(error?.message ?? '', /^\S+ failed \(id [0-9a-f]+\)$/);
  }
  peer.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  assert.deepEqual(await peer.rest(), []);
  assert.deepEqual(heard.map(({ where: { what, name } }) => `${what} ${name}`), [
    'resource note://one', 'prompt plan', 'completion completion/complete', 'method thing/do',
    'notification notifications/roots/list_changed',
  ]);
});

test('without onError failures are written to stderr, with their stack', async () => {
  const server = new McpServer(info);
  server.tool('broken', {}, () => {
    throw new Error('the disk is full');
  });
  const peer = await connect(server, { revision });
  const lines = await stderrOf(async () => {
    await peer.call('broken');
    server.tool('polite', {}, () => {
      throw new ToolError('No seats left');
    });
    await peer.call('polite');
  });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^tool broken failed \(id [0-9a-f]+\): Error: the disk is full\n +at /);
});

test('an onError that throws ends nothing', async () => {
  const server = new McpServer(info, {
    onError: () => {
      throw new Error('no log');
    },
  });
  server.tool('broken', {}, () => {
    throw new Error('broken');
  });
  const peer = await connect(server, { revision });
  const lines = await stderrOf(async () => {
    assert.match(textOf(await peer.call('broken')), /^failed: broken failed/);
  });
  assert.match(lines.join(), /no log/);
});

test('a ToolError speaks to the caller in the author\'s words, and is no failure', async () => {
  const { server, heard } = listened();
  const refuse = (): never => {
    throw new ToolError('No seats left');
  };
  server.tool('book', {}, refuse);
  server.resource('note://one', {}, refuse);
  const peer = await connect(server, { revision });
  assert.equal(textOf(await peer.call('book')), 'failed: No seats left');
  const { error } = await peer.request('resources/read', { uri: 'note://one' });
  assert.deepEqual(error, { code: errorCodes.internalError, message: 'No seats left' });
  assert.deepEqual(heard, []);
});

test('errors: "message" shows messages', async () => {
  const { server } = listened({ errors: 'message' });
  server.tool('broken', {}, () => {
    throw new Error('the disk is full');
  });
  assert.match(textOf(await (await connect(server, { revision })).call('broken')),
    /^failed: broken failed \(id [0-9a-f]+\): the disk is full$/);
});

test('a handler that stops since its request was cancelled has not failed', async () => {
  const { server, heard } = listened();
  let started: () => void = () => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  let stopped: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  server.tool('wait', {}, async (_args, { signal }) => {
    started();
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      .finally(stopped);
    return '';
  });
  const peer = await connect(server, { revision });
  void peer.request('tools/call', { name: 'wait' }, 'call');
  await running;
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call' } });
  await over;
  await peer.rest();
  assert.deepEqual(heard, []);
});

test('the code of a handler\'s error is one that its revision allows', async () => {
  const { server, heard } = listened();
  let code = 0;
  const refuse = (): never => {
    throw new RpcError(code, 'refused', { why: 'because' });
  };
  server.tool('refuse', {}, refuse);
  server.prompt('refuse', {}, refuse);
  server.resource('a:refuse', {}, refuse);
  const legacy = await connect(server, { revision });
  const modern = await connect(server);
  const older = await connect(server, { revision: '2025-06-18' });
  const table: readonly (readonly [code: number, legacy: number, older: number, modern: number])[] = [
    [4050, 4050, 4050, 4050],
    [-40000, -40000, -40000, -40000],
    [-32602, -32602, -32602, -32602],
    // Reserved by JSON-RPC 2.0, or only for transports.
    [-32700, -32603, -32603, -32603],
    [-32500, -32603, -32603, -32603],
    [1.5, -32603, -32603, -32603],
    // Only for modern servers: with them a legacy client would not fall back.
    [-32020, -32603, -32603, -32603],
    [-32022, -32603, -32603, -32603],
    // 2026-07-28 reserves them for the specification.
    [-32050, -32050, -32050, -32603],
    [-32099, -32099, -32099, -32603],
    [-32023, -32023, -32023, -32603],
    [-32021, -32603, -32603, -32021],
    [-32019, -32019, -32019, -32019],
    [-32001, -32001, -32001, -32001],
    [-32000, -32000, -32000, -32000],
    // Codes that only one era has.
    [-32002, -32002, -32002, -32602],
    [-32042, -32042, -32603, -32603],
  ];
  for (const [given, ...expected] of table) {
    code = given;
    const answers = [
      await legacy.call('refuse'), await older.call('refuse'), await modern.modern('tools/call', { name: 'refuse' }),
    ];
    assert.deepEqual(answers.map(({ error }) => error?.code), expected, `${given}`);
    for (const [method, params] of [['prompts/get', { name: 'refuse' }], ['resources/read', { uri: 'a:refuse' }]] as const) {
      const others = [await legacy.request(method, params), await older.request(method, params), await modern.modern(method, params)];
      assert.deepEqual(others.map(({ error }) => error?.code), expected, `${given} of ${method}`);
    }
    for (const { error } of answers) assert.deepEqual(error?.data, { why: 'because' });
  }
  assert.equal(heard.length, 9 * table.length);
});

test('what JSON cannot say is the author\'s fault in both eras', async () => {
  const { server, heard } = listened();
  const circle: Record<string, unknown> = {};
  circle['circle'] = circle;
  server.tool('circle', {}, () => ({ content: [], _meta: circle }));
  server.tool('bigint', {}, () => ({ content: [{ type: 'text', text: 'x', n: 1n } as never] }));
  for (const value of [NaN, Infinity]) {
    server.tool(`${value}`, { output: { type: 'object' } }, () => ({ deep: [{ n: value }] }));
  }
  const legacy = await connect(server, { revision });
  const modern = await connect(server);
  for (const name of ['circle', 'bigint', 'NaN', 'Infinity']) {
    for (const answer of [await legacy.call(name), await modern.modern('tools/call', { name })]) {
      assert.match(textOf(answer), new RegExp(`${name} failed \\(id [0-9a-f]+\\)$`));
    }
  }
  assert.equal(heard.length, 8);
  assert.match(heard.at(-1)?.error.message ?? '', /structuredContent\.deep\.0\.n is Infinity, which is not a JSON value/);
});

test('mistakes that a type checker would find are refused at registration, in a sentence', () => {
  const { server } = listened();
  const plain = server as unknown as Record<string, (...args: unknown[]) => unknown>;
  const tool = (...args: unknown[]): unknown => plain['tool']?.(...args);
  assert.throws(() => tool('z', () => ''), /^TypeError: tool "z"\.definition is invalid, expected object, not function$/);
  assert.throws(() => tool('z', {}), /tool "z"\.handler is invalid, expected function, not null/);
  assert.throws(() => tool(7, {}, () => ''), /tool 7\.name is invalid, expected string, not number/);
  assert.throws(() => tool('z', { inputSchema: { type: 'object' } }, () => ''),
    /tool "z"\.definition\.inputSchema is unknown, did you mean input\?/);
  assert.throws(() => plain['prompt']?.('z', { argments: {} }, () => ''), /prompt "z"\.definition\.argments is unknown, did you mean arguments\?/);
  assert.throws(() => plain['resource']?.('a:b', { type: 'x' }, () => ''), /resource "a:b"\.definition\.type is unknown/);
  for (const uri of ['', 'not a uri', '1a:x', 'a:b c', 'a:%zz', 'a:<b>']) {
    assert.throws(() => server.resource(uri, {}, () => ''), /not a URI/, uri);
  }
  assert.throws(() => server.resourceTemplate('no scheme/{x}', {}, () => ''), /must begin with a scheme/);
  // The failed registrations left nothing behind.
  server.tool('z', {}, () => '');
});

test('a tool name that breaks a SHOULD is registered, and the author is warned', async () => {
  const { server, heard } = listened();
  // All characters except ASCII letters, digits, _, - and .
  const odd = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), 'é', 'ſ', '١', '\u{1f600}'].filter((char) => !'_-.'.includes(char) && !/^[A-Za-z0-9]$/.test(char));
  assert.equal(odd.length, 128 - 65 + 4);
  for (const char of odd) server.tool(`x${char}y`, {}, () => 'called');
  assert.deepEqual(heard.splice(0).map(({ where: { what, name } }) => [what, name]), odd.map((char) => ['registration', `x${char}y`]));
  for (const name of ['', 'has space', 'a,b', 'a'.repeat(129)]) server.tool(name, {}, () => 'called');
  for (const name of ['ok', 'OK', 'a-b_c.d', '0', 'azAZ09', 'a'.repeat(128)]) server.tool(name, {}, () => 'called');
  assert.deepEqual(heard.map(({ where: { what, name } }) => [what, name.slice(0, 9)]), [
    ['registration', ''], ['registration', 'has space'], ['registration', 'a,b'], ['registration', 'aaaaaaaaa'],
  ]);
  const peer = await connect(server, { revision });
  assert.equal(textOf(await peer.call('has space')), 'called');
  // server/tools#tool-names: names are case-sensitive.
  assert.equal((await peer.call('Ok')).error?.code, -32602);
  // Also tools that were added before there was a server.
  const early = tools();
  for (const name of ['early one', 'fine']) early.add(name, {}, () => '');
  const late: string[] = [];
  void new ServerCore(info, { features: [early], onError: (_error, { name }) => late.push(name) });
  assert.deepEqual(late, ['early one']);
});

test('times and progress that JSON cannot say are refused where they are given', async () => {
  for (const ttlMs of [NaN, Infinity]) {
    assert.throws(() => new McpServer(info, { cache: { tools: { ttlMs } } }), /ttlMs (must be a finite number|is invalid, expected number)/);
    const { server } = listened();
    assert.throws(() => server.resource('a:b', { cache: { ttlMs } }, () => ''), /ttlMs (must be a finite number|is invalid, expected number)/);
  }
  const { server, heard } = listened({ cache: { tools: { ttlMs: -5 } } });
  server.tool('report', {}, (_args, ctx) => {
    ctx.progress(Infinity);
    return '';
  });
  const peer = await connect(server);
  assert.equal((await peer.modern('tools/list')).result?.['ttlMs'], 0);
  assert.match(textOf(await peer.modern('tools/call', { name: 'report' })), /report failed/);
  assert.match(heard[0]?.error.message ?? '', /must be finite numbers/);
  assert.deepEqual(await peer.rest(), []);
});

// 2026-07-28 server/utilities/caching#time-to-live-ttl-field.
test('each lifetime that a server sends is a whole number of 0 or more', async () => {
  for (const [given, sent] of [[-5, 0], [-0.5, 0], [0, 0], [1.5, 1], [1000, 1000], [undefined, 0]] as const) {
    for (const scope of ['public', 'private'] as const) {
      const hint = given === undefined ? { scope } : { ttlMs: given, scope };
      const { server } = listened({
        cache: { discover: hint, tools: hint, prompts: hint, resources: hint, resourceTemplates: hint, read: hint },
      });
      server.tool('a', {}, () => '');
      server.prompt('a', {}, () => '');
      server.resource('a:b', {}, () => '');
      server.resource('a:own', { cache: hint }, () => '');
      server.resourceTemplate('b:{x}', {}, () => '');
      const peer = await connect(server);
      for (const [method, params] of [
        ['server/discover', {}], ['tools/list', {}], ['prompts/list', {}], ['resources/list', {}], ['resources/templates/list', {}],
        ['resources/read', { uri: 'a:b' }], ['resources/read', { uri: 'a:own' }], ['resources/read', { uri: 'b:c' }],
      ] as const) {
        const { result } = await peer.modern(method, params);
        assert.deepEqual([result?.['ttlMs'], result?.['cacheScope']], [sent, scope], `${method} ${given}`);
      }
    }
  }
});

test('a progress token is a string or an integer, and nobody is flooded', async () => {
  const { server } = listened();
  server.tool('report', {}, (_args, ctx) => {
    for (let step = 1; step <= 1000; step++) ctx.progress(step);
    return '';
  });
  const peer = await connect(server, { revision });
  for (const progressToken of [null, 1.5, true, {}, [1]]) {
    await peer.request('tools/call', { name: 'report', _meta: { progressToken } });
    assert.deepEqual(await peer.rest(), [], JSON.stringify(progressToken));
  }
  for (const progressToken of ['a', 7]) {
    await peer.request('tools/call', { name: 'report', _meta: { progressToken } });
    const said = await peer.rest();
    // A second may end during the run, so the limit of 100 may count twice.
    assert.ok(said.length >= 100 && said.length <= 200, `${said.length}`);
    assert.deepEqual(said[0]?.params, { progressToken, progress: 1 });
  }
});

test('an error before any handler stays with the author likewise: of an observer, or of a store of used states', async () => {
  const url = 'redis://user:hunter2@db';
  for (const era of ['legacy', 'modern'] as const) {
    let fails = era === 'modern';
    const { server, heard } = listened({
      observe: (_request, next) => {
        if (fails) throw new Error(url);
        return next();
      },
    });
    server.tool('book', {}, () => '');
    const peer = await connect(server, era === 'legacy' ? { revision } : {});
    fails = true;
    const ask = era === 'legacy' ? peer.request : peer.modern;
    const calls: [string, Bag][] = [
      ['tools/call', { name: 'book' }], ['tools/list', {}],
      era === 'modern' ? ['server/discover', {}] : ['initialize', { protocolVersion: revision, capabilities: {}, clientInfo: info }],
    ];
    for (const [method, params] of calls) {
      const { error } = await ask(method, params);
      assert.match(error?.message ?? '', /^[a-z/]+ failed \(id [0-9a-f]+\)$/, method);
      assert.equal(heard.pop()?.error.message, url);
    }
    assert.deepEqual(heard, []);
  }
});

test('a client whose notification fails keeps no other client from its own', async () => {
  for (const era of ['legacy', 'modern'] as const) {
    const { server, heard } = listened({
      listFilter: {
        key: ({ auth }) => auth?.principal ?? '',
        shows: (kind, _name, _definition, { auth }) => {
          if (kind === 'resources' && auth?.principal === 'unclear' && failing) throw new Error('no rule for this');
          return true;
        },
      },
    });
    let failing = false;
    server.tool('one', {}, () => '');
    server.resource('note://one', {}, () => '');
    const gone = server.connect({
      answer() {},
      send() {
        if (failing) throw new Error('the wire is gone');
      },
    }, { modern: true });
    const listen = { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] } };
    const say = (method: string, params: Bag, id: number): void => gone.receive(classify({ jsonrpc: '2.0', id, method, params }));
    if (era === 'modern') say('subscriptions/listen', { ...listen, _meta: modernMeta() }, 1);
    else {
      say('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: info }, 1);
      gone.receive(classify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
      say('resources/subscribe', { uri: 'note://one' }, 2);
    }
    const peers: Peer[] = [];
    for (const principal of ['unclear', 'last']) {
      const peer = await connect(server, { auth: { principal }, ...era === 'legacy' && { revision } });
      if (era === 'modern') void peer.modern('subscriptions/listen', listen);
      else await peer.request('resources/subscribe', { uri: 'note://one' });
      await peer.rest();
      peers.push(peer);
    }
    failing = true;
    const last = async (): Promise<string[]> => {
      const [, said] = await Promise.all(peers.map((peer) => peer.rest()));
      return (said ?? []).map(({ method }) => method);
    };
    for (const name of ['two', 'three']) {
      heard.length = 0;
      server.tool(name, {}, () => '');
      assert.deepEqual(await last(), ['notifications/tools/list_changed'], `${era}, ${name}`);
      server.resourceUpdated('note://one');
      assert.deepEqual(await last(), ['notifications/resources/updated'], era);
      assert.deepEqual(heard.map(({ error, where: { what, name: of } }) => `${what} ${of}: ${error.message}`), [
        'notification notifications/tools/list_changed: the wire is gone',
        'notification notifications/resources/updated: the wire is gone',
        'notification notifications/resources/updated: no rule for this',
      ], era);
    }
  }
});
