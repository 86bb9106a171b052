import type { Bag, Decoded } from '../../../src/jsonrpc/message.ts';
import { metaKeys } from '../../../src/protocol/meta.ts';
import { McpServer } from '../../../src/server/index.ts';
import { calm, worldClock } from '../../explore/explorer.ts';
import type { Kind, Step, World } from '../../explore/explorer.ts';
import { nothingHeld } from '../../explore/invariants.ts';
import { Pipe } from '../../explore/pipe.ts';

const meta = {
  [metaKeys.protocolVersion]: '2026-07-28', [metaKeys.clientInfo]: { name: 'c', version: '1' }, [metaKeys.clientCapabilities]: {},
};
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
const watched = 'file:///watched';

/** The messages that the client got about one subscription. */
interface Heard {
  readonly id: number;
  acknowledged: boolean;
  readonly told: string[];
  /** True after a cancellation by the server. */
  named: boolean;
  answer: Decoded | undefined;
}

/**
 * Two subscriptions of one modern client over a pipe, the maximum: a list and a watched resource change, the client cancels one,
 * the server ends all as at shutdown, or the pipe breaks. 2026-07-28 basic/patterns/subscriptions.
 */
async function make(): Promise<World> {
  const clock = worldClock();
  const settle = (): Promise<void> => calm(clock);
  const errors: string[] = [];
  const server = new McpServer({ name: 's', version: '1.0.0' }, { clock, limits: { maxSubscriptions: 2 }, onError: (error) => errors.push((error as Error).message) });
  server.tool('first', {}, () => '');
  server.resource(watched, { name: 'watched' }, () => 'text');
  const pipe = new Pipe(server);
  const heard: Heard[] = [];
  const cancelled = new Set<number>();
  const counts = { lists: 0, resources: 0 };
  let ending: 'server' | 'pipe' | 'nobody' | undefined;
  let fault: Error | undefined;

  const of = (params: Bag): Heard | undefined => heard.find(({ id }) => id === (params['_meta'] as Bag | undefined)?.[subscriptionId]);
  const notice = (method: string, params: Bag): void => {
    if (method === 'notifications/cancelled') {
      const one = heard.find(({ id }) => id === params['requestId']);
      if (one) one.named = true;
      return;
    }
    const one = of(params);
    if (one === undefined) throw new Error(`${method} belongs to no subscription`);
    if (one.answer) throw new Error(`${method} after the end of subscription ${one.id}`);
    if (method === 'notifications/subscriptions/acknowledged') {
      if (one.acknowledged) throw new Error(`subscription ${one.id} is acknowledged twice`);
      one.acknowledged = true;
    } else if (!one.acknowledged) throw new Error(`${method} before subscription ${one.id} is acknowledged`);
    else one.told.push(method);
  };
  await pipe.transport.open({
    message(decoded) {
      try {
        if (decoded.kind === 'notification') notice(decoded.message.method, decoded.message.params ?? {});
        if (decoded.kind !== 'success' && decoded.kind !== 'failure') return;
        const one = heard.find(({ id }) => id === decoded.message.id);
        if (one?.answer) throw new Error(`the answer to ${one.id} came twice`);
        if (one) one.answer = decoded;
      } catch (error) {
        fault ??= error as Error;
      }
    },
    failed() {},
    closed() {},
    error(error) {
      fault ??= error;
    },
  });
  const filters: Readonly<Record<number, Bag>> = {
    1: { toolsListChanged: true },
    2: { resourceSubscriptions: [watched] },
    3: { toolsListChanged: true },
  };
  const listen = (): Promise<void> => {
    const id = heard.length + 1;
    heard.push({ id, acknowledged: false, told: [], named: false, answer: undefined });
    pipe.transport.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications: filters[id], _meta: meta } }));
    return settle();
  };
  const endings = {
    server: (): void => server.endSubscriptions(),
    pipe: (): void => pipe.break(),
    nobody: (): void => {},
  };

  return {
    steps() {
      const steps: Step[] = pipe.steps(settle);
      if (heard.length < 3 && pipe.open) steps.push({ name: `the client listens ${heard.length + 1}`, touches: ['client'], run: listen });
      if (counts.lists < 1) steps.push({ name: 'the list of tools changes', touches: ['server'], run: () => (counts.lists++, server.tool('second', {}, () => ''), settle()) });
      if (counts.resources < 1) steps.push({ name: 'the resource changes', touches: ['server'], run: () => (counts.resources++, server.resourceUpdated(watched), settle()) });
      if (cancelled.size === 0 && heard.length > 0 && pipe.open) {
        steps.push({
          name: 'the client cancels 1', touches: ['client'],
          run: () => {
            cancelled.add(1);
            pipe.transport.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }));
            return settle();
          },
        });
      }
      if (ending === undefined) {
        for (const who of ['server', 'pipe', 'nobody'] as const) {
          steps.push({ name: who === 'nobody' ? 'nobody ends it' : `the ${who} ends`, touches: ['*'], run: () => (ending = who, endings[who](), settle()) });
        }
      }
      return steps;
    },
    check() {
      pipe.check();
      if (fault) throw fault;
      for (const { id, told, answer } of heard) {
        const expected = id === 2 ? 'notifications/resources/updated' : 'notifications/tools/list_changed';
        if (told.some((method) => method !== expected) || told.length > 1) throw new Error(`subscription ${id} was told ${told.join()}`);
        if (answer?.kind === 'failure' && !answer.message.error.message.includes('the limit is 2')) throw new Error(`subscription ${id} was refused: ${answer.message.error.message}`);
      }
    },
    async finish() {
      for (const { id, acknowledged, named, answer } of heard) {
        // 2026-07-28 basic/patterns/subscriptions#graceful-closure: a cancellation with its id, and the result.
        if (acknowledged && answer?.kind === 'success' && !named) throw new Error(`subscription ${id} ended without a notification that names it`);
        if (pipe.open && !acknowledged && answer === undefined && !cancelled.has(id)) throw new Error(`subscription ${id} waits for ever`);
        if (ending === 'server' && pipe.open && acknowledged && answer === undefined && !cancelled.has(id) && pipe.server.owed.length === 0) throw new Error(`subscription ${id} has no result`);
      }
      if (pipe.open) pipe.break();
      await settle();
      if (server.internals.changes === undefined) throw new Error('the server tells nobody of changes');
      const before = errors.length;
      server.tool('third', {}, () => '');
      await settle();
      pipe.check();
      if (errors.length !== before) throw new Error(`telling nobody fails: ${errors.at(-1)}`);
      nothingHeld({ clocks: [clock], budgets: [pipe.budget] });
      return JSON.stringify([heard.map(({ acknowledged, told, named, answer }) => [acknowledged, told.length, named, answer?.kind]), cancelled.size, ending, errors]);
    },
  };
}

export const subscription: Kind = { name: 'subscription', what: 'three subscriptions of a modern client, one too many: changes, a cancellation, the server that ends them, a pipe that breaks', make };
