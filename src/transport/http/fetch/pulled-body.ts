let encoder: InstanceType<typeof TextEncoder> | undefined;

/** Bytes that are given to the runtime at a time. */
const partBytes = 65_536;

/** A response body, given to the runtime as it reads: waiting bytes stay here, where they are counted and can be dropped. */
export class PulledBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Bytes that wait for the reader. */
  buffered = 0;
  readonly #waits: (bytes: number) => void;
  /** Undefined after the end of the stream. */
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #waiting: Uint8Array[] = [];
  /** The reader has pulled, and has not been given anything since. */
  #wanted = false;
  #ended = false;

  /** `waits` is called with the number of waiting bytes at each change; `left` when the reader cancels. */
  constructor(waits: (bytes: number) => void, left: () => void) {
    this.#waits = waits;
    this.stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => {
        this.#wanted = true;
        this.#give();
      },
      cancel: () => {
        this.#over();
        left();
      },
    }, { highWaterMark: 0 });
  }

  write(text: string): void {
    const bytes = (encoder ??= new TextEncoder()).encode(text);
    this.#waiting.push(bytes);
    this.#count(bytes.length);
    this.#give();
  }

  /** Ends the body after the bytes that wait. */
  end(): void {
    this.#ended = true;
    this.#give();
  }

  /** Breaks the body off. */
  destroy(): void {
    this.#over()?.error(new Error('the connection was broken off'));
  }

  #give(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      if (this.#ended) this.#over()?.close();
    } else if (this.#wanted) {
      this.#wanted = false;
      if (first.length > partBytes) this.#waiting[0] = first.subarray(partBytes);
      else this.#waiting.shift();
      const part = first.subarray(0, partBytes);
      this.#count(-part.length);
      this.#controller?.enqueue(part);
      if (this.#ended) this.#give();
    }
  }

  #count(bytes: number): void {
    this.buffered += bytes;
    this.#waits(this.buffered);
  }

  /** Drops the waiting bytes. Returns the controller, to close the stream or make it fail; undefined if it is over already. */
  #over(): ReadableStreamDefaultController<Uint8Array> | undefined {
    const controller = this.#controller;
    this.#controller = undefined;
    this.#waiting = [];
    this.#count(-this.buffered);
    return controller;
  }
}
