import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { randomOf } from '../random.ts';
import { Ways } from './ways.ts';

// Runs real code through every order of its events. The explorer stores no states: it begins each run anew, repeats the known steps and
// then takes a different one. A way is a sequence of steps that no run has continued yet. Orders that differ only in steps that commute are
// run once: sleep sets (Godefroid, 1996) leave out the others.

/** An event that may happen next. */
export interface Step {
  /** Describes the step. The same step has the same name in every order. */
  readonly name: string;
  /** The places that it reads or changes. Two steps without a common place commute; `*` touches everything. */
  readonly touches: readonly string[];
  /** The step may also never happen: a run may end when only optional steps are left. */
  readonly optional?: true;
  run(): void | Promise<void>;
}

/** The explored system: real objects, the connections between them, and their invariants. */
export interface World {
  /** The steps that are possible now. The run is complete if each of them is optional. */
  steps(): readonly Step[];
  /** Throws an error if an invariant is broken. Called after each step. */
  check(): void;
  /** Closes everything, and checks that nothing is left. Returns the outcome of the run as text. */
  finish(): string | Promise<string>;
}

/** A kind of world. */
export interface Kind {
  readonly name: string;
  /** One line for the report: the events of this world. */
  readonly what: string;
  make(): World | Promise<World>;
}

/** A run that broke an invariant. */
export interface Counterexample {
  readonly steps: readonly string[];
  readonly why: string;
}

/** The result of an exploration. */
export interface Report {
  /** Runs that reached their end. */
  readonly complete: number;
  /** Runs that were abandoned because other runs cover each step that was left: it commutes with their steps. */
  readonly covered: number;
  readonly outcomes: ReadonlyMap<string, number>;
  /** The most steps of one run. */
  readonly longest: number;
  /** True if every order was run, except orders that differ only in steps that commute. */
  readonly exhausted: boolean;
  readonly counterexample: Counterexample | undefined;
}

export interface Bounds {
  /** Complete runs after which the exploration ends. */
  readonly maxRuns?: number;
  /** Milliseconds after which it ends. */
  readonly maxMs?: number;
  /** Called after each run. True ends the exploration. */
  readonly stopped?: () => boolean;
  /** The most steps of one run. A longer run is reported as a fault. */
  readonly maxSteps?: number;
  /** Seed of the random numbers that choose the next way. */
  readonly seed?: number;
  /** Continues the longest way first and drops no way, to exhaust a space. Otherwise ways are taken at random. */
  readonly whole?: boolean;
}

type Touched = Pick<Step, 'name' | 'touches'>;

const commute = (a: Touched, b: Touched): boolean =>
  !a.touches.includes('*') && !b.touches.includes('*') && !a.touches.some((one) => b.touches.includes(one));

/** A step of a run, linked to the step before it. */
interface Taken {
  readonly before: Taken | undefined;
  readonly step: Touched;
  /** Steps that need not follow: they commute with this step, and other runs take them before it. */
  readonly asleep: readonly Touched[];
}

/** The most ways that are held. If a space has more, some are dropped, unless `whole` is set. */
const mostWays = 100_000;

/** Lets all microtasks run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs everything that is possible without time passing. */
export async function calm(...clocks: readonly ManualClock[]): Promise<void> {
  const isDue = ({ due, monotonic }: ManualClock): boolean => due !== undefined && due <= monotonic();
  await settled();
  for (let rounds = 0, clock = clocks.find(isDue); clock; rounds++, clock = clocks.find(isDue)) {
    if (rounds > 1000) throw new Error('it comes to no rest');
    clock.tick(clock.now());
    await settled();
  }
}

/** Advances the clock to its next timer. */
export async function pass(clock: ManualClock): Promise<void> {
  if (clock.due === undefined) throw new Error('nothing is due');
  clock.tick(clock.now() + clock.due - clock.monotonic());
  await calm(clock);
}

/** The clock of a world. It begins in 2026, so that no time is 0 by accident. */
export const worldClock = (): ManualClock => manualClock(1_790_000_000_000);

/** True if a run may end when only the steps `able` are possible. */
const mayEnd = (able: readonly Step[]): boolean => able.every(({ optional }) => optional);

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Finds the step `steps[at]`, which was possible here in an earlier run. */
function known(world: World, steps: readonly string[], at: number): Step {
  const able = world.steps();
  const step = able.find(({ name }) => name === steps[at]);
  if (step) return step;
  const lines = steps.slice(0, at).map((name, n) => `${n + 1}  ${name}`).join('\n');
  throw new Error(`the step "${steps[at]}" cannot happen here: the world does not do the same each time\n${lines}\nonly: ${able.map(({ name }) => name).join('; ')}`);
}

/** Takes a step. Returns the message if the step threw or broke an invariant. */
async function take(world: World, step: Step): Promise<string | undefined> {
  try {
    await step.run();
    world.check();
  } catch (thrown) {
    return messageOf(thrown);
  }
  return undefined;
}

const stepsTo = (last: Taken | undefined): Touched[] => {
  const steps: Touched[] = [];
  for (let one = last; one; one = one.before) steps.push(one.step);
  return steps.reverse();
};

/** Runs a world through all orders, or as many as the bounds allow. */
export async function explore({ make }: Kind, bounds: Bounds = {}): Promise<Report> {
  const { maxRuns = Infinity, maxMs = Infinity, maxSteps = 200, seed = 1, whole = false, stopped = () => false } = bounds;
  const until = performance.now() + maxMs;
  const random = randomOf(seed);
  const outcomes = new Map<string, number>();
  let [complete, covered, longest] = [0, 0, 0];
  const report = (exhausted: boolean, counterexample?: Counterexample): Report =>
    ({ complete, covered, outcomes, longest, exhausted, counterexample });
  const ways = new Ways<Taken | undefined>(whole ? Infinity : mostWays);
  ways.add(0, undefined);
  while (ways.size > 0) {
    let last = whole ? ways.takeDeepest() : ways.take(random);
    const world = await make();
    const broken = (why: string): Report => report(false, { steps: stepsTo(last).map(({ name }) => name), why });
    // Repeat the known steps, which an earlier run has checked. Only the last of them is new and is checked here.
    const before = stepsTo(last).map(({ name }) => name);
    for (let at = 0; at < before.length; at++) {
      const step = known(world, before, at);
      const why = at < before.length - 1 ? void await step.run() : await take(world, step);
      if (why !== undefined) return broken(why);
    }
    for (let depth = before.length; ; depth++) {
      longest = Math.max(longest, depth);
      const able = world.steps();
      if (new Set(able.map(({ name }) => name)).size < able.length) throw new Error(`two steps have one name: ${able.map(({ name }) => name).join('; ')}`);
      const asleep = [...last?.asleep ?? []];
      const awake = able.filter(({ name }) => !asleep.some((one) => one.name === name));
      const ends = mayEnd(able);
      if (awake.length === 0 && !ends) {
        covered++;
        break;
      }
      if (depth >= maxSteps && awake.length > 0) return broken(`more than ${maxSteps} steps`);
      // Sleep sets allow any order of the ways, if it is the same in every run.
      const next: Taken[] = [];
      const first = awake[Math.floor(random() * awake.length)];
      for (let step = first, left = awake; step; step = left[Math.floor(random() * left.length)]) {
        const taken = step;
        const { name, touches } = taken;
        next.push({ before: last, step: { name, touches }, asleep: asleep.filter((one) => commute(one, taken)) });
        asleep.push({ name, touches });
        left = left.filter((one) => one !== taken);
      }
      // If this run may end here, it ends, and all further steps become ways for other runs.
      for (const way of ends ? next : next.slice(1)) ways.add(depth + 1, way);
      if (ends || !first) {
        try {
          const outcome = await world.finish();
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        } catch (thrown) {
          return broken(`at the end: ${messageOf(thrown)}`);
        }
        complete++;
        break;
      }
      last = next[0];
      const why = await take(world, first);
      if (why !== undefined) return broken(why);
    }
    if (ways.size > 0 && (complete >= maxRuns || performance.now() > until || stopped())) return report(false);
  }
  return report(!ways.dropped);
}

/** Runs a world through one order of steps. Returns the message of a broken invariant, or undefined if the run kept them all to its end. */
export async function replay({ make }: Kind, steps: readonly string[]): Promise<string | undefined> {
  const world = await make();
  for (const at of steps.keys()) {
    const why = await take(world, known(world, steps, at));
    if (why !== undefined) return why;
  }
  if (!mayEnd(world.steps())) return undefined;
  try {
    await world.finish();
  } catch (thrown) {
    return `at the end: ${messageOf(thrown)}`;
  }
  return undefined;
}
