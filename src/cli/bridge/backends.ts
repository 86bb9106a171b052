import { every, systemClock } from '../../bounds/clock.ts';
import type { Timer } from '../../bounds/clock.ts';
import { RpcError } from '../../jsonrpc/index.ts';
import type { ClientCapabilities, Implementation } from '../../protocol/index.ts';
import type { ClientTransport } from '../../transport/internal-exports.ts';
import { Backend } from './backend.ts';
import type { BackendEvents } from './backend.ts';

/** Limits on the servers behind a bridge. */
export interface BridgeLimits {
  /** Most processes or sessions behind the bridge at once. At the limit, an idle one is ended for a new one. 100. */
  maxBackends: number;
  /** Milliseconds after which an unused backend is ended. 5 minutes. */
  backendIdleMs: number;
  /** Milliseconds that a call waits for a client to return with its answer. 10 minutes. */
  awayMs: number;
}

export const defaultBridgeLimits: BridgeLimits = { maxBackends: 100, backendIdleMs: 300_000, awayMs: 600_000 };

/** The client's properties that select its backend. */
export interface Asking {
  readonly principal: string;
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
}

export interface BackendsOptions {
  readonly open: () => ClientTransport;
  readonly limits: BridgeLimits;
  readonly revisions?: readonly string[] | undefined;
  readonly events: Omit<BackendEvents, 'onClose'>;
}

/** The servers behind the bridge: one for each principal and each set of client capabilities. */
export class Backends {
  readonly #options: BackendsOptions;
  readonly #all = new Map<string, { readonly principal: string; readonly backend: Backend }>();
  readonly #watched = new Map<string, Set<string>>();
  readonly #leaving = new Set<Promise<void>>();
  #sweeper: Timer | undefined;
  #closed = false;

  constructor(options: BackendsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The backend for this client, created if missing. Throws if the maximum is reached and all are busy. */
  of({ principal, info, capabilities }: Asking): Backend {
    const { elicitation, sampling, roots } = capabilities;
    const key = JSON.stringify([principal, elicitation, sampling, roots !== undefined]);
    const known = this.#all.get(key)?.backend;
    if (known) {
      known.lastUsed = systemClock.now();
      return known;
    }
    if (this.#closed) throw new RpcError(-32603, 'the bridge is closed');
    const { limits, open, revisions, events } = this.#options;
    if (this.#all.size >= limits.maxBackends) this.#makeRoom();
    const backend: Backend = new Backend(info, open(), capabilities, revisions, {
      ...events,
      onClose: () => this.#end(key, backend),
    });
    this.#all.set(key, { principal, backend });
    backend.ready.catch(() => this.#end(key, backend));
    for (const uri of this.#watched.get(principal) ?? []) void backend.subscribe(uri).catch(events.onError);
    this.#sweeper ??= every(systemClock, Math.min(limits.backendIdleMs, 10_000), () => this.#sweep(), true);
    return backend;
  }

  /** Subscribes the principal's backends to a resource: those that run, and later ones. */
  watch(principal: string, uri: string): void {
    const watched = this.#watched.get(principal) ?? new Set();
    this.#watched.set(principal, watched.add(uri));
    for (const { principal: own, backend } of this.#all.values()) {
      if (own === principal) void backend.subscribe(uri).catch(this.#options.events.onError);
    }
  }

  /** Ends the backends of a principal whose connection has closed: nobody else can use them. */
  leave(principal: string): void {
    this.#watched.delete(principal);
    for (const [key, { principal: own, backend }] of [...this.#all]) if (own === principal) this.#end(key, backend);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sweeper?.stop();
    for (const [key, { backend }] of [...this.#all]) this.#end(key, backend);
    await Promise.all(this.#leaving);
  }

  #end(key: string, backend: Backend): void {
    if (this.#all.get(key)?.backend === backend) this.#all.delete(key);
    const leaving = backend.close().catch(this.#options.events.onError);
    this.#leaving.add(leaving);
    void leaving.then(() => this.#leaving.delete(leaving));
  }

  #idle(): [string, Backend][] {
    return [...this.#all].map(([key, { backend }]): [string, Backend] => [key, backend])
      .filter(([, { busy, calls }]) => busy === 0 && calls.size === 0)
      .sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
  }

  #makeRoom(): void {
    const [oldest] = this.#idle();
    if (!oldest) throw new RpcError(-32603, `all ${this.#options.limits.maxBackends} servers behind the bridge are busy`);
    this.#end(...oldest);
  }

  #sweep(): void {
    const before = systemClock.now() - this.#options.limits.backendIdleMs;
    for (const [key, backend] of this.#idle()) if (backend.lastUsed < before) this.#end(key, backend);
  }
}
