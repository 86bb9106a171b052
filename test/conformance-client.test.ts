import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { programAt } from './program-at.ts';

// Tests the client for the conformance suite (test/peers/everything/client.ts): a scenario passes only by its own end, and the
// process always exits.

const client = programAt('test/peers/everything/client.js');

/** A legacy server with one tool, whose GET stream stays open. The result of its call violates the output schema unless `sound`. */
async function serverWith(t: TestContext, sound: boolean): Promise<string> {
  const result = (method: string): object => {
    if (method === 'initialize') {
      return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } };
    }
    if (method === 'tools/list') return { tools: [{ name: 'sum', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['n'] } }] };
    return { content: [], structuredContent: sound ? { n: 1 } : {} };
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.flushHeaders();
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { id, method = '' } = (text === '' ? {} : JSON.parse(text)) as { id?: number; method?: string };
    if (id === undefined) return response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result: result(method) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** Runs a scenario. Returns the exit code and stderr. */
async function play(scenario: string, url: string): Promise<{ code: number | null; errors: string }> {
  const child = spawn(process.execPath, [client, url], {
    env: { ...process.env, MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: '2025-11-25', MCP_CONFORMANCE_CONTEXT: '{}' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = await once(child, 'close') as [number | null];
  return { code, errors };
}

test('a scenario that ends well passes', async (t) => {
  assert.deepEqual(await play('tools_call', await serverWith(t, true)), { code: 0, errors: '' });
});

test('an error without a code is no refusal that a scenario asks for, and the process ends', async (t) => {
  const { code, errors } = await play('tools_call', await serverWith(t, false));
  assert.equal(code, 1);
  assert.match(errors, /breaks its output schema/);
  assert.doesNotMatch(errors, /refused, as it should/);
});

test('a scenario that has to end with a refusal does not pass without it', async (t) => {
  const { code, errors } = await play('auth/resource-mismatch', await serverWith(t, true));
  assert.equal(code, 1);
  assert.match(errors, /has to end with the refusal resource_mismatch/);
});

test('starting it compiles nothing', () => {
  const root = new URL('../../package.json', import.meta.url);
  const { scripts } = JSON.parse(readFileSync(root, 'utf8')) as { scripts: Record<string, string> };
  assert.equal(scripts['everything:client'], 'node dist/test/peers/everything/client.js');
});
