import type { SessionStore } from './engine.ts';
import { writeRecord } from './stored-record.ts';
import type { StoredRecord } from './stored-record.ts';

/** What bounds the sessions of a principal. */
export interface PrincipalSessionsOptions {
  readonly sessions: SessionStore;
  /** How many sessions a principal may have. */
  readonly max: number;
  /** Milliseconds after which a session that nobody uses is forgotten. */
  readonly idleMs: number;
  /** Whether the client of this session is connected to this process: it does not make room for another one. */
  readonly connected: (id: string) => boolean;
  /** Ends a session that makes room. */
  readonly end: (id: string) => Promise<void>;
}

/** New sessions in the store: no principal has more than it may. What other processes make meanwhile is not counted. */
export interface PrincipalSessions {
  /** Keeps the record of a new session. False: its principal may have no more. Rejects where the store cannot be reached. */
  create(id: string, record: StoredRecord): Promise<boolean>;
}

/** Makes them. */
export function principalSessions({ sessions, max, idleMs, connected, end }: PrincipalSessionsOptions): PrincipalSessions {
  /** The session that is being made for each principal: one at a time. */
  const making = new Map<string, Promise<unknown>>();

  /** Ends sessions until there is room for one, those first that were used longest ago. False: none can go. */
  async function makeRoom(principal: string): Promise<boolean> {
    const ids = await sessions.of(principal);
    for (let over = ids.length + 1 - max, i = 0; over > 0; i++) {
      const id = ids[i];
      if (id === undefined) return false;
      if (connected(id)) continue;
      await end(id);
      over--;
    }
    return true;
  }

  return {
    async create(id, record) {
      const { principal } = record;
      const make = async (): Promise<boolean> => {
        if (principal !== undefined && !await makeRoom(principal)) return false;
        await sessions.create(id, principal, writeRecord(record), idleMs);
        return true;
      };
      if (principal === undefined) return make();
      const made = (making.get(principal) ?? Promise.resolve()).then(make, make);
      making.set(principal, made);
      try {
        return await made;
      } finally {
        if (making.get(principal) === made) making.delete(principal);
      }
    },
  };
}
