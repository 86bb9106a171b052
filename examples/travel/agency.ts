import { ToolError } from 'barewire/server';
import { flightsOf } from './data.ts';
import type { Flight } from './data.ts';

export interface Trip extends Flight {
  reference: string;
  seat: string;
  travellers: number;
  name: string;
}

/** The agency's books: quotes, payments and plans since the process began, shared by all clients. */
export interface Agency {
  /** The paid trips, oldest first. */
  readonly trips: readonly Trip[];
  /** The calendar, by date. */
  readonly calendar: readonly { date: string; title: string }[];
  /** Number of fare lookups and card charges, neither of which may happen twice for one booking. */
  readonly counts: { quotes: number; charges: number };
  quote(from: string, to: string, date: string): Flight;
  charge(order: Omit<Trip, 'reference'>): Trip;
  cancel(reference: string): boolean;
  /** An existing line is not added again. */
  addToCalendar(date: string, title: string): void;
}

export function openAgency(): Agency {
  const trips: Trip[] = [];
  const calendar = [{ date: '2026-04-30', title: 'Pack' }];
  const counts = { quotes: 0, charges: 0 };
  return {
    trips,
    calendar,
    counts,
    quote(from, to, date) {
      counts.quotes++;
      const [best] = flightsOf(from, to, date);
      if (best === undefined) throw new ToolError(`There is no flight from ${from} to ${to} on ${date}`);
      return best;
    },
    charge(order) {
      counts.charges++;
      const trip = { reference: `BW${1000 + counts.charges}`, ...order };
      trips.push(trip);
      return trip;
    },
    cancel(reference) {
      const at = trips.findIndex((trip) => trip.reference === reference);
      if (at >= 0) trips.splice(at, 1);
      return at >= 0;
    },
    addToCalendar(date, title) {
      if (calendar.some((entry) => entry.date === date && entry.title === title)) return;
      calendar.push({ date, title });
      calendar.sort((a, b) => a.date.localeCompare(b.date));
    },
  };
}
