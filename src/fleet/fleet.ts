import { toError } from '../jsonrpc/errors.ts';
import { ToolError } from '../server/index.ts';
import { keyBytes } from '../server/modern/aes-gcm.ts';
import { requestStateSealer } from '../server/modern/request-state.ts';
import type { FleetPort } from '../transport/http/server/fleet-port.ts';
import type { Bus, FleetEngine } from './engine.ts';
import { maxSessionId } from './session-record.ts';
import { shareSessions } from './shared-sessions.ts';
import type { Carried, FleetSide, SharedSessions } from './shared-sessions.ts';

/** The options of `fleet`. */
export interface FleetOptions {
  /**
   * Secrets of 32 bytes, the same in all processes: the first seals, all of them open. They may be those of
   * `requestState`, and are rotated in the same three phases.
   */
  readonly keys: readonly Uint8Array[];
  /**
   * Carries messages between the processes. Without it legacy clients cannot be asked, HTTP+SSE is not served, and a
   * cancellation is heard by the process that it happens to reach.
   */
  readonly engine?: FleetEngine | undefined;
  /** Milliseconds after which a session ends, used or not: nobody knows of all its uses. 24 hours. */
  readonly sessionMaxMs?: number | undefined;
  /** Told what went wrong that no client can be told. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** This process's place in a fleet: the `fleet` option of `serveHttp`, `httpListener` and `fetchHandler`. */
export interface Fleet extends FleetPort {
  /** The name of this process: random, and in use nowhere else. */
  readonly process: string;
  /** Leaves the bus. To be called after the HTTP server has closed. */
  close(): Promise<void>;
}

const cancellations = 'barewire.cancelled';

/**
 * Makes this process one of several that serve the same sessions behind any load balancer. Rejects with a TypeError
 * without keys, with a RangeError for a key of another length, and where the engine cannot be reached.
 */
export async function fleet({ keys, engine, sessionMaxMs = 86_400_000, onError }: FleetOptions): Promise<Fleet> {
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new TypeError('a fleet needs `keys`: secrets of 32 bytes that all of its processes have');
  }
  for (const key of keys) {
    if (key.length !== keyBytes) throw new RangeError(`a key of a fleet has ${keyBytes} bytes, not ${key.length}`);
  }
  const process = randomName();
  const tables: SharedSessions[] = [];
  const bus: Bus | undefined = await engine?.join(process);
  let questions = 0;

  const side: FleetSide = {
    process,
    connected: bus !== undefined,
    sealer: requestStateSealer({ keys, ttlMs: sessionMaxMs, maxLength: maxSessionId }),
    questionId() {
      if (bus === undefined) {
        throw new ToolError('This server cannot ask over this session: its fleet has no bus to bring the answer back');
      }
      return `${process}-${(++questions).toString(36)}`;
    },
    send: async (to, carried) => bus?.send(to, JSON.stringify(carried)),
    tell: async (carried) => bus?.tell(cancellations, JSON.stringify({ from: process, carried })),
  };

  /** Runs what reads a message of another process: a fault in it is reported. */
  function attempt(read: () => void): void {
    try {
      read();
    } catch (thrown) {
      onError?.(toError(thrown));
    }
  }
  const deliver = (carried: Carried): void => {
    for (const table of tables) table.carried(carried);
  };
  bus?.receive({
    message: (text) => attempt(() => deliver(JSON.parse(text) as Carried)),
    told: (topic, text) => attempt(() => {
      if (topic !== cancellations) return;
      const { from, carried } = JSON.parse(text) as { from: string; carried: Carried };
      // This process has received it from its client.
      if (from !== process) deliver(carried);
    }),
    gap() {},
    lost() {},
  });

  return {
    process,
    share(services, local) {
      const table = shareSessions(side, services, local);
      tables.push(table);
      return table;
    },
    async close() {
      // Where the engine cannot be reached, the lease runs out by itself.
      await bus?.leave().catch((thrown: unknown) => onError?.(toError(thrown)));
    },
  };
}

/** 50 random bits in lower-case letters and digits. */
function randomName(): string {
  let name = '';
  for (const byte of crypto.getRandomValues(new Uint8Array(10))) name += (byte % 32).toString(32);
  return name;
}
