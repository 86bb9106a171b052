// Numbers as they were typed: in arguments, in both eras, over retries, and in the answers to forms.
import assert from 'node:assert/strict';
import test from 'node:test';
import { McpServer } from 'barewire/server';
import { fetchHandler, httpTransport } from 'barewire/fetch';
import { httpTrace } from 'barewire/http';
import type { WireMessage } from '../../src/messages.ts';
import { hostOf, TestPage } from './harness.ts';

function server(): McpServer {
  const made = new McpServer({ name: 'numbers', version: '1.0.0' });
  made.tool('take', { input: { type: 'object', properties: { n: { type: 'number' }, list: { type: 'array' } } } }, () => 'taken');
  made.tool('ask', { input: { type: 'object', properties: { n: { type: 'number' } } } }, async (_args, ctx) => {
    const form = await ctx.elicit('How many?', { count: { type: 'number' }, name: { type: 'string' } });
    return form.action === 'accept' ? `${form.content.count}` : form.action;
  });
  made.tool('mirrored', { input: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } } }, ({ n }) => String(n));
  return made;
}

const sent = (page: TestPage, method: string): string[] =>
  page.wire.filter((one): one is WireMessage => one.kind === 'message' && one.direction === 'sent' && one.method === method).map(({ text }) => text);

for (const era of ['legacy', 'modern'] as const) {
  test(`exact: digits of arguments and of answers stay as they were typed: ${era}`, async (t) => {
    const page = new TestPage(hostOf(t, { one: server() }, { rules: [{ then: 'allow' }] }), 'a');
    await page.ask('server.reconnect', { server: 'one', era });
    await page.ask('tool.call', { server: 'one', name: 'take', args: { n: 9007199254740992, list: [1.1, { deep: Number.MAX_VALUE }] }, lexemes: { '/n': '9007199254740993', '/list/0': '1.10', '/list/1/deep': '1e400' } });
    await page.seen('wire', ({ entries }) => entries.some((one) => one.kind === 'message' && one.shape === 'result' && one.method === 'tools/call'));
    assert.match(sent(page, 'tools/call')[0] ?? '', /"arguments":\{"n":9007199254740993,"list":\[1\.10,\{"deep":1e400\}\]\}/);

    const call = page.ask('tool.call', { server: 'one', name: 'ask', args: { n: 1 }, lexemes: { '/n': '1.000' } });
    const { id } = await page.question('form');
    await page.ask('question.answer', { question: id, answer: { kind: 'form', action: 'accept', content: { count: 9007199254740992, name: 'x' }, lexemes: { '/count': '9007199254740993' } } });
    assert.equal((await call).state, 'done');
    await page.ask('server.ping', { server: 'one' });
    await page.seen('wire', ({ entries }) => entries.some((one) => one.kind === 'message' && (one.method === 'ping' || one.method === 'server/discover') && one.seq > 5));
    const all = page.wire.filter((one): one is WireMessage => one.kind === 'message' && one.direction === 'sent').map(({ text }) => text);
    assert.equal(all.filter((text) => text.includes('"count":9007199254740993')).length, 1, all.join('\n'));
    assert.equal(all.filter((text) => text.includes('"n":1.000')).length, era === 'modern' ? 2 : 1, 'the retry has them too');
    assert.equal(all.filter((text) => text.includes('number-')).length, 0);
  });
}

test('exact: what is not the number at its place, or is no number, is not sent', async (t) => {
  const page = new TestPage(hostOf(t, { one: server() }, { rules: [{ then: 'allow' }] }), 'a');
  await page.ask('tool.call', { server: 'one', name: 'take', args: { n: 5 }, lexemes: { '/n': '6', '/list': '1', '': '2' } });
  await page.ask('tool.call', { server: 'one', name: 'take', args: { n: 5 }, lexemes: { '/n': '5,"x":1' } });
  await page.ask('tool.call', { server: 'one', name: 'take', args: { n: 9007199254740992 } });
  await page.seen('wire', ({ entries }) => entries.some((one) => one.kind === 'message' && one.text.includes('9007199254740992')));
  assert.deepEqual(sent(page, 'tools/call').map((text) => /"arguments":(\{[^}]*\})/.exec(text)?.[1]), ['{"n":5}', '{"n":5}', '{"n":9007199254740992}']);
});

test('exact: over HTTP a header mirrors the number that is sent, where it is a safe one', async (t) => {
  const handler = fetchHandler(server());
  const seen: (string | null)[] = [];
  const page = new TestPage(hostOf(t, {}, {
    rules: [{ then: 'allow' }],
    servers: { one: { url: 'http://127.0.0.1/mcp' } },
    open: (_name, _config, { trace }) => httpTransport('http://127.0.0.1/mcp', {
      around: httpTrace(trace),
      fetch: async (input, init) => {
        const request = new Request(input, init);
        if (request.headers.get('mcp-method') === 'tools/call') seen.push(request.headers.get('mcp-param-n'));
        return handler(request);
      },
    }),
  }), 'a');
  for (const [n, lexeme] of [[7, '7.0'], [9007199254740992, '9007199254740993'], [8, undefined]] as const) {
    const call = await page.ask('tool.call', { server: 'one', name: 'mirrored', args: { n }, ...lexeme && { lexemes: { '/n': lexeme } } });
    // 2026-07-28: an integer that JSON parsers round is not mirrored in a header, and barewire's server refuses the call.
    assert.equal(call.state === 'done', n <= Number.MAX_SAFE_INTEGER, JSON.stringify(call.failure));
  }
  assert.deepEqual([...new Set(seen)], ['7', null, '8']);
});
