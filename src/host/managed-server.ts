import { pause } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import type { ClientOptions, McpClient } from '../client/index.ts';
import { errorMessage, toError } from '../jsonrpc/internal-exports.ts';
import type { Implementation } from '../protocol/index.ts';
import type { ClientTransport } from '../transport/internal-exports.ts';
import { HostError } from './errors.ts';
import { gate } from './unsent-calls.ts';
import type { Gate } from './unsent-calls.ts';

/**
 * `resting`: not started, or shut down. `down`: it died; `broken`: it died so often that it is not restarted for a
 * while.
 */
export type ServerState = 'resting' | 'starting' | 'ready' | 'down' | 'broken';

/** When and how often a server is started again. */
export interface RestartLimits {
  /** Milliseconds before the first restart; doubled for each failure after it. 250. */
  readonly backoffMs: number;
  /** The longest wait before a restart. 30 seconds. */
  readonly maxBackoffMs: number;
  /** The number of failures in a row after which a server is not restarted for a while. 5. */
  readonly breakerFailures: number;
  /** The length of that pause, in milliseconds. 60 seconds. */
  readonly breakerMs: number;
}

export const defaultRestartLimits: RestartLimits = {
  backoffMs: 250, maxBackoffMs: 30_000, breakerFailures: 5, breakerMs: 60_000,
};

export interface ManagedServerOptions {
  readonly name: string;
  readonly info: Implementation;
  readonly client: ClientOptions;
  readonly make: (info: Implementation, options: ClientOptions) => McpClient;
  readonly open: () => ClientTransport;
  readonly limits: RestartLimits;
  readonly clock: Clock;
  readonly onState: (state: ServerState, why?: string) => void;
}

/** How long a server must have run for its failures to be forgotten, in milliseconds. */
const steadyMs = 30_000;

/** One server and its client: started when first needed, and again after it died, with backoff and a breaker. */
export class ManagedServer {
  readonly name: string;
  readonly #options: ManagedServerOptions;
  #client: McpClient | undefined;
  #gate: Gate | undefined;
  #starting: Promise<McpClient> | undefined;
  #state: ServerState = 'resting';
  #failures = 0;
  #lastFailure = -Infinity;
  #readySince = 0;
  #why = '';
  #closed = false;

  constructor(options: ManagedServerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The reason why it is down or broken; '' otherwise. */
  get why(): string {
    return this.#why;
  }

  /** The client while it is connected. */
  get connected(): McpClient | undefined {
    return this.#state === 'ready' ? this.#client : undefined;
  }

  /** A different object for each connection; undefined before the first. */
  get connection(): object | undefined {
    return this.#gate?.connection;
  }

  /** Whether each request may reach a different process: HTTP of 2026-07-28 has no sessions. */
  get isSessionless(): boolean {
    return this.#gate?.transport.kind === 'http' && this.#client?.revision?.era === 'modern';
  }

  /** Whether it runs, or may be started now without waiting. */
  get isDue(): boolean {
    return !this.#closed && (this.#state === 'ready' || this.#state === 'starting' || this.#dueIn() <= 0);
  }

  /** See `Gate.allow`. */
  allow(tool: string, current: () => boolean): () => void {
    return this.#gate?.allow(tool, current) ?? (() => {});
  }

  /** Milliseconds until it may be started. */
  #dueIn(): number {
    const { limits, clock } = this.#options;
    if (this.#failures === 0) return 0;
    const rest = this.#failures >= limits.breakerFailures ? limits.breakerMs
      : Math.min(limits.maxBackoffMs, limits.backoffMs * 2 ** (this.#failures - 1));
    return this.#lastFailure + rest - clock.monotonic();
  }

  /** The connected client. Waits for a pending restart; rejects with `server-down` while the breaker is open. */
  client(signal?: AbortSignal): Promise<McpClient> {
    if (this.#closed) return Promise.reject(new HostError('host-closed', `${this.name}: the host was closed`));
    if (this.#state === 'ready' && this.#client) return Promise.resolve(this.#client);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return abortable(this.#starting, signal);
  }

  async #start(): Promise<McpClient> {
    const { limits, clock, name } = this.#options;
    const wait = this.#dueIn();
    if (wait > 0 && this.#failures >= limits.breakerFailures) {
      this.#move('broken', this.#why);
      throw new HostError('server-down', `${name} failed ${this.#failures} times, and is not restarted for ${Math.ceil(wait / 1000)} s more: ${this.#why}`);
    }
    if (wait > 0) await pause(clock, wait);
    if (this.#closed) throw new HostError('host-closed', `${name}: the host was closed`);
    this.#move('starting');
    const { client: options } = this.#options;
    const client = this.#options.make(this.#options.info, {
      ...options,
      onClose: (why) => {
        options.onClose?.(why);
        if (this.#client !== client) return;
        this.#failed(why);
        // Otherwise the client would restart the program by itself, in addition to the restart here.
        void client.close();
      },
    });
    this.#client = client;
    try {
      this.#gate = gate(this.#options.open());
      await client.connect(this.#gate.transport);
    } catch (thrown) {
      this.#client = undefined;
      this.#failed(errorMessage(thrown));
      await client.close().catch(() => {});
      throw new HostError('server-down', `${name} could not be started: ${errorMessage(thrown)}`, { cause: toError(thrown) });
    }
    if (this.#closed) {
      await client.close();
      throw new HostError('host-closed', `${name}: the host was closed`);
    }
    this.#readySince = clock.monotonic();
    this.#move('ready');
    return client;
  }

  #failed(why: string): void {
    const now = this.#options.clock.monotonic();
    if (this.#state === 'ready' && now - this.#readySince >= steadyMs) this.#failures = 0;
    this.#failures++;
    this.#lastFailure = now;
    this.#client = undefined;
    this.#move(this.#failures >= this.#options.limits.breakerFailures ? 'broken' : 'down', why);
  }

  /** Reports each change once. */
  #move(state: ServerState, why: string = ''): void {
    if (this.#state === state && this.#why === why) return;
    this.#state = state;
    this.#why = why;
    this.#options.onState(state, why || undefined);
  }

  /** Shuts the server down. It starts again when it is next needed, and its failures are forgotten. */
  async stop(): Promise<void> {
    await this.#starting?.catch(() => {});
    const client = this.#client;
    this.#client = undefined;
    this.#failures = 0;
    if (this.#state !== 'resting') this.#move('resting');
    await client?.close();
  }

  /** Shuts the server down permanently. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.stop();
  }
}

/** The same promise; rejects with the signal's reason if the signal fires first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
