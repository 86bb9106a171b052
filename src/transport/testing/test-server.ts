import { systemClock } from '../../bounds/clock.ts';
import type { Budget } from '../../bounds/budget.ts';
import { Connection } from '../../jsonrpc/connection.ts';
import { methodNotFoundCode, RpcError } from '../../jsonrpc/errors.ts';
import { InboundRequest, notificationText } from '../../jsonrpc/inbound-request.ts';
import type { Outlet } from '../../jsonrpc/inbound-request.ts';
import { readCancellation } from '../../protocol/cancellation.ts';
import { negotiate, selectRevisions } from '../../protocol/revisions.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { PeerOptions, ServedClient, ServerPort } from '../server-port.ts';

/** The record of one client at the server of a test. */
export interface SeenPeer {
  readonly options: PeerOptions;
  readonly outlet: Outlet;
  readonly budget: Budget;
  readonly peer: ServedClient;
  /** The `params.text` of `echo` requests and of notifications, in order of arrival. */
  readonly texts: unknown[];
  /** The error messages of refused messages. */
  readonly refused: string[];
  /** The reason of each close. */
  readonly closed: string[];
}

/** The server of a test: a few methods, and a record of all clients. */
export interface TestServer extends ServerPort {
  readonly seen: SeenPeer[];
  /** The `wait` requests in flight. */
  readonly waiting: Set<InboundRequest>;
}

/**
 * Creates the server. Its methods: `echo` returns `params.text`; `steps` sends `params.count` notifications before its result;
 * `say` sends `params.texts` unchanged before its result; `big` returns `params.size` characters; `wait` ends only by cancellation.
 * Long function: its methods and its peers write into the same lists.
 */
export function testServer(): TestServer {
  const revisions: readonly Revision[] = selectRevisions(['2025-11-25']);
  const seen: SeenPeer[] = [];
  const waiting = new Set<InboundRequest>();

  function answer(inbound: InboundRequest, texts: unknown[]): object | Promise<object> {
    const { method, params = {} } = inbound.request;
    switch (method) {
      case 'initialize': return { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'test', version: '1' } };
      case 'ping': return {};
      case 'echo':
        texts.push(params['text']);
        return { text: params['text'] };
      case 'steps':
        for (let step = 0; step < Number(params['count']); step++) inbound.send(notificationText('notifications/step', { step, text: params['text'] }));
        return {};
      case 'say':
        for (const text of params['texts'] as string[]) inbound.send(text);
        return {};
      case 'big': return { text: 'x'.repeat(Number(params['size'])) };
      case 'wait':
        waiting.add(inbound);
        return new Promise((_, reject) => inbound.signal.addEventListener('abort', () => {
          waiting.delete(inbound);
          reject(new Error('it was cancelled'));
        }));
      default: throw new RpcError(methodNotFoundCode, `no method ${method}`);
    }
  }

  return {
    revisions, clock: systemClock, seen, waiting,
    scoped: false,
    toolInput: () => undefined,
    endSubscriptions() {},
    connect(outlet, options = {}) {
      const [texts, refused, closed]: [unknown[], string[], string[]] = [[], [], []];
      let revision: Revision | undefined;
      const connection = new Connection(outlet, {
        request(inbound) {
          if (inbound.request.method === 'initialize') revision = negotiate(revisions, '2025-11-25');
          return answer(inbound, texts);
        },
        cancellation: readCancellation,
        notification: ({ params }) => void texts.push(params?.['text']),
        error() {},
      }, undefined, options.budget);
      const peer: ServedClient = {
        receive(decoded, to) {
          if (decoded.kind === 'refusal') refused.push(decoded.error.message);
          connection.receive(decoded, to);
        },
        close(why = '') {
          closed.push(why);
          connection.close(why);
        },
        idle: () => connection.idle(),
        get inFlight() {
          return connection.inFlight;
        },
        get revision() {
          return revision;
        },
      };
      seen.push({ options, outlet, budget: connection.budget, peer, texts, refused, closed });
      return peer;
    },
    serveRequest(request, _meta, outlet) {
      const inbound = new InboundRequest(request, outlet);
      inbound.run((one) => answer(one, []));
      return inbound;
    },
  };
}
