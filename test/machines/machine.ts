/** One state of a machine. */
export interface MachineState {
  /** What the state means. */
  readonly what: string;
  /** The next state for each event. An event without an entry cannot happen, or is refused without a change. */
  readonly on: Readonly<Record<string, string>>;
  /** For a lifecycle: requests of the peer that are served, and requests that may be sent. */
  readonly receive?: string;
  readonly send?: string;
}

/** A state machine as data, as published in docs/state-machines.json. */
export interface Machine {
  readonly name: string;
  readonly title: string;
  /** Sections of the specification, or a page of these documents if no specification has the term. */
  readonly source: readonly string[];
  /** The files of `src` that implement it. */
  readonly files: readonly string[];
  /** `table`: the code reads this table. `traces`: a test compares the table with the behaviour of the code. */
  readonly driven: 'table' | 'traces';
  readonly first: string;
  readonly events: Readonly<Record<string, string>>;
  readonly states: Readonly<Record<string, MachineState>>;
}

/** The transitions of a machine as `state --event--> state`. */
export const transitionsOf = ({ states }: Pick<Machine, 'states'>): string[] =>
  Object.entries(states).flatMap(([from, { on }]) => Object.entries(on).map(([event, to]) => transition(from, event, to)));

/** A transition as text. */
export const transition = (from: string, event: string, to: string): string => `${from} --${event}--> ${to}`;

/** Faults within a table: unreachable states, names without a description. */
export function faultsOf({ name, first, events, states }: Machine): string[] {
  const faults: string[] = [];
  const reached = new Set([first]);
  for (const state of reached) for (const to of Object.values(states[state]?.on ?? {})) reached.add(to);
  for (const state of reached) if (!Object.hasOwn(states, state)) faults.push(`${name}: no row for the state ${state}`);
  for (const state of Object.keys(states)) if (!reached.has(state)) faults.push(`${name}: nothing leads to the state ${state}`);
  const used = new Set(Object.values(states).flatMap(({ on }) => Object.keys(on)));
  for (const event of used) if (!Object.hasOwn(events, event)) faults.push(`${name}: the event ${event} has no meaning`);
  for (const event of Object.keys(events)) if (!used.has(event)) faults.push(`${name}: no state has the event ${event}`);
  return faults;
}
