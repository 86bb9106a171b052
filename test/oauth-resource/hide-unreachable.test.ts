import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from '../../src/client/mcp-client.ts';
import { hideUnreachable } from '../../src/oauth/resource/hide-unreachable.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import { fetchHandler } from '../../src/transport/http/fetch/handler.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import type { Auth, AuthRefusal } from '../../src/transport/auth.ts';
import { randomOf } from '../random.ts';
import { isRefusal, present, resourceOf, startIssuer } from './issuer.ts';

const refusal: AuthRefusal = { status: 403, challenge: 'Bearer', message: 'no' };
/** Ordinary scopes, and scopes that could be confused with other values. */
const scopes = ['a', 'b', 'a b', 'b a', '', '["a","b"]', 'alice', 'everything', '7'];

test('hideUnreachable: callers with one key reach the same, whatever their credentials are', async (t) => {
  const issuer = await startIssuer(t);
  const bearers = [
    resourceOf(issuer), resourceOf(issuer, { implies: (held) => held === 'a' }), resourceOf(issuer, { implies: (held) => held === 'b' }),
  ];
  const random = randomOf(3);
  const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = (): string[] => scopes.filter(() => random() < 0.3);
  /** Credentials with their own `lacks` check. */
  class Credentials {
    readonly [detail: string]: unknown;
    readonly principal = 'alice';
    readonly held = some();
    lacks(needed: readonly string[]): AuthRefusal | undefined {
      return needed.every((scope) => this.held.includes(scope)) ? undefined : refusal;
    }
  }
  const tokens: Auth[] = [];
  for (const bearer of bearers) {
    for (let i = 0; i < 60; i++) {
      const found = await present(bearer, issuer.token({ scope: some().filter((scope) => scope !== '') }));
      assert.ok(!isRefusal(found));
      tokens.push(found);
    }
  }
  const kinds: readonly (() => Auth | undefined)[] = [
    () => undefined,
    () => ({ principal: of(scopes) || 'x' }),
    () => ({ principal: of(scopes) || 'x', scopes: [...some(), ...some()] }),
    () => ({ principal: 'x', scopes: [7, ...some()] }),
    () => ({ principal: 'x', scopes: 'a b' }),
    () => of(tokens),
    // Credentials that an application makes from a token.
    () => ({ ...of(tokens), principal: 'wrapped' }),
    () => ({ ...of(tokens), lacks: () => of([refusal, undefined]) && refusal }),
    () => new Credentials() as Auth,
    () => ({ principal: 'alice', scopes: some(), lacks: random() < 0.5 ? () => refusal : () => undefined }),
  ];
  const seen = new Map<string, string>();
  let shared = 0;
  for (let i = 0; i < 5000; i++) {
    const auth = of(kinds)();
    const requester = { auth };
    const shown = [[], ...scopes.map((scope) => [scope]), ['a', 'b'], ['b', 'alice'], undefined]
      .map((needed) => hideUnreachable.shows('tools', 'tool', needed === undefined ? {} : { scopes: needed }, requester)).join();
    const key = hideUnreachable.key(requester);
    const known = seen.get(key);
    if (known !== undefined) shared++;
    assert.equal(shown, known ?? shown, `${key}: ${JSON.stringify(auth)}`);
    seen.set(key, shown);
  }
  // The key is effective: lists are shared between callers.
  assert.ok(shared > 1000, `${shared} lists were shared`);
});

test('hideUnreachable: what a program on a pipe lists is not shown to a caller without scopes, nor the other way', async () => {
  const server = new McpServer({ name: 'trips', version: '1' }, { listFilter: hideUnreachable });
  server.tool('secret', { scopes: ['admin'] }, () => '');
  server.tool('open', {}, () => '');
  const handler = fetchHandler(server, { auth: () => ({ principal: 'somebody', scopes: [] }), allowedHosts: ['trips.example'] });
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(memoryTransport(server));
  const overPipe = async (): Promise<string[]> => (await client.listTools()).map(({ name }) => name);
  const overHttp = async (): Promise<string[]> => {
    const response = await handler(new Request('https://trips.example/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      } } }),
    }));
    return ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
  };
  assert.deepEqual([await overPipe(), await overHttp()], [['secret', 'open'], ['open']]);
  server.tool('third', {}, () => '');
  assert.deepEqual([await overHttp(), await overPipe()], [['open', 'third'], ['secret', 'open', 'third']]);
  await client.close();
});
