// The tap between a scripted transport and a receiver: exactly what passes in each direction.
import assert from 'node:assert/strict';
import test from 'node:test';
import { decode } from '../../src/jsonrpc/message.ts';
import type { Decoded, RequestId } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/protocol/revisions.ts';
import { tap } from '../../src/transport/tap.ts';
import type { Tap, TappedEntry } from '../../src/transport/tap.ts';
import type { ClientReceiver, ClientTransport, Outgoing } from '../../src/transport/client-port.ts';
import type { HttpTrace } from '../../src/transport/trace.ts';

interface Between {
  readonly tapped: Tap;
  /** Messages sent to the far side: `[text, message]`. */
  readonly out: [text: string, message: Outgoing | undefined][];
  /** A line for each message or other call that reached the client. */
  readonly told: string[];
  readonly delivered: Decoded[];
  /** The calls of the inner transport. */
  readonly calls: string[];
  readonly passed: TappedEntry[];
  /** The number of `onHeld` calls. */
  held(): number;
  /** Delivers a text from the far side; returns the decoded message. */
  arrive(text: string): Decoded;
  readonly from: () => ClientReceiver;
  /** Reports that the transport has sent a text, as HTTP does after sending it. */
  went(text: string): void;
}

async function between(kind: 'pipe' | 'http' = 'pipe', more: Partial<ClientTransport> = {}): Promise<Between> {
  const out: Between['out'] = [];
  const told: string[] = [];
  const delivered: Decoded[] = [];
  const calls: string[] = [];
  const passed: TappedEntry[] = [];
  let changes = 0;
  let trace: HttpTrace = () => {};
  let to: ClientReceiver | undefined;
  const inner: ClientTransport = {
    kind,
    async open(receiver) {
      to = receiver;
    },
    send(text, message) {
      if (kind === 'pipe') trace({ direction: 'sent', text, at: 1 });
      out.push([text, message]);
    },
    abandon: (id) => void calls.push(`abandon ${id}`),
    async close() {
      calls.push('close');
    },
    ...more,
  };
  const tapped = tap((given) => {
    trace = given;
    return inner;
  }, { onPassed: (entry) => void passed.push(entry), onHeld: () => changes++ });
  await tapped.transport.open({
    message(decoded) {
      delivered.push(decoded);
      told.push(`message ${decoded.kind}`);
    },
    failed: (id, { message }) => void told.push(`failed ${id}: ${message}`),
    closed: (why, cause) => void told.push(`closed: ${why} ${String(cause)}`),
    error: ({ message }) => void told.push(`error ${message}`),
    held: (on) => void told.push(`held ${on}`),
  });
  const from = (): ClientReceiver => to ?? assert.fail('not open');
  return {
    tapped, out, told, delivered, calls, passed, from,
    held: () => changes,
    went: (text) => trace({ direction: 'sent', text, at: 3 }),
    arrive(text) {
      const decoded = decode(text);
      trace({ direction: 'received', text, at: 2 });
      from().message(decoded);
      return decoded;
    },
  };
}

const request = (id: RequestId, method = 'ping'): string => JSON.stringify({ jsonrpc: '2.0', id, method });
const result = (id: RequestId): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });
const originsOf = (entries: readonly TappedEntry[]): string[] => entries.map((entry) => ('origin' in entry ? `${entry.direction} ${entry.origin} ${entry.text}` : entry.kind));

test('tap: what is not held passes as it is, the very same', async () => {
  const { tapped, out, arrive, delivered, passed } = await between();
  const message = { id: 1, method: 'ping' };
  tapped.transport.send(request(1), message);
  assert.equal(out[0]?.[1], message);
  const batch = `[${result(1)},${result(2)}]`;
  for (const text of [result(1), request(7), '{"jsonrpc":"2.0","method":"n"}', batch, 'no JSON']) {
    assert.equal(arrive(text), delivered.at(-1), text);
  }
  assert.deepEqual(originsOf(passed), [
    `sent peer ${request(1)}`, ...[result(1), request(7), '{"jsonrpc":"2.0","method":"n"}', batch, 'no JSON'].map((text) => `received peer ${text}`),
  ]);
});

test('tap: both directions held: each is let go, and thrown away, by its own', async () => {
  const { tapped, out, told, arrive, held, delivered, passed } = await between();
  tapped.hold({ sent: true, received: true });
  const before = held();
  const messages: Outgoing[] = [{ id: 1, method: 'ping' }, { id: 2, method: 'ping' }];
  tapped.transport.send(request(1), messages[0]);
  const question = arrive(request(8));
  tapped.transport.send(request(2), messages[1]);
  arrive(request(9));
  assert.deepEqual([held() - before, tapped.held.map(({ direction, number }) => `${number} ${direction}`)], [4, ['1 sent', '2 received', '3 sent', '4 received']]);
  assert.equal(tapped.next('received')?.number, 2);
  assert.equal(tapped.drop('received')?.number, 4);
  assert.equal(tapped.next('received'), undefined);
  assert.equal(tapped.drop('received'), undefined);
  assert.equal(held() - before, 6);
  assert.equal(tapped.next()?.number, 1);
  assert.equal(tapped.next('sent', request(2))?.number, 3);
  assert.deepEqual(out.map(([text]) => text), [request(1), request(2)]);
  // What is let go with the text that it had is not edited: it is the very same, and shown once, as the peer's.
  assert.ok(delivered[0] === question && out.every(([, message], at) => message === messages[at]));
  assert.deepEqual(originsOf(passed), [`received peer ${request(8)}`, `received peer ${request(9)}`, `sent peer ${request(1)}`, `sent peer ${request(2)}`]);
  // The clocks are stopped from the first held message until the last was released.
  assert.deepEqual(told, ['held true', 'message request', 'held false']);
});

test('tap: what was held is let go by its text, whatever came since', async () => {
  const cases: [first: string, shown: string][] = [
    [request(1), request(1)],
    ['{ "jsonrpc": "2.0", "id": 5, "method": "x" }', '{"jsonrpc":"2.0","id":5,"method":"x"}'],
    [`[${result(1)}]`, `[${result(1)}]`],
    // For an invalid message the only text is the received one.
    ['{"jsonrpc":"1.0"}', '{"jsonrpc":"1.0"}'],
    ['no JSON', 'no JSON'],
  ];
  for (const [first, shown] of cases) {
    const { tapped, arrive, delivered } = await between();
    tapped.hold({ sent: false, received: true });
    const decoded = arrive(first);
    assert.equal(JSON.stringify(tapped.held[0]?.text).replaceAll(' ', ''), JSON.stringify(first).replaceAll(' ', ''));
    tapped.next();
    assert.deepEqual([delivered.length, delivered[0]], [1, decoded]);
    // Two messages in one chunk: the last text belongs to the second.
    const late = await between();
    late.tapped.hold({ sent: false, received: true });
    const one = decode(first);
    late.arrive('{"jsonrpc":"2.0","method":"other"}');
    late.from().message(one);
    if (one.kind !== 'refusal') assert.equal(late.tapped.held[1]?.text, shown);
  }
});

test('tap: answers to what was injected reach nobody, in a batch and alone', async () => {
  const { tapped, out, arrive, told, delivered } = await between();
  assert.equal(tapped.inject(request(7)), request('page-1'));
  assert.deepEqual(out, [[request('page-1'), { method: 'ping', id: 'page-1' }]]);
  arrive(result('page-1'));
  arrive('{"jsonrpc":"2.0","id":"page-9","error":{"code":1,"message":"no"}}');
  arrive('{"jsonrpc":"2.0","id":"page-9","result":5}');
  arrive(`[${result('page-1')},${result('page-2')}]`);
  assert.deepEqual(told, []);
  // A request from the far side may use any id.
  const mixed = `[${result('page-1')},${request('page-1')},${result(3)},{"jsonrpc":"2.0","method":"n"},5]`;
  arrive(mixed);
  const [kept] = delivered;
  assert.ok(kept?.kind === 'batch');
  assert.deepEqual(kept.values, (JSON.parse(mixed) as unknown[]).slice(1));
  assert.equal(arrive(`[${result(3)}]`), delivered[1]);
  tapped.transport.send(result('page-1'));
  assert.equal(out.length, 1, 'the far side has asked nothing');
  // The members may have any order, and a text that only mentions such an id is not an answer to it.
  tapped.transport.send('{"id":"page-1","result":{},"jsonrpc":"2.0"}');
  assert.equal(out.length, 1);
  tapped.transport.send('{"jsonrpc":"2.0","id":4,"result":{"said":"page-1"}}');
  assert.equal(out.length, 2);
});

test('tap: failures of what was injected reach nobody, others do', async () => {
  const { from, told } = await between();
  from().failed('page-1', new Error('gone'));
  from().failed(1, new Error('lost'));
  from().error(new Error('odd'));
  from().closed('over', 'cause');
  from().held?.(true);
  assert.deepEqual(told, ['failed 1: lost', 'error odd', 'closed: over cause', 'held true']);
});

test('tap: over HTTP what needs an answer to be read has an id, and nothing else has', async () => {
  const { tapped, out } = await between('http');
  const note = '{"jsonrpc":"2.0","method":"n","params":{"a":1}}';
  for (const text of [request(1), note, result(1), 'no JSON', `[${request(2)}]`, '{"jsonrpc":"2.0","id":"page-x","method":"m"}']) tapped.inject(text);
  assert.deepEqual(out, [
    [request('page-1'), { method: 'ping', id: 'page-1' }],
    [note, { method: 'n', params: { a: 1 } }],
    [result(1), {}],
    ['no JSON', { id: 'page-2', method: '' }],
    [`[${request('page-3')}]`, { id: 'page-4', method: '' }],
    ['{"jsonrpc":"2.0","id":"page-x","method":"m"}', { method: 'm', id: 'page-x' }],
  ]);
});

test('tap: a text that is no JSON may not carry the id of a request that waits', async () => {
  const { tapped, arrive, from } = await between();
  const broken = (id: string): string => `{"jsonrpc":"2.0","id":${id},`;
  tapped.transport.send(request(1), { id: 1, method: 'ping' });
  tapped.transport.send(request('a"b'), { id: 'a"b', method: 'ping' });
  for (const id of ['1', '"a\\"b"']) assert.throws(() => tapped.inject(broken(id)), /waits for an answer: take an id that begins with page-/);
  // The client's own response has an id but gets no answer; a notification has no id.
  tapped.transport.send(result(5), { id: 5 });
  tapped.transport.send('{"jsonrpc":"2.0","method":"n"}', { method: 'n' });
  for (const id of ['5', '2', '-3', 'null']) assert.equal(tapped.inject(broken(id)), broken(id));
  arrive(result(1));
  assert.equal(tapped.inject(broken('1')), broken('1'));
  from().failed('a"b', new Error('lost'));
  assert.equal(tapped.inject(broken('"a\\"b"')), broken('"a\\"b"'));
});

test('tap: over a pipe as many errors without an id reach nobody as texts were injected that cannot be read', async () => {
  const { tapped, arrive, told } = await between();
  const refused = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}';
  tapped.inject('no JSON');
  tapped.inject(`[${request(1)},5,6]`);
  tapped.inject('{"jsonrpc":"1.0","id":3}');
  for (let i = 0; i < 3; i++) arrive(refused);
  assert.deepEqual(told, []);
  arrive(refused);
  assert.deepEqual(told, ['message failure']);
});

test('tap: a request that nobody waits for is not let go', async () => {
  const { tapped, out, calls, told } = await between();
  tapped.hold({ sent: true, received: false });
  tapped.transport.send(request(1), { id: 1, method: 'ping' });
  tapped.transport.send(result(2), { id: 2 });
  tapped.transport.abandon?.(1);
  // The response with that id does not belong to any of its requests.
  tapped.transport.abandon?.(2);
  assert.deepEqual([tapped.held.length, calls], [1, ['abandon 2']]);
  tapped.hold({ sent: false, received: false });
  assert.deepEqual([out.map(([text]) => text), told], [[result(2)], ['held true', 'held false']]);
});

test('tap: reopen and close lose what is held; the rest of a transport is there where it was', async () => {
  const plain = await between();
  assert.deepEqual(Object.keys(plain.tapped.transport).sort(), ['abandon', 'close', 'kind', 'open', 'send']);
  const calls: string[] = [];
  const toolHeaders = { learn() {} } as never;
  const { tapped, told, out } = await between('http', {
    async reopen() {
      calls.push('reopen');
    },
    agreed: ({ version }) => void calls.push(version),
    context: () => 'who',
    toolHeaders,
  });
  const { transport } = tapped;
  assert.deepEqual([transport.kind, await transport.context?.(), transport.toolHeaders === toolHeaders], ['http', 'who', true]);
  tapped.hold({ sent: true, received: false });
  transport.send(request(1), { id: 1, method: 'ping' });
  await transport.reopen?.();
  const [newest] = revisions;
  if (newest) transport.agreed?.(newest);
  assert.deepEqual([calls, tapped.held.length, told], [['reopen', newest?.version], 0, ['held true', 'held false']]);
  transport.send(request(2), { id: 2, method: 'ping' });
  await transport.close();
  assert.deepEqual([tapped.held.length, out], [0, []]);
});

test('tap: over HTTP a text is shown when it goes out, as whose it is', async () => {
  const { tapped, passed, went } = await between('http');
  const note = '{"jsonrpc":"2.0","method":"n"}';
  tapped.inject(note);
  tapped.transport.send(note, { method: 'n' });
  went(note);
  went(note);
  went(request(1));
  assert.deepEqual(originsOf(passed), [`sent injected ${note}`, `sent peer ${note}`, `sent peer ${request(1)}`]);
});

test('tap: whose a text is: an injected one, then the same from the client; one that was held, unchanged and edited', async () => {
  for (const kind of ['pipe', 'http'] as const) {
    const { tapped, passed, went, arrive, from, told } = await between(kind);
    const go = (text: string): void => kind === 'http' ? went(text) : undefined;
    const note = '{"jsonrpc":"2.0","method":"n"}';
    tapped.inject(note);
    go(note);
    tapped.transport.send(note, { method: 'n' });
    go(note);
    tapped.hold({ sent: true, received: true });
    tapped.transport.send(request(1), { id: 1, method: 'ping' });
    arrive(result(1));
    // The client below has messages that wait, and later not; one is held here all the while.
    from().held?.(true);
    from().held?.(false);
    tapped.next('sent');
    go(request(1));
    tapped.next('received');
    from().held?.(false);
    tapped.transport.send(request(2), { id: 2, method: 'ping' });
    tapped.next('sent', request(2, 'other'));
    go(request(2, 'other'));
    assert.deepEqual(originsOf(passed), [
      `sent injected ${note}`, `sent peer ${note}`, `received peer ${result(1)}`, `sent peer ${request(1)}`, `sent edited ${request(2, 'other')}`,
    ], kind);
    assert.deepEqual(told.filter((line) => line.startsWith('held')), ['held true', 'held true', 'held true', 'held false', 'held false', 'held true', 'held false'], kind);
  }
});

test('tap: where nobody looks, everything passes all the same', async () => {
  let trace: HttpTrace = () => {};
  const out: string[] = [];
  const tapped = tap((given) => {
    trace = given;
    return { kind: 'pipe', async open() {}, send: (text) => void out.push(text), async close() {} };
  });
  await tapped.transport.open({ message() {}, failed() {}, closed() {}, error() {} });
  trace({ direction: 'sent', text: 'a', at: 1 });
  trace({ kind: 'http', direction: 'sent', exchange: 1, method: 'GET', path: '/', headers: {}, at: 1 });
  tapped.hold({ sent: true, received: true });
  tapped.transport.send(request(1), { id: 1, method: 'ping' });
  assert.equal(tapped.next('sent', request(2))?.text, request(1));
  assert.equal(tapped.inject(request('page-7'), 'received'), request('page-7'));
  assert.deepEqual(out, [request(2)]);
});
