import { Undeliverable } from './engine.ts';
import type { Bus, BusHandler, FleetEngine } from './engine.ts';

/** One process, as the memory knows it. */
interface Member {
  readonly inbox: string[];
  handler: BusHandler | undefined;
  /** A turn of the event loop that reads the inbox is on its way. */
  reading: boolean;
}

/**
 * An engine in the memory of this process, for endpoints that share it and for tests. Whoever has joined holds its lease
 * until it leaves: there is no other way for it to die than with this memory.
 */
export function memoryEngine(): FleetEngine {
  const members = new Map<string, Member>();

  function read(member: Member): void {
    if (member.handler === undefined || member.reading) return;
    member.reading = true;
    queueMicrotask(() => {
      member.reading = false;
      for (const message of member.inbox.splice(0)) member.handler?.message(message);
    });
  }

  return {
    async join(process): Promise<Bus> {
      if (members.has(process)) throw new Error(`the name ${process} is taken`);
      const own: Member = { inbox: [], handler: undefined, reading: false };
      members.set(process, own);
      return {
        async send(to, message) {
          const member = members.get(to);
          if (member === undefined) throw new Undeliverable(to);
          member.inbox.push(message);
          read(member);
        },
        async tell(topic, message) {
          for (const { handler } of members.values()) queueMicrotask(() => handler?.told(topic, message));
        },
        receive(handler) {
          own.handler = handler;
          read(own);
        },
        async leave() {
          if (members.get(process) === own) members.delete(process);
          own.handler = undefined;
          own.inbox.length = 0;
        },
      };
    },
  };
}
