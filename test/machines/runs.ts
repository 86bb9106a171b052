import { explore } from '../explore/explorer.ts';
import type { Bounds, Kind, Report } from '../explore/explorer.ts';
import { connection } from '../explore/worlds/connection.ts';
import { rounds, roundsOnce } from '../explore/worlds/rounds.ts';
import { session } from '../explore/worlds/session.ts';
import { taskWith } from '../explore/worlds/task.ts';
import { driven } from './driven.ts';
import type { Machine } from './machine.ts';
import { LeaseWatch } from './observers/leases.ts';
import { watchLifecycles, watchSessions, watchStreams, watchSubscriptions } from './observers/objects.ts';
import { watchQuestions } from './observers/questions.ts';
import { traced } from './traced.ts';
import { Trace } from './trace.ts';
import { handshake } from './worlds/handshake.ts';
import { idle } from './worlds/idle.ts';
import { subscription } from './worlds/subscription.ts';

/** All machines: those that the code reads, then those compared by traces. */
export const machines: readonly Machine[] = [...driven, ...traced];

/** Validity of a state in the world `rounds`, in milliseconds. */
const ttlMs = 60_000;

/** An observer of a running world. */
interface Onlooker {
  /** Starts a run. */
  begin(): void;
  /** Ends a run. */
  end(): void;
  /** Something that must not happen. */
  fault(): string | undefined;
}

/** The world with an observer: a fault that it reports breaks the world. */
export function watched(kind: Kind, { begin, end, fault }: Onlooker): Kind {
  const judge = (): void => {
    const why = fault();
    if (why !== undefined) throw new Error(why);
  };
  return {
    ...kind,
    async make() {
      begin();
      const world = await kind.make();
      return {
        steps: () => world.steps(),
        check() {
          judge();
          world.check();
        },
        async finish() {
          const outcome = await world.finish();
          end();
          judge();
          return outcome;
        },
      };
    },
  };
}

/** The worlds whose runs are compared with the tables, with the observer of leases. */
function kinds(leases: LeaseWatch): readonly Kind[] {
  return [handshake, connection, subscription, rounds, roundsOnce, session, idle, taskWith(leases)];
}

/** Results of compared runs. */
export interface Compared {
  readonly trace: Trace;
  readonly reports: ReadonlyMap<string, Report>;
}

/**
 * Runs the explorer's worlds with all machines observed. A run with an event that a table does not have ends with a
 * counterexample, like a broken invariant. `only`: the name of one world.
 */
export async function compare(bounds: Bounds, given: readonly Machine[] = machines, only?: string): Promise<Compared> {
  const trace = new Trace(given);
  const leases = new LeaseWatch(trace);
  const questions = watchQuestions(trace, ttlMs);
  const undo = [questions.undo, ...watchLifecycles(trace), ...watchSessions(trace), ...watchStreams(trace), ...watchSubscriptions(trace)];
  const reports = new Map<string, Report>();
  const onlooker: Onlooker = {
    begin() {
      trace.begin();
      leases.begin();
      questions.begin();
    },
    end: () => questions.end(),
    fault: () => trace.fault,
  };
  try {
    for (const kind of kinds(leases)) {
      if (only !== undefined && kind.name !== only) continue;
      reports.set(kind.name, await explore(watched(kind, onlooker), bounds));
    }
  } finally {
    undo.forEach((one) => one());
  }
  return { trace, reports };
}
