import type { RequestId } from '../jsonrpc/index.ts';
import type { ClientReceiver, ClientTransport, Outgoing } from '../transport/internal-exports.ts';
import { HostError } from './errors.ts';

/** Rejects an approved call that was not sent, since the definition of its tool may have changed. */
export class NotSent extends HostError {
  constructor() {
    super('tool-changed', 'the call was not sent: its tool must be listed again');
  }
}

/** Wraps the transport to a server and checks outgoing calls. */
export interface Gate {
  readonly transport: ClientTransport;
  /** A different object for each connection: after a restart of the program, or in a new session. */
  readonly connection: object;
  /**
   * Permits an approved call of this tool to be sent once, while `current` holds; otherwise the call rejects with `NotSent`. A client may
   * repeat a request by itself, in a new session or with a new definition of the tool: the gate stops that. Returns a function that ends
   * the permission.
   */
  allow(tool: string, current: () => boolean): () => void;
}

interface Leave {
  used: boolean;
  readonly current: () => boolean;
}

/** Wraps a transport. Calls of tools without an `allow` pass: the application sent them itself. */
export function gate(inner: ClientTransport): Gate {
  const leaves = new Map<string, Set<Leave>>();
  let connection = {};
  let receiver: ClientReceiver | undefined;

  /** Whether a message must not be sent. */
  function stops({ method, params }: Outgoing): boolean {
    if (method !== 'tools/call') return false;
    // 2026-07-28 basic/patterns/mrtr: a later round of a sent call, with the server's state.
    if (params?.['requestState'] !== undefined || params?.['inputResponses'] !== undefined) return false;
    const held = leaves.get(String(params?.['name']));
    if (!held || held.size === 0) return false;
    const leave = [...held].find(({ used }) => !used);
    if (!leave?.current()) return true;
    leave.used = true;
    return false;
  }

  const transport: ClientTransport = {
    kind: inner.kind,
    open(to) {
      receiver = to;
      connection = {};
      return inner.open(to);
    },
    send(text, message) {
      if (!message || !stops(message)) return inner.send(text, message);
      const { id } = message;
      if (id !== undefined) void Promise.resolve().then(() => receiver?.failed(id as RequestId, new NotSent()));
    },
    close: () => inner.close(),
    ...inner.abandon && { abandon: (id) => inner.abandon?.(id) },
    ...inner.agreed && { agreed: (revision) => inner.agreed?.(revision) },
    ...inner.reopen && {
      reopen: async () => {
        connection = {};
        await inner.reopen?.();
      },
    },
    ...inner.context && { context: inner.context },
    ...inner.toolHeaders && { toolHeaders: inner.toolHeaders },
  };

  return {
    transport,
    get connection() {
      return connection;
    },
    allow(tool, current) {
      const held = leaves.get(tool) ?? new Set<Leave>();
      leaves.set(tool, held);
      const leave: Leave = { used: false, current };
      held.add(leave);
      return () => {
        held.delete(leave);
        if (held.size === 0) leaves.delete(tool);
      };
    },
  };
}
