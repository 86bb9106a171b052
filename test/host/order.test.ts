import assert from 'node:assert/strict';
import test from 'node:test';
import { Host } from '../../src/host/host.ts';
import { HostError } from '../../src/host/errors.ts';
import type { HostOptions } from '../../src/host/options.ts';
import type { Decision } from '../../src/host/person.ts';
import { memoryStore } from '../../src/host/store.ts';
import type { Tool } from '../../src/protocol/tools.ts';
import { everyNth } from '../every-nth.ts';
import { drawn, randomOf } from '../random.ts';
import { scripted } from './scripted-server.ts';
import type { Scripted } from './scripted-server.ts';

const definition = (name: string, version: number): Tool => ({ name, description: `v${version}`, inputSchema: { type: 'object' } });

/** A server whose tools change during the host's calls, with a record of the calls that ran. */
class Server {
  readonly tools = new Map<string, number>();
  readonly ran: { readonly call: unknown; readonly tool: string; readonly version: number }[] = [];
  connections: Scripted[] = [];
  /** Called when a listing is requested, and again when its answer exists but is not yet sent. */
  atListing: (when: 'asked' | 'answered') => Promise<void> | void = () => {};

  readonly open = (): Scripted['transport'] => {
    const connection = scripted(async ({ method, params }) => {
      if (method === 'tools/list') {
        await this.atListing('asked');
        const tools = [...this.tools].map(([name, version]) => definition(name, version));
        await this.atListing('answered');
        return { tools };
      }
      const name = String(params['name']);
      const version = this.tools.get(name);
      if (version === undefined) throw new Error(`there is no ${name}`);
      this.ran.push({ call: (params['arguments'] as { call?: unknown }).call, tool: name, version });
      return { content: [] };
    });
    this.connections.push(connection);
    return connection.transport;
  };

  announce(): void {
    this.connections.at(-1)?.announce();
  }

  restart(): void {
    this.connections.at(-1)?.die();
  }
}

function hostOf(server: Server, options: Partial<HostOptions>): Host {
  return new Host({
    info: { name: 'host', version: '1.0.0' },
    servers: { s: { command: 's' } },
    transport: server.open,
    limits: { backoffMs: 0, maxBackoffMs: 0, breakerFailures: 1_000 },
    ...options,
  });
}

test('order: a tool that was gone in one listing and is back changed in the next is shown, not accepted', async (t) => {
  const server = new Server();
  const store = memoryStore();
  const host = hostOf(server, { store, rules: [{ then: 'allow' }] });
  t.after(() => host.close());
  server.tools.set('send', 1).set('other', 1);
  await host.call('s/send', {});
  server.tools.delete('send');
  await host.refresh('s');
  await assert.rejects(host.call('s/send', {}), { code: 'no-such-tool' });
  server.tools.set('send', 2);
  await host.refresh('s');
  assert.deepEqual(host.pendingChanges().map(({ kind, name }) => [kind, name]), [['changed', 'send']]);
  await assert.rejects(host.call('s/send', {}), { code: 'tool-changed', message: /v2/ });
  // Another process, which shares only the store, refuses it too.
  const later = hostOf(server, { store, rules: [{ then: 'allow' }] });
  t.after(() => later.close());
  await assert.rejects(later.call('s/send', {}), { code: 'tool-changed' });
  server.tools.set('send', 1);
  server.announce();
  await later.call('s/send', {});
  assert.deepEqual(server.ran.map(({ version }) => version), [1, 1]);
});

test('order: a server that was started again while its call was shown lists its tools before anything runs', async (t) => {
  const server = new Server();
  const shown: string[] = [];
  const host = hostOf(server, {
    person: {
      approve: async ({ tool }) => {
        shown.push(tool.description ?? '');
        if (shown.length === 1) {
          server.tools.set('pay', 2);
          server.restart();
        }
        return { allow: 'once' };
      },
    },
  });
  t.after(() => host.close());
  server.tools.set('pay', 1);
  await assert.rejects(host.call('s/pay', {}), { code: 'tool-changed' });
  assert.deepEqual([shown, server.ran], [['v1'], []]);
});

test('order: a change that is announced between the listing and the call stops the call', async (t) => {
  const server = new Server();
  let listings = 0;
  const host = hostOf(server, { person: { approve: async () => ({ allow: 'once' }) } });
  t.after(() => host.close());
  server.tools.set('pay', 1);
  await host.tools();
  server.atListing = (when) => {
    // The tool changes while the answer to the listing after the approval is on its way.
    if (when === 'answered' && ++listings === 1) {
      server.tools.set('pay', 2);
      server.announce();
    }
  };
  await assert.rejects(host.call('s/pay', {}), { code: 'tool-changed' });
  assert.deepEqual(server.ran, []);
});

test('order: a server that announces a change at each listing is given up, and nothing runs', async (t) => {
  const server = new Server();
  const host = hostOf(server, { rules: [{ then: 'allow' }] });
  t.after(() => host.close());
  server.tools.set('pay', 1);
  server.atListing = (when) => (when === 'asked' ? server.announce() : undefined);
  await assert.rejects(host.call('s/pay', {}), { code: 'tool-changed', message: /changes faster/ });
  assert.deepEqual(server.ran, []);
  server.atListing = () => {};
  await host.call('s/pay', {});
  assert.equal(server.ran.length, 1);
});

/** Runs a random order of changes, calls and replies of the person. Each call that ran must be one that was approved. */
async function run(seed: number): Promise<{ readonly ran: number; readonly stopped: number }> {
  const random = randomOf(seed);
  const chance = (share: number): boolean => random() < share;
  const server = new Server();
  const names = ['a', 'b'];
  let version = 1;
  for (const name of names) server.tools.set(name, version);

  /** An unannounced change is found when a person is asked. With grants, all changes are announced. */
  const grants = chance(0.5);
  /** During parallel calls an unannounced change cannot be detected: it may come between a listing and a call. */
  let sideBySide = false;
  const change = (announced: boolean): void => {
    const name = names[Math.floor(random() * names.length)] ?? 'a';
    const what = drawn(random, [[4, 'changed'], [3, 'gone'], [3, 'same']] as const);
    if (what === 'gone') server.tools.delete(name);
    else if (what === 'changed') server.tools.set(name, ++version);
    else server.tools.set(name, 1);
    if (announced || sideBySide || grants) server.announce();
  };
  const restart = (): void => {
    if (chance(0.7)) change(false);
    server.restart();
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** Versions that the person or the first listing has accepted. */
  const accepted = new Set<string>(names.map((name) => `${name} v1`));
  const approved = new Map<number, Set<string>>();
  const reaching = new Set<string>();
  const host = hostOf(server, {
    person: {
      approve: async ({ tool, args }): Promise<Decision> => {
        if (chance(0.3)) change(chance(0.5));
        if (chance(0.2)) restart();
        if (chance(0.3)) await turn();
        const allow = drawn<'once' | 'session' | false>(random, [[5, 'once'], [grants ? 2 : 0, 'session'], [1, false]]) ?? false;
        if (allow === false) return { allow };
        const what = `${tool.name} ${tool.description}`;
        const call = Number(args['call']);
        approved.set(call, (approved.get(call) ?? new Set()).add(what));
        if (allow === 'session') reaching.add(what);
        return { allow };
      },
      acceptChange: async ({ name, after }) => {
        if (chance(0.3)) change(chance(0.5));
        if (!chance(0.7)) return false;
        accepted.add(`${name} ${after?.description}`);
        return true;
      },
    },
  });
  await host.tools();
  server.atListing = async (when) => {
    if (chance(0.3)) await turn();
    if (!chance(0.2)) return;
    // After the answer was made, only an announced change or the end of the connection can be detected.
    if (when === 'answered') chance(0.5) ? change(true) : restart();
    else change(chance(0.5));
    if (chance(0.3)) await turn();
  };
  let stopped = 0;
  const call = (n: number): Promise<unknown> => host.call(`s/${names[n % 2]}`, { call: n }).catch((thrown: unknown) => {
    stopped++;
    const known = thrown instanceof HostError || (thrown instanceof Error && /died|gone|closed|no a|no b|not connected/.test(thrown.message));
    assert.ok(known, `seed ${seed}: ${String(thrown)}`);
  });
  for (let n = 0; n < 12; n++) {
    if (chance(0.4)) change(chance(0.5));
    if (chance(0.2)) restart();
    sideBySide = chance(0.3);
    if (sideBySide) await Promise.all([call(2 * n), call(2 * n + 1)]);
    else await call(2 * n + Math.floor(random() * 2));
  }
  await host.close();
  for (const { call: n, tool, version: its } of server.ran) {
    const what = `${tool} v${its}`;
    assert.ok(approved.get(Number(n))?.has(what) || reaching.has(what), `seed ${seed}: call ${String(n)} ran ${what}, and ${[...approved.get(Number(n)) ?? []].join()} was approved`);
    assert.ok(accepted.has(what), `seed ${seed}: ${what} ran, and nobody has accepted it`);
  }
  assert.equal(new Set(server.ran.map(({ call: n }) => n)).size, server.ran.length, `seed ${seed}: a call ran twice`);
  return { ran: server.ran.length, stopped };
}

test('order: whatever a server changes, announces and restarts, what runs is what was approved', async () => {
  let [runs, ran, stopped] = [0, 0, 0];
  for (let seed = 1; seed <= 500; seed += everyNth(20)) {
    const one = await run(seed);
    runs++;
    ran += one.ran;
    stopped += one.stopped;
  }
  assert.ok(ran > 2 * runs && stopped > 2 * runs, `${ran} ran, ${stopped} were stopped`);
});
