import { quote } from '../../../bounds/quote.ts';
import { readAccept } from './post-body.ts';
import type { HttpRequest } from './http-request.ts';
import { refuse, refuseSession } from './refuse.ts';
import type { EndpointServices } from './services.ts';
import type { Session } from './session.ts';

/** Opens a stream for what belongs to no request, or carries on one where it was cut. Never throws. */
export function listen(services: EndpointServices, request: HttpRequest, session: Session): void {
  if (!readAccept(request.header('accept'))?.sse) {
    return refuse(services, request, 406, 'Not acceptable: Accept must list text/event-stream');
  }
  const last = request.header('last-event-id');
  if (last === undefined || services.store === undefined) {
    session.listen(request);
    return session.sendBacklog();
  }
  resume(services, request, session, last).catch((thrown) => {
    services.report(thrown);
    request.destroy();
  });
}

/** 2025-11-25 basic/transports#resumability-and-redelivery. */
async function resume(
  services: EndpointServices, request: HttpRequest, session: Session, last: string,
): Promise<void> {
  const [, name = '', digits] = /^([a-z\d]+)-(\d{1,15})$/.exec(last) ?? [];
  const seq = Number(digits);
  const stream = session.streams?.get(name);
  let texts: readonly string[] | undefined;
  let end: number | undefined;
  do {
    // Messages may come while the store answers: what it knew is complete only where none did.
    end = stream?.seq;
    texts = end === seq ? [] : await services.store?.after(session.id, name, seq);
  } while (stream?.seq !== end);
  if (session.ended) return refuseSession(services, request);
  if (texts === undefined) {
    return refuse(services, request, 400, `The stream cannot be resumed after event ${quote(last)}`);
  }
  const live = session.streams?.get(name);
  const carrier = live ?? session.endedStream(name);
  if (live) session.resumed(live);
  carrier.attach(request, { missed: { seq, texts }, listening: live?.request === undefined });
  if (live === undefined) carrier.finish();
}
