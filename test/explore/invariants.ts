import { getEventListeners } from 'node:events';
import type { Budget } from '../../src/bounds/budget.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import type { Pipe } from './pipe.ts';

// Invariants that several worlds share. Those of a connection are in pipe.ts, those of an event stream in event-stream.ts, and those of a
// single world in its file.

/** The resources that `nothingHeld` checks. */
export interface Held {
  readonly clocks: readonly ManualClock[];
  readonly budgets?: readonly Budget[];
  /** Signals that the application has passed in. */
  readonly signals?: readonly AbortSignal[];
  /** Name of a table => the number of its entries. */
  readonly entries?: Readonly<Record<string, number>>;
}

/** Throws if, after the end, a timer, a byte of a budget, a listener or an entry of a table is left. */
export function nothingHeld({ clocks, budgets = [], signals = [], entries = {} }: Held): void {
  for (const { waiting } of clocks) if (waiting > 0) throw new Error(`${waiting} timers are left`);
  for (const { used } of budgets) if (used !== 0) throw new Error(`the budget holds ${used} bytes after the end`);
  for (const signal of signals) {
    const listeners = getEventListeners(signal, 'abort').length;
    if (listeners > 0) throw new Error(`${listeners} listeners of a signal are left`);
  }
  for (const [what, count] of Object.entries(entries)) if (count > 0) throw new Error(`${count} ${what} are left`);
}

/** On an open connection, all requests must be answered and their bytes released: the budget holds `atStart` bytes again. */
export function nothingOwed({ open, server, client, budget }: Pipe, atStart: number = budget.used): void {
  if (!open) return;
  for (const { name, owed } of [server, client]) if (owed.length > 0) throw new Error(`${name} owes answers to ${owed.join()}`);
  if (budget.used !== atStart) throw new Error(`the budget holds ${budget.used - atStart} bytes more than before`);
}

/** One client's texts must not contain the name of another client. `all` are the names of all clients. */
export function ownOnly(own: string, texts: readonly string[], all: readonly string[]): void {
  for (const text of texts) {
    const other = all.find((name) => name !== own && text.includes(name));
    if (other !== undefined) throw new Error(`who gets only what is ${own} gets what is ${other}: ${text}`);
  }
}

/** The numbers of one progress token or one stream must only grow. */
export function onlyGrow(what: string, numbers: readonly number[]): void {
  if (numbers.some((now, at) => at > 0 && !(now > (numbers[at - 1] as number)))) throw new Error(`${what} went ${numbers.join(', ')}`);
}

/**
 * Each waiting caller must be told once. `ends` counts the times. `over`: nothing more can happen, so a caller not yet told would wait for
 * ever.
 */
export function endsOnce(what: string, ends: number, over = false): void {
  if (ends > 1) throw new Error(`${what} ended ${ends} times`);
  if (over && ends === 0) throw new Error(`${what} never ends`);
}
