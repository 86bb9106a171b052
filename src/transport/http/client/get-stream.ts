import type { HttpClientLimits } from './options.ts';
import { follow } from './resumption.ts';
import type { Resumption } from './resumption.ts';
import type { HttpSession, PostedRequest } from './posted-request.ts';

/**
 * The stream on which a legacy server speaks unasked; there is one at most, of either legacy transport.
 * 2025-11-25 basic/transports#listening-for-messages-from-the-server.
 */
export class GetStream {
  /**
   * Requests wait for this until the server has heard that the handshake is over, and has answered the GET: what it
   * says on a stream that nobody has opened is lost.
   */
  held: Promise<void> | undefined;
  /** The stream; undefined where there is none. */
  current: PostedRequest | undefined;
  #opening: AbortController | undefined;
  readonly #limits: HttpClientLimits;
  readonly #at: Resumption;

  constructor(at: Resumption) {
    this.#limits = at.limits;
    this.#at = at;
  }

  /**
   * Holds requests back until `initialized` is posted, so that none overtakes it, `endpointMs` at most; and then until
   * the GET is answered, `listenMs` at most.
   */
  hold(initialized: Promise<unknown>): void {
    this.opened();
    const { signal } = this.#opening = new AbortController();
    const { listenMs, endpointMs } = this.#limits;
    const { wait } = this.#at;
    const done = (): void => {
      if (this.held !== mine) return;
      this.held = undefined;
      // Ends the other wait.
      this.opened();
    };
    const posted = initialized.then(() => wait(listenMs, signal), () => {});
    const mine = this.held = Promise.race([posted, wait(endpointMs, signal)]).then(done);
  }

  /** The server has answered the GET, or there is none to wait for. */
  opened(): void {
    this.#opening?.abort();
  }

  open(session: HttpSession | undefined): void {
    const { requests } = this.#at;
    this.current?.cancellation.cancel();
    const posted = this.current = requests.begin({}, session);
    follow(posted, this.#at)
      .catch((thrown: unknown) => requests.fail(posted, thrown))
      .finally(() => requests.end(posted));
  }

  close(): void {
    this.current?.cancellation.cancel();
    this.current = undefined;
    this.opened();
  }
}
