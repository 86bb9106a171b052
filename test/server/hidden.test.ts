import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import type { ListedKind } from '../../src/server/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { everyNth } from '../every-nth.ts';
import { drawn, randomOf } from '../random.ts';
import { connect, modernMeta } from './peer.ts';
import type { Answer, Bag, Peer, Said } from './peer.ts';

// An entry hidden by a list filter is as if not registered: for any request, in either era, a server with hidden entries answers and
// notifies exactly as a server without them. Cursors are left out, because they count all registered entries.

const origins = ['trips', 'bills', 'notes'];
const ids = ['1', '2', '3'];

/** An entry to register, and whether the filter hides it from the guest. */
interface Item {
  readonly kind: ListedKind;
  readonly name: string;
  readonly hidden: boolean;
  /** Registered after the client has sent its first operations. */
  readonly late: boolean;
}

/** Draws entries. The first of each list is never hidden, because a server's declared capabilities depend on its entries. */
function draw(random: () => number): Item[] {
  const items: Item[] = [
    { kind: 'tools', name: 'open', hidden: false, late: false }, { kind: 'prompts', name: 'open', hidden: false, late: false },
    { kind: 'resources', name: 'open://1', hidden: false, late: false },
    { kind: 'resourceTemplates', name: 'open://{id}/page', hidden: false, late: false },
  ];
  const add = (kind: ListedKind, name: string): void => {
    if (random() < 0.3) return;
    const hidden = random() < 0.6;
    items.push({ kind, name, hidden, late: hidden && random() < 0.3 });
  };
  for (const origin of origins) {
    add('tools', origin);
    add('prompts', origin);
    add('resourceTemplates', `${origin}://{id}`);
    for (const id of ids) add('resources', `${origin}://${id}`);
  }
  return items;
}

/** Over HTTP, a header must say the same. */
const mirrored = { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } } } as const;

function register(server: McpServer, { kind, name, hidden }: Item): void {
  const data = { hidden };
  const scopes = hidden ? ['owner'] : [];
  if (kind === 'tools') server.tool(name, { input: mirrored, data, scopes }, () => name);
  else if (kind === 'prompts') server.prompt(name, { data, scopes, arguments: { city: { complete: () => [`${name} city`] } } }, () => name);
  else if (kind === 'resources') server.resource(name, { data, scopes }, () => name);
  else server.resourceTemplate(name, { data, scopes, complete: { id: () => [`${name} id`] } }, () => name);
}

function serverOf(items: readonly Item[]): McpServer {
  const server = new McpServer({ name: 'test', version: '1' }, {
    listFilter: {
      key: ({ auth }) => auth?.principal ?? '',
      shows: (_kind, _name, definition, { auth }) => auth?.principal === 'owner' || !(definition as { data?: Bag }).data?.['hidden'],
    },
  });
  for (const item of items) register(server, item);
  return server;
}

type Operation = readonly [method: string, params: Bag] | { readonly updated: string };

function operation(random: () => number): Operation {
  const one = (among: readonly string[]): string => among[Math.floor(random() * among.length)] as string;
  const uri = `${one([...origins, 'open'])}://${one(ids)}`;
  const ref = random() < 0.4 ? { type: 'ref/prompt', name: one([...origins, 'open']) }
    : { type: 'ref/resource', uri: random() < 0.5 ? uri : `${one([...origins, 'open'])}://{id}` };
  return drawn<Operation>(random, [
    [2, [`${one(['tools', 'prompts', 'resources', 'resources/templates'])}/list`, {}]],
    [1, ['tools/call', { name: one([...origins, 'open']) }]],
    [1, ['prompts/get', { name: one([...origins, 'open']) }]],
    [3, ['resources/read', { uri }]],
    [3, ['resources/subscribe', { uri }]],
    [1, ['resources/unsubscribe', { uri }]],
    [2, ['subscriptions/listen', { notifications: { resourceSubscriptions: [uri, `${one(origins)}://1`] } }]],
    [2, ['completion/complete', { ref, argument: { name: one(['id', 'city']), value: '' } }]],
    [4, { updated: uri }],
  ]) as Operation;
}

/** Whether entries for a URI exist, and the filter hides all of them from the guest. */
function hiddenFrom(items: readonly Item[], uri: string): boolean {
  const found = items.filter(({ kind, name }) => (kind === 'resources' && name === uri)
    || (kind === 'resourceTemplates' && name === uri.replace(/\d$/, '{id}')));
  return found.length > 0 && found.every(({ hidden }) => hidden);
}

/**
 * Everything that a requester receives: responses and the server's own messages. Registers `all`, or only the visible entries if `shown`.
 */
async function play(
  all: readonly Item[], operations: readonly Operation[], era: 'legacy' | 'modern', principal: string, shown = false,
): Promise<(Answer | Said)[]> {
  let items = all.filter(({ late }) => !late);
  const server = serverOf(shown ? items.filter(({ hidden }) => !hidden) : items);
  const auth = { principal, scopes: principal === 'owner' ? ['owner'] : [] };
  const peer: Peer = await connect(server, { auth, ...era === 'legacy' && { revision: '2025-11-25' } });
  const heard: (Answer | Said)[] = [];
  const half = operations.length / 2;
  for (const [at, one] of operations.entries()) {
    if (at === Math.floor(half)) {
      items = [...all];
      for (const item of all) if (item.late && !shown) register(server, item);
      // The change of a list is announced to all clients.
      await peer.rest();
    }
    if ('updated' in one) {
      // Without a registered entry, an update is sent to every client that watches the URI.
      if (!shown || !hiddenFrom(items, one.updated)) server.resourceUpdated(one.updated);
    } else {
      const [method, params] = one;
      const asked = era === 'legacy' ? peer.request(method, params, at) : peer.modern(method, params);
      // An open subscription has no response.
      const answer = await Promise.race([asked, peer.rest().then((said) => void heard.push(...said))]);
      if (answer) heard.push({ ...answer, id: null });
    }
    heard.push(...await peer.rest());
  }
  peer.close();
  return heard;
}

for (const era of ['legacy', 'modern'] as const) {
  test(`what is hidden is as if it were not there, whatever is asked: ${era}`, async () => {
    let told = 0;
    for (let seed = 0; seed < 300; seed += everyNth(10)) {
      const random = randomOf(seed);
      const items = draw(random);
      const operations = Array.from({ length: 40 }, () => operation(random));
      const guest = await play(items, operations, era, 'guest');
      assert.deepEqual(guest, await play(items, operations, era, 'guest', true), `seed ${seed}`);
      const owner = await play(items, operations, era, 'owner');
      const updates = (heard: (Answer | Said)[]): number =>
        heard.filter((one) => 'method' in one && one.method === 'notifications/resources/updated').length;
      assert.ok(updates(owner) >= updates(guest), `seed ${seed}`);
      told += updates(owner) - updates(guest);
    }
    assert.ok(told > 50 / everyNth(10), `the owner hears of what is hidden from the guest: ${told} notifications`);
  });
}

test('what is hidden is as if it were not there, whatever headers mirror', async () => {
  const post = async (server: McpServer, principal: string, name: string, city: string | undefined): Promise<unknown[]> => {
    const params = { name, arguments: { city: 'Rome' }, _meta: modernMeta() };
    const answer = await fetchHandler(server, { auth: () => ({ principal, scopes: [] }) })(new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name,
        ...city !== undefined && { 'mcp-param-city': city },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    }));
    return [answer.status, await answer.text()];
  };
  let told = 0;
  for (let seed = 0; seed < 60; seed += everyNth(12)) {
    const items = draw(randomOf(seed));
    const [all, shown] = [serverOf(items), serverOf(items.filter(({ hidden }) => !hidden))];
    for (const name of [...origins, 'open', '__proto__']) {
      for (const city of [undefined, 'Rome', 'Oslo']) {
        const answer = await post(all, 'guest', name, city);
        assert.deepEqual(answer, await post(shown, 'guest', name, city), `seed ${seed}, ${name}, ${city}`);
        if (answer[0] !== (await post(all, 'owner', name, city))[0]) told++;
      }
    }
  }
  assert.ok(told > 5, `the owner hears of what is hidden from the guest: ${told} answers`);
});
