import type { Clock, Timer } from '../../../bounds/clock.ts';
import type { GaugedEndpoint } from '../../../bounds/gauges.ts';
import { checkOptions } from '../../../bounds/options.ts';
import type { ServerPort } from '../../server-port.ts';
import { createAdmit } from './admission.ts';
import { serveDocument } from './documents.ts';
import { corsFields, createGuard } from './guard.ts';
import type { HttpRequest } from './http-request.ts';
import type { HttpOptions } from './options.ts';
import { Posting } from './posting.ts';
import { refuse, refuseWork } from './refuse.ts';
import { createRouter } from './router.ts';
import { createServices } from './services.ts';
import { createSessions } from './sessions.ts';

/** How an HTTP server closes. */
export interface CloseOptions {
  /**
   * Milliseconds in which requests are still served: those in flight, and those that come over connections
   * that are open. Default 5 seconds; 0: none.
   */
  drainMs?: number | undefined;
}

/** One server at one place on the web, whatever brings its requests. */
export interface Endpoint extends GaugedEndpoint {
  /** That of the server. */
  readonly clock: Clock;
  /** Takes a request and answers it, now or later. Never throws. */
  handle(request: HttpRequest): void;
  /**
   * Begins to close: ends the streams of GET and of `subscriptions/listen`, and still serves requests. Returns whether
   * clients may have to come back to this process, with answers to questions that only it can take.
   */
  drain(): boolean;
  /**
   * Drains until no request is in flight and no question open that only this process can take the answer of, or until
   * `drainMs` are over. Then every session ends, and what still comes gets 503.
   */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Makes an endpoint of a server: everything of HTTP that is the same in every runtime. Long function: its short
 * functions share the services, the sessions and the phase of one endpoint.
 */
export function createEndpoint(server: ServerPort, options: HttpOptions = {}): Endpoint {
  const { auth, card, cors, fleet, health, observe } = options;
  const services = createServices(server, options);
  const local = createSessions(services);
  const sessions = fleet ? fleet.share(services, local) : local;
  const { shared } = sessions;
  const posting = new Posting(services, sessions);
  const route = createRouter(services, sessions, posting, options);
  const admit = createAdmit(services, options);
  const notAllowed = createGuard(options);
  const documents = typeof auth === 'object' ? auth.documents : undefined;
  // With a fleet, other processes take the answers.
  const questions = fleet ? undefined : server.questions;
  let closed: Promise<void> | undefined;

  /**
   * Fields of every response, read when it is written: one to a request that came before the drain closes its connection too. RFC
   * 9112, 9.6: the client's next request then goes to another connection, perhaps another process.
   */
  const common: { connection?: 'close' } = {};

  function handle(request: HttpRequest): void {
    request.unread = services.unread;
    services.tracing?.begin(request);
    request.common = common;
    observe?.(request, services);
    if (health?.(request, services, fleet) || card?.(request, services, options) || (documents && serveDocument(services, documents, request))) return;
    const what = notAllowed(request);
    if (what !== undefined) return refuse(services, request, 403, `Forbidden: the ${what} is not allowed`);
    if (cors) request.common = { ...request.common, ...corsFields(request) };
    const serve = route(request);
    if (serve === undefined) return;
    // A preflight carries no credentials.
    if (cors && request.method === 'OPTIONS') return request.respond(204, '');
    if (services.phase === 'closed') return refuseWork(services, request);
    admit(request, (who) => {
      if (shared) shared.enter(request, who, () => serve(request, who));
      else serve(request, who);
    });
  }

  function drain(): boolean {
    if (services.phase === 'open') {
      services.phase = 'draining';
      common.connection = 'close';
      server.endSubscriptions();
      for (const session of sessions.all()) session.endListening();
      shared?.drain();
    }
    return questions?.asked === true && inFlight().length > 0;
  }

  async function close(drainMs: number): Promise<void> {
    drain();
    let late = drainMs === 0;
    let timer: Timer | undefined;
    const timeUp = new Promise<void>((resolve) => {
      timer = services.clock.after(drainMs, () => {
        late = true;
        resolve();
      });
    });
    // More may come while the last of these is awaited.
    for (let busy = inFlight(); busy.length > 0 && !late; busy = inFlight()) {
      await Promise.race([timeUp, Promise.all(busy)]);
    }
    timer?.stop();
    services.phase = 'closed';
    for (const response of posting.open()) response.cancel('the server is closing');
    for (const session of sessions.all()) sessions.end(session, 'the server is closing');
  }

  const inFlight = (): Promise<unknown>[] => [
    ...questions?.open ? [questions.answered()] : [],
    ...[...sessions.all().map(({ peer }) => peer).filter((peer) => peer.inFlight > 0), ...posting.open()]
      .map((one) => one.idle()),
    ...services.underWay,
  ];

  return {
    clock: services.clock,
    services, sessions, posting, handle, drain,
    async close(options = {}) {
      checkOptions('close: options', options, { drainMs: 0 });
      return closed ??= close(options.drainMs ?? 5000);
    },
  };
}
