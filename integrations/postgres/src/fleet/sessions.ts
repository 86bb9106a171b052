import { randomUUID } from 'node:crypto';
import { retrying } from 'barewire/fleet';
import type { SessionStore } from 'barewire/fleet';
import { ask, now } from './database.ts';
import type { Database } from './database.ts';

/** Stores the records of sessions in a table. Each change is one statement, which may be repeated. */
export function postgresSessions(database: Database): SessionStore {
  const { schema, answerMs } = database;
  const sessions = `${schema}.fleet_sessions`;
  const query = <R extends object>(text: string, ...values: unknown[]): Promise<R[]> =>
    retrying(answerMs, async () => (await ask<R>(database, text, values)).rows);

  return {
    async create(id, owner, text, ttlMs) {
      const made = await query(`
        INSERT INTO ${sessions} AS s (id, owner, text, version, written_by, expires_at, used_at)
        VALUES ($1, $2, $3, 1, $4, ${now} + $5::bigint, clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, text = excluded.text, version = 1,
          written_by = excluded.written_by, expires_at = excluded.expires_at, used_at = excluded.used_at
        WHERE s.expires_at <= ${now} OR s.written_by = excluded.written_by RETURNING id`,
      id, owner, JSON.stringify(text), randomUUID(), Math.ceil(ttlMs));
      if (made.length === 0) throw new Error(`the session ${id.slice(0, 40)} exists already`);
    },
    async load(id) {
      const [row] = await query<{ text: string; version: number }>(
        `SELECT text, version FROM ${sessions} WHERE id = $1 AND expires_at > ${now}`, id,
      );
      return row && { text: JSON.parse(row.text) as string, version: row.version };
    },
    async touch(id, ttlMs) {
      return (await query(`
        UPDATE ${sessions} SET expires_at = ${now} + $2::bigint, used_at = clock_timestamp()
        WHERE id = $1 AND expires_at > ${now} RETURNING id`, id, Math.ceil(ttlMs))).length === 1;
    },
    async replace(id, version, text) {
      return (await query(`
        UPDATE ${sessions} SET version = $2::int + 1, text = $3, written_by = $4
        WHERE id = $1 AND expires_at > ${now} AND (version = $2 OR written_by = $4) RETURNING id`,
      id, version, JSON.stringify(text), randomUUID())).length === 1;
    },
    async delete(id) {
      const [row] = await query<{ alive: boolean }>(
        `DELETE FROM ${sessions} WHERE id = $1 RETURNING expires_at > ${now} AS alive`, id,
      );
      return row?.alive ?? false;
    },
    async of(owner) {
      const rows = await query<{ id: string }>(
        `SELECT id FROM ${sessions} WHERE owner = $1 AND expires_at > ${now} ORDER BY used_at`, owner,
      );
      return rows.map(({ id }) => id);
    },
  };
}
