import { classify } from '../jsonrpc/codec.ts';
import type { Decoded, Notification } from '../jsonrpc/message.ts';
import type { Reply, Shared } from '../transport/http/server/sharing.ts';
import { refuse, refuseSession } from '../transport/http/server/refuse.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import type { Auth } from '../transport/auth.ts';
import { isUndeliverable } from './engine.ts';
import type { Carried } from './messages.ts';
import { nameIn } from './side.ts';
import type { FleetSide } from './side.ts';

/** A message for another process. */
interface Abroad {
  readonly process: string;
  readonly message: unknown;
}

export const unreachable = 'The sessions cannot be reached';
/** `data` of the errors that say so: stable, for programs. */
export const unreachableData = { code: 'fleet_unreachable' } as const;
const nobodyWaits = 'The process that asked cannot be reached: nobody waits for this answer';

type One = Exclude<Decoded, { kind: 'batch' }>;

/** Passes the client's messages on to the processes that their ids name. */
export function createPassing(side: FleetSide, services: EndpointServices): Pick<Shared, 'forward' | 'pairElsewhere'> {
  /** Where a message belongs: to another process, to every one, or here. */
  function divide(value: One): Abroad | 'everybody' | undefined {
    switch (value.kind) {
      case 'success':
      case 'failure': return abroad(value.message.id, value.message);
      case 'refusal': {
        const { id, answer, error: { code } } = value;
        return answer === undefined ? undefined
          : abroad(id, { jsonrpc: '2.0', id, error: { code, message: answer } });
      }
      case 'notification': {
        const { method, params } = value.message;
        if (method === 'notifications/cancelled') return 'everybody';
        return method === 'notifications/progress' ? abroad(params?.['progressToken'], value.message) : undefined;
      }
      default: return undefined;
    }
  }

  function abroad(id: unknown, message: unknown): Abroad | undefined {
    const process = nameIn(id);
    return process === undefined || process === side.process ? undefined : { process, message };
  }

  function forward(session: Pick<Session, 'id' | 'auth'>, decoded: Decoded, reply?: Reply): boolean {
    if (!side.connected || decoded.kind === 'request') return false;
    const carry = (message: unknown): Carried =>
      ({ kind: 'message', session: session.id, paired: false, auth: dataOf(session.auth), message });
    const sent: Promise<void>[] = [];
    /** True: nothing of it is for this process. */
    const pass = (one: One): boolean => {
      const found = divide(one);
      if (found === 'everybody') {
        sent.push(side.tell({ kind: 'cancelled', carried: carry((one as { message: Notification }).message) }));
      } else if (found) sent.push(side.send(found.process, carry(found.message)));
      return found !== undefined && found !== 'everybody';
    };
    let rest: Decoded | undefined = decoded;
    if (decoded.kind === 'batch') {
      const values = decoded.values.filter((value) => !pass(classify(value)));
      rest = values.length === 0 && sent.length > 0 ? undefined : { ...decoded, values };
    } else if (pass(decoded)) {
      rest = undefined;
    }
    if (sent.length === 0) return false;
    services.track(Promise.all(sent).then(() => {
      if (rest) reply?.take(rest);
      else reply?.request.respond(202, '');
    }, (thrown: unknown) => {
      services.report(thrown);
      // Where the engine is away, the client brings it again.
      if (reply && isUndeliverable(thrown)) refuse(services, reply.request, 400, nobodyWaits);
      else if (reply) refuse(services, reply.request, 503, unreachable, { data: unreachableData });
    }));
    return true;
  }

  return {
    forward,
    pairElsewhere(request, pair, auth) {
      const holder = side.connected ? nameIn(pair) : undefined;
      if (holder === undefined || holder === side.process) return undefined;
      return (decoded) => {
        if (decoded.kind === 'refusal') return;
        const message = decoded.kind === 'batch' ? decoded.values : decoded.message;
        services.track(side.send(holder, { kind: 'message', session: pair, paired: true, auth: dataOf(auth), message }).then(
          () => request.respond(202, ''),
          (thrown: unknown) => {
            // With its process the session has gone; where the engine is away, nobody can say.
            if (isUndeliverable(thrown)) return refuseSession(services, request);
            services.report(thrown);
            refuse(services, request, 503, unreachable, { data: unreachableData });
          },
        ));
      };
    },
  };
}

/** Credentials as other processes get them: what is data. Without `lacks`, their `scopes` are what counts. */
function dataOf(auth: Auth | undefined): Auth | undefined {
  return auth && JSON.parse(JSON.stringify(auth)) as Auth;
}
