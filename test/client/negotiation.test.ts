import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { ConnectionError } from '../../src/jsonrpc/errors.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import { HttpError, SessionExpired } from '../../src/transport/http/http-error.ts';
import { steppedClock } from '../mock-clock.ts';
import { within } from '../within.ts';
import { legacy, modern, RpcFault, Scripted } from './scripted.ts';
import type { Script } from './scripted.ts';

const info = { name: 'tester', version: '1', title: 'Tester', websiteUrl: 'https://example.org/' };

async function connect(
  kind: 'pipe' | 'http',
  script: Script,
  options: ClientOptions = {},
): Promise<{ client: McpClient; wire: Scripted }> {
  const wire = new Scripted(kind, script);
  const client = new McpClient(info, { limits: { probeTimeoutMs: 20 }, ...options });
  await client.connect(wire);
  return { client, wire };
}

for (const kind of ['pipe', 'http'] as const) {
  test(`${kind}: a modern server is found by server/discover`, async () => {
    const { client, wire } = await connect(kind, modern());
    assert.deepEqual(wire.methods(), ['server/discover']);
    assert.deepEqual(wire.sent[0]?.params, {
      _meta: {
        [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientInfo]: info, [metaKeys.clientCapabilities]: {},
      },
    });
    assert.equal(client.revision?.version, '2026-07-28');
    assert.equal(wire.revisions[0]?.version, '2026-07-28');
    assert.equal(client.server?.name, 'scripted');
    assert.equal(client.instructions, 'Ask.');
    assert.ok(client.capabilities?.tools);
  });

  test(`${kind}: any other error leads to initialize`, async () => {
    for (const code of [-32601, -32602, -32600, -32700, -32000, -32603, 5]) {
      const { client, wire } = await connect(kind, (sent, wire) =>
        sent.method === 'server/discover' ? new RpcFault(code) : legacy()(sent, wire));
      assert.deepEqual(wire.methods(), ['server/discover', 'initialize', 'notifications/initialized']);
      assert.deepEqual(wire.sent[1]?.params, { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info });
      assert.equal(client.revision?.version, '2025-11-25');
      assert.equal(client.server?.name, 'scripted');
    }
  });

  test(`${kind}: a recognised modern error is no reason to fall back`, async () => {
    for (const code of [-32020, -32021, -32022]) {
      await assert.rejects(connect(kind, (sent, wire) =>
        sent.method === 'server/discover' ? new RpcFault(code) : legacy()(sent, wire)));
    }
  });

  test(`${kind}: -32022 names the versions, and a legacy one among them leads to initialize`, async () => {
    const { client } = await connect(kind, (sent, wire) =>
      sent.method === 'server/discover'
        ? new RpcFault(-32022, 'no', { supported: ['2099-01-01', '2025-06-18'], requested: '2026-07-28' })
        : legacy(undefined, '2025-06-18')(sent, wire));
    assert.equal(client.revision?.version, '2025-06-18');
    const refusal = new RpcFault(-32022, 'no', { supported: ['2099-01-01'], requested: 'x' });
    await assert.rejects(connect(kind, () => refusal), (error: Error) => {
      assert.match(error.message, /this client speaks 2026-07-28, .*; the server speaks 2099-01-01/);
      return true;
    });
  });

  test(`${kind}: a discovery that lists only versions in the future is an error with both lists`, async () => {
    await assert.rejects(
      connect(kind, modern(undefined, {}, ['2099-01-01'])),
      /speaks 2026-07-28.*server speaks 2099-01-01/,
    );
  });

  test(`${kind}: a server that names the version it has just refused is asked once more, and no oftener`, async () => {
    const supported = ['2026-07-28'];
    let refusals = 1;
    const script: Script = (sent, wire) =>
      sent.method === 'server/discover' && refusals-- > 0
        ? new RpcFault(-32022, 'no', { supported })
        : modern()(sent, wire);
    const { client } = await connect(kind, script);
    assert.equal(client.revision?.version, '2026-07-28');
    refusals = 9;
    const wire = new Scripted(kind, script);
    await assert.rejects(new McpClient(info).connect(wire), /no protocol revision in common/);
    assert.deepEqual(wire.methods(), ['server/discover', 'server/discover']);
  });

  test(`${kind}: an answer that is no discovery comes from a legacy server`, async () => {
    const { client } = await connect(
      kind, (sent, wire) => sent.method === 'server/discover' ? {} : legacy()(sent, wire),
    );
    assert.equal(client.revision?.version, '2025-11-25');
    await assert.rejects(
      new McpClient(info, { era: 'modern' }).connect(new Scripted(kind, () => ({}))),
      /no list of supportedVersions/,
    );
  });

  test(`${kind}: era legacy asks initialize alone; era modern never does`, async () => {
    const { wire } = await connect(kind, legacy(), { era: 'legacy' });
    assert.deepEqual(wire.methods(), ['initialize', 'notifications/initialized']);
    assert.equal(wire.sent[0]?.params?.['protocolVersion'], '2025-11-25');
    const deaf = new Scripted(kind, legacy());
    await assert.rejects(
      new McpClient(info, { era: 'modern' }).connect(deaf),
      /no protocol revision in common: this client speaks 2026-07-28/,
    );
    assert.deepEqual(deaf.methods(), ['server/discover']);
    assert.equal(deaf.closed, 1);
  });
}

test('pipe: silence leads to initialize, and the late answer is no fault', async () => {
  const errors: Error[] = [];
  const { client, wire } = await connect('pipe', (sent, wire) =>
    sent.method === 'server/discover' ? undefined : legacy()(sent, wire), { onError: (error) => errors.push(error) });
  assert.equal(client.revision?.version, '2025-11-25');
  // The cancellation of a probe would be as unknown as the probe.
  assert.deepEqual(wire.methods(), ['server/discover', 'initialize', 'notifications/initialized']);
  wire.answer(1, {});
  assert.deepEqual(errors, []);
});

test('pipe: a server that leaves at the probe is started again', async () => {
  const { client, wire } = await connect('pipe', (sent, wire) => {
    if (sent.method !== 'server/discover') return legacy()(sent, wire);
    wire.receiver.closed('it exited with code 1');
    return undefined;
  });
  assert.equal(wire.reopened, 1);
  assert.equal(client.revision?.version, '2025-11-25');
  assert.deepEqual(wire.methods(), ['server/discover', 'initialize', 'notifications/initialized']);
});

test('a client that is closed while it connects starts no server again, and leaves none that was just started', async () => {
  const silent = new Scripted('pipe', () => undefined);
  const client = new McpClient(info, { limits: { probeTimeoutMs: 20 } });
  const asked = silent.until('server/discover');
  const connecting = assert.rejects(client.connect(silent), /the client was closed/);
  await asked;
  await client.close();
  await connecting;
  assert.deepEqual([silent.reopened, silent.closed > 0], [0, true]);
  // The client is closed while the server is restarted.
  let reopened: () => void = () => {};
  const leaving = new Scripted('pipe', (_sent, wire) => {
    wire.reopening = new Promise((resolve) => (reopened = resolve));
    queueMicrotask(() => wire.receiver.closed('exited'));
    return undefined;
  });
  const again = new McpClient(info);
  const failed = assert.rejects(again.connect(leaving), /the client was closed/);
  while (leaving.reopened === 0) await new Promise(setImmediate);
  await again.close();
  const closed = leaving.closed;
  reopened();
  await failed;
  assert.equal(leaving.closed, closed + 1);
});

test('http: a 4xx that is no modern error leads to initialize; a lost network does not', async () => {
  for (const status of [400, 404, 405]) {
    const { client } = await connect('http', (sent, wire) =>
      sent.method === 'server/discover' ? new HttpError(status, 'what?') : legacy()(sent, wire));
    assert.equal(client.revision?.version, '2025-11-25');
  }
  const lost = new Scripted('http', () => new ConnectionError('closed', 'refused'));
  await assert.rejects(new McpClient(info).connect(lost), /refused/);
  assert.deepEqual(lost.methods(), ['server/discover']);
});

test('a memory of the legacy era skips the probe, and is corrected where it is wrong', async () => {
  const right = await connect('pipe', legacy(undefined, '2025-06-18'), { remembered: '2025-06-18' });
  assert.deepEqual(right.wire.methods(), ['initialize', 'notifications/initialized']);
  assert.equal(right.wire.sent[0]?.params?.['protocolVersion'], '2025-06-18');
  const wrong = await connect('pipe', modern(), { remembered: '2025-06-18' });
  assert.deepEqual(wrong.wire.methods(), ['initialize', 'server/discover']);
  // The request uses a modern revision, whatever the cache says.
  assert.equal((wrong.wire.sent[1]?.params?.['_meta'] as Record<string, unknown>)[metaKeys.protocolVersion], '2026-07-28');
  assert.equal(wrong.client.revision?.version, '2026-07-28');
});

// 2026-07-28 basic/versioning#backward-compatibility-with-initialization-based-versions: for the lifetime of the process or
// the origin, "re-probing if the cached assumption later fails".
for (const kind of ['pipe', 'http'] as const) {
  test(`${kind}: the era is remembered while the client lives, and found anew where that fails`, async () => {
    /** The server exits or forgets the session; returns the messages sent from then until the next call has its result. */
    const again = async (client: McpClient, wire: Scripted, lose: () => void): Promise<unknown> => {
      wire.sent.length = 0;
      lose();
      await client.callTool('t');
      return wire.methods().filter((method) => method !== 'tools/call');
    };
    let expired = false;
    let script: Script = legacy(undefined, '2025-06-18');
    const played: Script = (sent, to) => {
      if (sent.method !== 'tools/call' || !expired) return script(sent, to);
      expired = false;
      return new SessionExpired('forgotten');
    };
    const { client, wire } = await connect(kind, played);
    assert.deepEqual(wire.methods(), ['server/discover', 'initialize', 'notifications/initialized']);
    const lose = (): void => {
      if (kind === 'pipe') wire.receiver.closed('exited');
      else expired = true;
    };
    for (let n = 0; n < 2; n++) {
      assert.deepEqual(await again(client, wire, lose), ['initialize', 'notifications/initialized']);
      // With the agreed revision.
      assert.equal(wire.sent.find(({ method }) => method === 'initialize')?.params?.['protocolVersion'], '2025-06-18');
    }
    script = modern();
    assert.deepEqual(await again(client, wire, lose), ['initialize', 'server/discover']);
    assert.equal(client.revision?.version, '2026-07-28');
    if (kind === 'http') return;
    assert.deepEqual(await again(client, wire, lose), ['server/discover']);
    script = legacy();
    assert.deepEqual(await again(client, wire, lose), ['server/discover', 'initialize', 'notifications/initialized']);
    assert.equal(client.revision?.version, '2025-11-25');
  });
}

// 2026-07-28 basic/index#resulttype.
test('a discovery without a type is complete, and one of an unknown type is refused', async () => {
  const typed = (resultType: unknown): Script => (sent, wire) => {
    const answer = modern()(sent, wire);
    return sent.method === 'server/discover' ? { ...answer, resultType } : answer;
  };
  const { client, wire } = await connect('pipe', typed(undefined));
  assert.deepEqual([client.revision?.version, wire.methods()], ['2026-07-28', ['server/discover']]);
  for (const type of ['input_required', 'org.example/other', 'Complete', '', 7, null]) {
    await assert.rejects(connect('pipe', typed(type), { era: 'modern' }), /the result has an unknown type/, String(type));
  }
});

// 2024-11-05 basic/lifecycle#error-handling.
test('a server that does not answer initialize is left when the time of a request is over', async () => {
  const clock = steppedClock();
  const wire = new Scripted('pipe', () => undefined);
  const initialize = wire.until('initialize');
  const connecting = new McpClient(info, { era: 'legacy', clock }).connect(wire);
  await initialize;
  clock.pass(59_999);
  assert.equal(wire.closed, 0);
  clock.pass(1);
  await assert.rejects(within('the end of the handshake', connecting), /^ConnectionError: initialize: no answer within 60000 ms/);
  assert.equal(wire.closed, 1);
});

// Each legacy revision, basic/lifecycle#initialization.
test('between initialize and its answer nothing is sent', async () => {
  const wire = new Scripted('pipe', ({ method }) => (method === 'tools/call' ? { content: [] } : undefined));
  const client = new McpClient(info, { era: 'legacy' });
  const initialize = wire.until('initialize');
  const connecting = client.connect(wire);
  const { id } = await initialize;
  for (const call of [() => client.callTool('t'), () => client.listTools(), () => client.request('resources/subscribe', { uri: 'a:b' })]) {
    await assert.rejects(async () => call(), /the client is not connected/);
  }
  client.notify('notifications/roots/list_changed');
  assert.deepEqual(wire.methods(), ['initialize']);
  wire.answer(id as number, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info });
  await connecting;
  await client.callTool('t');
  // The calls also wait while a restarted server is initialized.
  wire.sent.length = 0;
  const once = wire.until('initialize');
  wire.receiver.closed('exited');
  const calls = [client.callTool('t'), client.callTool('t')];
  const { id: next } = await once;
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  assert.deepEqual(wire.methods(), ['initialize']);
  wire.answer(next as number, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info });
  await Promise.all(calls);
  assert.deepEqual(wire.methods(), ['initialize', 'notifications/initialized', 'tools/call', 'tools/call']);
});

for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`takes the older revision ${version} that the server answers`, async () => {
    const { client, wire } = await connect('pipe', legacy(undefined, version), { era: 'legacy' });
    assert.equal(wire.sent[0]?.params?.['protocolVersion'], '2025-11-25');
    assert.equal(client.revision?.version, version);
  });
}

test('leaves a server whose revision it does not know', async () => {
  const wire = new Scripted('pipe', legacy(undefined, '1999-01-01'));
  await assert.rejects(new McpClient(info, { era: 'legacy' }).connect(wire),
    /this client speaks 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05 \(the server chose "1999-01-01"\)/);
  assert.equal(wire.closed, 1);
  assert.deepEqual(wire.methods(), ['initialize']);
});

test('revisions pins what is spoken, in its own words', async () => {
  const onElicit = (): { action: 'cancel' } => ({ action: 'cancel' });
  const declared = async (version: string): Promise<unknown> => {
    const { wire } = await connect('pipe', legacy(undefined, version), {
      revisions: [version], onElicit, onElicitUrl: onElicit, roots: [], onSample: () => { throw new Error('no'); },
      extensions: { 'org.example/x': { settings: { a: 1 } }, 'org.example/new': { revisions: ['2026-07-28', '2025-06-18'] } },
      capabilities: { experimental: { try: {} }, extensions: { 'org.example/given': { b: 2 } } },
    });
    const { capabilities, clientInfo, protocolVersion } = wire.sent[0]?.params ?? {};
    assert.equal(protocolVersion, version);
    return [capabilities, Object.keys(clientInfo as object)];
  };
  const roots = { listChanged: true };
  const extensions = { 'org.example/given': { b: 2 }, 'org.example/x': { a: 1 } };
  const experimental = { try: {} };
  assert.deepEqual(await declared('2024-11-05'), [{ roots, sampling: {}, experimental, extensions }, ['name', 'version']]);
  assert.deepEqual(await declared('2025-06-18'), [
    { roots, sampling: {}, elicitation: {}, experimental, extensions: { ...extensions, 'org.example/new': {} } }, ['name', 'version', 'title'],
  ]);
  assert.deepEqual(await declared('2025-11-25'),
    [{ roots, sampling: {}, elicitation: { form: {}, url: {} }, experimental, extensions }, ['name', 'version', 'title', 'websiteUrl']]);
  const some = await connect('pipe', legacy(undefined, '2025-06-18'), { revisions: ['2024-11-05', '2025-06-18', '2025-03-26'] });
  assert.equal(some.wire.sent[0]?.params?.['protocolVersion'], '2025-06-18');
  const { wire } = await connect('pipe', modern(), {
    roots: [], extensions: { 'org.example/x': { settings: { a: 1 } } },
  });
  assert.deepEqual((wire.sent[0]?.params?.['_meta'] as Record<string, unknown>)[metaKeys.clientCapabilities],
    { roots: {}, extensions: { 'org.example/x': { a: 1 } } });
  assert.throws(() => new McpClient(info, { revisions: ['2027-01-01'] }), RangeError);
  assert.throws(() => new McpClient(info, { extensions: { 'org.example/x': { revisions: ['2027-01-01'] } } }), RangeError);
  assert.throws(() => new McpClient(info, { revisions: ['2025-06-18'], era: 'modern' }), RangeError);
});

test('a second connect is refused, and one after close is not', async () => {
  const { client } = await connect('pipe', legacy());
  await assert.rejects(client.connect(new Scripted('pipe', legacy())), /connected already/);
  await client.close();
  await client.connect(new Scripted('pipe', modern()));
  assert.equal(client.revision?.version, '2026-07-28');
});
