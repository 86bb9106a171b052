import type { HttpClientLimits } from './options.ts';
import { follow } from './resumption.ts';
import type { ResumptionPort } from './resumption.ts';
import type { HttpSession, PostedRequest } from './posted-request.ts';

/**
 * The stream on which a legacy server speaks unasked; there is one at most, of either legacy transport.
 * 2025-11-25 basic/transports#listening-for-messages-from-the-server.
 */
export class GetStream {
  /** The stream that is open; undefined where no stream is. */
  current: PostedRequest | undefined;
  #opening: AbortController | undefined;
  #held: Promise<void> | undefined;
  #heldQuestions: Promise<void> | undefined;
  readonly #limits: HttpClientLimits;
  readonly #at: ResumptionPort;

  constructor(at: ResumptionPort) {
    this.#limits = at.limits;
    this.#at = at;
  }

  /**
   * What a request waits for: the server must have heard that the handshake is over, and have answered the GET. A question on
   * a stream that is not open would be lost, so a request that `mayAsk` waits longer. Undefined: it need not wait.
   */
  held(mayAsk: boolean): Promise<void> | undefined {
    return mayAsk ? this.#heldQuestions ?? this.#held : this.#held;
  }

  /**
   * Holds requests back until `initialized` is posted, so that none overtakes it, `endpointMs` at most; and then until
   * the GET is answered: `listenMs` at most, and `endpointMs` for those that may ask a client that is `asked`. Some servers
   * answer a GET only with their first event, so nothing waits for ever.
   */
  hold(initialized: Promise<unknown>, asked: boolean): void {
    this.opened();
    const opening = this.#opening = new AbortController();
    const { listenMs, endpointMs } = this.#limits;
    const { signal } = opening;
    const { wait } = this.#at;
    const latest = wait(endpointMs, signal);
    const gate = (ms: number): Promise<void> => Promise.race([initialized.then(() => wait(ms, signal), () => {}), latest]);
    const held = this.#held = gate(listenMs).then(() => {
      if (this.#held === held) this.#held = undefined;
      // Ends the other wait.
      if (!asked) opening.abort();
    });
    const questions = this.#heldQuestions = !asked ? undefined : gate(endpointMs).then(() => {
      if (this.#heldQuestions === questions) this.#heldQuestions = undefined;
      opening.abort();
    });
  }

  /** The server has answered the GET, or there will be no GET. */
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
