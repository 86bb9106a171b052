import type { Clock, Timer } from '../bounds/clock.ts';
import type { JournalRecord, StepRecord, VersionRecord } from './journal.ts';

/** The tool's code has changed since the task began: the handler no longer does what the journal says it did. */
export class ChangedCode extends Error {
  constructor(what: string) {
    super(`the tool's code has changed since the task began: ${what}`);
    this.name = 'ChangedCode';
  }
}

/** Returns the entries of a record. A question counts once, however often it was asked. */
export function entriesOf(record: JournalRecord): readonly ReplayEntry[] {
  switch (record.t) {
    case 'status': return [];
    case 'ask': return Object.entries(record.asked)
      .filter(([key, [, name]]) => key === name)
      .map(([key]) => ({ t: 'question', key }));
    default: return [record];
  }
}

/** An action of an earlier run: a step, a version, a question. */
export type ReplayEntry = StepRecord | VersionRecord | { readonly t: 'question'; readonly key: string };

const nameOf = ({ t, key }: Pick<ReplayEntry, 't' | 'key'>): string => `${t} ${JSON.stringify(key)}`;

interface WaitingStep {
  readonly at: number;
  readonly go: () => void;
}

/**
 * Replays the entries of earlier runs to a new run of the handler. A handler without overlapping steps must do the same
 * things in the same order. If steps overlapped, they finish again in their recorded order, and no new step starts
 * before that. The handler then takes the same path.
 */
export class JournalReplay {
  readonly #entries: readonly ReplayEntry[];
  readonly #claimed: boolean[] = [];
  /** Entries before this one have been given to the handler. */
  #next = 0;
  readonly #overlapped: boolean;
  readonly #held = new Set<WaitingStep>();
  readonly #stallMs: number;
  readonly #clock: Clock;
  readonly #fail: (error: ChangedCode) => void;
  #timer: Timer | undefined;
  #pausing = false;
  #begun = false;

  /** @param stallMs milliseconds that overlapping steps wait for a recorded step before it counts as missing */
  constructor(records: readonly JournalRecord[], stallMs: number, clock: Clock, fail: (error: ChangedCode) => void) {
    this.#clock = clock;
    const entries: ReplayEntry[] = [];
    let overlapped = false;
    for (const record of records) {
      const ended = entriesOf(record);
      if (record.t === 'step' && record.open) overlapped = true;
      if (record.t === 'ask' && (record.overlap || ended.length > 1)) overlapped = true;
      if ((record.t === 'step' || record.t === 'version') && record.after !== entries.length) overlapped = true;
      entries.push(...ended);
    }
    this.#entries = entries;
    this.#overlapped = overlapped;
    this.#stallMs = stallMs;
    this.#fail = fail;
  }

  /** Whether the handler has done anything yet. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether all entries of earlier runs have been given to the handler. */
  get done(): boolean {
    return this.#next >= this.#entries.length;
  }

  /**
   * Called when the handler begins an action. Resolves with the entry of an earlier run; with undefined if the action
   * is new and may begin. If the code has changed, calls `fail` and never settles.
   */
  claim(t: ReplayEntry['t'], key: string): Promise<ReplayEntry | undefined> {
    this.#begun = true;
    if (this.done) return Promise.resolve(undefined);
    const at = this.#find(t, key);
    if (!this.#overlapped && at !== this.#next) {
      const was = this.#entries[this.#next] as ReplayEntry;
      return this.#changed(`${nameOf(was)} was next, and now it is ${nameOf({ t, key })}`);
    }
    if (at >= 0) this.#claimed[at] = true;
    const found = at < 0 ? undefined : this.#entries[at];
    return new Promise((resolve) => {
      this.#held.add({ at: at < 0 ? this.#entries.length : at, go: () => resolve(found) });
      this.#deliver();
    });
  }

  /**
   * The value for `ctx.version`: the recorded number; 0 if the task passed this place before the code had the version;
   * undefined if earlier runs did nothing after this place.
   */
  async version(key: string): Promise<number | undefined> {
    if (this.done) return undefined;
    if (this.#find('version', key) >= 0) return (await this.claim('version', key) as VersionRecord).value;
    if (!this.#overlapped) return 0;
    // Another branch may still be repeating what it did before.
    return new Promise((resolve) => {
      const timer = this.#clock.after(this.#stallMs / 4, () => {
        this.#held.delete(held);
        resolve(0);
      });
      const held: WaitingStep = {
        at: this.#entries.length,
        go: () => {
          timer?.stop();
          resolve(undefined);
        },
      };
      this.#held.add(held);
      this.#deliver();
    });
  }

  /** Called when the handler has ended. Returns an error if an entry of earlier runs was not repeated. */
  missing(): ChangedCode | undefined {
    this.stop();
    const left = this.#entries.find((_, i) => this.#claimed[i] !== true);
    return left && new ChangedCode(`${nameOf(left)} is missing`);
  }

  stop(): void {
    this.#timer?.stop();
    this.#held.clear();
  }

  #find(t: ReplayEntry['t'], key: string): number {
    return this.#entries.findIndex((entry, i) => this.#claimed[i] !== true && entry.t === t && entry.key === key);
  }

  #changed(what: string): Promise<never> {
    this.stop();
    this.#fail(new ChangedCode(what));
    return new Promise(() => {});
  }

  /**
   * Delivers the next entries to the handler. If steps overlapped, it delivers one per turn of the event loop, so that
   * the handler reacts to one entry before it gets the next.
   */
  #deliver(): void {
    this.#timer?.stop();
    if (this.#pausing) return;
    for (const held of this.#held) {
      if (held.at > this.#next) continue;
      this.#held.delete(held);
      if (held.at < this.#entries.length) this.#next++;
      held.go();
      if (!this.#overlapped) continue;
      this.#pausing = true;
      this.#clock.after(0, () => {
        this.#pausing = false;
        this.#deliver();
      });
      return;
    }
    if (this.#held.size === 0) return;
    this.#timer = this.#clock.after(this.#stallMs, () => {
      const left = this.#entries[this.#next];
      if (left) void this.#changed(`${nameOf(left)} is missing`);
    });
  }
}

/**
 * Counts the attempts of each step. Nothing is written when a step begins: the journal only shows how far each earlier
 * run came, and which steps were running at each of its writes.
 */
export class Attempts {
  readonly #run: number;
  /** For each run that ended without a record of its end: how many actions had been done by then. */
  readonly #brokenOff: number[] = [];
  /** By key: the last attempt that is known to have begun, and the run that recorded it. */
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
      // The runs between the last record and this one, except the run that ended with questions.
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

  /** Returns the number of the attempt that begins now. `after`: how many actions have been done. */
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

  /** Called when a step has ended. Returns the attempts of the steps that are still running. */
  end(key: string): Record<string, number> | undefined {
    this.#open.delete(key);
    return this.#open.size === 0 ? undefined : Object.fromEntries(this.#open);
  }

  failed(key: string, attempt: number): void {
    this.#failed.set(key, attempt);
  }
}
