import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { toError } from '../../jsonrpc/internal-exports.ts';
import { memoryEngine } from '../memory-engine.ts';
import type { Done, FromRelay, KeyText, Port, StoreCall, ToRelay } from './relay-engine.ts';

/** A process that has joined the bus. */
interface RelayedProcess {
  readonly name: string;
  readonly port: Port<ToRelay, FromRelay>;
  /** When its lease ends, in milliseconds of the monotonic clock. */
  until: number;
}

/** Carries the messages between processes. */
export interface Relay {
  /** Serves a process over its end of the channel. Returns a function to call when the process has gone. */
  attach(port: Port<ToRelay, FromRelay>): () => void;
}

/**
 * Makes the relay for the processes of one machine. The channel to each process is its inbox: it keeps order, and ends
 * with the process. Sessions and streams are in the memory of the relay's process. Long function: its short functions
 * share the attached processes.
 */
export function createRelay(keys: readonly KeyText[], leaseMs: number, clock: Clock = systemClock): Relay {
  const members = new Map<string, RelayedProcess>();
  const { sessions, streams, spent } = memoryEngine({ clock });

  /** Returns the member with this name if its lease has not expired. */
  function alive(name: string): RelayedProcess | undefined {
    const member = members.get(name);
    return member && member.until > clock.monotonic() ? member : undefined;
  }

  function keep(call: StoreCall): unknown {
    switch (call.method) {
      case 'create': {
        const [id, owner, text, ttlMs] = call.args;
        return sessions.create(id, owner ?? undefined, text, ttlMs);
      }
      case 'load': return sessions.load(...call.args);
      case 'touch': return sessions.touch(...call.args);
      case 'replace': return sessions.replace(...call.args);
      case 'delete': return sessions.delete(...call.args);
      case 'of': return sessions.of(...call.args);
      case 'append': return streams.append(...call.args);
      case 'after': return streams.after(...call.args);
      case 'drop': return streams.drop(...call.args);
      case 'spend': return spent.spend(...call.args);
    }
  }

  /** Carries out a message of a process. The result goes into the answer. */
  function take(message: Exclude<ToRelay, { kind: 'renew' | 'keep' }>, port: RelayedProcess['port']): Partial<Done> {
    switch (message.kind) {
      case 'keys': return { keys };
      case 'join': {
        const { name } = message;
        if (alive(name)) return { fault: `the name ${name} is taken` };
        members.set(name, { name, port, until: clock.monotonic() + leaseMs });
        return { leaseMs };
      }
      case 'send': {
        const member = alive(message.to);
        if (member === undefined) return { fault: 'undeliverable' };
        member.port.send({ kind: 'message', name: member.name, text: message.text });
        return {};
      }
      case 'tell': {
        const { topic, text } = message;
        for (const { name, port: to } of members.values()) to.send({ kind: 'told', name, topic, text });
        return {};
      }
      case 'gone': return { names: message.names.filter((name) => !alive(name)) };
      case 'leave':
        if (members.get(message.name)?.port === port) members.delete(message.name);
        return {};
    }
  }

  return {
    attach(port) {
      port.listen((message) => {
        if (message.kind === 'renew') {
          const member = members.get(message.name);
          // A process that was suspended for longer than its lease gets its own name back: no other process has taken it.
          if (member?.port !== port) return;
          if (!alive(message.name)) port.send({ kind: 'lost', name: message.name });
          member.until = clock.monotonic() + leaseMs;
          return;
        }
        const { n } = message;
        if (message.kind !== 'keep') return port.send({ kind: 'done', n, ...take(message, port) });
        Promise.resolve().then(() => keep(message.call)).then(
          (value) => port.send({ kind: 'done', n, value }),
          (thrown: unknown) => port.send({ kind: 'done', n, fault: toError(thrown).message }),
        );
      });
      return () => {
        for (const [process, member] of members) {
          if (member.port !== port) continue;
          members.delete(process);
          for (const { name, port: to } of members.values()) to.send({ kind: 'left', name, process });
        }
      };
    },
  };
}
