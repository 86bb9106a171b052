import { decode } from '../../src/jsonrpc/message.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';

/** A request that the server has received. */
export interface Asked {
  readonly id: number | string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** One connection to a hand-written server. The test answers, announces changes, and ends it. */
export interface Scripted {
  readonly transport: ClientTransport;
  say(message: object): void;
  announce(): void;
  /** Ends the connection like a program that crashes. */
  die(why?: string): void;
}

/** `answer` returns the result for a request of a 2025-11-25 client, except the handshake. If it throws, the response is an error. */
export function scripted(answer: (asked: Asked) => object | Promise<object>, kind: ClientTransport['kind'] = 'pipe'): Scripted {
  let receiver: ClientReceiver | undefined;
  const say = (message: object): void => receiver?.message(decode(JSON.stringify({ jsonrpc: '2.0', ...message })));
  const initialized = { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'scripted', version: '1.0.0' } };
  return {
    say,
    announce: () => say({ method: 'notifications/tools/list_changed' }),
    die(why = 'it died') {
      const told = receiver;
      receiver = undefined;
      told?.closed(why);
    },
    transport: {
      kind,
      async open(to) {
        receiver = to;
      },
      send(text) {
        const { id, method, params = {} } = JSON.parse(text) as Asked;
        if (id === undefined || method === undefined) return;
        if (method === 'server/discover') return queueMicrotask(() => say({ id, error: { code: -32601, message: 'no such method' } }));
        if (method === 'initialize') return queueMicrotask(() => say({ id, result: initialized }));
        const mine = receiver;
        void (async () => answer({ id, method, params }))().then(
          (result) => mine === receiver && say({ id, result }),
          (thrown: unknown) => mine === receiver && say({ id, error: { code: -32603, message: String(thrown) } }),
        );
      },
      async close() {
        receiver = undefined;
      },
    },
  };
}
