import { allRules } from '../../src/judge/rules.ts';
import type { JudgedRule } from '../../src/judge/rules.ts';
import type { Desk } from './desk.ts';
import { Fault } from './fault.ts';
import type { Life } from './program.ts';
import type { Passed } from './talk.ts';

/** One demand on the reader's program. */
export interface Check {
  readonly title: string;
  /** Where it is written: `2025-11-25 basic/lifecycle#initialization`. */
  readonly section: string;
  /** The rule of the judge that demands it, if it has one. */
  readonly rule: JudgedRule | undefined;
  /** Throws a `Fault` where the program does not do it. */
  run(desk: Desk): Promise<void>;
}

export interface Chapter {
  readonly number: number;
  readonly title: string;
  readonly checks: readonly Check[];
}

/** `where`: a revision, and the id of a rule of the judge or a section: `2025-11-25 ping-1`, `2025-11-25 basic/lifecycle#shutdown`. */
export function check(title: string, where: string, run: Check['run']): Check {
  const [revision = '', place = ''] = where.split(' ');
  const rule = allRules().get(place);
  if (!rule) return { title, section: where, rule, run };
  // A page that explains it goes before the schema.
  const places = rule.places.filter((one) => one.revision === revision);
  const found = places.find((one) => !one.section.startsWith('schema')) ?? places[0];
  if (!found) throw new RangeError(`${title}: ${revision} does not have the rule ${place}`);
  return { title, section: `${revision} ${found.section}`, rule, run };
}

/** What came of a check. */
export interface Verdict {
  readonly check: Check;
  readonly fault: Fault | undefined;
  /** The last of what passed, and how much there was before it. */
  readonly passed: readonly Passed[];
  readonly before: number;
  /** The program that was started last, as it was when the check ended. */
  readonly life: Life | undefined;
}

/** Messages of a report. */
const shown = 8;

/** Runs one check at a desk of its own. What is no fault of the program's is thrown on. */
export async function judge(one: Check, desk: Desk): Promise<Verdict> {
  let fault: Fault | undefined;
  let life: Life | undefined;
  try {
    await one.run(desk);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    fault = error;
    await desk.settled();
    const last = desk.lives.at(-1);
    life = last && { command: last.command, obituary: last.obituary, complaints: last.complaints };
  } finally {
    await desk.close();
  }
  return { check: one, fault, passed: desk.passed.slice(-shown), before: Math.max(0, desk.passed.length - shown), life };
}
