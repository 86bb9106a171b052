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

  /** Holds requests back, `listenMs` at most. */
  hold(): void {
    this.opened();
    this.#opening = new AbortController();
    const mine = this.held = this.#at.wait(this.#limits.listenMs, this.#opening.signal).then(() => {
      if (this.held === mine) this.held = undefined;
    });
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
