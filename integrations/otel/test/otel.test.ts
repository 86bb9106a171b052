import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import assert from 'node:assert/strict';
import test from 'node:test';
import { McpClient } from 'barewire/client';
import { memoryTransport } from 'barewire/memory';
import { McpServer, ToolError } from 'barewire/server';
import { otel } from '../src/index.js';
import type { OtelOptions } from '../src/index.js';
import { register } from './spans.js';
import type { SpanRecord } from './spans.js';

const info = { name: 'test', version: '1' };
const ended: SpanRecord[] = [];
register('test', (span) => ended.push(span));

async function pair(options: OtelOptions = {}, atServer: OtelOptions = options): Promise<McpClient> {
  ended.length = 0;
  const server = new McpServer(info, { observe: otel(atServer), onError: () => {} });
  server.tool('add', { input: { type: 'object', properties: { a: { type: 'number' } } } }, ({ a }) => {
    if (a === 0) throw new ToolError('no');
    return String(propagation.getBaggage(context.active())?.getEntry('user')?.value);
  });
  const client = new McpClient(info, { observe: otel(options) });
  await client.connect(memoryTransport(server));
  ended.length = 0;
  return client;
}

test('a call is a span of the client, with that of the server as its child; names and attributes are those of the conventions', async () => {
  const client = await pair();
  await client.callTool('add', { a: 1 });
  await client.callTool('add', { a: 0 });
  await assert.rejects(client.request('x'.repeat(1000)));
  const [server, own] = ended;
  assert.deepEqual([server?.kind, own?.kind, server?.name, own?.name], ['server', 'client', 'tools/call add', 'tools/call add']);
  assert.deepEqual([server?.trace, server?.parent, own?.parent], [own?.trace, own?.span, null]);
  assert.deepEqual(own?.attributes, {
    'mcp.method.name': 'tools/call', 'mcp.protocol.version': '2026-07-28', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'add',
  });
  assert.equal(typeof server?.attributes?.['jsonrpc.request.id'], 'string');
  assert.deepEqual(ended.slice(2).map(({ name, attributes }) => [name, attributes?.['error.type'], attributes?.['rpc.response.status_code']]), [
    ['tools/call add', 'tool_error', undefined], ['tools/call add', 'tool_error', undefined],
    ['_OTHER', '-32601', '-32601'], ['_OTHER', '-32601', '-32601'],
  ]);
  await client.close();
});

test('what is active already is the parent where `_meta` says nothing, and a link where it does', async () => {
  const client = await pair();
  const outer = trace.getTracer('test').startSpan('POST', { kind: SpanKind.SERVER }, ROOT_CONTEXT);
  const { traceId, spanId } = outer.spanContext();
  const observe = otel();
  const peer = { revision: undefined };
  const run = (params: object): SpanRecord | undefined => {
    context.with(trace.setSpan(ROOT_CONTEXT, outer), () => observe({ kind: 'server', method: 'ping', params: { ...params }, peer }, () => ({})));
    return ended.pop();
  };
  const plain = run({});
  assert.deepEqual([plain?.trace, plain?.parent, plain?.links], [traceId, spanId, []]);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const carried = run({ _meta: { traceparent } });
  assert.deepEqual([carried?.trace, carried?.parent, carried?.links], [traceparent.slice(3, 35), traceparent.slice(36, 52), [spanId]]);
  for (const bad of [{ traceparent: 'x' }, { traceparent: 7 }, { traceparent: `${traceparent}-${'x'.repeat(1000)}` }, null, []]) {
    assert.equal(run({ _meta: bad })?.parent, spanId, JSON.stringify(bad));
  }
  await client.close();
});

test('baggage goes out only where that was asked for, and is read only where that was asked for', async () => {
  const luggage = propagation.setBaggage(ROOT_CONTEXT, propagation.createBaggage({ user: { value: 'ann' } }));
  for (const [sent, read] of [[false, false], [true, false], [false, true], [true, true]] as const) {
    const client = await pair({ baggage: sent }, { baggage: read });
    const { content } = await context.with(luggage, () => client.callTool('add', { a: 1 }));
    assert.deepEqual(content, [{ type: 'text', text: sent && read ? 'ann' : 'undefined' }]);
    await client.close();
  }
  const carried: unknown[] = [];
  for (const baggage of [false, true]) {
    context.with(luggage, () => otel({ baggage })({ kind: 'client', method: 'ping', peer: { revision: undefined } }, (meta) => {
      carried.push(meta?.['baggage']);
      return {};
    }));
    context.with(ROOT_CONTEXT, () => otel({ baggage })({ kind: 'server', method: 'ping', params: { _meta: { baggage: 'user=bob' } }, peer: { revision: undefined } }, () => {
      carried.push(propagation.getBaggage(context.active())?.getEntry('user')?.value);
      return {};
    }));
  }
  assert.deepEqual(carried, [undefined, undefined, 'user=ann', 'bob']);
});

test('arguments and results are in spans only on request', async () => {
  for (const content of [false, true]) {
    const client = await pair({ content });
    await client.callTool('add', { a: 1 });
    for (const { attributes } of ended) {
      assert.equal(attributes?.['gen_ai.tool.call.arguments'], content ? '{"a":1}' : undefined);
      assert.equal('gen_ai.tool.call.result' in (attributes ?? {}), content);
    }
    await client.close();
  }
});

test('durations are histograms, in which a client cannot make series', async () => {
  const exporter = new InMemoryMetricExporter(1);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const client = await pair({ meterProvider });
  for (let i = 0; i < 5; i++) await client.request(`x/${i}`).catch(() => {});
  for (let i = 0; i < 5; i++) await client.callTool(`none-${i}`).catch(() => {});
  await client.callTool('add', { a: 1 });
  await reader.forceFlush();
  const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics).flatMap(({ metrics }) => metrics);
  assert.deepEqual(found.map(({ descriptor }) => descriptor.name).sort(), ['mcp.client.operation.duration', 'mcp.server.operation.duration']);
  for (const { dataPoints } of found) {
    const calls = dataPoints.map(({ attributes }) => [attributes['mcp.method.name'], attributes['gen_ai.tool.name'], attributes['error.type']].join(' '));
    assert.deepEqual(calls.filter((call) => !call.startsWith('server/discover')).sort(), ['_OTHER  -32601', 'tools/call  -32602', 'tools/call add ']);
  }
  await client.close();
  await meterProvider.shutdown();
});

test('an option that it does not know is refused', () => {
  assert.throws(() => otel({ bagage: true } as OtelOptions), /options\.bagage is unknown, did you mean baggage\?/);
});
