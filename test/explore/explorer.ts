import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { randomOf } from '../random.ts';
import { Ways } from './ways.ts';

// Runs real code through every order of what can happen. The explorer keeps no states: it begins each run anew, repeats the
// steps that it knows, and goes another way after them. Orders that differ only in steps that commute are run once: sleep sets
// (Godefroid, 1996) leave out the others.

/** One thing that may happen. */
export interface Step {
  /** What happens; the same thing has the same name in every order. */
  readonly name: string;
  /** What it reads or changes. Two steps that touch nothing in common commute; `*` touches everything. */
  readonly touches: readonly string[];
  /** It may also not happen: a run in which nothing but such steps is left may end there. */
  readonly optional?: true;
  run(): void | Promise<void>;
}

/** What is explored: real objects, the wires between them, and what must be true of them. */
export interface World {
  /** What may happen now. Where nothing has to, the run is complete. */
  steps(): readonly Step[];
  /** Throws an error where an invariant is broken. Called after each step. */
  check(): void;
  /** Ends what is open, and checks that nothing is left. Returns what came of the run, as text. */
  finish(): string | Promise<string>;
}

/** A kind of world. */
export interface Kind {
  readonly name: string;
  /** What happens in it. */
  readonly what: string;
  make(): World | Promise<World>;
}

/** A run that broke an invariant. */
export interface Counterexample {
  readonly steps: readonly string[];
  readonly why: string;
}

/** What an exploration has found. */
export interface Report {
  /** Runs that came to their end. */
  readonly complete: number;
  /** Runs that were given up because every step left was one that commutes with what other runs have done. */
  readonly covered: number;
  readonly outcomes: ReadonlyMap<string, number>;
  /** The most steps of one run. */
  readonly longest: number;
  /** Whether every order was run, but for those that commute. */
  readonly exhausted: boolean;
  readonly counterexample: Counterexample | undefined;
}

export interface Bounds {
  /** Complete runs after which the exploration ends. */
  readonly maxRuns?: number;
  /** Milliseconds after which it ends. */
  readonly maxMs?: number;
  /** Asked after each run: whether the exploration is to end. */
  readonly stopped?: () => boolean;
  /** Steps of one run: more are a fault. */
  readonly maxSteps?: number;
  /** Of the random numbers that say which way is taken next. */
  readonly seed?: number;
  /** Goes on with the longest way, and drops none: for a space that is to be exhausted. Without it, ways are taken at random. */
  readonly whole?: boolean;
}

type Touched = Pick<Step, 'name' | 'touches'>;

const commute = (a: Touched, b: Touched): boolean =>
  !a.touches.includes('*') && !b.touches.includes('*') && !a.touches.some((one) => b.touches.includes(one));

/** A step of a run, and the one before it. */
interface Taken {
  readonly before: Taken | undefined;
  readonly step: Touched;
  /** Steps that need not be taken after it: other runs take them before it, and they commute with it. */
  readonly asleep: readonly Touched[];
}

/** Ways that are held at most: those of a space that has more are dropped, unless `whole` asks for all. */
const mostWays = 100_000;

/** Lets all microtasks run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets all run that can run without the passing of time. */
export async function calm(...clocks: readonly ManualClock[]): Promise<void> {
  const isDue = ({ due, monotonic }: ManualClock): boolean => due !== undefined && due <= monotonic();
  await settled();
  for (let rounds = 0, clock = clocks.find(isDue); clock; rounds++, clock = clocks.find(isDue)) {
    if (rounds > 1000) throw new Error('it comes to no rest');
    clock.tick(clock.now());
    await settled();
  }
}

/** Time passes until something is due. */
export async function pass(clock: ManualClock): Promise<void> {
  if (clock.due === undefined) throw new Error('nothing is due');
  clock.tick(clock.now() + clock.due - clock.monotonic());
  await calm(clock);
}

/** The clock of a world: it begins in 2026, so that no time is 0 by accident. */
export const worldClock = (): ManualClock => manualClock(1_790_000_000_000);

/** Whether a run may end where this is able to happen. */
const mayEnd = (able: readonly Step[]): boolean => able.every(({ optional }) => optional);

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The step `steps[at]`, which happened here before. */
function known(world: World, steps: readonly string[], at: number): Step {
  const able = world.steps();
  const step = able.find(({ name }) => name === steps[at]);
  if (step) return step;
  const lines = steps.slice(0, at).map((name, n) => `${n + 1}  ${name}`).join('\n');
  throw new Error(`the step "${steps[at]}" cannot happen here: the world does not do the same each time\n${lines}\nonly: ${able.map(({ name }) => name).join('; ')}`);
}

/** Takes a step; returns why it broke something. */
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
    // What was done before is repeated, and was checked then; the last step of it is new.
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
      // The order of the ways does not matter to what is left out, as long as the order is always the same.
      const next: Taken[] = [];
      const first = awake[Math.floor(random() * awake.length)];
      for (let step = first, left = awake; step; step = left[Math.floor(random() * left.length)]) {
        const taken = step;
        const { name, touches } = taken;
        next.push({ before: last, step: { name, touches }, asleep: asleep.filter((one) => commute(one, taken)) });
        asleep.push({ name, touches });
        left = left.filter((one) => one !== taken);
      }
      // A run that may end here ends here, and others go on.
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

/** Runs a world through one order. Returns why it broke an invariant; undefined: it did not, and came to an end after these steps. */
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
