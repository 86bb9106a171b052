import type { Clock, Timer } from '../../../bounds/clock.ts';
import type { Decoded, Request } from '../../../jsonrpc/message.ts';
import { mirroredParameter } from '../../../protocol/mirrored-headers.ts';
import { isSmall, smallRequest } from './budgets.ts';

/** An answer of at least this many characters is long. */
const longAnswer = 65_536;

/** Characters of long answers in a turn of the event loop after which further calls of their kind wait. */
const enough = 262_144;

/** Milliseconds for which new messages go before waiting calls. */
const patienceMs = 100;

/** Limit of waiting calls, and of remembered kinds of calls. */
const most = 1000;

/**
 * Lets calls with long answers take turns: an answer of a megabyte is milliseconds of work, and a client with small calls
 * should not wait for three hundred of them. A call counts as long if the last one of its kind was. At most one waiting call
 * runs per turn, and, up to `patienceMs`, none in a turn that received a message: Node accepts one connection per turn, and
 * a new client must not wait for all of them.
 */
export class Turns {
  /** The kinds of calls whose last answer was long. */
  readonly #long = new Set<string>();
  /** Characters of long answers since the last turn that left no call waiting. */
  #said = 0;
  /** Calls that wait for their turn. */
  readonly waiting: (() => void)[] = [];
  /** Whether a message has come in this turn, and when a waiting call last ran. */
  #came = false;
  #wentOn = 0;
  #next: Timer | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs a call now, or in its turn. Only small ones wait, since their memory is not charged. False: too many wait. */
  take(decoded: Decoded, run: () => void): boolean {
    this.#came = true;
    const waits = this.#said > enough && decoded.kind === 'request' && this.#long.has(kindOf(decoded.message))
      && decoded.weight <= smallRequest && isSmall(decoded.message);
    if (!waits) run();
    else if (this.waiting.length < most) this.waiting.push(run);
    else return false;
    return true;
  }

  /** Records the length of an answer, in characters. */
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

/** Characters of a name or URI above which it is left out of the kind: kinds are kept, and are not charged to any budget. */
const longName = 1024;

/** The method of a call, with the name or URI of its target, if the method has one. */
function kindOf({ method, params }: Request): string {
  const member = mirroredParameter(method);
  const target = member && params?.[member];
  return typeof target === 'string' && target.length <= longName ? `${method} ${target}` : method;
}
