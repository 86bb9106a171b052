import type { Desk } from './desk.ts';
import { Fault } from './fault.ts';
import type { Life } from './program.ts';
import type { Passed } from './talk.ts';

/** One demand on the reader's program. */
export interface Check {
  readonly title: string;
  /** Where it is written: `2025-11-25 basic/lifecycle#initialization`. */
  readonly section: string;
  /** Throws a `Fault` where the program does not do it. */
  run(desk: Desk): Promise<void>;
}

export interface Chapter {
  readonly number: number;
  readonly title: string;
  readonly checks: readonly Check[];
}

export const check = (title: string, section: string, run: Check['run']): Check => ({ title, section, run });

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

/** The address of a section on the specification's site. */
export function address(section: string): string {
  const [revision = '', place = ''] = section.split(' ');
  const [page = '', heading] = place.split('#');
  return `https://modelcontextprotocol.io/specification/${revision}/${page}${heading === undefined ? '' : `#${heading}`}`;
}
