import { processBudget } from '../../bounds/budget.ts';
import { notificationText } from '../../jsonrpc/inbound-request.ts';
import { connected } from './message-tests.ts';
import { TestClient, turns } from './test-client.ts';
import { testServer } from './test-server.ts';
import type { SeenPeer, TestServer } from './test-server.ts';
import { check, same, skip } from './transport-test.ts';
import type { WrittenTest } from './transport-test.ts';

const last = ({ seen }: TestServer): SeenPeer => {
  const peer = seen.at(-1);
  check(peer !== undefined, 'the server has no client');
  return peer;
};

/** Waits until a session is closed, and checks that it was closed once and with a reason. */
async function closedOnce(client: TestClient, peer: SeenPeer): Promise<void> {
  await client.eventually(() => peer.closed.length > 0, () => 'the session was not closed at the server');
  await turns(20);
  same(peer.closed.length, 1, 'times that the session was closed');
  check(peer.closed[0] !== '', 'the session was closed without a reason');
}

/** Characters after which `outlet.room` must return false: more than any default of this package. */
const tooMuch = 160_000_000;

/** Tests of the close by either side, of backpressure, and of released charges. */
export const endingTests: readonly WrittenTest[] = [
  {
    name: 'a client that closes ends its session, once, with a reason', role: 'both',
    run: (open) => connected(open, {}, async ({ client, server }) => {
      const peer = last(server);
      await client.transport.close();
      await closedOnce(client, peer);
      const from = client.heard.length;
      peer.outlet.send(notificationText('notifications/late'));
      const id = client.begin('echo', { text: 'late' });
      check((await client.endOf(id, 'a request after the close')).failed !== undefined, 'a request after the close did not fail');
      await client.transport.close();
      await turns(20);
      same(client.heard.length - from, 0, 'messages after the close');
      same(peer.closed.length, 1, 'times that the session was closed');
    }),
  },
  {
    name: 'a message sent before a close still arrives', role: 'client',
    run: (open) => connected(open, {}, async ({ client, server }) => {
      if (client.transport.kind === 'http') skip('each message is a separate request');
      const peer = last(server);
      client.say({ jsonrpc: '2.0', method: 'notifications/said', params: { text: 'last words' } });
      await client.transport.close();
      await client.eventually(() => peer.texts.includes('last words'), () => 'the last words did not arrive');
    }),
  },
  {
    name: 'a server that closes ends the requests of its client, with a reason', role: 'both',
    run: (open) => connected(open, {}, async ({ client, server, wire }) => {
      const peer = last(server);
      const id = client.begin('wait');
      await client.eventually(() => server.waiting.size > 0, () => 'the request did not arrive');
      await wire.closeServer();
      await client.until(() => client.closed.length > 0 || client.endsOf(id).length > 0, 'a report of the end');
      const why = [...client.closed, ...client.endsOf(id).map(({ failed, error }) => failed?.message ?? error?.message ?? '')];
      check(why.every((text) => text !== ''), 'the client got no reason');
      if (client.transport.kind === 'pipe') {
        await client.until(() => client.closed.length > 0, 'a report of the close');
        await turns(20);
        same(client.closed.length, 1, 'reports of the close');
      }
      await closedOnce(client, peer);
      const next = client.begin('echo', { text: 'late' });
      check((await client.endOf(next, 'a request after the end')).result === undefined, 'a request after the end was served');
    }),
  },
  {
    name: 'a server that ends a silent client closes the channel', role: 'both',
    run: (open) => connected(open, {}, async ({ client, server }) => {
      const peer = last(server);
      // Over HTTP an idle session ends silently, and the next request gets an error.
      if (client.transport.kind === 'http') skip('there is no channel to close');
      const { onSilent } = peer.options;
      check(onSilent !== undefined, 'the transport gave the server no way to end the channel');
      onSilent('the client is silent');
      await client.until(() => client.closed.length > 0, 'a report of the end');
      check(client.closed[0] !== '', 'the client got no reason');
      await turns(20);
      // A real server closes the session itself before it calls `onSilent`.
      check(peer.closed.length <= 1, 'the session was closed several times');
    }),
  },
  {
    name: 'a request before the opening fails without an exception', role: 'client',
    async run(open) {
      const server = testServer();
      const wire = await open(server, {});
      const client = new TestClient(wire);
      client.begin('echo', { text: 'early' });
      await client.open();
      await client.alive('a request before the opening');
      await client.transport.close();
      await wire.closeServer();
      await wire.release?.();
      same(server.seen[0]?.texts.includes('early'), false, 'whether the early request was served');
    },
  },
  {
    name: 'a transport cannot be opened twice', role: 'client',
    run: (open) => connected(open, {}, async ({ client }) => {
      if (client.transport.kind === 'http') skip('there is no channel');
      const error: unknown = await client.transport.open(client.receiver).then(() => undefined, (thrown: unknown) => thrown);
      check(error instanceof Error, 'it was opened twice');
      await client.alive('a second opening');
    }),
  },
  {
    name: 'a transport that reopens begins a new session, and nothing of the old one arrives', role: 'both',
    run: (open) => connected(open, {}, async ({ client, server }) => {
      if (!client.transport.reopen) skip('it does not reopen');
      const old = last(server);
      await client.transport.reopen();
      if (client.transport.kind === 'pipe') await closedOnce(client, old);
      const from = client.heard.length;
      old.outlet.send(notificationText('notifications/of-before'));
      await client.greet();
      await client.alive('a reopening');
      check(last(server) !== old, 'there is no new session');
      check(!client.heard.slice(from).some(({ kind }) => kind === 'notification'), 'a message of the earlier session arrived');
    }),
  },
  {
    name: 'while a client does not read, its server sees that there is no room; then everything arrives', role: 'server',
    run: (open) => connected(open, {}, async ({ client, server, wire }) => {
      if (!wire.hold) skip('the wire cannot wait');
      const { outlet } = last(server);
      const text = 'x'.repeat(100_000);
      wire.hold(true);
      let said = 0;
      let full = false;
      while (!full && said * text.length < tooMuch) {
        outlet.send(notificationText('notifications/step', { step: said++, text }));
        // The transport writes between two turns of the event loop.
        await turns(1);
        full = outlet.room?.(text.length) === false;
      }
      check(full, `${said * text.length} characters wait for a client that does not read, and there is still room`);
      check(outlet.room?.(text.length, true) === false, 'a droppable message still has room');
      const from = client.heard.length;
      wire.hold(false);
      await client.until(() => client.heard.length - from >= said, 'the waiting messages');
      const steps = client.heard.slice(from).flatMap((decoded) => ('message' in decoded && 'params' in decoded.message ? [decoded.message.params?.['step']] : []));
      same(steps, Array.from({ length: said }, (_, i) => i), 'the waiting messages');
      await client.eventually(() => outlet.room?.(text.length) !== false, () => 'there is no room again');
      await client.alive('a pause');
    }),
  },
  {
    name: 'all charged memory is released', role: 'both',
    async run(open) {
      const before = processBudget().used;
      const budgets: SeenPeer[] = [];
      let one: TestClient | undefined;
      await connected(open, {}, async ({ client, server }) => {
        for (const size of [10, 100_000]) await Promise.all(Array.from({ length: 20 }, () => client.ask('echo', { text: 'é'.repeat(size) })));
        await client.ask('steps', { count: 50, text: 'x'.repeat(10_000) });
        client.sayText(`{"jsonrpc":"2.0","id":7,"method":"echo","params":{"text":"${'x'.repeat(100_000)}`, { method: 'none' });
        await client.alive('half a message');
        // One request is in flight at the end.
        client.begin('wait', { text: 'x'.repeat(100_000) });
        await client.eventually(() => server.waiting.size > 0, () => 'the request did not arrive');
        budgets.push(...server.seen);
        one = client;
        await client.transport.close();
        await closedOnce(client, last(server));
      });
      const held = (): number => budgets.reduce((sum, { budget }) => sum + budget.used, 0);
      await one?.eventually(() => held() === 0 && processBudget().used === before,
        () => `${held()} bytes are still charged to the client, and ${processBudget().used - before} to the process`);
    },
  },
];
