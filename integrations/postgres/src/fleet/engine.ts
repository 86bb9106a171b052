import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { retrying } from 'barewire/fleet';
import type { Bus, SessionStore, SpentStore, StreamStore } from 'barewire/fleet';
import { checkOptions } from 'barewire/jsonrpc';
import { joinBus } from './bus.ts';
import { ask, makeTables, now, guardConnections } from './database.ts';
import type { Database } from './database.ts';
import { postgresSessions } from './sessions.ts';
import { postgresStreams } from './streams.ts';

/** The options of `postgresEngine`. */
export interface PostgresEngineOptions {
  /** The schema that holds the tables; it is made where there is none. `barewire`. */
  readonly schema?: string;
  /** Milliseconds after which a process that gives no sign is taken for gone. 10 seconds. */
  readonly leaseMs?: number;
  /** Milliseconds in which the database has to answer. 5 seconds. */
  readonly answerMs?: number;
  /** Bytes of events that are kept of one stream: the oldest go first. 2 MiB. */
  readonly maxBytesPerStream?: number;
  /** Told what went wrong and has no caller to tell, such as the connection that listens. Default: nobody hears of it. */
  readonly onError?: (error: Error) => void;
}

/** All that the processes of a fleet share, in PostgreSQL. */
export interface PostgresEngine {
  /** Joins the bus; one connection of the pool is kept, to listen. */
  join(process: string): Promise<Bus>;
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly spent: SpentStore;
}

/**
 * What the processes of a fleet share, in PostgreSQL. Makes its tables where there are none; rejects where the database
 * cannot be reached, and with a TypeError for an unknown or malformed option.
 *
 * @param pool the engine does not end it. It needs a listener of `error`, or a restart of the database ends the process.
 */
export async function postgresEngine(pool: Pool, options: PostgresEngineOptions = {}): Promise<PostgresEngine> {
  checkOptions('postgresEngine: options', options, { schema: 'string', leaseMs: 0, answerMs: 0, maxBytesPerStream: 'number', onError: 'function' });
  const {
    schema = 'barewire', leaseMs = 10_000, answerMs = 5000, maxBytesPerStream = 2 * 1024 * 1024, onError = () => {},
  } = options;
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) throw new RangeError(`${JSON.stringify(schema)} is no name of a schema`);
  const database: Database = { pool, schema, answerMs };
  guardConnections(pool);
  await makeTables(database);
  return {
    join: (process) => joinBus(database, { leaseMs, onError }, process),
    sessions: postgresSessions(database),
    streams: postgresStreams(database, maxBytesPerStream),
    spent: {
      async spend(kind, name, expiresAt) {
        const token = randomUUID();
        const { rowCount } = await retrying(answerMs, () => ask(database, `
          INSERT INTO ${schema}.fleet_spent AS s (kind, name, used_by, expires_at) VALUES ($1, $2, $3, $4)
          ON CONFLICT (kind, name) DO UPDATE SET used_by = excluded.used_by, expires_at = excluded.expires_at
          WHERE s.expires_at <= ${now} OR s.used_by = excluded.used_by RETURNING kind`,
        [kind, name, token, Math.ceil(expiresAt)]));
        return rowCount === 1;
      },
    },
  };
}
