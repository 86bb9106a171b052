import { ask, MissingCapabilityError, ToolError } from 'barewire/server';
import type { EntryHandle, McpServer, ResourceDefinition } from 'barewire/server';
import { dateSchema, describeFlight } from './data.ts';
import type { Agency } from './agency.ts';

/** The tools that change something, after asking the traveller. */
export function registerBooking(server: McpServer, agency: Agency, scopes: readonly string[]): void {
  const listed = new Map<string, EntryHandle<ResourceDefinition>>();

  server.tool('book_trip', {
    title: 'Book a trip',
    description: 'Books a flight, after the traveller has filled in two forms: how to fly, and whether to pay',
    input: {
      type: 'object',
      properties: {
        destination: { type: 'string', minLength: 1, description: 'The city to go to', examples: ['Lisbon'] },
        origin: { type: 'string', minLength: 1, default: 'Berlin' },
        date: { ...dateSchema, default: '2026-05-01' },
      },
      required: ['destination'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    scopes,
  }, async ({ destination, origin = 'Berlin', date = '2026-05-01' }, ctx) => {
    // Only once, however often this handler runs: the displayed fare is the charged fare.
    const quote = await ctx.once('quote', () => agency.quote(origin, destination, date));

    const wish = await ctx.elicit(`How would you like to fly to ${destination}?`, {
      seat: { type: 'string', enum: ['window', 'aisle'], default: 'window', title: 'Seat' },
      travellers: { type: 'integer', minimum: 1, maximum: 9, default: 1, title: 'Travellers' },
      name: { type: 'string', minLength: 1, maxLength: 60, default: 'A. Traveller', title: 'Name on the ticket' },
    }, { key: 'wish' });
    if (wish.action !== 'accept') return 'Nothing booked.';

    const { seat, travellers, name } = wish.content;
    const total = quote.price * travellers;
    const offer = `${describeFlight(quote)}. ${travellers} × ${seat} seat, ${total} EUR in all.`;
    const payment = await ctx.elicit(`${offer} Pay?`, {
      confirm: { type: 'boolean', default: true, title: `Pay ${total} EUR` },
    }, { key: 'payment' });
    if (payment.action !== 'accept' || !payment.content.confirm) return 'Nothing booked.';

    const trip = await ctx.once('charge', () => agency.charge({ ...quote, seat, travellers, name }));
    const uri = `travel://trips/${trip.reference}`;
    if (!listed.has(trip.reference)) {
      // A new resource: every listening client is notified of the changed list.
      const definition = { name: `Trip ${trip.reference}`, mimeType: 'application/json' };
      listed.set(trip.reference, server.resource(uri, definition, () => JSON.stringify(trip, null, 2)));
    }
    agency.addToCalendar(date, `${trip.flight} ${origin} to ${destination}`);
    server.resourceUpdated('travel://calendar');
    server.resourceUpdated('travel://history');
    ctx.log('notice', `Booked ${trip.reference}`, 'booking');
    return [
      { type: 'text', text: `Booked ${trip.reference}: ${trip.flight} to ${destination}, ${seat} seat, ${total} EUR.` },
      { type: 'resource_link', uri, name: `Trip ${trip.reference}`, mimeType: 'application/json' },
    ];
  });

  server.tool('cancel_trip', {
    title: 'Cancel a trip',
    description: 'Cancels a booked trip for good',
    input: { type: 'object', properties: { reference: { type: 'string' } }, required: ['reference'] },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    scopes,
  }, ({ reference }) => {
    if (!agency.cancel(reference)) throw new ToolError(`There is no trip ${reference}`);
    listed.get(reference)?.remove();
    listed.delete(reference);
    server.resourceUpdated('travel://history');
    return `Cancelled ${reference}.`;
  });

  server.tool('add_to_calendar', {
    title: 'Add to the calendar',
    description: 'Puts a line into the travel calendar; whoever watches travel://calendar is told',
    input: {
      type: 'object',
      properties: {
        date: { ...dateSchema, examples: ['2026-05-02'] },
        title: { type: 'string', minLength: 1, maxLength: 100, examples: ['Tram 28'] },
      },
      required: ['date', 'title'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }, ({ date, title }) => {
    agency.addToCalendar(date, title);
    server.resourceUpdated('travel://calendar');
    return `${date}: ${title}`;
  });

  // A handler may be a generator: it yields its questions, and is suspended at each of them.
  server.tool('packing_list', {
    title: 'Packing list',
    description: 'Asks three short questions and says what to pack',
    annotations: { readOnlyHint: true, openWorldHint: false },
  }, function* () {
    const where = yield* ask.select('Where does it go?', ['city', 'mountains', 'sea'], { default: 'sea' });
    const days = yield* ask.number('For how many days?', { integer: true, minimum: 1, maximum: 60, default: 4 });
    const work = yield* ask.confirm('Do you have to work there?', { default: false });
    const kit = { city: ['good shoes'], mountains: ['boots', 'rain coat'], sea: ['swimwear', 'sun cream'] }[where];
    const all = [`${Math.min(days, 8)} × everything`, ...kit, ...work ? ['laptop'] : []];
    return `Pack: ${all.join(', ')}.`;
  });

  server.tool('apply_for_visa', {
    title: 'Apply for a visa',
    description: "Sends the traveller to the consulate's page: a passport number is nothing for a chat",
    input: {
      type: 'object',
      properties: { country: { type: 'string', minLength: 1, default: 'Portugal' } },
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  }, async ({ country = 'Portugal' }, ctx) => {
    const url = `https://consulate.example/visa?country=${encodeURIComponent(country)}`;
    try {
      const { action } = await ctx.elicitUrl(
        `The visa for ${country} is applied for on the consulate's own page.`, url,
      );
      return action === 'accept' ? 'The application was opened.' : 'No application was made.';
    } catch (error) {
      if (!(error instanceof MissingCapabilityError)) throw error;
      return `Apply for the visa here: ${url}`;
    }
  });
}
