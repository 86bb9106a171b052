import type { Revision } from '../protocol/index.ts';
import type { Bench } from './bench.ts';

/** One thing that is tried, and the rules that it shows. */
export interface ServerProbe {
  /** For people who wait, and for the report: what is tried. */
  readonly name: string;
  /** The ids of the rules that it may show. */
  readonly rules: readonly string[];
  /** The transport that it is about; both if undefined. */
  readonly over?: 'pipe' | 'http';
  /** The era that it is about; undefined: both. */
  readonly era?: Revision['era'];
  /** Whether it sends what means harm: only with `hostile`. */
  readonly hostile?: boolean;
  /** Whether a quick run leaves it out: it starts a further conversation, or waits. */
  readonly slow?: boolean;
  /** It speaks in conversations of its own only, and runs beside other probes: at once, or when the survey is there. */
  readonly apart?: 'at once' | 'surveyed';
  /** What it needs of the target, for the report where nothing was seen. */
  readonly needs?: string;
  /** Tries it in one revision. What it throws is reported as a probe that could not be made. */
  run(bench: Bench, revision: Revision): Promise<void>;
}

/** Whether a probe is of this revision and transport. */
export const suits = ({ over, era }: ServerProbe, kind: 'pipe' | 'http', revision: Revision): boolean =>
  (over ?? kind) === kind && (era ?? revision.era) === revision.era;
