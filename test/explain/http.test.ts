import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { explainHttp, httpLines } from '../../src/explain/index.ts';
import { revisions } from '../../src/explain/phrases.ts';
import type { EventTraceEntry, HttpTraceEntry } from '../../src/transport/trace.ts';

const headings = JSON.parse(readFileSync(new URL('../../../test/specification/headings.json', import.meta.url), 'utf8')) as
  Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const head = (method: string, status?: number, headers: Record<string, string> = {}): HttpTraceEntry =>
  ({ kind: 'http', direction: status === undefined ? 'sent' : 'received', exchange: 1, method, path: '/mcp', headers, at: 0, ...status !== undefined && { status } });
const event = (fields: EventTraceEntry['event'], data: string = ''): EventTraceEntry =>
  ({ kind: 'event', direction: 'received', exchange: 1, event: fields, data, at: 0 });

const session = { 'mcp-session-id': 's' };
const cases: readonly (readonly [HttpTraceEntry | EventTraceEntry, RegExp])[] = [
  [head('POST', undefined, session), /posts a message, in its session$/],
  [head('POST', undefined, { 'mcp-method': 'tools/call', 'mcp-name': 'add' }), /posts a message: tools\/call add$/],
  [head('GET'), /opens a stream/],
  [head('GET', undefined, { 'last-event-id': '4-1' }), /resumes a stream after event 4-1/],
  [head('DELETE'), /ends its session/],
  [head('OPTIONS'), /A browser asks/],
  [head('PUT'), /which MCP does not use/],
  [head('POST', 200, { 'content-type': 'application/json; charset=utf-8', ...session }), /one message, in a session/],
  [head('POST', 200, { 'content-type': 'text/event-stream' }), /stream of events$/],
  [head('GET', 200, { 'content-type': 'text/event-stream' }), /opens the stream/],
  [head('POST', 200, { 'content-type': 'text/html' }), /text\/html, which is not a message/],
  [head('POST', 200), /no content type/],
  [head('POST', 202), /has accepted it/],
  [head('DELETE', 204), /session is ended/],
  [head('DELETE', 200), /session is ended/],
  [head('POST', 307, { location: '/other' }), /elsewhere: \/other/],
  [head('POST', 400), /refuses the request/],
  [head('POST', 401), /credentials/],
  [head('POST', 403), /origin/],
  [head('POST', 403, { 'www-authenticate': 'Bearer' }), /credentials/],
  [head('POST', 404), /not know this session/],
  [head('GET', 405), /no stream here/],
  [head('POST', 405), /does not take POST/],
  [head('POST', 502), /proxy/],
  [event({ event: 'endpoint' }, '/messages?id=1'), /posted to: \/messages\?id=1/],
  [event({ event: 'other' }), /which MCP does not use/],
  [event({ id: '1-0', retry: 1000 }), /by the id 1-0, and waits 1000 ms/],
  [event({ retry: 1000 }), /without a message, and waits/],
];

test('explainHttp: each head and event in words, with a section that is there, in every revision', () => {
  for (const [entry, expected] of cases) {
    for (const revision of [...revisions, undefined]) {
      const { what, section } = explainHttp(entry, revision);
      assert.match(what, expected);
      const [, version = '', page = '', heading = ''] = /^(\S+) ([^#]+)#(\S+)$/.exec(section) ?? [];
      assert.ok(headings[version]?.[page]?.includes(heading), `${what}: ${section}`);
    }
  }
  assert.match(explainHttp(head('POST'), '2024-11-05').section, /http-with-sse/);
  assert.match(explainHttp(head('POST', undefined, { 'mcp-protocol-version': '2026-07-28' }), '2024-11-05').section, /^2026-07-28/);
});

test('httpLines: what tells something, safe to print', () => {
  assert.deepEqual(httpLines(head('POST', undefined, { accept: 'a/b', 'user-agent': 'x', 'mcp-name': '\u001b[2Jx' })), ['POST /mcp', 'accept: a/b', 'mcp-name: \\x1b[2Jx']);
  assert.deepEqual(httpLines(head('POST', 404, { 'content-type': 'text/html', date: 'now' })), ['404 to POST /mcp', 'content-type: text/html']);
  assert.deepEqual(httpLines(event({ id: '1-0', retry: 5 })), ['event', 'id: 1-0', 'retry: 5', 'data: ']);
  assert.ok((httpLines(head('POST', undefined, { origin: 'x'.repeat(5000) }))[1] ?? '').length < 200);
});
