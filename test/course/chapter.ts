import { allRules } from '../../src/judge/rules.ts';
import type { JudgedRule } from '../../src/judge/rules.ts';
import type { Desk } from './desk.ts';
import { Fault } from './fault.ts';
import type { Life } from './program.ts';
import type { Passed } from './talk.ts';

/** One requirement for the reader's program. */
export interface Check {
  readonly title: string;
  /** Where it is written: `2025-11-25 basic/lifecycle#initialization`. */
  readonly section: string;
  /** The judge's rule for it, if there is one. */
  readonly rule: JudgedRule | undefined;
  /** Throws a `Fault` if the program does not meet it. */
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
  // Prefer a page that explains the rule to the schema.
  const places = rule.places.filter((one) => one.revision === revision);
  const found = places.find((one) => !one.section.startsWith('schema')) ?? places[0];
  if (!found) throw new RangeError(`${title}: ${revision} does not have the rule ${place}`);
  return { title, section: `${revision} ${found.section}`, rule, run };
}

/** The result of a check. */
export interface Verdict {
  readonly check: Check;
  readonly fault: Fault | undefined;
  /** The last messages, and the number of messages before them. */
  readonly passed: readonly Passed[];
  readonly before: number;
  /** The program started last, in its state at the end of the check. */
  readonly life: Life | undefined;
}

/** The number of messages in a report. */
const shown = 8;

/** Runs one check at a new desk. Errors that are not a `Fault` are rethrown. */
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
