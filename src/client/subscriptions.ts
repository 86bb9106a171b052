import type { Timer } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { ConnectionError, RpcError } from '../jsonrpc/errors.ts';
import type { Bag, RequestId } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/lifecycle.ts';
import { metaOf, subscriptionKey } from '../protocol/meta.ts';
import type { SubscriptionFilter } from '../protocol/subscriptions.ts';
import { HttpError } from '../transport/http/http-error.ts';
import { callShape } from './options.ts';
import type { Listening, ListeningPort } from './parts.ts';

interface Stream {
  id: RequestId | undefined;
  readonly controller: AbortController;
  acknowledged(): void;
  failed(error: unknown): void;
}

const minBackoffMs = 250;
const maxBackoffMs = 30_000;

/** The part of a client that receives changes: it subscribes to resources, and listens to modern servers. */
export function listening(): Listening {
  let port: ListeningPort | undefined;
  /** The subscription at the current modern server. */
  let stream: ClientSubscription | undefined;
  /** The resources to which the client subscribed at a legacy server. */
  const uris = new Set<string>();

  async function ready(method: string): Promise<ListeningPort> {
    if (!port) throw new Error('the client is not connected');
    await port.ready(method);
    return port;
  }

  return {
    async subscribe(uri, options = {}) {
      checkOptions('resources/subscribe: options', options, callShape);
      const at = await ready('resources/subscribe');
      if (stream) return stream.subscribe(uri);
      await at.send('resources/subscribe', { uri }, options);
      uris.add(uri);
    },
    async unsubscribe(uri, options = {}) {
      checkOptions('resources/unsubscribe: options', options, callShape);
      if (stream) return stream.unsubscribe(uri);
      uris.delete(uri);
      await (await ready('resources/unsubscribe')).send('resources/unsubscribe', { uri }, options);
    },
    async listen(key, value) {
      await ready('subscriptions/listen');
      if (!stream) throw new Error('listen: the revision of this server has no subscriptions/listen');
      return stream.listen(key, value);
    },
    begin(to, { revision, capabilities }) {
      port = to;
      if (revision.era === 'modern') {
        if (stream) stream.restart();
        else stream = new ClientSubscription(to, capabilities);
        return undefined;
      }
      stream?.stop();
      stream = undefined;
      // A new session repeats the subscriptions of the old one.
      return Promise.all(Array.from(uris, (uri) => to.ask('resources/subscribe', { uri }).catch(to.report)));
    },
    stop: () => stream?.stop(),
    end() {
      stream?.stop();
      stream = undefined;
      uris.clear();
    },
    owns: (params) => stream?.owns(params) === true,
    late: (params) => stream?.late(params) === true,
    acknowledged: (params) => stream?.acknowledged(params),
    cancelled: (params) => stream?.cancelled(params),
  };
}

/**
 * Keeps one `subscriptions/listen` open for all wanted changes. When its filter must change, a second stream is opened and
 * acknowledged before the first is closed; when a stream drops, it is opened again after 250 ms, then after twice the time, at most
 * 30 s. Source: 2026-07-28 basic/patterns/subscriptions.
 */
class ClientSubscription {
  readonly #port: ListeningPort;
  /** The wanted keys of the filter, except the resources. */
  readonly #lists: SubscriptionFilter = {};
  readonly #uris = new Set<string>();
  #current: Stream | undefined;
  #opening: Stream | undefined;
  /** The filter that the server acknowledged for the open stream. */
  #agreed: Bag = {};
  // Streams are opened one after another; changes in one turn of the event loop share the next stream.
  #last: Promise<unknown> = Promise.resolve();
  #queued: Promise<void> | undefined;
  #drops = 0;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(port: ListeningPort, { tools, prompts, resources }: ServerCapabilities) {
    this.#port = port;
    const lists = this.#lists;
    if (port.options.onListChanged) {
      if (tools?.listChanged) lists.toolsListChanged = true;
      if (prompts?.listChanged) lists.promptsListChanged = true;
      if (resources?.listChanged) lists.resourcesListChanged = true;
    }
    if (Object.keys(lists).length > 0) this.#keepOpen();
  }

  async subscribe(uri: string): Promise<void> {
    const known = this.#uris.has(uri);
    this.#uris.add(uri);
    try {
      if (known) await this.#last;
      else await this.#refresh();
      if (!this.#tells(uri)) throw new Error(`the server did not agree to updates of ${uri}`);
    } catch (error) {
      this.#uris.delete(uri);
      throw error;
    }
  }

  /** Whether the server has agreed to notify us of changes of a resource. */
  #tells(uri: unknown): boolean {
    const { resourceSubscriptions: agreed } = this.#agreed;
    return Array.isArray(agreed) && agreed.includes(uri);
  }

  async listen(key: string, value: unknown): Promise<unknown> {
    const before = this.#lists[key];
    this.#lists[key] = value;
    try {
      await this.#refresh();
    } catch (error) {
      this.#lists[key] = before;
      throw error;
    }
    return this.#agreed[key];
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.#uris.delete(uri)) await this.#refresh();
  }

  restart(): void {
    this.#stopped = false;
    this.#current = undefined;
    this.#keepOpen();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.stop();
    for (const stream of [this.#current, this.#opening]) stream?.controller.abort();
  }

  owns(params: Bag | undefined): boolean {
    const id = metaOf(params)?.[subscriptionKey];
    return id !== undefined && id === this.#current?.id;
  }

  late(params: Bag | undefined): boolean {
    return metaOf(params)?.[subscriptionKey] !== undefined && !this.owns(params);
  }

  acknowledged(params: Bag | undefined): void {
    const id = metaOf(params)?.[subscriptionKey];
    const stream = this.#opening;
    if (id === undefined || id !== stream?.id) return;
    // At once: the next notification may already belong to this stream.
    this.#current = stream;
    this.#opening = undefined;
    this.#agreed = Object(params?.['notifications']) as Bag;
    stream.acknowledged();
  }

  cancelled(params: Bag | undefined): void {
    for (const stream of [this.#current, this.#opening]) {
      if (stream?.id !== undefined && stream.id === params?.['requestId']) {
        this.#port.fail(stream.id, new Error('the server ended the subscription'));
      }
    }
  }

  #refresh(): Promise<void> {
    if (this.#queued !== undefined) return this.#queued;
    this.#timer?.stop();
    const queued = this.#last.then(() => {
      this.#queued = undefined;
      return this.#open();
    });
    this.#last = queued.catch(() => undefined);
    return this.#queued = queued;
  }

  /** Opens a stream for all wanted changes. Resolves when the server has acknowledged it. */
  async #open(): Promise<void> {
    const before = this.#current;
    const filter: SubscriptionFilter = { ...this.#lists };
    if (this.#uris.size > 0) filter.resourceSubscriptions = [...this.#uris];
    if (this.#stopped || Object.values(filter).every((wanted) => wanted === undefined)) {
      this.#current = undefined;
      this.#agreed = {};
      return before?.controller.abort();
    }
    const had = this.#agreed['resourceSubscriptions'];
    const { timeoutMs } = this.#port.limits;
    const controller = new AbortController();
    const late = new ConnectionError(
      'timeout', `subscriptions/listen: not acknowledged within ${timeoutMs} ms`,
    );
    const timer = timeoutMs > 0 ? this.#port.clock.after(timeoutMs, () => controller.abort(late)) : undefined;
    try {
      await new Promise<void>((acknowledged, failed) => {
        const stream: Stream = { id: undefined, controller, acknowledged, failed };
        this.#opening = stream;
        this.#port.ask(
          'subscriptions/listen', { notifications: filter },
          { signal: controller.signal, timeoutMs: 0, maxTimeoutMs: 0 }, (id) => { stream.id = id; },
        ).then(
          () => this.#ended(stream, new Error('the server ended the subscription')),
          (error) => this.#ended(stream, error),
        );
      });
    } finally {
      timer?.stop();
    }
    before?.controller.abort();
    this.#drops = 0;
    const refused = Object.entries(this.#lists).filter(([kind, wanted]) => wanted !== undefined && !this.#agreed[kind]).map(([kind]) => kind);
    // Only URIs of which the server notified us before: for a new URI, `subscribe` rejects.
    if (Array.isArray(had)) refused.push(...had.filter((uri) => this.#uris.has(uri) && !this.#tells(uri)).map((uri) => `updates of ${uri}`));
    for (const what of refused) this.#port.report(new Error(`subscriptions/listen: the server did not agree to ${what}`));
  }

  #ended(stream: Stream, error: unknown): void {
    stream.failed(error);
    if (this.#opening === stream) this.#opening = undefined;
    if (this.#current !== stream) return;
    this.#current = undefined;
    if (!this.#stopped) this.#reopen(error);
  }

  #keepOpen(): void {
    this.#refresh().catch((error) => this.#reopen(error));
  }

  /** If a server refuses, the client does not try again. */
  #reopen(error: unknown): void {
    if (this.#stopped) return;
    const refused = error instanceof RpcError || (error instanceof HttpError && error.status < 500);
    this.#timer?.stop();
    this.#timer = refused ? undefined
      : this.#port.clock.after(Math.min(minBackoffMs * 2 ** this.#drops++, maxBackoffMs), () => this.#keepOpen(), true);
    if (!this.#timer) this.#port.report(error);
  }
}
