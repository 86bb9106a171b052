import { setTimeout as pause } from 'node:timers/promises';
import { MissingCapabilityError } from 'barewire/server';
import type { McpServer } from 'barewire/server';
import { airlines, dateSchema, describeFlight, flightOf, flightsOf } from './data.ts';
import type { Flight } from './data.ts';

const route = {
  type: 'object',
  properties: {
    origin: { type: 'string', minLength: 1, description: 'The city to leave from', examples: ['Berlin'] },
    destination: { type: 'string', minLength: 1, description: 'The city to go to', examples: ['Lisbon'] },
    date: { ...dateSchema, examples: ['2026-05-01'] },
  },
  required: ['origin', 'destination', 'date'],
} as const;

const flightSchema = {
  type: 'object',
  properties: {
    flight: { type: 'string' },
    airline: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    date: { type: 'string' },
    departs: { type: 'string' },
    minutes: { type: 'integer' },
    stops: { type: 'integer' },
    price: { type: 'number', description: 'EUR, for one traveller' },
  },
  required: ['flight', 'airline', 'from', 'to', 'date', 'departs', 'minutes', 'stops', 'price'],
} as const;

/** The tools that look for flights: structured output, progress and cancellation, and a question to the model. */
export function registerFlights(server: McpServer): void {
  server.tool('searchFlights', {
    title: 'Search flights',
    description: 'The flights between two cities on a day, cheapest first',
    input: route,
    output: { type: 'object', properties: { flights: { type: 'array', items: flightSchema } }, required: ['flights'] },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }, ({ origin, destination, date }) => ({ flights: flightsOf(origin, destination, date) }));

  server.tool('search_every_airline', {
    title: 'Search every airline',
    description: 'A slow search that asks one airline after another, reports its progress and can be cancelled',
    input: {
      ...route,
      properties: {
        ...route.properties,
        paceMs: { type: 'integer', minimum: 0, maximum: 60_000, default: 80, description: 'Milliseconds an airline' },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }, async ({ origin, destination, date, paceMs = 80 }, ctx) => {
    let best: Flight | undefined;
    for (const [asked, airline] of airlines.entries()) {
      ctx.progress(asked, airlines.length, `Asking ${airline}`);
      // Rejects when the client cancels, which ends this handler: its result is not needed any more.
      await pause(paceMs, undefined, { signal: ctx.signal });
      const found = flightOf(airline, origin, destination, date);
      ctx.log('debug', `${airline} answered: ${found.price} EUR`, 'search');
      if (best === undefined || found.price < best.price) best = found;
    }
    ctx.progress(airlines.length, airlines.length, 'All have answered');
    ctx.log('info', { airlines: airlines.length, best: best?.flight }, 'search');
    return best === undefined ? 'No flights.' : `The cheapest: ${describeFlight(best)}.`;
  });

  server.tool('pick_best_flight', {
    title: 'Pick the best flight',
    description: "Asks the client's own model which flight suits the traveller best",
    input: {
      ...route,
      properties: {
        ...route.properties,
        wishes: { type: 'string', description: 'What matters to the traveller', examples: ['no early start'] },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }, async ({ origin, destination, date, wishes = 'a low price' }, ctx) => {
    const flights = flightsOf(origin, destination, date);
    const list = flights.map((flight, at) => `${at + 1}. ${describeFlight(flight)}`).join('\n');
    try {
      const answer = await ctx.sample({
        systemPrompt: 'You choose flights. Answer with the number of one of them, then the reason in one sentence.',
        messages: [{ role: 'user', content: { type: 'text', text: `The traveller wants ${wishes}.\n${list}` } }],
        maxTokens: 100,
      });
      const first = Array.isArray(answer.content) ? answer.content[0] : answer.content;
      const text = first?.type === 'text' ? first.text : '';
      const picked = flights[Number.parseInt(text, 10) - 1];
      if (picked) return `${answer.model} picks ${describeFlight(picked)}. It says: ${text}`;
      return `${answer.model} named no flight of the list. It says: ${text}`;
    } catch (error) {
      // Not every client provides a model: then the price decides.
      if (!(error instanceof MissingCapabilityError)) throw error;
      return flights[0] ? `There is no model to ask; the cheapest is ${describeFlight(flights[0])}.` : 'No flights.';
    }
  });
}
