import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTravelServer } from '../../examples/travel/server.ts';
import { answersOf } from '../../src/cli/answers.ts';
import { jsonReporter } from '../../src/cli/reporter.ts';
import { style } from '../../src/host/node/style.ts';
import { tour } from '../../src/cli/tour.ts';
import type { TourOptions, TourResult } from '../../src/cli/tour.ts';
import { httpTransport } from '../../src/transport/http/client/index.ts';
import { serveHttp } from '../../src/transport/http/node/serve.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import type { ServerPort } from '../../src/transport/server-port.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';

interface Line {
  type: string;
  direction?: string;
  message?: { method?: string; params?: Record<string, unknown> };
  what?: string;
  section?: string;
}

async function toured(
  transport: TourOptions['transport'],
  options: Partial<TourOptions> = {},
): Promise<TourResult & { lines: Line[] }> {
  const lines: Line[] = [];
  const reporter = jsonReporter((line) => lines.push(JSON.parse(line) as Line));
  const result = await tour({
    title: 'test',
    transport,
    reporter,
    answers: (hooks) =>
      answersOf({ ...hooks, person: { present: false }, terminal: { input: process.stdin, output: process.stdout }, style: style(false), note: () => {}, patienceMs: 1, defaults: true }),
    consent: { all: false, allowed: [], strict: false, own: ({ name }) => name !== 'cancel_trip' },
    roots: [],
    timeoutMs: 10_000,
    ...options,
  });
  return { ...result, lines };
}

const overMemory = (server: ServerPort): TourOptions['transport'] => (trace) => memoryTransport(server, { trace });

const outcomes = ({ rows }: TourResult): Record<string, string> =>
  Object.fromEntries(rows.map(({ step, outcome }) => [step.trim(), outcome]));

for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
  test(`the tour of the travel agency, ${revision}`, async () => {
    const result = await toured(overMemory(createTravelServer()), { revisions: [revision] });
    assert.ok(result.ok, JSON.stringify(result.rows));
    const found = outcomes(result);
    for (const step of [
      'Opening', 'Tools', 'Reading', 'A template', 'Subscribing', 'Prompting', 'Calling tools', 'progress',
      'sampling', 'log messages', 'Cancelling', 'Unsubscribing', 'Ping', 'Shutdown',
    ]) {
      assert.equal(found[step], 'ok', step);
    }
    for (const step of ['roots', 'changes']) assert.equal(found[step], 'ok', step);
    assert.equal(found['forms'] ?? 'absent', revision < '2025-06-18' ? 'absent' : 'ok');

    const messages = result.lines.filter(({ type }) => type === 'message');
    assert.equal(messages.length, result.messages);
    for (const { what, section } of messages) {
      assert.ok(section?.startsWith(revision), `${section}: ${what}`);
      assert.doesNotMatch(what ?? '', /no revision|not in 2/);
    }
    const called = messages.flatMap(
      ({ message }) => (message?.method === 'tools/call' ? [message.params?.['name']] : []),
    );
    assert.ok(called.includes('searchFlights'));
    assert.ok(called.includes('book_trip'));
    assert.ok(!called.includes('cancel_trip'), 'a destructive tool was called');
  });
}

for (const era of ['legacy', 'modern'] as const) {
  test(`the tour over HTTP, ${era}`, async () => {
    const http = await serveHttp(createTravelServer());
    try {
      const result = await toured((trace) => httpTransport(http.url, { trace }), { era });
      assert.ok(result.ok, JSON.stringify(result.rows));
      assert.equal(outcomes(result)['changes'], 'ok');
    } finally {
      await http.close();
    }
  });
}

test('a tool that never answers fails the tour, and the tour goes on and ends', async () => {
  const server = new McpServer({ name: 'silent', version: '1' });
  server.tool('silent', { annotations: { readOnlyHint: true } }, () => new Promise<string>(() => {}));
  server.tool('after', { annotations: { readOnlyHint: true } }, () => 'here');
  const result = await toured(overMemory(server), { timeoutMs: 80 });
  assert.equal(result.ok, false);
  const found = outcomes(result);
  assert.equal(found['Calling tools'], 'failed');
  assert.equal(found['Ping'], 'ok');
  assert.match(
    result.rows.find(({ step }) => step === 'Calling tools')?.detail ?? '',
    /silent: no answer.*2 tools called/,
  );
});

test('a tool that fails is an answer like any other', async () => {
  const server = new McpServer({ name: 'failing', version: '1' });
  server.tool('fails', { annotations: { readOnlyHint: true } }, () => {
    throw new Error('not today');
  });
  const result = await toured(overMemory(server));
  assert.ok(result.ok);
  assert.match(
    result.rows.find(({ step }) => step === 'Calling tools')?.detail ?? '',
    /1 called, 1 of them returned isError/,
  );
});

test('a server that has nothing is toured without a failure', async () => {
  const result = await toured(overMemory(new McpServer({ name: 'empty', version: '1' })));
  assert.ok(result.ok, JSON.stringify(result.rows));
  assert.equal(outcomes(result)['Tools'], 'absent');
});

// Runs the command.

const run = (args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<Ran> => inProcess(args, { env: { NO_COLOR: undefined, ...env } });

test('without a target: both eras of the travel agency, as lines of JSON', async () => {
  const { code, out, err } = await run(['--json']);
  assert.equal(code, 0, out.slice(-2000) + err);
  const lines = out.trimEnd().split('\n').map((line) => JSON.parse(line) as Line & { ok?: boolean });
  const text = JSON.stringify(lines);
  for (const method of [
    'initialize', 'server/discover', 'subscriptions/listen', 'elicitation/create', 'notifications/cancelled',
  ]) {
    assert.ok(text.includes(`"method":"${method}"`), method);
  }
  assert.equal(lines.filter(({ type }) => type === 'summary').length, 2);
  assert.deepEqual([lines.at(-1)?.type, lines.at(-1)?.ok], ['end', true]);
});

test('for a person: every message with its direction, without colour in a pipe', async () => {
  const { code, out } = await run(['--revision', '2025-06-18']);
  assert.equal(code, 0, out.slice(-2000));
  assert.match(out, /\d\.\d{3} → \{"jsonrpc":"2\.0","id":1,"method":"initialize"/);
  assert.match(out, /\d\.\d{3} ← \{"jsonrpc":"2\.0","id":1,"result"/);
  assert.match(out, /2025-06-18 basic\/lifecycle#initialization/);
  assert.match(out, /All went well/);
  assert.ok(!out.includes('\x1b'), 'there is an escape sequence');
});

test('colour where it is asked for', async () => {
  const { out } = await run(['--quiet'], { FORCE_COLOR: '1' });
  assert.ok(out.includes('\x1b[32mok'));
});

test('--quiet prints the tables and nothing else', async () => {
  const { code, out } = await run(['--quiet']);
  assert.equal(code, 0);
  assert.ok(!out.includes('jsonrpc'));
  assert.match(out, /^The handshake era/);
  assert.ok(out.trimEnd().split('\n').length < 60);
});

test('a program that is no server fails the tour with its last words', async () => {
  const { code, out } = await run([
    '--timeout', '20', '--', process.execPath, '-e', 'console.error("nobody home"); process.exit(7)',
  ]);
  assert.equal(code, 1);
  assert.match(out, /exited with code 7/);
  assert.match(out, /nobody home/);
});

test('a program that does not exist fails the tour', async () => {
  const { code, out } = await run(['tour', './no-such-program']);
  assert.equal(code, 1);
  assert.match(out, /no such program/);
});

test('a server that says nothing is given up', async () => {
  const { code, out } = await run(['tour', '--timeout', '0.5', process.execPath, '-e', 'process.stdin.resume()']);
  assert.equal(code, 1);
  assert.match(out, /Opening: .*(no answer|time)/);
});

test('the command line is read as it stands', async () => {
  assert.equal((await run(['--help'])).code, 0);
  for (const wrong of [
    ['--nonsense'], ['--revision', '1999-01-01'], ['--timeout', 'soon'], ['http://127.0.0.1:1/mcp', 'more'],
  ]) {
    const { code, err } = await run(wrong);
    assert.equal(code, 2, wrong.join(' '));
    assert.match(err, /^barewire: /);
  }
});

test('tour --http: heads, fields and events of the example over HTTP, in both eras', async () => {
  const { code, out: text } = await run(['tour', '--http', '--json']);
  assert.equal(code, 0);
  const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line) as Line & { lines?: string[]; exchange?: number; at: number });
  const heads = lines.filter(({ type }) => type === 'http');
  const first = (pattern: RegExp): typeof heads[number] | undefined => heads.find((one) => pattern.test(one.lines?.join('\n') ?? ''));
  assert.equal(first(/^POST \/mcp/)?.section, '2025-11-25 basic/transports#sending-messages-to-the-server');
  assert.match(first(/^GET \/mcp/)?.what ?? '', /opens a stream/);
  assert.match(first(/^event\nid: /)?.what ?? '', /can resume the stream/);
  assert.match(first(/mcp-method: tools\/call/)?.section ?? '', /^2026-07-28/);
  assert.match(first(/^DELETE/)?.what ?? '', /ends its session/);
  // Each message belongs to an exchange whose request was shown before.
  const shown = new Set<number>();
  for (const { type, exchange } of lines) {
    if (type === 'walk') shown.clear();
    if (type === 'http') shown.add(exchange ?? 0);
    if (type === 'message') assert.ok(shown.has(exchange ?? 0), String(exchange));
  }
});

test('options before --help are those of the tour, whose help is printed', async () => {
  for (const words of [['--fast', '--help'], ['--revision', '2025-11-25', '-h']]) {
    const { code, out, err } = await inProcess(words);
    assert.deepEqual([code, err], [0, ''], words.join(' '));
    assert.match(out, /^Shows a server [^]*\n  --fast  [^]*\n  --help  /);
  }
});

test('tour --http of a program is wrong use', async () => {
  assert.equal((await run(['tour', '--http', 'node', 'x.js'])).code, 2);
});

test('tour of a name from the configuration', async () => {
  const home = mkdtempSync(join(tmpdir(), 'barewire-tour-name-'));
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { agency: { command: process.execPath, args: [fileURLToPath(new URL('../../examples/travel/main.js', import.meta.url))] } } }));
  const { code, out: text } = await run(['tour', '--quiet', 'agency'], { BAREWIRE_HOME: home });
  rmSync(home, { recursive: true, force: true });
  assert.equal(code, 0, text);
  assert.match(text, /The tour of agency[^]*Travel agency 1\.0\.0/);
});
