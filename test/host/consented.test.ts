import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryLog } from '../../src/host/activity-log.ts';
import { Host } from '../../src/host/host.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

test('a call that the application has consent for asks nobody and lists nothing, unless a rule says ask or the tool is another', async (t) => {
  const server = new McpServer({ name: 'one', version: '1.0.0' });
  for (const name of ['free', 'ruled', 'denied']) server.tool(name, {}, () => name);
  const lines: string[] = [];
  const sent: string[] = [];
  const asked: string[] = [];
  const inner = memoryLog();
  const host = new Host({
    info: { name: 'test', version: '1' },
    servers: { one: { command: 'one' } },
    transport: (_name, _config, { trace }) => memoryTransport(server, { trace }),
    trace: (_server, { direction, text }) => { if (direction === 'sent') sent.push((JSON.parse(text) as { method?: string }).method ?? ''); },
    rules: [{ tool: 'ruled', then: 'ask' }, { tool: 'denied', then: 'deny' }],
    person: { approve: ({ tool, why }) => (asked.push(`${tool.name} ${why}`), Promise.resolve({ allow: 'once' })) },
    log: { append: (write) => inner.append(async (head) => {
      const written = await write(head);
      lines.push(written.line);
      return written;
    }) },
  });
  t.after(() => host.close());
  const [free] = await host.tools();
  const call = (name: string, digest = free?.digest): Promise<unknown> => host.call(`one/${name}`, {}, { consented: (tool, now) => (tool.name !== 'free' || now === digest ? 'the button' : undefined) });
  await call('free');
  assert.deepEqual(asked, []);
  assert.deepEqual(sent.slice(sent.indexOf('tools/call')), ['tools/call'], 'nothing is listed between the press and the call');
  assert.ok(lines.some((line) => line.includes('"decided"') && line.includes('"by":"the button"')));
  await call('free', 'another definition');
  await call('ruled');
  assert.deepEqual(asked, ['free default', 'ruled rule']);
  await assert.rejects(call('denied'), { code: 'no-such-tool' });
});

test('a rule that asks is asked each time, also where the person allowed the tool for good', async (t) => {
  const server = new McpServer({ name: 'one', version: '1.0.0' });
  server.tool('read', { input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } }, ({ path }) => path);
  const asked: unknown[] = [];
  const host = new Host({
    info: { name: 'test', version: '1' }, servers: { one: { command: 'one' } }, transport: () => memoryTransport(server),
    rules: [{ args: { path: '/etc/**' }, then: 'ask' }],
    person: { approve: ({ args }) => (asked.push(args['path']), Promise.resolve({ allow: 'always' })) },
  });
  t.after(() => host.close());
  for (const path of ['/tmp/a', '/tmp/b', '/etc/passwd', '/etc/shadow']) await host.call('one/read', { path });
  assert.deepEqual(asked, ['/tmp/a', '/etc/passwd', '/etc/shadow']);
});

test('what runs is what was shown, whatever the application does with its arguments meanwhile', async (t) => {
  const server = new McpServer({ name: 'one', version: '1.0.0' });
  server.tool('read', { input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } }, ({ path }) => path);
  const args = { path: '/tmp/ok' };
  const host = new Host({
    info: { name: 'test', version: '1' }, servers: { one: { command: 'one' } }, transport: () => memoryTransport(server),
    person: {
      async approve() {
        args.path = '/etc/passwd';
        return { allow: 'once' };
      },
    },
  });
  t.after(() => host.close());
  assert.deepEqual((await host.call('one/read', args)).content, [{ type: 'text', text: '/tmp/ok' }]);
});
