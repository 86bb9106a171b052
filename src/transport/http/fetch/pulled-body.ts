let encoder: InstanceType<typeof TextEncoder> | undefined;

/** Bytes that the runtime is handed at a time. */
const partBytes = 65_536;

/** The body of a response, handed over as the runtime reads it: what waits here is known, and can be dropped. */
export class PulledBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Bytes that wait for the reader. */
  buffered = 0;
  readonly #waits: (bytes: number) => void;
  /** Undefined once the stream is over. */
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #waiting: Uint8Array[] = [];
  /** The reader has asked, and nothing was there. */
  #wanted = false;
  #ended = false;

  /** `waits` is told how many bytes wait each time that changes; `left` is called where the reader leaves. */
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

  /** Nothing follows; what waits is still read. */
  end(): void {
    this.#ended = true;
    this.#give();
  }

  /** Breaks it off. */
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

  /** Nothing more is handed over; returns what ends the stream. */
  #over(): ReadableStreamDefaultController<Uint8Array> | undefined {
    const controller = this.#controller;
    this.#controller = undefined;
    this.#waiting = [];
    this.#count(-this.buffered);
    return controller;
  }
}
