import { systemClock } from '../../../src/bounds/clock.ts';
import { takeBatch } from '../../../src/jsonrpc/batch.ts';
import { Connection, InboundRequest } from '../../../src/jsonrpc/index.ts';
import { invalidParamsCode, methodNotFoundCode, RpcError } from '../../../src/jsonrpc/errors.ts';
import { notify } from '../../../src/jsonrpc/inbound-request.ts';
import { readCancellation } from '../../../src/protocol/cancellation.ts';
import { requestsOf } from '../../../src/protocol/progress.ts';
import type { Outlet, Params } from '../../../src/jsonrpc/index.ts';
import * as revisionTable from '../../../src/protocol/revisions.ts';
import { negotiate, revisions as allRevisions, selectRevisions } from '../../../src/protocol/revisions.ts';
import type { Revision } from '../../../src/protocol/revisions.ts';
import { AccessDenied } from '../../../src/transport/auth.ts';
import type { Auth } from '../../../src/transport/auth.ts';
import type { PeerOptions, ServedClient, ServerPort } from '../../../src/transport/server-port.ts';

/** A server with a few methods, which give each kind of answer over HTTP. */
export interface FakeServer extends ServerPort {
  readonly peers: Set<FakePeer>;
  /** Requests whose handlers wait, by their `params.key`. */
  readonly waiting: Map<string, { inbound: InboundRequest; finish(result?: object): void }>;
  /** Resolves when a handler waits with this key. */
  arrived(key: string): Promise<void>;
  readonly notifications: string[];
  readonly subscriptions: Set<InboundRequest>;
}

export interface FakePeer extends ServedClient {
  readonly auth: Auth | undefined;
  readonly connection: Connection;
  /** Sends a notification that belongs to no request. */
  notify(method: string, params?: Params): void;
}

/** The input schema of its one tool with mirrored arguments. */
const mirrored = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    deep: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
  },
};

export function fakeServer(versions?: readonly string[]): FakeServer {
  const revisions: readonly Revision[] = versions ? selectRevisions(versions) : allRevisions;
  const waiting = new Map<string, { inbound: InboundRequest; finish(result?: object): void }>();
  const awaited = new Map<string, () => void>();
  const notifications: string[] = [];
  const subscriptions = new Set<InboundRequest>();

  function wait(inbound: InboundRequest): Promise<object> {
    const key = String(inbound.request.params?.['key']);
    return new Promise((resolve) => {
      waiting.set(key, { inbound, finish: (result = { done: true }) => resolve(result) });
      awaited.get(key)?.();
    });
  }

  function common(inbound: InboundRequest, auth: Auth | undefined): object | Promise<object> | undefined {
    const { method, params } = inbound.request;
    switch (method) {
      case 'ping': return {};
      case 'echo': return { echo: params?.['text'] ?? null };
      case 'tools/call': return { called: params?.['name'], arguments: params?.['arguments'] ?? null };
      case 'wait': return wait(inbound);
      case 'steps': {
        const steps = Number(params?.['steps']);
        for (let step = 1; step <= steps; step++) {
          inbound.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/step', params: { step } }));
        }
        return { steps };
      }
      case 'big': return { text: 'x'.repeat(Number(params?.['size'])) };
      case 'who': return { ...auth };
      case 'forbidden': {
        if (params?.['late']) inbound.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/step' }));
        throw new AccessDenied({
          status: 403, challenge: 'Bearer error="insufficient_scope", scope="a b"', message: 'It needs a and b',
          headers: { 'dpop-nonce': 'n1' },
        });
      }
      case 'later': return Promise.resolve({ later: true });
      case 'fail': throw new RpcError(Number(params?.['code']), 'it fails');
      default: return undefined;
    }
  }

  const peers = new Set<FakePeer>();
  return {
    revisions, clock: systemClock, peers, waiting, notifications, subscriptions,
    arrived: (key) => new Promise((resolve) => (waiting.has(key) ? resolve() : awaited.set(key, resolve))),
    connect(outlet: Outlet, options: PeerOptions = {}) {
      let revision: Revision | undefined;
      const connection = new Connection(outlet, {
        request(inbound) {
          const { id, method, params } = inbound.request;
          if (method === 'initialize') {
            revision = negotiate(revisions, params?.['protocolVersion']);
            if (params?.['fail'] || revision === undefined) throw new RpcError(invalidParamsCode, 'no');
            connection.takeBatch = revisionTable.batching(revision) ? takeBatch : undefined;
            connection.nullErrorId = revisionTable.nullErrorId(revision);
            return { protocolVersion: revision.version, capabilities: {}, serverInfo: { name: 'fake', version: '1' } };
          }
          if (method === 'ask') {
            return requestsOf(connection).request('roots/list', {}, {}, inbound).then((answer) => ({ answer }));
          }
          if (method === 'poll') {
            options.closeStream?.(id);
            return wait(inbound);
          }
          const result = common(inbound, options.auth);
          if (result === undefined) throw new RpcError(methodNotFoundCode, `no method ${method}`);
          return result;
        },
        cancellation: readCancellation,
        notification: ({ method }) => void notifications.push(method),
        error() {},
      });
      const peer: FakePeer = {
        auth: options.auth,
        connection,
        notify: (method, params) => notify(connection, method, params),
        receive: (decoded, to) => connection.receive(decoded, to),
        close(why = 'closed') {
          connection.close(why);
          peers.delete(peer);
        },
        idle: () => connection.idle(),
        get inFlight() {
          return connection.inFlight;
        },
        get revision() {
          return revision;
        },
      };
      peers.add(peer);
      return peer;
    },
    serveRequest(request, _meta, outlet, auth) {
      const inbound = new InboundRequest(request, outlet);
      inbound.run(() => {
        if (request.method === 'subscriptions/listen') {
          subscriptions.add(inbound);
          inbound.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' }));
          return new Promise((resolve) => {
            waiting.set('listen', { inbound, finish: () => resolve({}) });
          });
        }
        const result = common(inbound, auth);
        if (result === undefined) throw new RpcError(methodNotFoundCode, `no method ${request.method}`);
        return result;
      });
      return inbound;
    },
    scoped: false,
    toolInput: (name) => (name === 'mirrored' ? mirrored : undefined),
    endSubscriptions() {
      waiting.get('listen')?.finish();
    },
  };
}
