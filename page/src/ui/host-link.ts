// The page's connection to the host: actions with replies, and reconnection.
import type {
  ActionMessage, ActionName, Carrier, Connect, Failure, HostMessage, News, ParamsOf, ResultOf, Welcome,
} from '../messages.ts';
import { messagesVersion } from '../messages.ts';

/** Why an action failed: a code of the host or of a server, with its message and data. */
export class ActionError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'ActionError';
    this.failure = failure;
  }
}

/** The receiver of everything except replies. */
export interface LinkReceiver {
  welcome(welcome: Welcome): void;
  news(news: News): void;
  /** The connection is lost; `final`: reconnecting does not help. */
  lost(why: string, final: boolean): void;
}

interface Waiting {
  readonly done: (result: unknown) => void;
  readonly failed: (error: ActionError) => void;
}

// The delay before reconnecting doubles each time, up to half a minute.
const firstDelayMs = 250;
const maxDelayMs = 30_000;

export class HostLink {
  readonly #connect: Connect;
  readonly #receiver: LinkReceiver;
  readonly #waiting = new Map<number, Waiting>();
  #carrier: Carrier | undefined;
  #ids = 0;
  #delayMs = firstDelayMs;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connect: Connect, receiver: LinkReceiver) {
    this.#connect = connect;
    this.#receiver = receiver;
  }

  /** Connects. While the link waits to reconnect, a call reconnects at once. */
  open(): void {
    clearTimeout(this.#timer);
    this.#carrier = this.#connect({
      message: (message) => this.#take(message),
      closed: (why, refused) => this.#closed(why, refused),
    });
  }

  #take(message: HostMessage): void {
    if (message.type === 'reply') {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.ok) waiting?.done(message.result);
      else waiting?.failed(new ActionError(message.error));
    } else if (message.type === 'welcome') {
      this.#delayMs = firstDelayMs;
      if (message.version !== messagesVersion) {
        this.#closed(`the host speaks version ${message.version} and this page ${messagesVersion}: load it again`, true);
        this.#carrier?.close();
      } else this.#receiver.welcome(message);
    } else this.#receiver.news(message);
  }

  #closed(why: string, final: boolean): void {
    for (const { failed } of this.#waiting.values()) failed(new ActionError({ code: 'lost', message: `the connection to the host was lost: ${why}` }));
    this.#waiting.clear();
    this.#carrier = undefined;
    this.#receiver.lost(why, final);
    if (final) return;
    this.#timer = setTimeout(() => this.open(), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, maxDelayMs);
  }

  /** Sends an action to the host. Rejects with an `ActionError`. Aborting `signal` sends a cancellation. */
  act<N extends ActionName>(name: N, params: ParamsOf<N>, signal?: AbortSignal): Promise<ResultOf<N>> {
    const id = ++this.#ids;
    return new Promise((resolve, reject) => {
      if (!this.#carrier) {
        reject(new ActionError({ code: 'lost', message: 'there is no connection to the host at present' }));
        return;
      }
      // The host's result has the type that `Actions` gives for this name.
      this.#waiting.set(id, { done: (result) => resolve(result as ResultOf<N>), failed: reject });
      signal?.addEventListener('abort', () => this.#carrier?.send({ type: 'cancel', id }), { once: true });
      this.#carrier.send({ type: 'action', id, name, params } as ActionMessage);
    });
  }
}
