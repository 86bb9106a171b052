import { transition } from './machine.ts';
import type { Machine } from './machine.ts';

/** Compares the code's behaviour with tables: each event must be in the table for the current state of its object. */
export class Trace {
  /** The observed transitions, by machine. */
  readonly seen: Map<string, Set<string>> = new Map();
  /** The first event that is not in a table. */
  fault: string | undefined;
  readonly #machines: ReadonlyMap<string, Machine>;
  #at = new Map<string, Map<unknown, string>>();

  constructor(machines: readonly Machine[]) {
    this.#machines = new Map(machines.map((machine) => [machine.name, machine]));
    for (const { name } of machines) this.seen.set(name, new Set());
  }

  /** Starts a new run and forgets the earlier objects. */
  begin(): void {
    this.#at = new Map();
  }

  /** The state of an object. */
  stateOf(name: string, object: unknown): string {
    return this.#at.get(name)?.get(object) ?? this.#machine(name).first;
  }

  /** The objects of a machine with events so far. */
  objectsOf(name: string): unknown[] {
    return [...this.#at.get(name)?.keys() ?? []];
  }

  /** Records an event of an object. `after`: the state that the code shows, if it shows one. */
  see(name: string, object: unknown, event: string, after?: string): void {
    const machine = this.#machine(name);
    const from = this.stateOf(name, object);
    const to = machine.states[from]?.on[event];
    if (to === undefined) {
      this.fault ??= `${name}: the event ${event} happens in the state ${from}, and the table does not have it`;
      return;
    }
    if (after !== undefined && after !== to) this.fault ??= `${name}: ${event} leads from ${from} to ${after}, and in the table to ${to}`;
    this.seen.get(name)?.add(transition(from, event, to));
    const objects = this.#at.get(name) ?? new Map<unknown, string>();
    this.#at.set(name, objects.set(object, to));
  }

  /** Records a change of state; the table determines the event. */
  move(name: string, object: unknown, to: string): void {
    const { states } = this.#machine(name);
    const from = this.stateOf(name, object);
    const event = Object.entries(states[from]?.on ?? {}).find(([, next]) => next === to)?.[0];
    if (event === undefined) this.fault ??= `${name}: goes from ${from} to ${to}, and no event of the table does that`;
    else this.see(name, object, event, to);
  }

  #machine(name: string): Machine {
    const machine = this.#machines.get(name);
    if (machine === undefined) throw new Error(`no machine is called ${name}`);
    return machine;
  }
}
