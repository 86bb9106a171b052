import type { Clock, Timer } from '../../../bounds/clock.ts';
import type { Decoded, Request } from '../../../jsonrpc/message.ts';
import { smallRequest } from './budgets.ts';

/** Characters of an answer that is long. */
const longAnswer = 65_536;

/** Characters of long answers after which further calls of their kind wait for the next turn of the event loop. */
const enough = 262_144;

/** Milliseconds for which those that wait let newer messages pass, as long as there are any. */
const patienceMs = 100;

/** Calls that wait, and kinds of calls that are remembered. */
const most = 1000;

/**
 * Lets calls with long answers take turns: an answer of a megabyte is milliseconds of work, and a client that asks little
 * should not wait for three hundred of them. A call is taken to be long where the last one of its kind was. One goes on
 * in a turn, and none in a turn that brought a message: Node accepts one connection a turn, and who has just come must
 * not stand behind all that.
 */
export class Turns {
  /** The kinds of calls whose last answer was long. */
  readonly #long = new Set<string>();
  /** Characters of long answers in this turn. */
  #said = 0;
  /** Those that wait for their turn. */
  readonly waiting: (() => void)[] = [];
  /** Whether a message has come in this turn, and when one that waits went on last. */
  #came = false;
  #wentOn = 0;
  #next: Timer | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs a message now, or when it is its turn. Only small ones wait: what they hold is not charged. False: too many wait. */
  take(decoded: Decoded, run: () => void): boolean {
    this.#came = true;
    const waits = this.#said > enough && decoded.kind === 'request' && this.#long.has(kindOf(decoded.message))
      && decoded.weight <= smallRequest;
    if (!waits) run();
    else if (this.waiting.length < most) this.waiting.push(run);
    else return false;
    return true;
  }

  /** A request was answered with so many characters. */
  answered(request: Request, length: number): void {
    const long = this.#long;
    if (length < longAnswer) {
      if (long.size > 0) long.delete(kindOf(request));
      return;
    }
    if (long.size >= most) long.clear();
    long.add(kindOf(request));
    this.#said += length;
    if (this.#next) return;
    this.#wentOn = this.#clock.monotonic();
    this.#next = this.#clock.after(0, () => this.#turn());
  }

  #turn(): void {
    this.#next = undefined;
    const now = this.#clock.monotonic();
    if (!this.#came || now - this.#wentOn > patienceMs) {
      this.#wentOn = now;
      this.waiting.shift()?.();
    }
    this.#came = false;
    if (this.waiting.length > 0) this.#next ??= this.#clock.after(0, () => this.#turn());
    else this.#said = 0;
  }
}

/** The method, and what it is asked of. */
function kindOf({ method, params }: Request): string {
  return JSON.stringify([method, params?.['name'] ?? params?.['uri']]);
}
