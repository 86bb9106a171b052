import { transition } from './machine.ts';
import type { Machine } from './machine.ts';

/** Compares what the code does with tables: each event has to be one that the table has in the state of its object. */
export class Trace {
  /** The transitions that were seen, by the name of the machine. */
  readonly seen: Map<string, Set<string>> = new Map();
  /** The first event that a table does not have. */
  fault: string | undefined;
  readonly #machines: ReadonlyMap<string, Machine>;
  #at = new Map<string, Map<unknown, string>>();

  constructor(machines: readonly Machine[]) {
    this.#machines = new Map(machines.map((machine) => [machine.name, machine]));
    for (const { name } of machines) this.seen.set(name, new Set());
  }

  /** Another run begins: the objects of the one before are forgotten. */
  begin(): void {
    this.#at = new Map();
  }

  /** The state of an object. */
  stateOf(name: string, object: unknown): string {
    return this.#at.get(name)?.get(object) ?? this.#machine(name).first;
  }

  /** The objects of a machine that something has happened to. */
  objectsOf(name: string): unknown[] {
    return [...this.#at.get(name)?.keys() ?? []];
  }

  /** Something happens to an object. `after`: the state that the code shows, where it shows one. */
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

  /** An object changes its state, and by which event is for the table to say. */
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
