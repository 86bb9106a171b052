import type { RequestId } from '../jsonrpc/message.ts';
import type { ClientReceiver, ClientTransport, Outgoing } from '../transport/client-port.ts';
import { HostError } from './errors.ts';

/** Rejects a call that was approved and did not leave, since its tool may be another by now. */
export class NotSent extends HostError {
  constructor() {
    super('tool-changed', 'the call was not sent: its tool has to be listed again');
  }
}

/** The way to a server, which sees what leaves. */
export interface Gate {
  readonly transport: ClientTransport;
  /** Another object for each connection: a program that was started again, a session that was begun anew. */
  readonly connection: object;
  /**
   * A call of this tool was approved: it may leave once while `current` holds, and otherwise rejects with `NotSent`. A
   * client may send a request again by itself, over a new session or with a new definition of the tool: that is stopped
   * here. Returns what ends it.
   */
  allow(tool: string, current: () => boolean): () => void;
}

interface Leave {
  used: boolean;
  readonly current: () => boolean;
}

/** Stands around a transport. Calls of tools that no `allow` is held for pass: they are the application's own. */
export function gate(inner: ClientTransport): Gate {
  const leaves = new Map<string, Set<Leave>>();
  let connection = {};
  let receiver: ClientReceiver | undefined;

  /** Whether a message may not leave. */
  function stops({ method, params }: Outgoing): boolean {
    if (method !== 'tools/call') return false;
    // 2026-07-28 basic/patterns/mrtr: a further round of a call that has left, with the server's state of it.
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
      if (id !== undefined) queueMicrotask(() => receiver?.failed(id as RequestId, new NotSent()));
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
