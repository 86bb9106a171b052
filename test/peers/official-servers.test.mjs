// barewire's client uses servers written with the official SDKs, over each of their transports.
import assert from 'node:assert/strict';
import test from 'node:test';
import { McpClient } from '../../dist/src/client/index.js';
import { compile } from '../../dist/src/schema/full/index.js';
import { httpTransport } from '../../dist/src/transport/http/fetch/index.js';
import { stdioTransport } from '../../dist/src/transport/stdio/index.js';
import { at, start } from './processes.mjs';

const textOf = (result) => result.content.map(({ text }) => text ?? '').join('');

/** A promise for the next notification. */
function next() {
  let tell;
  const promise = new Promise((resolve) => (tell = resolve));
  return { promise, tell };
}

async function useEverything(t, transport, expected, options = {}) {
  const { features = [] } = expected;
  const has = (feature) => !features.includes(`no ${feature}`);
  const told = { logs: [], errors: [], onLog: () => {}, onList: () => {}, onResource: () => {} };
  const asked = [];
  const client = new McpClient({ name: 'barewire', version: '1.0.0' }, {
    onElicit: (params) => (asked.push(params), { action: 'accept', content: { ok: true } }),
    onElicitUrl: (params) => (asked.push(params), { action: 'accept' }),
    onSample: ({ messages }) => (
      { role: 'assistant', model: 'oracle', content: { type: 'text', text: `I ${messages[0].content.text.toLowerCase()}` } }),
    roots: [{ uri: 'file:///one' }, { uri: 'file:///two', name: 'two' }],
    onLog: (message) => (told.logs.push(message), told.onLog(message)),
    logLevel: 'warning',
    onListChanged: (list) => told.onList(list),
    onResourceUpdated: (uri) => told.onResource(uri),
    onError: (error) => told.errors.push(error.message),
    validator: (schema) => compile(schema),
    ...options,
  });
  await client.connect(transport);
  t.after(() => client.close());

  await t.test('what was found', () => {
    assert.equal(client.revision.version, expected.revision);
    assert.match(client.instructions, /SDK/);
    assert.equal(client.server?.name, expected.name);
  });

  await t.test('tools', async () => {
    const tools = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'add'));
    const { structuredContent, content } = await client.callTool('add', { a: 2, b: 3 });
    assert.deepEqual([structuredContent, content[0].text], [{ sum: 5 }, '5']);
    const wrong = await client.callTool('add', { a: 'two' }).catch((error) => error);
    assert.ok(wrong.isError === true || wrong.code === -32602);
    const failed = await client.callTool('fail');
    assert.equal(failed.isError, true);
    assert.match(textOf(failed), /on purpose/);
    const { content: kinds } = await client.callTool('content');
    assert.deepEqual(kinds.map(({ type }) => type), ['text', 'image', 'audio', 'resource', 'resource_link']);
  });

  await t.test('resources, templates, prompts, completion', async () => {
    assert.deepEqual((await client.listResources()).map(({ uri }) => uri), ['peer://note', 'peer://bytes']);
    assert.equal((await client.readResource('peer://note')).contents[0].text, 'a note');
    assert.equal((await client.readResource('peer://bytes')).contents[0].blob, 'AAEC');
    assert.equal((await client.listResourceTemplates())[0].uriTemplate, 'peer://city/{name}');
    assert.equal((await client.readResource('peer://city/rome')).contents[0].text, 'city of rome');
    await assert.rejects(client.readResource('peer://none'), ({ code }) => code === -32602 || code === -32002);
    assert.equal((await client.listPrompts())[0].arguments[0].name, 'name');
    assert.equal((await client.getPrompt('greet', { name: 'ada' })).messages[0].content.text, 'Greet ada');
    const names = await client.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'a' });
    assert.deepEqual(names.values, ['ada', 'alan']);
    const cities = await client.complete({ type: 'ref/resource', uri: 'peer://city/{name}' }, { name: 'name', value: 'r' });
    assert.deepEqual(cities.values, ['rome', 'riga']);
  });

  await t.test('progress', async () => {
    const seen = [];
    await client.callTool('count', {}, { onProgress: ({ progress }) => seen.push(progress) });
    assert.deepEqual(seen, [1, 2, 3]);
  });

  await t.test('cancellation, which the server hears', async () => {
    const stop = new AbortController();
    const slow = client.callTool('slow', {}, { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) });
    await assert.rejects(slow, /enough/);
    if (!has('cancellation')) return;
    for (let tries = 0; tries < 100; tries++) {
      if (textOf(await client.callTool('cancelled')) === '1') return;
    }
    assert.fail('the server was not told');
  });

  if (has('questions')) {
    await t.test('forms, one after the other', async () => {
      asked.length = 0;
      const answers = JSON.parse(textOf(await client.callTool('ask')));
      assert.deepEqual(answers, [{ action: 'accept', content: { ok: true } }, { action: 'accept', content: { ok: true } }]);
      assert.deepEqual(asked.map(({ message }) => message), ['First?', 'Second?']);
    });

    await t.test('a page to visit', async () => {
      assert.equal(textOf(await client.callTool('visit')), 'accept');
      assert.equal(asked.at(-1).url, 'https://peer.example/');
    });

    await t.test('sampling and roots', async () => {
      assert.equal(textOf(await client.callTool('think')), 'oracle: I think!');
      assert.equal(textOf(await client.callTool('where')), 'file:///one file:///two');
    });
  }

  if (has('logging')) await t.test('logging, at the level that was asked for', async () => {
    // It may arrive on another stream than the result.
    const { promise, tell } = next();
    told.onLog = tell;
    await Promise.all([client.callTool('talk'), promise]);
    assert.deepEqual(told.logs.map(({ level, data }) => [level, data]), [['warning', { said: 'warning' }]]);
  });

  if (has('subscriptions')) {
    await t.test('subscriptions', async () => {
      const { promise, tell } = next();
      told.onResource = tell;
      await client.subscribe('peer://note');
      assert.equal(textOf(await client.callTool('touch')), 'touched 1');
      assert.equal(await promise, 'peer://note');
      await client.unsubscribe('peer://note');
    });

    await t.test('lists that change', async () => {
      const { promise, tell } = next();
      told.onList = tell;
      await client.callTool('grow');
      assert.equal(await promise, 'tools');
    });
  }

  await t.test('nothing went wrong unheard', () => assert.deepEqual(told.errors, []));
}

const server = (name, ...args) => [process.execPath, [at(`test/peers/servers/${name}.mjs`), ...args]];

async function http(t, name, ...args) {
  const { url, stop } = await start(...server(name, '--http', ...args));
  t.after(stop);
  return url;
}

const v1 = { name: 'peer-v1', revision: '2025-11-25' };
test('sdk v1 over stdio', async (t) => {
  await useEverything(t, stdioTransport(...server('v1')), v1);
});
test('sdk v1 over Streamable HTTP', async (t) => {
  await useEverything(t, httpTransport(await http(t, 'v1')), v1);
});
test('sdk v1 over HTTP+SSE', async (t) => {
  const url = new URL('/sse', await http(t, 'v1'));
  await useEverything(t, httpTransport(url), v1);
});

for (const version of ['2025-06-18', '2025-03-26', '2024-11-05']) {
  test(`sdk v1 over stdio at ${version}`, async (t) => {
    const client = new McpClient({ name: 'barewire', version: '1.0.0' }, { revisions: [version] });
    await client.connect(stdioTransport(...server('v1')));
    t.after(() => client.close());
    assert.equal(client.revision.version, version);
    assert.equal(textOf(await client.callTool('add', { a: 1, b: 1 })), '2');
  });
}

const v2 = { name: 'peer-v2', revision: '2026-07-28' };
test('sdk v2, serveStdio', async (t) => {
  await useEverything(t, stdioTransport(...server('v2')), v2);
});
test('sdk v2, serveStdio, in the legacy era', async (t) => {
  await useEverything(t, stdioTransport(...server('v2')), { ...v2, revision: '2025-11-25' }, { era: 'legacy' });
});
test('sdk v2, createMcpHandler', async (t) => {
  await useEverything(t, httpTransport(await http(t, 'v2')), v2);
});
test('sdk v2, createMcpHandler without the legacy era', async (t) => {
  await useEverything(t, httpTransport(await http(t, 'v2', '--modern')), v2);
});
test('sdk v2, createMcpHandler, in the legacy era', async (t) => {
  // Its legacy side has no sessions, so it cannot ask or notify, and a call cannot be cancelled by another request.
  const features = ['no questions', 'no subscriptions', 'no cancellation', 'no logging'];
  await useEverything(t, httpTransport(await http(t, 'v2')), { ...v2, revision: '2025-11-25', features }, { era: 'legacy' });
});
