import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';

/** A lease of another process when it was last read. */
interface Sighting {
  readonly segment: number;
  readonly writtenAt: number;
  readonly ms: number;
  /** When it was last read, and until when it is assumed to hold, by the monotonic clock. */
  lookedAt: number;
  readonly until: number;
}

/**
 * Decides how long leases of other processes hold. The time of a file shows when its lease was renewed, but the
 * system's clock may be set: this time counts only for a lease that is seen for the first time, and never for more than
 * the lease's own time. From then on, a lease ends if its file has not changed for that time by the monotonic clock.
 */
export class Sightings {
  readonly #clock: Clock;
  readonly #seen = new Map<string, Sighting>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Returns the milliseconds for which a lease of `ms` is still assumed to hold, at most `ms`; 0: it is over.
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
    // Some file systems round times down to seconds: the file may be newer by one.
    const said = writtenAt + (writtenAt % 1000 === 0 ? 1000 : 0) + ms - this.#clock.now();
    // The file has changed since the last read, so the lease was renewed after that, whatever the system's clock was set to.
    const since = before?.segment === segment ? before.lookedAt + ms - now : 0;
    const left = Math.max(Math.min(Math.max(said, since), ms), 0);
    this.#seen.set(id, { segment, writtenAt, ms, lookedAt: now, until: now + left });
    return left;
  }

  /** Called when the task is not leased any more. */
  forget(id: string): void {
    this.#seen.delete(id);
  }
}
