import { checkOptions } from '../bounds/options.ts';
import { Undeliverable } from './engine.ts';
import type { Bus, BusHandler, StoringEngine } from './engine.ts';
import { memorySessions } from './memory-sessions.ts';
import { memorySpent } from './memory-spent.ts';
import { memoryStreams } from './memory-streams.ts';

/** One process, as the memory knows it. */
interface Member {
  readonly inbox: string[];
  handler: BusHandler | undefined;
  /** A turn of the event loop that reads the inbox is on its way. */
  reading: boolean;
}

/** What bounds the memory of `memoryEngine`. */
export interface MemoryEngineOptions {
  /** Sessions that are kept: over this, the one that was used longest ago goes. 100,000. */
  readonly maxSessions?: number | undefined;
  /** Bytes of events that are kept of one stream: the oldest go first. 2 MiB. */
  readonly maxBytesPerStream?: number | undefined;
  /** The same of all streams together: the stream that was quiet longest goes first. 64 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * An engine in the memory of this process, for endpoints that share it and for tests: of the stored level whole. Whoever
 * has joined holds its lease until it leaves: there is no other way for it to die than with this memory.
 */
export function memoryEngine(options: MemoryEngineOptions = {}): StoringEngine {
  checkOptions('memoryEngine: options', options, { maxSessions: 'number', maxBytesPerStream: 'number', maxBytes: 'number' });
  const { maxSessions = 100_000, maxBytesPerStream = 2 * 1024 * 1024, maxBytes = 64 * 1024 * 1024 } = options;
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
    sessions: memorySessions(maxSessions),
    streams: memoryStreams(maxBytesPerStream, maxBytes),
    spent: memorySpent(),
    async join(process): Promise<Bus> {
      if (members.has(process)) throw new Error(`the name ${process} is taken`);
      const own: Member = { inbox: [], handler: undefined, reading: false };
      members.set(process, own);
      return {
        leaseMs: 10_000,
        async send(to, message) {
          const member = members.get(to);
          if (member === undefined) throw new Undeliverable(to);
          member.inbox.push(message);
          read(member);
        },
        async tell(topic, message) {
          for (const { handler } of members.values()) queueMicrotask(() => handler?.told(topic, message));
        },
        gone: async (processes) => processes.filter((name) => !members.has(name)),
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
