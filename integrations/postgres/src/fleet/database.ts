import { createHash } from 'node:crypto';
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';

/** Milliseconds since the epoch, by the clock of the database, which is the same for all processes. */
export const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The tables of a fleet, and the access to them. */
export interface Database {
  readonly pool: Pool;
  readonly schema: string;
  /** Milliseconds in which the database must answer. */
  readonly answerMs: number;
}

const names = new Map<string, string>();

/** Queries over this connection. The statement is prepared the first time, so it is parsed and planned once. */
export function askOver<R extends QueryResultRow>(
  client: PoolClient, text: string, values: readonly unknown[],
): Promise<QueryResult<R>> {
  const name = names.get(text) ?? `barewire_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, name);
  return client.query<R>({ name, text, values: [...values] });
}

/**
 * Queries once, over a connection of the pool, which is closed if it does not answer within `answerMs`: otherwise, after a silent
 * network failure, the pool would be full of connections that never answer.
 */
export async function ask<R extends QueryResultRow>(
  { pool, answerMs }: Pick<Database, 'pool' | 'answerMs'>, text: string, values: readonly unknown[],
): Promise<QueryResult<R>> {
  const client = await pool.connect();
  let released = false;
  const release = (destroy: boolean): void => {
    if (!released) client.release(destroy);
    released = true;
  };
  const timer = setTimeout(() => release(true), answerMs);
  hearErrors(client);
  try {
    return await askOver<R>(client, text, values);
  } finally {
    clearTimeout(timer);
    release(false);
  }
}

/**
 * Prevents a broken connection from ending the process. The pool listens for errors of idle connections; but a connection may
 * break before its promise is awaited, and it may report that twice.
 */
export function guardConnections(pool: Pool): void {
  if (!pool.listeners('connect').includes(hearErrors)) pool.on('connect', hearErrors);
}

/** The caller still gets the error: its query rejects. */
function hearErrors(client: PoolClient): void {
  if (!client.listeners('error').includes(ignore)) client.on('error', ignore);
}

function ignore(): void {}

/** A channel of NOTIFY; its name has at most 63 characters. */
export const channelOf = ({ schema }: Database, what: string): string =>
  `barewire_${createHash('sha256').update(`${schema} ${what}`).digest('hex').slice(0, 40)}`;

/** Creates missing tables. Texts are stored as JSON: a text in PostgreSQL cannot contain the character 0. */
export async function makeTables({ pool, schema }: Database): Promise<void> {
  await pool.query(`
    BEGIN;
    SELECT pg_advisory_xact_lock(7146317, hashtext('${schema}'));
    CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS ${schema}.fleet_processes (
      name text PRIMARY KEY, token text NOT NULL, held_until bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS ${schema}.fleet_inbox (
      n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      process text NOT NULL REFERENCES ${schema}.fleet_processes ON DELETE CASCADE, texts text NOT NULL);
    CREATE INDEX IF NOT EXISTS fleet_inbox_process ON ${schema}.fleet_inbox (process, n);
    CREATE TABLE IF NOT EXISTS ${schema}.fleet_told (
      n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL, expires_at bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS ${schema}.fleet_sessions (
      id text PRIMARY KEY, owner text, text text NOT NULL, version int NOT NULL, written_by text NOT NULL,
      expires_at bigint NOT NULL, used_at timestamptz NOT NULL);
    CREATE INDEX IF NOT EXISTS fleet_sessions_owner ON ${schema}.fleet_sessions (owner, used_at);
    CREATE INDEX IF NOT EXISTS fleet_sessions_expiry ON ${schema}.fleet_sessions (expires_at);
    CREATE TABLE IF NOT EXISTS ${schema}.fleet_streams (
      session text NOT NULL, stream text NOT NULL, head text NOT NULL, first bigint NOT NULL, bytes bigint NOT NULL,
      over boolean NOT NULL, expires_at bigint NOT NULL, PRIMARY KEY (session, stream));
    CREATE INDEX IF NOT EXISTS fleet_streams_expiry ON ${schema}.fleet_streams (expires_at);
    CREATE TABLE IF NOT EXISTS ${schema}.fleet_events (
      session text NOT NULL, stream text NOT NULL, number bigint NOT NULL, text text NOT NULL,
      PRIMARY KEY (session, stream, number),
      FOREIGN KEY (session, stream) REFERENCES ${schema}.fleet_streams ON DELETE CASCADE);
    CREATE TABLE IF NOT EXISTS ${schema}.fleet_spent (
      kind text NOT NULL, name text NOT NULL, used_by text NOT NULL, expires_at bigint NOT NULL,
      PRIMARY KEY (kind, name));
    CREATE INDEX IF NOT EXISTS fleet_spent_expiry ON ${schema}.fleet_spent (expires_at);
    COMMIT;
  `);
}

/** Deletes expired rows. `graceMs`: how long a process may return to its inbox. */
export async function sweep({ pool, schema }: Database, graceMs: number): Promise<void> {
  for (const table of ['told', 'sessions', 'streams', 'spent']) {
    await pool.query(`DELETE FROM ${schema}.fleet_${table} WHERE expires_at <= ${now}`);
  }
  await pool.query(`DELETE FROM ${schema}.fleet_processes WHERE held_until <= ${now} - $1::bigint`, [graceMs]);
}
