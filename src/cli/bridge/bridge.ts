import { McpClient } from '../../client/index.ts';
import { asking, batches, changes, resourceUpdated, ServerCore } from '../../server/index.ts';
import type { Context } from '../../server/index.ts';
import type { ClientTransport } from '../../transport/internal-exports.ts';
import { Backends, defaultBridgeLimits } from './backends.ts';
import type { BridgeLimits } from './backends.ts';
import { relay } from './relay.ts';
import { version } from '../../judge/version.ts';

export interface BridgeOptions {
  /** Opens a way to the server behind: a process, or a session, of its own. */
  readonly open: () => ClientTransport;
  /** The revisions that the client in front may speak. All. */
  readonly front?: readonly string[] | undefined;
  /** The revisions that the server behind may be spoken to in. All. */
  readonly back?: readonly string[] | undefined;
  readonly limits?: Partial<BridgeLimits>;
  readonly onError?: (error: Error) => void;
}

/** A server that is another one, seen from in front. */
export interface Bridge {
  /** To be served over any transport. */
  readonly server: ServerCore<Context>;
  /** Servers behind that run now. */
  readonly backends: number;
  close(): Promise<void>;
}

/**
 * Makes a server whose every answer is that of the server behind. Asks that once what it is and has; rejects where it
 * cannot be reached.
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
