import { classify, decodeValue } from '../jsonrpc/index.ts';
import type { Decoded, Notification } from '../jsonrpc/index.ts';
import { refuse, refuseSession } from '../transport/internal-exports.ts';
import type { Auth, EndpointServices, Reply, Session, Sessions, Shared } from '../transport/internal-exports.ts';
import { isUndeliverable } from './engine.ts';
import type { CarriedMessage } from './messages.ts';
import { processIn } from './names.ts';
import type { FleetProcess } from './process.ts';

/** A message and its receiving process. */
interface Abroad {
  readonly process: string;
  readonly message: unknown;
}

export const unreachable = 'The sessions cannot be reached';
/** `data` of the errors with that message: stable, for programs. */
export const unreachableData = { code: 'fleet_unreachable' } as const;
const nobodyWaits = 'The process that waits for this answer cannot be reached';

/** A single message, not a batch. */
type SingleMessage = Exclude<Decoded, { kind: 'batch' }>;

/**
 * Forwards the client's messages to the processes named in their ids. Long function: its short functions share the
 * process and the services of one endpoint.
 */
export function createForwarding(self: FleetProcess, services: EndpointServices): Pick<Shared, 'forward' | 'pairElsewhere'> {
  /** Returns where a message belongs: to another process, to every process, or here (undefined). */
  function divide(value: SingleMessage): Abroad | 'everybody' | undefined {
    switch (value.kind) {
      case 'success':
      case 'failure': return abroad(value.message.id, value.message);
      case 'refusal': {
        const { id, responseFault, error: { code } } = value;
        return responseFault === undefined ? undefined
          : abroad(id, { jsonrpc: '2.0', id, error: { code, message: responseFault } });
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
    const process = processIn(id);
    return process === undefined || process === self.name ? undefined : { process, message };
  }

  function forward(session: Pick<Session, 'id' | 'auth'>, decoded: Decoded, reply?: Reply): boolean {
    if (!self.connected || decoded.kind === 'request') return false;
    const carry = (message: unknown): CarriedMessage =>
      ({ kind: 'message', session: session.id, paired: false, auth: dataOf(session.auth), message });
    const sent: Promise<void>[] = [];
    /** Sends a message to its processes. True if this process need not handle it too. */
    const pass = (one: SingleMessage): boolean => {
      const found = divide(one);
      if (found === 'everybody') {
        sent.push(self.tell({ kind: 'cancelled', carried: carry((one as { message: Notification }).message) }));
      } else if (found) sent.push(self.send(found.process, carry(found.message)));
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
      // If the engine is away, the client may send it again.
      if (reply && isUndeliverable(thrown)) refuse(services, reply.request, 400, nobodyWaits);
      else if (reply) refuse(services, reply.request, 503, unreachable, { data: unreachableData });
    }));
    return true;
  }

  return {
    forward,
    pairElsewhere(request, pair, auth) {
      const holder = self.connected ? processIn(pair) : undefined;
      if (holder === undefined || holder === self.name) return undefined;
      return (decoded) => {
        if (decoded.kind === 'refusal') return;
        const message = decoded.kind === 'batch' ? decoded.values : decoded.message;
        services.track(self.send(holder, { kind: 'message', session: pair, paired: true, auth: dataOf(auth), message }).then(
          () => request.respond(202, ''),
          (thrown: unknown) => {
            // The session has gone with its process. If the engine is away, that is not known.
            if (isUndeliverable(thrown)) return refuseSession(services, request);
            services.report(thrown);
            refuse(services, request, 503, unreachable, { data: unreachableData });
          },
        ));
      };
    },
  };
}

/** The credentials as data, for another process. They lose the function `lacks`, so that only their `scopes` count. */
function dataOf(auth: Auth | undefined): Auth | undefined {
  return auth && JSON.parse(JSON.stringify(auth)) as Auth;
}

/** Passes a client's message that another process received to the session, if it is open here. */
export function deliver(sessions: Sessions, { session: name, paired, auth, message }: CarriedMessage): void {
  const session = sessions.peek(name);
  if (session === undefined || session.paired !== paired || session.auth?.principal !== auth?.principal) return;
  if (paired) session.heard(auth);
  session.peer.receive(decodeValue(message));
}

/** The most messages that are kept, and their characters. */
const most = { messages: 256, characters: 1_048_576 };

/**
 * Clients' messages for processes that were taken for gone. The clients were told that nobody waits for these messages.
 * If such a process turns out to live (it was suspended, or cut off for longer than its lease), it gets them, because
 * its handlers wait for those answers.
 */
export interface Undelivered {
  keep(process: string, message: CarriedMessage): void;
  /** Removes and returns the messages for a process. */
  take(process: string): readonly CarriedMessage[];
}

/** Makes an `Undelivered` that keeps the newest messages. */
export function undelivered(): Undelivered {
  let kept: { readonly process: string; readonly message: CarriedMessage; readonly characters: number }[] = [];
  let held = 0;

  return {
    keep(process, message) {
      const characters = JSON.stringify(message).length;
      kept.push({ process, message, characters });
      held += characters;
      while (held > most.characters || kept.length > most.messages) held -= kept.shift()?.characters ?? 0;
    },
    take(process) {
      const own = kept.filter((one) => one.process === process);
      kept = kept.filter((one) => one.process !== process);
      for (const { characters } of own) held -= characters;
      return own.map(({ message }) => message);
    },
  };
}
