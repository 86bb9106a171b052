import { McpServer } from 'barewire/server';
import type { ServerOptions } from 'barewire/server';
import { openAgency } from './agency.ts';
import type { Agency } from './agency.ts';
import { registerBooking } from './booking.ts';
import { registerFlights } from './flights.ts';
import { registerItinerary } from './itinerary.ts';
import { registerPlaces } from './places.ts';

/**
 * A travel agency that uses every feature of the protocol. Its handlers are written once: they depend neither on the client's
 * revision nor on the transport.
 *
 * @param options as for any server; two processes that share `requestState.keys` can finish each other's bookings
 * @param agency  the books, for tests that inspect them
 * @param scopes  required scopes for booking and cancelling if the server needs a login (`examples/protected`)
 */
export function createTravelServer(
  options: ServerOptions = {}, agency: Agency = openAgency(), scopes: readonly string[] = [],
): McpServer {
  const server = new McpServer({ name: 'travel', title: 'Travel agency', version: '1.0.0' }, {
    instructions: 'Search before you book. Dates are written 2026-05-01. Nothing here is real.',
    cache: { discover: { ttlMs: 60_000, scope: 'public' }, tools: { ttlMs: 60_000, scope: 'public' } },
    ...options,
  });
  registerFlights(server);
  registerBooking(server, agency, scopes);
  registerPlaces(server, agency);
  registerItinerary(server, agency);
  return server;
}
