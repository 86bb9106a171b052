import { ByteGatherer, peerBudget } from '../../../bounds/budget.ts';
import type { Body } from './http-request.ts';

/** What `ByteGatherer` takes at the least. */
const smallestBlock = 1024;

/** Gathers the chunks of one body, within its limit and within what the process may hold. */
export class BodyReader {
  readonly #maxBytes: number;
  // Nobody knows yet whose body it is: only the process is charged.
  readonly #gatherer: ByteGatherer;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#gatherer = new ByteGatherer(peerBudget(2 * maxBytes + smallestBlock));
  }

  /** Takes a chunk. Returns a fault where no more is to be read; what came is dropped then. */
  push(chunk: Uint8Array): Body | undefined {
    const fits = this.#gatherer.length + chunk.length <= this.#maxBytes;
    if (fits && this.#gatherer.push(chunk)) return undefined;
    this.clear();
    return { fault: fits ? 'no room' : 'too large' };
  }

  /** The whole body, once the last chunk has come. */
  take(): Uint8Array {
    return this.#gatherer.take();
  }

  /** Drops what came: the client has left. */
  clear(): void {
    this.#gatherer.clear();
  }
}
