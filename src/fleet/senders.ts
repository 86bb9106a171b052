/** Processes that are remembered; who was heard last is at the end. */
const mostSenders = 1000;
/** What is told to all may come in another order than it was sent: by so many places. */
const window = 1024;
/** Milliseconds by which clocks may differ. */
const clocksDifferMs = 300_000;

/** What was heard of one process. */
interface Sender<K> {
  readonly key: K;
  /** By the place that the messages were for: the highest number, and those seen below it. */
  readonly places: Map<string, Numbers>;
  /** When its newest message was sent, by its own clock. */
  at: number;
}

interface Numbers {
  highest: number;
  readonly seen: Set<number>;
}

/** Who has sent what to this process: no message is taken twice. `K` is what opens the messages of a sender. */
export class Senders<K> {
  readonly #known = new Map<string, Sender<K>>();
  readonly #started = Date.now();
  /** What was sent before this by one that is not remembered may have been taken. */
  #forgotten = -Infinity;

  keyOf(from: string): K | undefined {
    return this.#known.get(from)?.key;
  }

  /** Notes a message that is the sender's. Returns why it is not taken; undefined: it is. */
  take(from: string, key: K, place: string, count: number, at: number): string | undefined {
    const known = this.#known.get(from);
    if (known === undefined && at <= this.#forgotten) return 'it may have come before';
    // Its sender was heard by others, before this process had its name.
    if (known === undefined && place.startsWith('all ') && at < this.#started - clocksDifferMs) {
      return 'it was told minutes before this process began: it was kept for long, or the clocks of the machines differ';
    }
    const sender: Sender<K> = known?.key === key ? known : { key, places: known?.places ?? new Map(), at };
    const numbers = sender.places.get(place) ?? { highest: 0, seen: new Set<number>() };
    // An inbox keeps the order.
    const least = place.startsWith('to ') ? numbers.highest : numbers.highest - window;
    if (count <= least || numbers.seen.has(count)) return 'it came before';
    if (place.startsWith('all ')) note(numbers, count);
    numbers.highest = Math.max(numbers.highest, count);
    sender.places.set(place, numbers);
    sender.at = Math.max(sender.at, at);
    this.#keep(from, sender);
    return undefined;
  }

  #keep(from: string, sender: Sender<K>): void {
    this.#known.delete(from);
    this.#known.set(from, sender);
    if (this.#known.size <= mostSenders) return;
    const [oldest, { at }] = this.#known.entries().next().value as [string, Sender<K>];
    this.#known.delete(oldest);
    this.#forgotten = Math.max(this.#forgotten, Math.min(at, Date.now()));
  }
}

function note({ seen, highest }: Numbers, count: number): void {
  seen.add(count);
  if (seen.size <= 2 * window) return;
  for (const one of seen) if (one <= highest - window) seen.delete(one);
}
