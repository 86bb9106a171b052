import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { listenersIn, sources } from './source.ts';

// Every web page in a browser of this machine can reach a local listener. So each listener needs the guard of
// transport/http/server/origin-validation.ts, and this test searches for listeners without it.
test('listeners: each in src, page, integrations, examples/page and scripts has the guard before it', () => {
  const files = sources();
  assert.ok(files.length > 300 && files.includes('page/src/ui/start.ts') && files.includes('scripts/page.mjs'), String(files.length));
  const { listening, faults } = listenersIn(files);
  assert.deepEqual(faults, []);
  // test/listeners/guarded.test.ts tests those of src, and page/test/host/server.test.ts the page.
  assert.deepEqual(listening, ['examples/page/serve.mjs', 'page/src/server/sandbox.ts', 'page/src/server/serve-page.ts', 'src/cli/http-relay.ts', 'src/judge/node/hidden-http.ts', 'src/oauth/node/loopback.ts', 'src/transport/http/node/serve.ts', 'src/transport/http1/node/engine.ts']);
});

const head = "import { createServer } from 'node:http'; import { guarded } from 'barewire/http';\n";
const bad: readonly string[] = [
  'createServer((request, response) => response.end());',
  'createServer();',
  'createServer({ keepAlive: true }, guarded(() => ({}), serve));',
  'const make = createServer; make(guarded(() => ({}), serve));',
  "import { createServer as make } from 'node:https'; make(serve);",
  "import http from 'node:http'; http.createServer(serve);",
  "import * as http from 'node:http2'; http.createSecureServer({}, serve);",
  "const { createServer: make } = await import('node:http'); make(serve);",
  "(await import('node:net')).createServer(serve);",
  "import http from 'node:http'; http['createServer'](serve);",
  "process.getBuiltinModule('node:http')[`createServer`](serve);",
  "import { Server } from 'node:http'; new Server(serve);",
  "import net from 'node:net'; new net.Server(serve);",
  "import { createSocket } from 'node:dgram'; createSocket('udp4');",
  'const server = createServer(guarded(() => ({}), serve)); server.on("request", serve);',
  'const server = createServer(guarded(() => ({}), serve)); server.on("upgrade", serve);',
  'const server = createServer(guarded(() => ({}), serve)); server.prependListener("upgrade", serve);',
  'const server = createServer(guarded(() => ({}), serve)); server.on("connect", (request, socket) => socket.end());',
  "import { WebSocketServer } from 'ws'; new WebSocketServer({ port: 1 });",
  "import { WebSocketServer } from 'ws'; new WebSocketServer({ noServer: false, server });",
  'Deno.serve(handler);', 'Deno.listen({ port: 1 });', 'Bun.serve({ fetch: handler });', 'Bun.listen({});',
  "addEventListener('fetch', (event) => event.respondWith(handler(event.request)));",
  "import express from 'express'; express().listen(3000);",
  "export function createServer() {} http.createSecureServer({}, serve);", "import { createServer } from './server.ts'; new http.Server(serve);",
];
const good: readonly string[] = [
  'createServer(guarded(() => ({}), serve)).listen(0);',
  "import { guardedUpgrade } from 'barewire/http'; const server = createServer(guarded(() => ({}), serve)); server.on('upgrade', guardedUpgrade(() => ({}), serve));",
  "import { WebSocketServer } from 'ws'; new WebSocketServer({ noServer: true });",
  '// createServer(serve)', 'const text = "call createServer first";', "import { connect } from 'node:net'; connect(1).once('connect', () => resolve());", 'session.listen(request);',
  "import { createServer } from './server.ts'; createServer();", 'export function createServer(): void {} createServer();',
];

test('listeners: what listens without the guard is found, however it is written', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-listeners-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const withHead = (text: string): string => (/^(import (express|\{ connect|\{ createServer \} from '\.)|export)/.test(text) ? text : head + text);
  bad.forEach((text, i) => writeFileSync(join(folder, `bad${i}.ts`), withHead(text)));
  good.forEach((text, i) => writeFileSync(join(folder, `good${i}.ts`), withHead(text)));
  // A guard of the same name from another module does not count.
  writeFileSync(join(folder, 'false.ts'), "import { createServer } from 'node:http'; import { guarded } from './own.ts'; createServer(guarded(() => ({}), serve));");
  const look = (names: readonly string[]): string[] => [...new Set(listenersIn(names, folder).faults.map(({ file }) => file))];
  const all = bad.map((_, i) => `bad${i}.ts`);
  assert.deepEqual(look(all).map((file) => bad[Number(file.slice(3, -3))]), bad);
  assert.deepEqual(look(good.map((_, i) => `good${i}.ts`)), []);
  assert.deepEqual(look(['false.ts']), ['false.ts']);
});
