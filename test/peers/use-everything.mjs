// A client's use of examples/travel: every feature, over any transport or proxy.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const route = { origin: 'Berlin', destination: 'Lisbon', date: '2026-05-01' };
export const textOf = (result) => result.content.map(({ text }) => text ?? '').join('');
const logLevel = 'io.modelcontextprotocol/logLevel';

/** Uses all features of the travel agency in sequence. */
export async function useEverything(t, peer) {
  const { client, answers, asked, told, modern } = peer;
  const call = (name, args = {}, options, extra) =>
    client.callTool({ name, arguments: args, ...extra }, ...'listen' in client ? [options] : [undefined, options]);

  await t.test('who the server is', () => {
    assert.equal(client.getServerVersion().name, 'travel');
    assert.match(client.getInstructions(), /Search before you book/);
    assert.ok(client.getServerCapabilities().tools);
  });

  await t.test('tools, with structured content that the SDK holds against its schema', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).slice(0, 3), ['searchFlights', 'search_every_airline', 'pick_best_flight']);
    const { structuredContent } = await call('searchFlights', route);
    assert.equal(structuredContent.flights.length, 5);
  });

  await t.test('arguments that do not fit come back for the model to read', async () => {
    const result = await call('searchFlights', { origin: 'Berlin', destination: 'Lisbon' });
    assert.equal(result.isError, true);
    assert.match(textOf(result), /date/);
  });

  await t.test('a tool that is not there is a protocol error', async () => {
    await assert.rejects(call('teleport'), ({ code }) => code === -32602);
  });

  await t.test('content of every kind', async () => {
    const { content } = await call('city_guide', { city: 'Rome' });
    assert.deepEqual(content.map(({ type }) => type), ['text', 'image', 'audio', 'resource', 'resource_link']);
  });

  await t.test('resources and templates', async () => {
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ uri }) => uri === 'travel://calendar'));
    const { resourceTemplates: [template] } = await client.listResourceTemplates();
    assert.equal(template.uriTemplate, 'weather://forecast/{city}/{date}');
    const { contents: [text] } = await client.readResource({ uri: 'weather://forecast/Rome/2026-05-01' });
    assert.equal(JSON.parse(text.text).city, 'Rome');
    const { contents: [picture] } = await client.readResource({ uri: 'travel://stamp.png' });
    assert.equal(Buffer.from(picture.blob, 'base64').subarray(1, 4).toString(), 'PNG');
    // -32002 before 2026-07-28, and -32602 since; SDK v2 converts the old code to the new one.
    await assert.rejects(client.readResource({ uri: 'travel://nothing' }), ({ code }) => code === (peer.version === 'v2' ? -32602 : -32002));
  });

  await t.test('prompts and completion', async () => {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts[0].arguments.map(({ name }) => name), ['destination', 'duration', 'budget', 'interests']);
    const { messages } = await client.getPrompt({ name: 'plan-vacation', arguments: { destination: 'Oslo', duration: '3' } });
    assert.match(messages[0].content.text, /^Plan 3 days in Oslo/);
    await assert.rejects(client.getPrompt({ name: 'plan-vacation', arguments: {} }), ({ code }) => code === -32602);
    const complete = async (ref, argument, context) => (await client.complete({ ref, argument, ...context })).completion.values;
    const prompt = { type: 'ref/prompt', name: 'plan-vacation' };
    assert.deepEqual(await complete(prompt, { name: 'destination', value: 'l' }), ['Lisbon', 'London']);
    assert.deepEqual(
      await complete(prompt, { name: 'budget', value: '' }, { context: { arguments: { duration: '10' } } }), ['600', '1200', '2500']);
    assert.deepEqual(
      await complete({ type: 'ref/resource', uri: 'weather://forecast/{city}/{date}' }, { name: 'city', value: 'ro' }), ['Rome']);
  });

  await t.test('progress', async () => {
    const seen = [];
    const result = await call('search_every_airline', { ...route, paceMs: 20 }, { onprogress: (progress) => seen.push(progress) });
    assert.match(textOf(result), /^The cheapest/);
    // The last report may be lost: if it arrives in one chunk with the result, the SDKs handle the result first, and drop
    // messages of an answered request.
    assert.deepEqual(seen.map(({ progress }) => progress).slice(0, 5), [0, 1, 2, 3, 4]);
    assert.deepEqual(seen[0], { progress: 0, total: 5, message: 'Asking Aurora Air' });
  });

  await t.test('cancellation, after which the connection goes on', async () => {
    const stop = new AbortController();
    const options = { signal: stop.signal, onprogress: () => stop.abort(new Error('changed my mind')) };
    await assert.rejects(call('search_every_airline', { ...route, paceMs: 60_000 }, options));
    assert.match(textOf(await call('city_guide')), /^Lisbon/);
  });

  await t.test('logging, at the level that was asked for', async () => {
    const before = told.items.length;
    if (modern) await call('search_every_airline', { ...route, paceMs: 0 }, undefined, { _meta: { [logLevel]: 'debug' } });
    else {
      await client.setLoggingLevel('debug');
      await call('search_every_airline', { ...route, paceMs: 0 });
    }
    await told.until(({ params }) => params?.level === 'info');
    const logs = told.items.slice(before).filter(({ method }) => method === 'notifications/message');
    assert.deepEqual(logs.map(({ params }) => params.level), ['debug', 'debug', 'debug', 'debug', 'debug', 'info']);
    if (!modern) await client.setLoggingLevel('emergency');
  });

  await t.test('two forms, one after the other, and the lists that change', async () => {
    const changed = told.until(({ method }) => method === 'notifications/resources/list_changed');
    const updated = told.until(({ method, params }) => method === 'notifications/resources/updated' && params.uri === 'travel://calendar');
    if (modern) await client.listen({ resourcesListChanged: true, resourceSubscriptions: ['travel://calendar'] });
    else await client.subscribeResource({ uri: 'travel://calendar' });
    const from = asked.length;
    answers.elicit = ({ message }) => ({
      action: 'accept',
      content: message.startsWith('How') ? { seat: 'aisle', travellers: 2, name: 'Ada' } : { confirm: true },
    });
    const result = await call('book_trip', { destination: 'Lisbon' });
    assert.match(textOf(result), /^Booked BW\d+: .* to Lisbon, aisle seat/);
    assert.equal(result.content[1].type, 'resource_link');
    const [wish, payment] = asked.slice(from);
    assert.deepEqual(wish.requestedSchema.properties.seat.enum, ['window', 'aisle']);
    assert.match(payment.message, /2 × aisle seat, \d+ EUR in all/);
    await Promise.all([changed, updated]);
    const { contents: [history] } = await client.readResource({ uri: 'travel://history' });
    const trips = JSON.parse(history.text);
    assert.equal(trips.at(-1).name, 'Ada');
    assert.match(textOf(await call('cancel_trip', { reference: trips.at(-1).reference })), /^Cancelled/);
  });

  await t.test('a form that is declined, and one that is cancelled', async () => {
    for (const action of ['decline', 'cancel']) {
      answers.elicit = () => ({ action });
      assert.equal(textOf(await call('book_trip', { destination: 'Oslo' })), 'Nothing booked.');
    }
  });

  await t.test('an answer that does not fit is asked for again', async () => {
    const from = asked.length;
    answers.elicit = ({ message }) => ({
      action: 'accept', content: message.includes('could not be used') ? { seat: 'aisle', travellers: 1, name: 'Ada' } : { seat: 'roof' },
    });
    // The official clients may refuse to send invalid content; then the tool's question fails, and nothing is booked.
    const result = await call('book_trip', { destination: 'Oslo' }).catch((error) => error);
    const sent = asked.slice(from);
    if (result instanceof Error || result.isError) assert.equal(sent.length, 1);
    else assert.match(sent[1].message, /seat/);
  });

  await t.test('a generator that asks three questions', async () => {
    answers.elicit = ({ requestedSchema }) => ({
      action: 'accept',
      content: Object.fromEntries(Object.entries(requestedSchema.properties).map(([name, { type, enum: options, oneOf }]) =>
        [name, type === 'boolean' ? true : type === 'integer' || type === 'number' ? 2 : (options ?? oneOf.map((one) => one.const))[1]])),
    });
    assert.equal(textOf(await call('packing_list')), 'Pack: 2 × everything, boots, rain coat, laptop.');
  });

  await t.test('a page to visit', async () => {
    answers.elicit = ({ mode, url }) => ({ action: mode === 'url' && url.includes('Peru') ? 'accept' : 'cancel' });
    assert.equal(textOf(await call('apply_for_visa', { country: 'Peru' })), 'The application was opened.');
  });

  await t.test('sampling', async () => {
    answers.sample = ({ systemPrompt, messages: [message] }) => {
      assert.match(systemPrompt, /You choose flights/);
      assert.match(message.content.text, /no early start/);
      return { role: 'assistant', model: 'oracle', content: { type: 'text', text: '2. It is late.' } };
    };
    assert.match(textOf(await call('pick_best_flight', { ...route, wishes: 'no early start' })), /^oracle picks .*It says: 2\. It is late\.$/);
  });

  await t.test('roots', async () => {
    const root = await mkdtemp(join(tmpdir(), 'barewire-peers-'));
    try {
      answers.roots = () => [{ uri: pathToFileURL(root).href, name: 'scratch' }];
      assert.match(textOf(await call('write_itinerary')), /^Wrote /);
      assert.match(await readFile(join(root, 'itinerary.md'), 'utf8'), /^# Itinerary/);
      const outside = await call('write_itinerary', { folder: '..' });
      assert.equal(outside.isError, true);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  if (!modern) await t.test('ping', async () => assert.deepEqual(await client.ping(), {}));
}
