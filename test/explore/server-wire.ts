import type { Outgoing, ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import type { Decoded } from '../../src/jsonrpc/message.ts';
import type { ServerPort } from '../../src/transport/server-port.ts';
import { Pipe } from './pipe.ts';

/** A tool in a `tools/list` result. */
interface ListedTool {
  readonly name: string;
  readonly description?: string;
}

/** One connection of a host to a server, with the tools that the server has listed on it. */
export class ServerWire {
  readonly pipe: Pipe;
  /** Name => description in the newest listing that no later `list_changed` has outdated; undefined without such a listing. */
  known: ReadonlyMap<string, string> | undefined;
  /** Pending list requests, and whether a change was announced after each. */
  readonly #listings = new Map<unknown, { outdated: boolean }>();
  readonly #called: (wire: ServerWire, params: Readonly<Record<string, unknown>>) => void;

  /** `called` runs before each call that the host sends. */
  constructor(port: ServerPort, called: (wire: ServerWire, params: Readonly<Record<string, unknown>>) => void) {
    this.pipe = new Pipe(port);
    this.#called = called;
  }

  get transport(): ClientTransport {
    const { transport } = this.pipe;
    return {
      kind: 'pipe',
      open: (receiver) => transport.open(this.#heard(receiver)),
      send: (text, message) => {
        this.#sent(message);
        transport.send(text, message);
      },
      close: () => transport.close(),
    };
  }

  #sent({ id, method, params = {} }: Outgoing = {}): void {
    if (method === 'tools/list') this.#listings.set(id, { outdated: false });
    if (method === 'tools/call') this.#called(this, params);
  }

  #heard(receiver: ClientReceiver): ClientReceiver {
    return {
      message: (decoded) => {
        this.#learn(decoded);
        receiver.message(decoded);
      },
      failed: (id, error) => receiver.failed(id, error),
      closed: (why, cause) => receiver.closed(why, cause),
      error: (error) => receiver.error(error),
    };
  }

  #learn(decoded: Decoded): void {
    if (decoded.kind === 'notification' && decoded.message.method === 'notifications/tools/list_changed') {
      this.known = undefined;
      for (const listing of this.#listings.values()) listing.outdated = true;
    }
    if (decoded.kind !== 'success') return;
    const listing = this.#listings.get(decoded.message.id);
    if (listing === undefined || listing.outdated) return;
    const tools = decoded.message.result['tools'] as readonly ListedTool[];
    this.known = new Map(tools.map(({ name, description = '' }) => [name, description]));
  }
}
