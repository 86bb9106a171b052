import { toError } from '../jsonrpc/errors.ts';
import { inBackground } from '../bounds/times.ts';

/** Sessions that are read at once: an engine that has just come back is asked by all processes. */
const atOnce = 4;
/** Milliseconds after which one that failed is tried again. */
const againMs = 250;

/** Reads sessions anew, a few at once, and each until it succeeds. */
export class Rereading {
  readonly #read: (id: string) => Promise<void>;
  readonly #report: (error: Error) => void;
  readonly #ids = new Set<string>();
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  constructor(read: (id: string) => Promise<void>, report: (error: Error) => void) {
    this.#read = read;
    this.#report = report;
  }

  add(id: string): void {
    this.#ids.add(id);
    this.#start();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #start(): void {
    for (const id of this.#ids) {
      if (this.#running === atOnce || this.#timer !== undefined || this.#ended) return;
      this.#ids.delete(id);
      this.#running++;
      this.#read(id).catch((thrown: unknown) => {
        this.#report(toError(thrown));
        this.#ids.add(id);
        this.#pause();
      }).finally(() => {
        this.#running--;
        this.#start();
      });
    }
  }

  #pause(): void {
    if (this.#ended) return;
    this.#timer ??= inBackground(setTimeout(() => {
      this.#timer = undefined;
      this.#start();
    }, againMs));
  }
}
