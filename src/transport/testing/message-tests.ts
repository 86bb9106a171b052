import { difficultTexts, hostileBytes, hostileTexts } from './hostile.ts';
import { TestClient } from './test-client.ts';
import { testServer } from './test-server.ts';
import type { TestServer } from './test-server.ts';
import { check, same, skip } from './transport-test.ts';
import type { OpenedTransport, OpenOptions, OpenTransport, WrittenTest } from './transport-test.ts';

/** A client with an open session, its server, and the transport between them. */
export interface Connected {
  readonly server: TestServer;
  readonly client: TestClient;
  readonly wire: OpenedTransport;
}

/** Runs a test with a client that has an open session, and closes everything afterwards. */
export async function connected(open: OpenTransport, options: OpenOptions, run: (parts: Connected) => Promise<void>): Promise<void> {
  const server = testServer();
  const wire = await open(server, options);
  const client = new TestClient(wire);
  try {
    await client.open();
    await run({ server, client, wire });
  } finally {
    wire.hold?.(false);
    await client.transport.close();
    await wire.closeServer();
    await wire.release?.();
  }
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i} ${'.'.repeat(i % 97)}`);
const isStep = (decoded: { readonly kind: string }): boolean => decoded.kind === 'notification';

/** Sends a text in an `echo` request and checks that it comes back unchanged. */
async function echoes(client: TestClient, text: string, what: string): Promise<void> {
  const { result, error, failed } = await client.ask('echo', { text });
  check(result !== undefined, `${what} was not answered: ${error?.message ?? failed?.message}`);
  const came = result['text'];
  check(came === text, `${what} came back changed: ${typeof came === 'string' ? `${came.length} characters, ${JSON.stringify(came).slice(0, 80)}` : String(came)}`);
}

/** Tests that messages arrive complete, in order, once. */
export const messageTests: readonly WrittenTest[] = [
  {
    name: 'requests of a client arrive once, and on a pipe in order', role: 'both',
    run: (open) => connected(open, {}, async ({ client, server }) => {
      const said = texts(300);
      await Promise.all(said.map((text) => client.ask('echo', { text })));
      const came = server.seen.at(-1)?.texts.filter((text) => text !== undefined) ?? [];
      // Over HTTP each message is a separate request, and they may arrive in another order.
      if (client.transport.kind === 'pipe') same(came, said, 'requests');
      else same([...came].sort(), [...said].sort(), 'requests');
    }),
  },
  {
    name: 'notifications of a client arrive once', role: 'both',
    run: (open) => connected(open, {}, async ({ client, server }) => {
      const said = texts(100);
      const came = (): unknown[] => server.seen.at(-1)?.texts.filter((text) => text !== undefined) ?? [];
      for (const text of said) client.say({ jsonrpc: '2.0', method: 'notifications/said', params: { text } });
      for (let tries = 0; came().length < said.length && tries < 50; tries++) await client.ask('ping');
      same([...came()].sort(), [...said].sort(), 'notifications');
    }),
  },
  {
    name: 'notifications during a request arrive once, in order, before the answer', role: 'both',
    run: (open) => connected(open, {}, async ({ client }) => {
      await client.ask('steps', { count: 300, text: 'x' });
      const steps = client.heard.filter(isStep).flatMap((decoded) => ('message' in decoded && 'params' in decoded.message ? [decoded.message.params?.['step']] : []));
      same(steps, Array.from({ length: 300 }, (_, i) => i), 'notifications');
      check(client.heard.at(-1)?.kind === 'success', 'the answer did not arrive last');
    }),
  },
  {
    name: 'each of many concurrent requests gets its own answer, once', role: 'both',
    run: (open) => connected(open, {}, async ({ client }) => {
      const ids = texts(64).map((text) => [client.begin('echo', { text }), text] as const);
      for (const [id, text] of ids) same((await client.endOf(id)).result, { text }, `the answer of ${id}`);
      await client.alive('many requests');
      for (const [id] of ids) same(client.endsOf(id).length, 1, `ends of request ${id}`);
    }),
  },
  {
    name: 'the receiver is not called inside a send', role: 'client',
    run: (open) => connected(open, {}, async ({ client }) => {
      for (const text of texts(10)) await client.ask('echo', { text });
      client.sayText('not JSON');
      await client.alive('a text that is not a message');
      check(!client.reentered, 'the receiver was called inside a send');
    }),
  },
  {
    name: 'texts of every kind pass unchanged', role: 'both',
    run: (open) => connected(open, {}, async ({ client }) => {
      for (const text of difficultTexts) {
        await echoes(client, text, JSON.stringify(text).slice(0, 40));
        const from = client.heard.length;
        await client.ask('steps', { count: 1, text });
        const step = client.heard.slice(from).find(isStep);
        same(step && 'message' in step && 'params' in step.message ? step.message.params?.['text'] : undefined, text, 'a notification');
      }
    }),
  },
  ...[undefined, 1, 2, 3, 7, 4096].map((cutEvery): WrittenTest => ({
    name: `large messages pass whole${cutEvery === undefined ? '' : `, cut every ${cutEvery} bytes`}`, role: 'both',
    run: (open) => connected(open, { cutEvery }, async ({ client }) => {
      const most = cutEvery === undefined ? 3_000_000 : cutEvery < 10 ? 20_000 : 300_000;
      for (const size of [10, 1000, 8191, 8192, 16_384, 65_535, 65_536, 65_537, 300_000, 1_100_000, 3_000_000]) {
        if (size <= most) await echoes(client, 'aé漢😀b'.repeat(Math.ceil(size / 8)).slice(0, size), `a message of ${size} characters`);
      }
      const { result } = await client.ask('big', { size: most });
      same((result?.['text'] as string | undefined)?.length, most, 'characters of a large answer');
    }),
  })),
  {
    name: 'a message of exactly the limit passes, a longer one is refused with the reason, and the next is served', role: 'server',
    run: (open) => connected(open, { maxMessageBytes: 50_000 }, async ({ client, server, wire: { maxMessageBytes } }) => {
      if (maxMessageBytes === undefined) skip('the transport has no limit');
      const sized = (id: number, size: number): string => {
        const empty = JSON.stringify({ jsonrpc: '2.0', id, method: 'echo', params: { text: '' } });
        return empty.replace('""', JSON.stringify('é'.repeat((size - empty.length) >> 1) + 'x'.repeat((size - empty.length) & 1)));
      };
      client.sayText(sized(7001, maxMessageBytes), { id: 7001, method: 'echo' });
      check((await client.endOf(7001, 'a message of exactly the limit')).result !== undefined, 'a message of exactly the limit was refused');
      for (const [id, size] of [[7002, maxMessageBytes + 1], [7003, maxMessageBytes * 3]] as const) {
        const from = client.errors.length;
        client.sayText(sized(id, size), { id, method: 'echo' });
        const { error, failed, result } = await client.endOf(id, 'a message that is too large');
        check(result === undefined, `a message of ${size} bytes was served`);
        const why = error?.message ?? [failed?.message, ...client.errors.slice(from).map(({ message }) => message)].join();
        check(/large|limit|exceed|413/i.test(why), `the refusal does not name the limit: ${why}`);
        await client.alive('a message that is too large');
      }
      check(server.seen.at(-1)?.closed.length === 0, 'the session was closed');
    }),
  },
  {
    name: 'an answer above the limit of the client fails its request with the reason, and the next is served', role: 'client',
    run: (open) => connected(open, { maxMessageBytes: 50_000 }, async ({ client, wire: { maxMessageBytes } }) => {
      if (maxMessageBytes === undefined) skip('the transport has no limit');
      for (const size of [maxMessageBytes + 1, maxMessageBytes * 3]) {
        const { error, failed, result } = await client.ask('big', { size });
        check(result === undefined, `an answer of ${size} bytes was accepted`);
        check(/large|limit|exceed/i.test(error?.message ?? failed?.message ?? ''), `the failure does not name the limit: ${error?.message ?? failed?.message}`);
        await client.alive('an answer that is too large');
      }
    }),
  },
];

/** Tests that invalid messages do no harm. */
export const hostileTests: readonly WrittenTest[] = [
  ...Object.entries(hostileTexts).map(([what, text]): WrittenTest => ({
    name: `a server survives ${what}`, role: 'server',
    run: (open) => connected(open, {}, async ({ client, server }) => {
      // With an id the HTTP transport waits for the response.
      const id = /"id":(90\d)/.exec(text)?.[1];
      client.sayText(text, { ...id !== undefined && { id: Number(id) }, method: 'none' });
      await client.alive(what);
      check(!('polluted' in {}), 'the prototype of all objects was changed');
      same(server.seen.at(-1)?.closed, [], 'reasons for a close');
      same(server.seen.length, 1, 'sessions');
    }),
  })),
  ...Object.entries(hostileTexts).map(([what, text]): WrittenTest => ({
    name: `a client survives ${what}`, role: 'client',
    run: (open) => connected(open, {}, async ({ client }) => {
      const { result, error, failed } = await client.ask('say', { texts: [text] });
      check(result !== undefined, `the request that brought ${what} failed: ${error?.message ?? failed?.message}`);
      await client.alive(what);
      check(!('polluted' in {}), 'the prototype of all objects was changed');
      same(client.closed, [], 'reasons for a close');
    }),
  })),
  ...Object.entries(hostileBytes).flatMap(([what, bytes]): WrittenTest[] => [
    {
      name: `a server refuses ${what} with the reason`, role: 'server',
      run: (open) => connected(open, {}, async ({ client, server, wire: { raw } }) => {
        if (!raw) skip('the transport carries no bytes');
        raw.toServer(bytes);
        await client.alive(what);
        check(server.seen.at(-1)?.refused.some((why) => /UTF-8|parse|binary|JSON/i.test(why)) === true, 'nothing was refused');
      }),
    },
    {
      name: `a client survives ${what}, and the transport reports it`, role: 'client',
      run: (open) => connected(open, {}, async ({ client, wire: { raw } }) => {
        if (!raw) skip('the transport carries no bytes');
        const from = client.heard.length + client.errors.length;
        raw.toClient(bytes);
        await client.until(() => client.heard.length + client.errors.length > from, 'a report of the invalid bytes');
        await client.alive(what);
        same(client.closed, [], 'reasons for a close');
      }),
    },
  ]),
];
