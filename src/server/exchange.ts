import type { Inbound } from '../jsonrpc/inbound.ts';
import { notificationText } from '../jsonrpc/outlet.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { loggingLevels } from '../protocol/logging.ts';
import { metaOf } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Auth } from '../transport/port.ts';
import type { Question } from './question.ts';

/** How often a question is put before an answer that cannot be used is an error. */
export const defaultMaxAsks = 3;

/**
 * One request on its way to its answer: who asks, in which revision, and how to ask back. Handlers are written
 * against it; the era decides which kind is made (`LegacyExchange`, `ModernExchange`).
 */
export abstract class Exchange {
  readonly inbound: Inbound;
  abstract readonly revision: Revision;
  abstract readonly client: Implementation | undefined;
  abstract readonly capabilities: ClientCapabilities;
  abstract readonly auth: Auth | undefined;
  /** The least severe level that the client wants; undefined: none at all. */
  abstract readonly logLevel: LoggingLevel | undefined;
  /** What `once` has made so far, by key. JSON values. */
  protected made: Record<string, unknown> | undefined;
  protected making: Map<string, Promise<unknown>> | undefined;
  #progress = -Infinity;

  constructor(inbound: Inbound) {
    this.inbound = inbound;
  }

  /** Puts a question to the client. Rejects where it cannot answer such a question, or gives no usable answer. */
  abstract ask<T>(question: Question<T>): Promise<T>;

  /** Lets the client poll for the answer instead of waiting on an open stream; nothing where that is not possible. */
  closeStream(): void {}

  /**
   * The value that `make` gave, made once for this request, also across its rounds. It is taken through JSON at
   * once, so that it looks the same in the round that makes it and in those that find it.
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

  /** Sends a notification that belongs to this request. */
  notify(method: string, params: Record<string, unknown>): void {
    this.inbound.send(notificationText(method, params), { jsonrpc: '2.0', method, params });
  }

  /** 2025-11-25 basic/utilities/progress: only where the client gave a token, and each report above the last. */
  progress(progress: number, total?: number, message?: string): void {
    const token = metaOf(this.inbound.request.params)?.['progressToken'];
    if (token === undefined || !(progress > this.#progress)) return;
    this.#progress = progress;
    this.notify('notifications/progress', {
      progressToken: token,
      progress,
      ...total !== undefined && { total },
      ...message !== undefined && this.revision.progressMessage && { message },
    });
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    if (this.logLevel === undefined) return;
    if (loggingLevels.indexOf(level) < loggingLevels.indexOf(this.logLevel)) return;
    this.notify('notifications/message', { level, ...logger !== undefined && { logger }, data });
  }
}
