import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bearer } from '../../src/oauth/index.ts';
import { compile } from '../../src/schema/full/index.ts';
import { RpcError } from '../../src/jsonrpc/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { serveStdio } from '../../src/transport/stdio/index.ts';
import { tasks } from '../../src/tasks/index.ts';
import { pause, png, wav } from '../peers/everything/media.ts';
import { addCareless } from './careless.ts';

// A server with every feature, for the referee and as the base of mutants (test/judge/mutants.mjs):
//
//   node dist/test/judge/target.js [--http] [--modern] [--guarded] [--root] [--sse] [--codes] [--careless] [--plain]
//
// Over HTTP it prints its address (with --sse that of HTTP+SSE), and ends with its stdin. --codes: tools that fail with codes.
// --careless: the author passes values that the library must reject (test/judge/careless.ts), to show where it does not.
// --plain: only tools, and a timer as long as the process.

const readOnly = { annotations: { readOnlyHint: true } } as const;
const modern = process.argv.includes('--modern');
const careless = process.argv.includes('--careless');
const overPipe = process.argv[1] === fileURLToPath(import.meta.url) && !process.argv.includes('--http');

export function target(): McpServer {
  const server = new McpServer({ name: 'judged', version: '1.0.0' }, {
    validator: compile, pageSize: 5, onError() {},
    cache: { tools: { ttlMs: 1_000, scope: 'public' }, resources: { ttlMs: 1_000, scope: 'public' } },
    ...modern && { revisions: ['2026-07-28'] },
  });
  if (process.argv.includes('--plain')) {
    addTools(server);
    setInterval(() => undefined, 60_000);
    return server;
  }
  // Few tools, because the referee calls at most 24.
  if (careless) addCareless(server);
  addTools(server);
  if (!careless) {
    addAskingTools(server);
    addTaskTools(server);
  }
  addItems(server);
  server.extend({ id: 'com.example/judged', settings: { judged: true } });
  return server;
}

/** Tools that support tasks. */
function addTaskTools(server: McpServer): void {
  tasks(server);
  server.tool('task', { ...readOnly, description: 'May be a task', task: 'optional', input: { type: 'object', properties: {}, additionalProperties: true } }, async (_args, ctx) => {
    ctx.progress(1);
    await pause(150);
    ctx.progress(2);
    return 'done';
  });
  server.tool('task_only', { ...readOnly, description: 'Must be a task', task: 'required' }, async () => {
    await pause(100);
    return 'done';
  });
  server.tool('task_asks', { ...readOnly, description: 'Asks in a task', task: 'optional' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('Your name?', { name: { type: 'string' } }, { key: 'name' });
    return `The person said ${action}`;
  });
  server.tool('task_fails', { ...readOnly, description: 'Fails with an error of the protocol', task: 'optional' }, async () => {
    await pause(50);
    throw new RpcError(-31_000, 'it fails');
  });
  server.tool('task_slow', { ...readOnly, description: 'A task that takes a while', task: 'optional' }, async () => {
    await pause(800);
    return 'done';
  });
}

function addTools(server: McpServer): void {
  server.tool('add', {
    ...readOnly, description: 'Adds', input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  }, ({ a, b }) => ({ sum: a + b }));
  server.tool('fail', { ...readOnly, description: 'Fails' }, () => {
    throw new Error('it fails');
  });
  server.tool('slow', { ...readOnly, description: 'Takes a while' }, async (_args, ctx) => {
    for (let step = 0; step < 7; step++) {
      ctx.progress(step, 7);
      await pause(200);
    }
    return 'done';
  });
  server.tool('log', { ...readOnly, description: 'Logs' }, (_args, ctx) => {
    // A library used by a server's author may print too.
    if (overPipe) console.log('printed');
    ctx.log('info', 'one');
    ctx.log('error', { two: 2 });
    ctx.progress(1, 3);
    ctx.progress(2, 3);
    return 'logged';
  });
  server.tool('late', { ...readOnly, description: 'Reports after its end' }, (_args, ctx) => {
    ctx.progress(1);
    void pause(30).then(() => ctx.progress(2));
    return 'done';
  });
  server.tool('mirror', {
    ...readOnly, description: 'Mirrors',
    input: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, count: { type: 'integer', 'x-mcp-header': 'Count' } }, additionalProperties: true },
  }, () => 'mirrored');
  server.tool('content', { ...readOnly, description: 'All kinds of content' }, () => [
    { type: 'text', text: 'text' }, { type: 'image', data: png, mimeType: 'image/png' }, { type: 'audio', data: wav, mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'judged://text', name: 'text' }, { type: 'resource', resource: { uri: 'judged://text', text: 'x', mimeType: 'text/plain' } },
  ]);
  let changes = 0;
  const changing = server.tool('changing', { ...readOnly, description: 'Changes' }, () => 'changed');
  const prompt = server.prompt('changing', { description: 'Changes' }, () => 'changed');
  server.tool('change', { ...readOnly, description: 'Changes what there is' }, () => {
    changing.update({ description: `Changed ${++changes} times` });
    prompt.update({ description: `Changed ${changes} times` });
    return 'changed';
  });
  if (process.argv.includes('--codes')) server.tool('needs_url', { ...readOnly, description: 'Wants an elicitation by URL first' }, () => {
    throw new RpcError(-32042, 'Look at the page first', { elicitations: [{ mode: 'url', elicitationId: 'judged-1', url: 'https://example.com/pay', message: 'Pay' }] });
  });
  if (process.argv.includes('--codes')) for (const code of [-32002, -32042, -32050, -32601.5, -32005]) server.tool(`code_${-code}`, { ...readOnly, description: 'Fails with a code' }, () => {
    throw new RpcError(code, 'it fails', { elicitations: [{ mode: 'url', elicitationId: 'judged-2', url: 'https://example.com/pay', message: 'Pay' }] });
  });
}

function addAskingTools(server: McpServer): void {
  server.tool('ask', { ...readOnly, description: 'Asks', input: { type: 'object', properties: {}, additionalProperties: true } }, async (_args, ctx) => {
    const { action } = await ctx.elicit('Your name?', { name: { type: 'string' } });
    return `The person said ${action}`;
  });
  // With --codes the tools already number as many as the referee calls.
  if (!process.argv.includes('--codes')) server.tool('ask_and_work', { ...readOnly, description: 'Asks, and then works' }, async (_args, ctx) => {
    await ctx.elicit('Your name?', { name: { type: 'string' } });
    await pause(1_200);
    return 'done';
  });
  server.tool('ask_twice', { ...readOnly, description: 'Asks twice' }, async (_args, ctx) => {
    const [one, two] = await Promise.all([ctx.elicit('One?', { one: { type: 'boolean' } }), ctx.elicit('Two?', { two: { type: 'number' } })]);
    return `${one.action} ${two.action}`;
  });
  server.tool('ask_url', { ...readOnly, description: 'Asks by a URL' }, async (_args, ctx) => {
    const elicitationId = `judged-${randomUUID()}`;
    const { action } = await ctx.elicitUrl('Pay', 'https://example.com/pay', { elicitationId });
    if (ctx.revision.version === '2025-11-25') ctx.notify('notifications/elicitation/complete', { elicitationId });
    return `The person said ${action}`;
  });
  server.tool('ask_urls', { ...readOnly, description: 'Asks by two URLs, whose ids the library makes' }, async (_args, ctx) => {
    const one = await ctx.elicitUrl('Pay', 'https://example.com/pay');
    const two = await ctx.elicitUrl('Sign', 'https://example.com/sign');
    return `${one.action} ${two.action}`;
  });
  server.tool('sample', { ...readOnly, description: 'Samples' }, async (_args, ctx) =>
    JSON.stringify((await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10 })).content));
  server.tool('sample_tools', { ...readOnly, description: 'Samples with tools' }, async (_args, ctx) => JSON.stringify((await ctx.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10, tools: [{ name: 'x', inputSchema: { type: 'object' } }],
  })).content));
  server.tool('sample_loop', { ...readOnly, description: 'Samples with a tool, and answers its uses' }, async (_args, ctx) => {
    const hello = { role: 'user' as const, content: { type: 'text' as const, text: 'What is the time?' } };
    const how = { maxTokens: 10, tools: [{ name: 'clock', inputSchema: { type: 'object' as const } }] };
    const first = await ctx.sample({ messages: [hello], ...how });
    const content = Array.isArray(first.content) ? first.content : [first.content];
    const uses = content.filter((one) => one.type === 'tool_use');
    if (uses.length === 0) return 'no use';
    const results = uses.map(({ id }) => ({ type: 'tool_result' as const, toolUseId: id, content: [{ type: 'text' as const, text: 'noon' }] }));
    const last = await ctx.sample({ messages: [hello, { role: 'assistant', content }, { role: 'user', content: results }], ...how });
    return JSON.stringify(last.content);
  });
  server.tool('roots', { ...readOnly, description: 'Asks for roots' }, async (_args, ctx) => JSON.stringify(await ctx.roots()));
}

function addItems(server: McpServer): void {
  server.resource('judged://text', { name: 'text', mimeType: 'text/plain' }, () => 'text');
  server.resource('judged://blob', { name: 'blob', mimeType: 'image/png' }, () => Uint8Array.from([1, 2, 250]));
  server.resource('judged://broken', { name: 'broken' }, () => {
    throw new Error('it fails');
  });
  for (let at = 0; at < 5; at++) server.resource(`judged://more/${at}`, { name: `more ${at}` }, () => String(at));
  server.resourceTemplate('judged://items/{id}', { name: 'items', complete: { id: (value) => ['one', 'two'].filter((one) => one.startsWith(value)) } }, ({ id }) => (id.startsWith('judge') ? undefined : id));
  server.resourceTemplate('judged://files/{name}', { name: 'files' }, ({ name }) => {
    try {
      return readFileSync(join(tmpdir(), name), 'utf8').slice(0, 400);
    } catch {
      return undefined;
    }
  });
  server.prompt('plain', { description: 'Plain' }, () => 'Hello');
  server.prompt('named', { description: 'Named', arguments: { name: { required: true, complete: (value) => ['ann', 'bob'].filter((one) => one.startsWith(value)) } } }, ({ name }) => `Hello ${name}`);
  server.prompt('broken', { description: 'Broken' }, () => {
    throw new Error('it fails');
  });
  server.prompt('media', { description: 'Media' }, () => [
    { role: 'user', content: { type: 'image', data: png, mimeType: 'image/png' } }, { role: 'user', content: { type: 'audio', data: wav, mimeType: 'audio/wav' } },
    { role: 'user', content: { type: 'resource', resource: { uri: 'judged://text', mimeType: 'text/plain', text: 'x' } } },
  ]);
}

/** A free port: the authorization metadata names it before the server listens. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function main(): Promise<void> {
  const has = (word: string): boolean => process.argv.includes(word);
  if (!has('--http')) return void serveStdio(target());
  const path = has('--root') ? '/' : '/mcp';
  const port = has('--guarded') ? await freePort() : 0;
  const auth = has('--guarded')
    ? bearer({ resource: `http://127.0.0.1:${port}${path}`, authorizationServers: ['https://issuer.example'], scopes: ['read'], initialScopes: ['read'], verify: () => Promise.resolve(undefined) })
    : undefined;
  const { url, close } = await serveHttp(target(), { port, path, ...auth && { auth } });
  process.stdout.write(`${has('--sse') ? new URL('sse', url).href : url}\n`);
  process.stdin.resume().once('end', () => void close());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
