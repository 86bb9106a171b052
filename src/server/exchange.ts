import { encode } from '../jsonrpc/codec.ts';
import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Notification, Params, RequestId } from '../jsonrpc/message.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { loggingLevels } from '../protocol/logging.ts';
import { metaOf } from '../protocol/meta.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/port.ts';
import type { PlainContext } from './context.ts';
import type { Outcome } from './run.ts';
import type { Session } from './legacy/session.ts';

/** What is known of who asks: a session's handshake, or a modern request's own metadata. */
export interface Asker {
  /** Undefined before the handshake only, when nothing is asked yet. */
  readonly revision: Revision | undefined;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least severe level that the client wants; undefined: none at all. */
  readonly logLevel: LoggingLevel | undefined;
  /** Closes the stream that will carry the answer to this request, where there is one. */
  closeStream?(id: RequestId): void;
}

/** Makes the exchange of a request: the era decides which. */
export interface Exchanges<C extends PlainContext> {
  legacy(session: Session, inbound: Inbound): Exchange & C;
  modern(inbound: Inbound, meta: RequestMeta, auth: Auth | undefined): Exchange & C;
}

/** One request on its way to its answer: who asks, by which rules. To handlers it is their context. */
export class Exchange implements PlainContext {
  readonly inbound: Inbound;
  readonly auth: Auth | undefined;
  /** The row of the request's revision. */
  readonly rules: Revision;
  /** What `once` has made so far, by key. JSON values. */
  protected made: Record<string, unknown> | undefined;
  protected making: Map<string, Promise<unknown>> | undefined;
  readonly #asker: Asker;
  #progress = -Infinity;

  constructor(inbound: Inbound, asker: Asker, auth: Auth | undefined) {
    this.inbound = inbound;
    this.auth = auth;
    this.rules = asker.revision as Revision;
    this.#asker = asker;
  }

  get signal(): AbortSignal {
    return this.inbound.signal;
  }

  get client(): Implementation | undefined {
    return this.#asker.client;
  }

  get capabilities(): ClientCapabilities {
    return this.#asker.capabilities;
  }

  get meta(): Readonly<Record<string, unknown>> | undefined {
    return metaOf(this.inbound.request.params);
  }

  get revision(): string {
    return this.rules.version;
  }

  closeStream(): void {
    this.#asker.closeStream?.(this.inbound.request.id);
  }

  /** Runs what answers the request. */
  run(handle: (params: Params) => object | Promise<object>): object | Promise<object> {
    return handle(this.inbound.request.params ?? {});
  }

  /** What a handler returned, taken to its end. A value that is there at once stays synchronous. */
  settle<R>(outcome: Outcome<R>): R | Promise<R> {
    return outcome as R | Promise<R>;
  }

  /**
   * The value that `make` gave, made once for this request, also across its rounds. It is taken through JSON
   * at once, so that it looks the same in the round that makes it and in those that find it.
   */
  once<T>(key: string, make: () => T | Promise<T>): Promise<T> {
    if (this.made && Object.hasOwn(this.made, key)) return Promise.resolve(this.made[key] as T);
    const under = (this.making ??= new Map()).get(key);
    if (under) return under as Promise<T>;
    const making = Promise.resolve().then(make).then((value) => {
      const kept = value === undefined ? null : JSON.parse(JSON.stringify(value)) as unknown;
      // Object.create(null): a key may be called `__proto__`.
      (this.made ??= Object.create(null) as Record<string, unknown>)[key] = kept;
      return kept as T;
    }).finally(() => this.making?.delete(key));
    this.making.set(key, making);
    return making;
  }

  notify(method: string, params: Record<string, unknown>): void {
    const message: Notification = { jsonrpc: '2.0', method, params };
    this.inbound.send(encode(message), message);
  }

  /**
   * 2025-11-25 basic/utilities/progress: only where the client gave a token, and each report above the last.
   */
  progress(progress: number, total?: number, message?: string): void {
    const token = this.meta?.['progressToken'];
    if (token === undefined || !(progress > this.#progress)) return;
    this.#progress = progress;
    this.notify('notifications/progress', {
      progressToken: token,
      progress,
      // JSON leaves out what is undefined.
      total,
      message: this.rules.progressMessage ? message : undefined,
    });
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.#asker;
    if (logLevel === undefined || loggingLevels.indexOf(level) < loggingLevels.indexOf(logLevel)) return;
    this.notify('notifications/message', { level, ...logger !== undefined && { logger }, data });
  }
}
