import { getEventListeners } from 'node:events';
import type { Budget } from '../../src/bounds/budget.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import type { Pipe } from './pipe.ts';

// What has to be true in more than one world, each written once. What belongs to a wire stands in pipe.ts, to an event stream in
// event-stream.ts; what only one world can see stands in that world.

/** What may be held after the end of everything. */
export interface Held {
  readonly clocks: readonly ManualClock[];
  readonly budgets?: readonly Budget[];
  /** Signals that the application has handed in. */
  readonly signals?: readonly AbortSignal[];
  /** Entries of tables, by what they are. */
  readonly entries?: Readonly<Record<string, number>>;
}

/** Nothing is held after the end: no timer, no byte of a budget, no listener, no entry of a table. */
export function nothingHeld({ clocks, budgets = [], signals = [], entries = {} }: Held): void {
  for (const { waiting } of clocks) if (waiting > 0) throw new Error(`${waiting} timers are left`);
  for (const { used } of budgets) if (used !== 0) throw new Error(`the budget holds ${used} bytes after the end`);
  for (const signal of signals) {
    const listeners = getEventListeners(signal, 'abort').length;
    if (listeners > 0) throw new Error(`${listeners} listeners of a signal are left`);
  }
  for (const [what, count] of Object.entries(entries)) if (count > 0) throw new Error(`${count} ${what} are left`);
}

/** What was asked over a wire that lives is answered, and what it held is released: `atStart` bytes are held, as before. */
export function nothingOwed({ open, server, client, budget }: Pipe, atStart: number = budget.used): void {
  if (!open) return;
  for (const { name, owed } of [server, client]) if (owed.length > 0) throw new Error(`${name} owes answers to ${owed.join()}`);
  if (budget.used !== atStart) throw new Error(`the budget holds ${budget.used - atStart} bytes more than before`);
}

/** What one client gets is of nobody else: `all` are the names that texts of clients carry. */
export function ownOnly(own: string, texts: readonly string[], all: readonly string[]): void {
  for (const text of texts) {
    const other = all.find((name) => name !== own && text.includes(name));
    if (other !== undefined) throw new Error(`who gets only what is ${own} gets what is ${other}: ${text}`);
  }
}

/** Numbers of one progress, or of one stream, only grow. */
export function onlyGrow(what: string, numbers: readonly number[]): void {
  if (numbers.some((now, at) => at > 0 && !(now > (numbers[at - 1] as number)))) throw new Error(`${what} went ${numbers.join(', ')}`);
}

/** Whoever waits is told once: `ends` is how often. `over`: nothing may happen any more, and nobody waits for ever. */
export function endsOnce(what: string, ends: number, over = false): void {
  if (ends > 1) throw new Error(`${what} ended ${ends} times`);
  if (over && ends === 0) throw new Error(`${what} never ends`);
}
