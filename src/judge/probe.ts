import type { Revision } from '../protocol/index.ts';
import type { Bench } from './bench.ts';

/** One test of a server, and the rules that it may show. */
export interface ServerProbe {
  /** A description for progress output and for the report. */
  readonly name: string;
  /** The ids of the rules that it may show. */
  readonly rules: readonly string[];
  /** The transport that it needs; undefined: both. */
  readonly over?: 'pipe' | 'http';
  /** The era that it needs; undefined: both. */
  readonly era?: Revision['era'];
  /** Whether it sends hostile input: only with `hostile`. */
  readonly hostile?: boolean;
  /** Whether a quick run skips it: it starts a further conversation, or waits. */
  readonly slow?: boolean;
  /** Uses only separate conversations and runs in parallel with other probes: at once, or after the survey. */
  readonly apart?: 'at once' | 'surveyed';
  /** What the target must have, for the report if nothing was seen. */
  readonly needs?: string;
  /** Runs in one revision. An error that it throws is reported as a failure of the probe. */
  run(bench: Bench, revision: Revision): Promise<void>;
}

/** Whether a probe fits this revision and transport. */
export const suits = ({ over, era }: ServerProbe, kind: 'pipe' | 'http', revision: Revision): boolean =>
  (over ?? kind) === kind && (era ?? revision.era) === revision.era;
