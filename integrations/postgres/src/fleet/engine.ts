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
  /** The schema of the tables, created if missing. `barewire`. */
  readonly schema?: string;
  /** Milliseconds after which a silent process is considered gone. 10 seconds. */
  readonly leaseMs?: number;
  /** Milliseconds in which the database must answer. 5 seconds. */
  readonly answerMs?: number;
  /** Maximum bytes of events stored for one stream: the oldest are dropped first. 2 MiB. */
  readonly maxBytesPerStream?: number;
  /** Called with errors that no caller gets, such as those of the listening connection. Default: they are ignored. */
  readonly onError?: (error: Error) => void;
}

/** Everything that the processes of a fleet share, in PostgreSQL. */
export interface PostgresEngine {
  /** Joins the bus; keeps one connection of the pool for listening. */
  join(process: string): Promise<Bus>;
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly spent: SpentStore;
}

/**
 * Creates the shared state of a fleet in PostgreSQL. Creates missing tables; rejects if the database is unreachable, and with a
 * TypeError for an unknown or malformed option.
 *
 * @param pool the engine does not end it. It needs an `error` listener; otherwise a restart of the database ends the process.
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
