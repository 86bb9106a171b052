import { fileURLToPath } from 'node:url';
import { bearer } from '../../src/oauth/index.ts';
import { compile } from '../../src/schema/full/index.ts';
import { RpcError } from '../../src/jsonrpc/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { serveStdio } from '../../src/transport/stdio/index.ts';
import { pause, png, wav } from '../peers/everything/media.ts';

// A server that uses all that there is, for the referee and for servers with one line broken (test/judge/mutants.mjs):
//
//   node dist/test/judge/target.js [--http] [--modern] [--guarded] [--codes]
//
// Over HTTP it prints its address, and ends with its stdin.

const readOnly = { annotations: { readOnlyHint: true } } as const;
const modern = process.argv.includes('--modern');

export function target(): McpServer {
  const server = new McpServer({ name: 'judged', version: '1.0.0' }, {
    validator: compile, pageSize: 5, onError() {},
    ...modern && { revisions: ['2026-07-28'] },
  });
  addTools(server);
  addAskingTools(server);
  addItems(server);
  return server;
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
  if (process.argv.includes('--codes')) for (const code of [-32002, -32042, -32050, -32601.5, -32005]) server.tool(`code_${-code}`, { ...readOnly, description: 'Fails with a code' }, () => {
    throw new RpcError(code, 'it fails');
  });
}

function addAskingTools(server: McpServer): void {
  server.tool('ask', { ...readOnly, description: 'Asks' }, async (_args, ctx) => {
    const { action } = await ctx.elicit('Your name?', { name: { type: 'string' } });
    return `The person said ${action}`;
  });
  server.tool('ask_twice', { ...readOnly, description: 'Asks twice' }, async (_args, ctx) => {
    const [one, two] = await Promise.all([ctx.elicit('One?', { one: { type: 'boolean' } }), ctx.elicit('Two?', { two: { type: 'number' } })]);
    return `${one.action} ${two.action}`;
  });
  server.tool('ask_url', { ...readOnly, description: 'Asks by a URL' }, async (_args, ctx) => `The person said ${(await ctx.elicitUrl('Pay', 'https://example.com/pay')).action}`);
  server.tool('sample', { ...readOnly, description: 'Samples' }, async (_args, ctx) =>
    JSON.stringify((await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10 })).content));
  server.tool('sample_tools', { ...readOnly, description: 'Samples with tools' }, async (_args, ctx) => JSON.stringify((await ctx.sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 10, tools: [{ name: 'x', inputSchema: { type: 'object' } }],
  })).content));
  server.tool('roots', { ...readOnly, description: 'Asks for roots' }, async (_args, ctx) => JSON.stringify(await ctx.roots()));
}

function addItems(server: McpServer): void {
  server.resource('judged://text', { name: 'text', mimeType: 'text/plain' }, () => 'text');
  server.resource('judged://blob', { name: 'blob', mimeType: 'image/png' }, () => Uint8Array.from([1, 2, 250]));
  server.resource('judged://broken', { name: 'broken' }, () => {
    throw new Error('it fails');
  });
  for (let at = 0; at < 5; at++) server.resource(`judged://more/${at}`, { name: `more ${at}` }, () => String(at));
  server.resourceTemplate('judged://items/{id}', { name: 'items', complete: { id: (value) => ['one', 'two'].filter((one) => one.startsWith(value)) } }, ({ id }) => id);
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

async function main(): Promise<void> {
  if (!process.argv.includes('--http')) return void serveStdio(target());
  const auth = process.argv.includes('--guarded')
    ? bearer({ resource: 'http://127.0.0.1/mcp', authorizationServers: ['https://issuer.example'], scopes: ['read'], initialScopes: ['read'], verify: () => Promise.resolve(undefined) })
    : undefined;
  const { url, close } = await serveHttp(target(), { port: 0, ...auth && { auth } });
  process.stdout.write(`${url}\n`);
  process.stdin.resume().once('end', () => void close());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
