import type { HttpClientLimits } from './options.ts';
import { follow } from './resumption.ts';
import type { ResumptionPort } from './resumption.ts';
import type { PostedRequest } from './posted-request.ts';
import type { HttpSession } from './session.ts';

/**
 * The stream for messages that belong to no request of the client. Of either legacy transport, at most one is open.
 * 2025-11-25 basic/transports#listening-for-messages-from-the-server.
 */
export class GetStream {
  /** The open stream; undefined if none is open. */
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
   * The promise that a request must await: the server must know that the handshake is complete, and have answered the GET. A
   * question on a stream that is not open would be lost, so a request that `mayAsk` waits longer. Undefined: no wait.
   */
  held(mayAsk: boolean): Promise<void> | undefined {
    return mayAsk ? this.#heldQuestions ?? this.#held : this.#held;
  }

  /**
   * Holds requests back until `initialized` is posted, so that none overtakes it, for at most `endpointMs`; then until
   * the GET is answered, for at most `listenMs`; if the client answers questions (`asked`), requests that may cause one
   * wait up to `endpointMs`. Both are bounded: some servers answer a GET only with their first event.
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
      // Stops the timer of `latest`.
      if (!asked) opening.abort();
    });
    const questions = this.#heldQuestions = !asked ? undefined : gate(endpointMs).then(() => {
      if (this.#heldQuestions === questions) this.#heldQuestions = undefined;
      opening.abort();
    });
  }

  /** Ends the waits: the server has answered the GET, or there will be no GET. */
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
