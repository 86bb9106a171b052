import type { JournalRecord } from './journal.ts';
import { entriesOf } from './replay.ts';

/**
 * Counts how often a step may have been begun. Nothing is written when a step begins: what is known is how far each
 * earlier run came, and what was under way whenever it wrote.
 */
export class Attempts {
  readonly #run: number;
  /** For each run that ended without saying so: how many things had been done when it did. */
  readonly #brokenOff: number[] = [];
  /** By key: the last attempt that is known to have begun, and the run that said so. */
  readonly #begun = new Map<string, { attempt: number; run: number }>();
  /** By key: the last attempt that has thrown. */
  readonly #failed = new Map<string, number>();
  readonly #open = new Map<string, number>();

  constructor(records: readonly JournalRecord[], run: number) {
    this.#run = run;
    let done = 0;
    let next = 1;
    let asked = 0;
    for (const record of records) {
      if (record.t === 'status') continue;
      // The runs before this record's, but for those that ended with questions.
      for (; next < record.run; next++) if (next !== asked) this.#brokenOff.push(done);
      done += entriesOf(record).length;
      if (record.t === 'ask') asked = record.run;
      if (record.t !== 'step') continue;
      if (record.error !== undefined) this.#failed.set(record.key, record.attempt ?? 1);
      for (const [key, attempt] of Object.entries(record.open ?? {})) {
        this.#begun.set(key, { attempt, run: record.run });
      }
    }
    for (; next < run; next++) if (next !== asked) this.#brokenOff.push(done);
  }

  /** The number of the attempt that begins now; `after`: how many things have been done. */
  begin(key: string, after: number): number {
    const broken = this.#brokenOff.filter((done) => done === after).length;
    const begun = this.#begun.get(key);
    const attempt = Math.max(
      (this.#failed.get(key) ?? 0) + 1 + broken,
      begun ? begun.attempt + this.#run - begun.run : 1,
    );
    this.#open.set(key, attempt);
    return attempt;
  }

  /** The step has ended: what is under way still. */
  end(key: string): Record<string, number> | undefined {
    this.#open.delete(key);
    return this.#open.size === 0 ? undefined : Object.fromEntries(this.#open);
  }

  failed(key: string, attempt: number): void {
    this.#failed.set(key, attempt);
  }
}
