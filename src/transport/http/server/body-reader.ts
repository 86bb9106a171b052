import { ByteGatherer, peerBudget } from '../../../bounds/budget.ts';
import type { Body } from './http-request.ts';

/** The smallest block that `ByteGatherer` allocates. */
const smallestBlock = 1024;

/** Collects the chunks of one body, within its own limit and that of the process. */
export class BodyReader {
  readonly #maxBytes: number;
  // The owner of the body is not known yet: only the budget of the process is charged.
  readonly #gatherer: ByteGatherer;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#gatherer = new ByteGatherer(peerBudget(2 * maxBytes + smallestBlock));
  }

  /** Adds a chunk. Returns a fault if the body must not be read further; its bytes are dropped then. */
  push(chunk: Uint8Array): Body | undefined {
    const fits = this.#gatherer.length + chunk.length <= this.#maxBytes;
    if (fits && this.#gatherer.push(chunk)) return undefined;
    this.clear();
    return { fault: fits ? 'no room' : 'too large' };
  }

  /** The whole body, after its last chunk. */
  take(): Uint8Array {
    return this.#gatherer.take();
  }

  /** Drops the chunks: the client has left. */
  clear(): void {
    this.#gatherer.clear();
  }
}
