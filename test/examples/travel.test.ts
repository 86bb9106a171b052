import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openAgency } from '../../examples/travel/agency.ts';
import { createTravelServer } from '../../examples/travel/server.ts';
import { McpClient } from '../../src/client/mcp-client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import type { CallToolResult } from '../../src/protocol/tools.ts';
import { compile } from '../../src/schema/compile.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import type { ServerPort } from '../../src/transport/server-port.ts';

// Before the first test: node:test runs the hook after the tests known so far, so also while this awaits.
const home = await realpath(await mkdtemp(join(tmpdir(), 'travel-test-')));
after(() => rm(home, { recursive: true, force: true }));
const root = join(home, 'root');
await mkdir(join(root, 'trips'), { recursive: true });
await mkdir(join(home, 'root-of-others'));
await symlink(join(home, 'root-of-others'), join(root, 'way-out'));
await symlink(join(home, 'root-of-others', 'target.md'), join(root, 'link.md'));

const route = { origin: 'Berlin', destination: 'Lisbon', date: '2026-05-01' };
const eras = ['legacy', 'modern'] as const;

async function connect(server: ServerPort, options: ClientOptions = {}): Promise<McpClient> {
  const client = new McpClient({ name: 'test', version: '1' }, { validator: (schema) => compile(schema), ...options });
  await client.connect(memoryTransport(server));
  return client;
}

const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

const agreeing: ClientOptions['onElicit'] = () => ({ action: 'accept', content: {} });

for (const era of eras) {
  test(`${era}: a trip is quoted once, asked about twice and paid once`, async () => {
    const agency = openAgency();
    const asked: string[] = [];
    const changed: string[] = [];
    let lists = 0;
    const client = await connect(createTravelServer({}, agency), {
      era,
      onElicit({ message }) {
        asked.push(message);
        return { action: 'accept', content: asked.length === 1 ? { seat: 'aisle', travellers: 2 } : {} };
      },
      onResourceUpdated: (uri) => changed.push(uri),
      onListChanged: () => lists++,
    });
    await client.subscribe('travel://calendar');
    const result = await client.callTool('book_trip', { destination: 'Lisbon' });
    assert.match(textOf(result), /^Booked BW1001: CI457 to Lisbon, aisle seat, 246 EUR/);
    assert.equal(asked.length, 2);
    assert.deepEqual(agency.counts, { quotes: 1, charges: 1 });

    const history = await client.readResource('travel://trips/BW1001');
    assert.match(JSON.stringify(history), /A\. Traveller/);
    assert.ok(changed.includes('travel://calendar'));
    assert.equal(lists, 1);

    await client.callTool('cancel_trip', { reference: 'BW1001' });
    await assert.rejects(client.readResource('travel://trips/BW1001', { fresh: true }), RpcError);
    assert.equal((await client.callTool('cancel_trip', { reference: 'BW1001' })).isError, true);
    await client.close();
  });

  test(`${era}: who declines has booked nothing`, async () => {
    const agency = openAgency();
    let answers = 0;
    const client = await connect(createTravelServer({}, agency), {
      era,
      onElicit: () => ({ action: ++answers === 1 ? 'accept' : 'decline', content: {} }),
    });
    assert.equal(textOf(await client.callTool('book_trip', { destination: 'Rome' })), 'Nothing booked.');
    assert.equal(agency.counts.charges, 0);
    await client.close();
  });

  test(`${era}: a generator asks three questions`, async () => {
    const client = await connect(createTravelServer(), {
      era,
      onElicit: ({ message }) => ({
        action: 'accept', content: { value: /days/.test(message) ? 2 : /work/.test(message) ? true : 'mountains' },
      }),
    });
    assert.equal(textOf(await client.callTool('packing_list')), 'Pack: 2 × everything, boots, rain coat, laptop.');
    await client.close();
  });

  test(`${era}: the model picks, and without a model the price does`, async () => {
    const server = createTravelServer();
    const asking = await connect(server, {
      era,
      onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '2, it leaves late' } }),
    });
    assert.match(textOf(await asking.callTool('pick_best_flight', route)), /^m picks EC991/);
    await asking.close();
    const alone = await connect(server, { era });
    assert.match(textOf(await alone.callTool('pick_best_flight', route)), /no model to ask; the cheapest is CI457/);
    await alone.close();
  });

  test(`${era}: a page is visited, and without pages its address is told`, async () => {
    const server = createTravelServer();
    const visiting = await connect(server, { era, onElicitUrl: () => ({ action: 'accept' }) });
    assert.equal(textOf(await visiting.callTool('apply_for_visa')), 'The application was opened.');
    await visiting.close();
    const reading = await connect(server, { era });
    assert.match(textOf(await reading.callTool('apply_for_visa')), /^Apply for the visa here: https:/);
    await reading.close();
  });

  test(`${era}: the long search tells its progress, logs, and can be cancelled`, async () => {
    const logs: unknown[] = [];
    const client = await connect(createTravelServer(), {
      era, onLog: ({ data }) => logs.push(data), logLevel: 'debug',
    });
    const seen: number[] = [];
    const result = await client.callTool('search_every_airline', { ...route, paceMs: 0 }, {
      onProgress: ({ progress }) => seen.push(progress),
    });
    assert.match(textOf(result), /^The cheapest: CI457/);
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5]);
    assert.equal(logs.length, 6);

    const controller = new AbortController();
    const reason = new Error('enough');
    // A minute per airline: without cancellation this test would not end.
    await assert.rejects(client.callTool('search_every_airline', { ...route, paceMs: 60_000 }, {
      signal: controller.signal, onProgress: () => controller.abort(reason),
    }), reason);
    await client.ping();
    await client.close();
  });

  test(`${era}: a city without a forecast is not found, with the code of its era`, async () => {
    const client = await connect(createTravelServer(), { era });
    const { contents } = await client.readResource('weather://forecast/Lisbon/2026-05-01');
    assert.match(JSON.stringify(contents), /Lisbon/);
    await assert.rejects(client.readResource('weather://forecast/Atlantis/2026-05-01'), (error) =>
      error instanceof RpcError && error.code === (era === 'legacy' ? -32002 : -32602));
    await client.close();
  });
}

test('flights fit their output schema and are the same every time', async () => {
  const client = await connect(createTravelServer());
  await client.listTools();
  const one = await client.callTool<{ flights: { price: number }[] }>('searchFlights', route);
  const two = await client.callTool('searchFlights', route);
  assert.deepEqual(one, two);
  const prices = one.structuredContent?.flights.map(({ price }) => price) ?? [];
  assert.deepEqual(prices, prices.toSorted((a, b) => a - b));
  assert.ok(prices.length === 5 && prices.every((price) => price > 0));
  await client.close();
});

test('arguments of the prompt are completed, with regard to each other', async () => {
  const client = await connect(createTravelServer());
  const ref = { type: 'ref/prompt', name: 'plan-vacation' } as const;
  assert.deepEqual((await client.complete(ref, { name: 'destination', value: 'l' })).values, ['Lisbon', 'London']);
  assert.deepEqual(
    (await client.complete(ref, { name: 'budget', value: '' }, { duration: '10' })).values,
    ['600', '1200', '2500'],
  );
  assert.deepEqual((await client.complete(ref, { name: 'interests', value: 'food, h' })).values, [
    'food, hiking', 'food, history',
  ]);
  const uri = { type: 'ref/resource', uri: 'weather://forecast/{city}/{date}' } as const;
  assert.deepEqual((await client.complete(uri, { name: 'city', value: 'P' })).values, ['Paris', 'Prague']);
  const { messages } = await client.getPrompt('plan-vacation', { destination: 'Lisbon', duration: '3' });
  assert.match(JSON.stringify(messages), /Plan 3 days in Lisbon/);
  await client.close();
});

// Bookings that move from one process to another.

const key = Uint8Array.from({ length: 32 }, (_, at) => at);

/** One modern `tools/call` of book_trip, with the answers in `more`. */
function round(server: ServerPort, more: object): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const send = (text: string): void => resolve(JSON.parse(text) as Record<string, unknown>);
    const peer = server.connect({ send, answer: (text) => text !== undefined && send(text) }, { modern: true });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const params = { name: 'book_trip', arguments: { destination: 'Lisbon' }, _meta, ...more };
    peer.receive(decode(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })));
  });
}

test('a booking of three rounds is served by three processes that share a key', async () => {
  const agencies = [openAgency(), openAgency(), openAgency()];
  const [a, b, c] = agencies.map((agency) => createTravelServer({ requestState: { keys: [key] } }, agency));
  assert.ok(a && b && c);
  const first = (await round(a, {}))['result'] as Record<string, unknown>;
  assert.equal(first['resultType'], 'input_required');
  const wish = { wish: { action: 'accept', content: { seat: 'aisle', travellers: 1, name: 'N' } } };
  const second = (await round(b, {
    inputResponses: wish, requestState: first['requestState'],
  }))['result'] as Record<string, unknown>;
  const payment = { payment: { action: 'accept', content: { confirm: true } } };
  const third = await round(c, { inputResponses: payment, requestState: second['requestState'] });
  assert.match(JSON.stringify(third), /Booked BW1001/);
  assert.deepEqual(agencies.map(({ counts }) => [counts.quotes, counts.charges]), [[1, 0], [0, 0], [0, 1]]);

  const stranger = await round(createTravelServer(), { inputResponses: wish, requestState: first['requestState'] });
  assert.equal((stranger['error'] as { code: number }).code, -32602);
});

// The itinerary is written only inside the roots.

test('the itinerary is written inside the roots', async () => {
  const client = await connect(createTravelServer(), {
    roots: [{ uri: pathToFileURL(join(root, 'nowhere')).href }, { uri: pathToFileURL(root).href }],
  });
  const write = async (args: object): Promise<string> => textOf(await client.callTool('write_itinerary', { ...args }));
  assert.equal(await write({}), `Wrote ${join(root, 'itinerary.md')}`);
  assert.match(await readFile(join(root, 'itinerary.md'), 'utf8'), /^# Itinerary\n\n- 2026-04-30: Pack\n$/);
  assert.equal(await write({ folder: 'trips', file: 'a.txt' }), `Wrote ${join(root, 'trips', 'a.txt')}`);
  assert.equal(await write({ folder: join(root, 'trips') }), `Wrote ${join(root, 'trips', 'itinerary.md')}`);

  assert.equal(await write({}), 'itinerary.md is there already');
  assert.equal(await write({ folder: '..' }), '.. is outside the client\'s roots');
  assert.equal(await write({ folder: home }), `${home} is outside the client's roots`);
  assert.equal(await write({ folder: '../root-of-others' }), '../root-of-others is outside the client\'s roots');
  assert.equal(await write({ folder: 'way-out' }), 'way-out is outside the client\'s roots');
  assert.equal(await write({ folder: 'nowhere' }), 'There is no folder nowhere');
  assert.equal(await write({ file: 'link.md' }), 'link.md is there already');
  for (const file of ['../x.md', 'a/b.md', '.hidden.md', 'x.sh', '']) {
    assert.match(await write({ file }), /does not match the pattern/);
  }
  await client.close();
});

test('without roots, nothing is written', async () => {
  for (const roots of [undefined, []]) {
    const client = await connect(createTravelServer(), { roots });
    assert.equal((await client.callTool('write_itinerary')).isError, true);
    await client.close();
  }
});

test('a form that nobody can answer is told to the model', async () => {
  const client = await connect(createTravelServer(), { revisions: ['2025-03-26'], onElicit: agreeing });
  const result = await client.callTool('book_trip', { destination: 'Lisbon' });
  assert.equal(result.isError, true);
  assert.match(textOf(result), /elicitation/);
  await client.close();
});

test('the example of the double charge shows it, and its cure', () => {
  const program = fileURLToPath(new URL('../../examples/double-charge.js', import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  assert.equal(status, 0);
  assert.deepEqual(stdout.trimEnd().split('\n').map((line) => line.replace(/ \(.*/, '')), [
    '2025-11-25 careless: charged once',
    '2025-11-25 careful: charged once',
    '2026-07-28 careless: charged 2 times',
    '2026-07-28 careful: charged once',
  ]);
});
