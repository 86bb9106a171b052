import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { systemClock } from '../../bounds/clock.ts';
import type { Clock, Timer } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import { tell } from '../../jsonrpc/internal-exports.ts';
import type { CloseOptions, HttpServer } from '../../transport/http/node/index.ts';
import { fleet } from '../fleet.ts';
import type { Fleet } from '../fleet.ts';
import { clusterEngine, clusterRelay } from './cluster.ts';

/** The options of `serveWorkers`. */
export interface WorkersOptions {
  /** The number of serving processes; `all`: one per core. Default `all`. */
  readonly workers?: 'all' | number | undefined;
  /** The keys of the fleet, if they must survive the primary process. Default: a new random key. */
  readonly keys?: readonly Uint8Array[] | undefined;
  /** Gets an error for each worker that ended without being asked to, and the errors of the fleet. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** The clock. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

/** The options that a worker passes to `serveHttp` and to the server. */
export interface WorkerContext {
  /** The `fleet` of `serveHttp`. */
  readonly fleet: Fleet;
  /** The `keys` of the server's `requestState`: the answer to a question may reach another worker. */
  readonly keys: readonly Uint8Array[];
}

/** Several processes that serve on one port, seen from their primary process. */
export interface Workers {
  readonly url: string;
  readonly port: number;
  /** The number of listening workers. */
  readonly listening: number;
  /** Replaces the workers one after another: each is drained when the next one listens. */
  restart(): Promise<void>;
  /** Drains all workers, for at most `drainMs` (default 5 seconds), and ends them. */
  close(options?: CloseOptions): Promise<void>;
}

const label = 'barewire/workers';

/** The messages from a worker to its primary process, and back. */
type FromWorker = { readonly label: typeof label; readonly url: string; readonly port: number };
type ToWorker = { readonly label: typeof label; readonly drainMs: number };

const isOurs = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'label' in value && value.label === label;

/** Milliseconds that a worker has to end after its time to drain. */
const endMs = 5000;

/** Milliseconds before a worker that ended is replaced: at first, and at most after several short-lived workers. */
const firstPauseMs = 100;
const longestPauseMs = 30_000;

/** A worker that ran longer than this, in milliseconds, does not count as short-lived. */
const lastingMs = 10_000;

/**
 * Serves with several processes of this machine, on `node:cluster`. The program runs once more for each worker. There
 * `serve` is called, and this promise stays pending; in the primary process it resolves when all workers listen, and
 * rejects if one of the first workers ends before.
 *
 * A worker drains and ends on SIGTERM, and ends at once when its primary process has gone. In the primary process,
 * signals are left to the program.
 */
export function serveWorkers(serve: (context: WorkerContext) => Promise<HttpServer>, options: WorkersOptions = {}): Promise<Workers> {
  checkOptions('serveWorkers: options', options, { workers: '"all" or number', keys: 'list', onError: 'function', clock: 'object' });
  const { workers = 'all', keys, onError, clock = systemClock } = options;
  const count = workers === 'all' ? availableParallelism() : workers;
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`serveWorkers: workers must be "all" or a whole number above 0, not ${count}`);
  if (cluster.isWorker) return work(serve, onError);
  clusterRelay({ keys });
  return new Pool(count, onError, clock).begin();
}

/** In a worker: serves until it is told to end. Rejects if it cannot serve; otherwise it never settles. */
async function work(serve: (context: WorkerContext) => Promise<HttpServer>, onError: WorkersOptions['onError']): Promise<never> {
  const engine = clusterEngine();
  const keys = await engine.keys();
  const own = await fleet({ keys, engine, onError });
  const serving = await serve({ fleet: own, keys });
  let ending = false;
  const end = async (drainMs: number): Promise<void> => {
    if (ending) return;
    ending = true;
    try {
      await serving.close({ drainMs });
      await own.close();
    } catch (error) {
      tell(onError, error);
    }
    process.exit();
  };
  // A terminal sends SIGINT to all its processes: the primary process decides.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => void end(endMs));
  process.on('message', (message: unknown) => {
    if (isOurs(message)) void end((message as ToWorker).drainMs);
  });
  process.send?.({ label, url: serving.url, port: serving.port } satisfies FromWorker);
  return new Promise<never>(() => {});
}

/** The workers of a primary process. */
class Pool implements Workers {
  url = '';
  port = 0;
  readonly #count: number;
  readonly #onError: WorkersOptions['onError'];
  readonly #listening = new Set<Worker>();
  /** Workers that were told to end. */
  readonly #ending = new Set<Worker>();
  readonly #pauses = new Set<Timer>();
  readonly #clock: Clock;
  #pauseMs = firstPauseMs;
  #closing: Promise<void> | undefined;
  #restarting: Promise<void> | undefined;

  constructor(count: number, onError: WorkersOptions['onError'], clock: Clock) {
    this.#clock = clock;
    this.#count = count;
    this.#onError = onError;
  }

  get listening(): number {
    return this.#listening.size;
  }

  async begin(): Promise<Workers> {
    try {
      await Promise.all(Array.from({ length: this.#count }, () => this.#fork()));
    } catch (error) {
      await this.close({ drainMs: 0 });
      throw error;
    }
    return this;
  }

  restart(): Promise<void> {
    return this.#restarting ??= this.#replaceAll().finally(() => (this.#restarting = undefined));
  }

  close(options: CloseOptions = {}): Promise<void> {
    checkOptions('close: options', options, { drainMs: 0 });
    const { drainMs = 5000 } = options;
    return this.#closing ??= this.#endAll(drainMs);
  }

  async #endAll(drainMs: number): Promise<void> {
    for (const pause of this.#pauses) pause.stop();
    this.#pauses.clear();
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && this.#end(worker, drainMs)));
  }

  async #replaceAll(): Promise<void> {
    for (const worker of [...this.#listening]) {
      if (this.#closing) return;
      // The worker may have ended meanwhile, and been replaced.
      if (!this.#listening.has(worker)) continue;
      await this.#fork();
      await this.#end(worker, 5000);
    }
  }

  /** Starts a worker. Resolves when it listens; rejects if it ends before, and then it is not replaced. */
  #fork(): Promise<void> {
    const worker = cluster.fork();
    const began = this.#clock.monotonic();
    return new Promise((resolve, reject) => {
      worker.on('message', (message: unknown) => {
        if (!isOurs(message) || this.#listening.has(worker)) return;
        const { url, port } = message as FromWorker;
        this.url = url;
        this.port = port;
        this.#listening.add(worker);
        resolve();
      });
      worker.once('exit', (code, signal) => {
        const listened = this.#listening.delete(worker);
        if (this.#ending.delete(worker) || this.#closing) return resolve();
        const error = new Error(`a worker ended with ${signal ?? `code ${code}`}${listened ? '' : ' before it listened'}`);
        if (!listened) return reject(error);
        tell(this.#onError, error);
        this.#pauseMs = this.#clock.monotonic() - began > lastingMs ? firstPauseMs : Math.min(2 * this.#pauseMs, longestPauseMs);
        this.#replaceLater();
      });
    });
  }

  #replaceLater(): void {
    const pause = this.#clock.after(this.#pauseMs, () => {
      if (pause) this.#pauses.delete(pause);
      this.#fork().catch((error: unknown) => {
        if (this.#closing) return;
        tell(this.#onError, error);
        this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
        this.#replaceLater();
      });
    });
    if (pause) this.#pauses.add(pause);
  }

  /** Tells a worker to end, and kills it if it does not end in time. */
  #end(worker: Worker, drainMs: number): Promise<void> {
    if (worker.isDead()) return Promise.resolve();
    this.#ending.add(worker);
    return new Promise((resolve) => {
      const late = this.#clock.after(drainMs + endMs, () => worker.process.kill('SIGKILL'));
      worker.once('exit', () => {
        late?.stop();
        resolve();
      });
      if (worker.isConnected()) worker.send({ label, drainMs } satisfies ToWorker, () => {});
      // A worker without a channel ends by itself.
    });
  }
}
