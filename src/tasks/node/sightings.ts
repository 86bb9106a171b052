import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';

/** A lease of another process, as it was looked at. */
interface Sighting {
  readonly segment: number;
  readonly writtenAt: number;
  readonly ms: number;
  /** When it was last looked at, and until when it is believed: times of the steady clock. */
  lookedAt: number;
  readonly until: number;
}

/**
 * For how long the leases of other processes are believed. A file says when its lease was renewed, by the system's clock,
 * which may be set: that counts only for a lease that is seen for the first time, and never for longer than the lease is.
 * From then on it ends when its file has not changed for so long, by the clock that nobody sets.
 */
export class Sightings {
  readonly #clock: Clock;
  readonly #seen = new Map<string, Sighting>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Milliseconds for which a lease of `ms` is still believed, at most `ms`; 0: it is over.
   *
   * @param writtenAt when its file was written last, in milliseconds since the epoch
   */
  left(id: string, segment: number, writtenAt: number, ms: number): number {
    const now = this.#clock.monotonic();
    const before = this.#seen.get(id);
    if (before?.segment === segment && before.writtenAt === writtenAt && before.ms === ms) {
      before.lookedAt = now;
      return Math.max(before.until - now, 0);
    }
    // Times of whole seconds are cut off: the file may be younger by one.
    const said = writtenAt + (writtenAt % 1000 === 0 ? 1000 : 0) + ms - this.#clock.now();
    // It was renewed since the last look, whatever the clock was set to meanwhile.
    const since = before?.segment === segment ? before.lookedAt + ms - now : 0;
    const left = Math.max(Math.min(Math.max(said, since), ms), 0);
    this.#seen.set(id, { segment, writtenAt, ms, lookedAt: now, until: now + left });
    return left;
  }

  /** The task is not leased any more. */
  forget(id: string): void {
    this.#seen.delete(id);
  }
}
