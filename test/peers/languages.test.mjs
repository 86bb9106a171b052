// barewire with the official SDKs of Go, Python, Rust and Java, as client and as server, in both eras, over both transports.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport } from '../../dist/lib/http.js';
import { stdioTransport } from '../../dist/lib/stdio.js';
import { listening, peers } from './languages/chains.mjs';
import { at } from './processes.mjs';

const execute = promisify(execFile);
const server = [process.execPath, at('test/peers/languages/server.mjs')];
const legacy = '2025-11-25';
const modern = '2026-07-28';
const settled = (promise) => promise.then((value) => value, (error) => error);

/** The missing features of each peer; everything else is required. */
const lacks = {
  go: { server: {}, client: {} },
  java: { modern: 'the Java SDK 2.1 has no 2026-07-28', server: { grow: 'its tools are fixed' }, client: { cancelled: 'its client has no way to cancel a call' } },
  rust: { server: { grow: 'its tools are fixed' }, client: { changed: 'not looked at', order: 'rmcp hands notifications to tasks that overtake one another' } },
  python: { server: { grow: 'its tools are fixed', askModern: 'ctx.elicit has no way back in 2026-07-28' }, client: { changed: 'its client tells of no change by itself' } },
};

// PEER_LANGUAGES=go,python skips the others: Rust and Java take minutes to build.
const wanted = process.env.PEER_LANGUAGES?.split(',');
for (const [name, find] of Object.entries(peers)) {
  const leftOut = wanted !== undefined && !wanted.includes(name);
  const command = leftOut ? undefined : find();
  describe(name, { skip: leftOut ? 'left out by PEER_LANGUAGES' : command === undefined && `missing: the tool chain of ${name}`, concurrency: 1 }, () => {
    const open = [];
    after(() => Promise.all(open.map((one) => one.stop())));
    const serve = async (...kind) => {
      const one = await listening([...command, 'serve', ...kind]);
      open.push(one);
      return one.port;
    };
    const ways = {
      [`${legacy}, stdio`]: [legacy, () => stdioTransport(command[0], [...command.slice(1), 'serve', 'stdio'])],
      [`${modern}, stdio`]: [modern, () => stdioTransport(command[0], [...command.slice(1), 'serve', 'stdio'])],
      [`${legacy}, HTTP`]: [legacy, async () => httpTransport(`http://127.0.0.1:${await serve('http')}/`)],
      [`${modern}, HTTP`]: [modern, async () => httpTransport(`http://127.0.0.1:${await serve(name === 'go' ? 'stateless' : 'http')}/`)],
    };
    for (const [way, [revision, transport]] of Object.entries(ways)) {
      test(`barewire calls ${name}, ${way}`, { timeout: 60_000, skip: revision === modern && lacks[name].modern }, () => callsPeer(transport, revision, lacks[name].server));
    }
    for (const revision of [legacy, modern]) {
      test(`${name} calls barewire, ${revision}, stdio`, { timeout: 60_000, skip: revision === modern && lacks[name].modern }, () =>
        calledBy(command, revision, ['--', ...server, 'stdio'], lacks[name].client));
      test(`${name} calls barewire, ${revision}, HTTP`, { timeout: 60_000, skip: revision === modern && lacks[name].modern }, async () => {
        const one = await listening([...server, 'http']);
        open.push(one);
        await calledBy(command, revision, [`http://127.0.0.1:${one.port}/mcp`], lacks[name].client);
      });
    }
  });
}

async function callsPeer(transport, revision, missing) {
  let changed;
  const change = new Promise((resolve) => { changed = resolve; });
  const client = new McpClient({ name: 'barewire', version: '1.0.0' }, {
    revisions: [revision], onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }), onListChanged: changed,
  });
  await client.connect(await transport());
  try {
    const names = (await client.listTools()).map((tool) => tool.name);
    for (const tool of ['add', 'fail', 'steps', 'wait']) assert.ok(names.includes(tool), tool);
    assert.deepEqual((await client.callTool('add', { a: 1, b: 2 })).structuredContent, { sum: 3 });
    const failed = await client.callTool('fail', {});
    assert.equal(failed.isError, true);
    assert.match(failed.content[0].text, /out of flour/);
    const steps = [];
    assert.equal((await client.callTool('steps', {}, { onProgress: ({ progress }) => steps.push(progress) })).content[0].text, 'done');
    assert.deepEqual(steps, [1, 2, 3]);
    if (!(missing.askModern && revision === modern)) assert.equal((await client.callTool('ask', {})).content[0].text, 'accept Ada');
    assert.equal((await client.readResource('trips://city/Rome')).contents[0].text, 'text of trips://city/Rome');
    assert.equal((await client.listResourceTemplates())[0].uriTemplate, 'trips://city/{name}');
    assert.match(JSON.stringify((await client.getPrompt('plan', { city: 'Rome' })).messages), /Plan Rome/);
    const unknown = await settled(client.readResource('trips://nowhere/at/all'));
    assert.equal(unknown.name, 'RpcError');
    const late = await settled(client.callTool('wait', {}, { timeoutMs: 300 }));
    assert.match(late.message, /300 ms/);
    if (!missing.grow) {
      await client.callTool('grow', {});
      assert.equal(await change, 'tools');
      assert.ok((await client.listTools()).some((tool) => tool.name === 'grown'));
    }
  } finally {
    await client.close();
  }
}

async function calledBy([command, ...args], revision, target, missing) {
  const { stdout } = await execute(command, [...args, 'call', revision, ...target], { timeout: 50_000 });
  const saw = JSON.parse(stdout.trim().split('\n').at(-1));
  assert.equal(saw.revision, revision);
  assert.ok(saw.tools.includes('add'));
  assert.deepEqual(saw.add, { sum: 3 });
  assert.deepEqual([saw.fail[0], /out of flour/.test(saw.fail[1])], [true, true]);
  assert.equal(saw.steps, 'done');
  assert.deepEqual(missing.order ? saw.progress.toSorted() : saw.progress, [1, 2, 3]);
  assert.equal(saw.ask, 'accept Ada');
  assert.equal(saw.sample, '42');
  assert.equal(saw.roots, 'file:///work');
  assert.equal(saw.resource, 'text of trips://city/Rome');
  assert.equal(saw.prompt, 'Plan Rome');
  assert.deepEqual(saw.complete, ['Rome', 'Riga']);
  if (!missing.cancelled) assert.equal(saw.cancelled, true);
  if (!missing.changed) assert.equal(saw.changed, true);
}
