// One trace through a barewire client, a barewire server, and the FastMCP and go-sdk servers that it calls, each of which writes
// spans with its own OpenTelemetry SDK. OTEL_PYTHON is a Python with fastmcp and opentelemetry-sdk, OTEL_GO the program of
// test/peers/go; missing ones are named and skipped.
import { trace } from '@opentelemetry/api';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/fetch';
import { stdioTransport } from 'barewire/stdio';
import { otel } from '../src/index.js';
import { register, toFile } from './spans.js';
import type { SpanRecord } from './spans.js';

const { OTEL_PYTHON, OTEL_GO } = process.env;
const peers: Record<string, string[]> = {
  ...OTEL_PYTHON && { bake: [OTEL_PYTHON, fileURLToPath(new URL('../../test/peers/bake.py', import.meta.url))] },
  ...OTEL_GO && { wrap: [OTEL_GO] },
};
const shop = fileURLToPath(new URL('shop.js', import.meta.url));
let file = '';
register('client', (span) => toFile(file)(span));

/** The spans of a file, also in the format of Go's exporter: objects with or without line breaks. */
function spansOf(path: string): SpanRecord[] {
  return readFileSync(path, 'utf8').split(/\n(?=\{)/).filter((text) => text.trim() !== '').map((text) => {
    const span = JSON.parse(text) as SpanRecord & { Name?: string; SpanContext?: Ids; Parent?: Ids; SpanKind?: number };
    if (!span.SpanContext || !span.Parent) return span;
    const parent = /^0*$/.test(span.Parent.SpanID) ? null : span.Parent.SpanID;
    return { service: 'go', name: span.Name ?? '', trace: span.SpanContext.TraceID, span: span.SpanContext.SpanID, parent, kind: span.SpanKind === 2 ? 'server' : '' };
  });
}

interface Ids {
  readonly TraceID: string;
  readonly SpanID: string;
}

/** The path from a span up to its root, as `service kind name`. */
function way(spans: readonly SpanRecord[], from: SpanRecord): string[] {
  const parent = spans.find(({ span }) => span === from.parent);
  assert.ok(parent || from.parent === null, `${from.service} ${from.name} has a parent that nobody wrote`);
  return [...parent ? way(spans, parent) : [], `${from.service} ${from.kind} ${from.name}`];
}

async function connected(t: TestContext, kind: string, revision: string): Promise<McpClient> {
  const env = { SPANS: file, PEERS: JSON.stringify(peers) };
  const client = new McpClient({ name: 'test', version: '1' }, {
    observe: otel(), revisions: [revision], onElicit: () => ({ action: 'accept', content: { sure: true } }),
  });
  if (kind === 'stdio') await client.connect(stdioTransport(process.execPath, [shop], { env }));
  else {
    const child = spawn(process.execPath, [shop, 'http'], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill());
    const url = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve));
    await client.connect(httpTransport(url));
  }
  t.after(() => client.close());
  return client;
}

for (const kind of ['stdio', 'http']) {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    test(`${kind}, ${revision}: spans of every process join to one trace`, { timeout: 120_000 }, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'barewire-otel-'));
      t.after(() => rmSync(folder, { recursive: true }));
      file = join(folder, 'spans');
      const client = await connected(t, kind, revision);
      await trace.getTracer('test').startActiveSpan('day', async (day) => {
        for (const tool of ['order', ...Object.keys(peers)]) assert.equal((await client.callTool(tool)).isError, undefined, tool);
        day.end();
      });
      const all = spansOf(file);
      const day = all.find(({ name }) => name === 'day');
      const ours = all.filter((span) => span.trace === day?.trace);
      const ways = ours.map((span) => way(ours, span).join(' > '));
      const call = (tool: string): string => `client internal day > client client tools/call ${tool} > shop server tools/call ${tool}`;
      const modern = revision === '2026-07-28';
      const orders = ways.filter((one) => one === call('order'));
      assert.equal(orders.length, modern ? 2 : 1);
      // The question: in 2025-11-25 a request of the server, in 2026-07-28 a second round of the call.
      assert.equal(ways.includes(`${call('order')} > shop client elicitation/create > client server elicitation/create`), !modern);
      if (peers['bake']) {
        assert.ok(ways.some((one) => one.startsWith(`${call('bake')} > shop client tools/call bake > python server `)), ways.join('\n'));
      } else t.diagnostic('OTEL_PYTHON is not set: no FastMCP');
      if (peers['wrap']) assert.ok(ways.includes(`${call('wrap')} > shop client tools/call wrap > go server tools/call`), ways.join('\n'));
      else t.diagnostic('OTEL_GO is not set: no go-sdk');
    });
  }
}
