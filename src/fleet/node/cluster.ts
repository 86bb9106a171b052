import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { checkOptions } from '../../bounds/options.ts';
import { createRelay } from './relay.ts';
import { relayEngine } from './relay-engine.ts';
import type { FromRelay, Port, RelayedEngine, ToRelay } from './relay-engine.ts';

/** The options of `clusterRelay`. */
export interface ClusterRelayOptions {
  /**
   * The keys of the fleet, for sessions that survive the primary process or are shared with other machines. Default: a
   * new random key.
   */
  readonly keys?: readonly Uint8Array[] | undefined;
  /**
   * Milliseconds after which a worker that does not renew its lease counts as gone. A worker that has exited is gone at
   * once. 10 seconds.
   */
  readonly leaseMs?: number | undefined;
}

/** The options of `clusterEngine`. */
export interface ClusterEngineOptions {
  /** Milliseconds in which the primary process must answer. 5 seconds. */
  readonly answerMs?: number | undefined;
}

const label = 'barewire/fleet';

/** A message of this module. A program may also send other messages to its workers. */
interface Labelled<M> {
  readonly label: typeof label;
  readonly message: M;
}

function isLabelled<M>(value: unknown): value is Labelled<M> {
  return typeof value === 'object' && value !== null && 'label' in value && value.label === label;
}

/**
 * Makes the keys and carries messages between the workers. Call it in the primary process of `node:cluster`, before it
 * forks. Throws in a worker.
 */
export function clusterRelay(options: ClusterRelayOptions = {}): void {
  checkOptions('clusterRelay: options', options, { keys: 'list', leaseMs: 0 });
  const { keys, leaseMs = 10_000 } = options;
  if (!cluster.isPrimary) throw new Error('clusterRelay() is for the primary process; a worker calls clusterEngine()');
  const texts = (keys ?? [randomBytes(32)]).map((key) => Buffer.from(key).toString('base64'));
  const relay = createRelay(texts, leaseMs);
  const attach = (worker: Worker): void => {
    const port: Port<ToRelay, FromRelay> = {
      // A worker that is ending has no channel any more; messages for it are lost with it.
      send(message) {
        if (worker.isConnected()) worker.send({ label, message } satisfies Labelled<FromRelay>, () => {});
      },
      listen: (listener) => worker.on('message', (value: unknown) => {
        if (isLabelled<ToRelay>(value)) listener(value.message);
      }),
    };
    const detach = relay.attach(port);
    worker.once('disconnect', detach);
    worker.once('exit', detach);
  };
  cluster.on('fork', attach);
  for (const worker of Object.values(cluster.workers ?? {})) if (worker) attach(worker);
}

/** Returns the engine over the relay of the primary process. Call it in a worker of `node:cluster`. Throws elsewhere. */
export function clusterEngine(options: ClusterEngineOptions = {}): RelayedEngine {
  checkOptions('clusterEngine: options', options, { answerMs: 0 });
  const { answerMs = 5000 } = options;
  const send = process.send?.bind(process);
  if (!cluster.isWorker || send === undefined) {
    throw new Error('clusterEngine() is for a worker of node:cluster; its primary process calls clusterRelay()');
  }
  return relayEngine({
    send: (message) => void send({ label, message } satisfies Labelled<ToRelay>, undefined, undefined, () => {}),
    listen: (listener) => void process.on('message', (value: unknown) => {
      if (isLabelled<FromRelay>(value)) listener(value.message);
    }),
  }, answerMs);
}
