import { McpClient } from '../../client/index.ts';
import { asking, batches, changes, resourceUpdated, ServerCore } from '../../server/index.ts';
import type { Context } from '../../server/index.ts';
import type { ClientTransport } from '../../transport/internal-exports.ts';
import { Backends, defaultBridgeLimits } from './backends.ts';
import type { BridgeLimits } from './backends.ts';
import { relay } from './relay.ts';
import { version } from '../../judge/version.ts';

export interface BridgeOptions {
  /** Opens a new process or session of the server behind the bridge. */
  readonly open: () => ClientTransport;
  /** The revisions accepted from clients in front. Default: all. */
  readonly front?: readonly string[] | undefined;
  /** The revisions offered to the server behind. Default: all. */
  readonly back?: readonly string[] | undefined;
  readonly limits?: Partial<BridgeLimits>;
  readonly onError?: (error: Error) => void;
}

/** A server that passes every request to another server. */
export interface Bridge {
  /** Can be served over any transport. */
  readonly server: ServerCore<Context>;
  /** Number of servers that run behind the bridge. */
  readonly backends: number;
  close(): Promise<void>;
}

/**
 * Makes a server that answers with the results of the server behind it. First it connects once to read that server's
 * info, capabilities and instructions; rejects if the connection fails.
 */
export async function openBridge({ open, front, back, limits, onError = () => {} }: BridgeOptions): Promise<Bridge> {
  const first = new McpClient({ name: 'barewire bridge', version }, { ...back && { revisions: back } });
  let info;
  try {
    await first.connect(open());
    info = { server: first.server, capabilities: first.capabilities, instructions: first.instructions };
  } finally {
    await first.close();
  }
  const { awayMs } = { ...defaultBridgeLimits, ...limits };
  const backends: Backends = new Backends({
    open,
    limits: { ...defaultBridgeLimits, ...limits },
    revisions: back,
    events: {
      onListChanged: (list) => feature.changed(list),
      onResourceUpdated: (uri) => resourceUpdated(server, uri),
      onError,
    },
  });
  const feature = relay({ backends, capabilities: info.capabilities ?? {}, awayMs });
  const server: ServerCore<Context> = new ServerCore<Context>(info.server ?? { name: 'server behind a bridge', version: '0.0.0' }, {
    features: [feature],
    asking: asking(),
    batches,
    changes: changes(),
    limits: { questionTimeoutMs: awayMs },
    ...front && { revisions: front },
    ...info.instructions !== undefined && { instructions: info.instructions },
    onError,
  });
  return {
    server,
    get backends() {
      return backends.size;
    },
    close: () => backends.close(),
  };
}
