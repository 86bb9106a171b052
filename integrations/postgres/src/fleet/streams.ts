import { retrying } from 'barewire/fleet';
import type { StreamStore } from 'barewire/fleet';
import { ask, now } from './database.ts';
import type { Database } from './database.ts';

interface Row {
  readonly head: string;
  readonly first: string;
  readonly over: boolean;
  readonly text: string | null;
}

/** Stores the events of streams in two tables, up to a maximum of bytes per stream. */
export function postgresStreams(database: Database, maxBytesPerStream: number): StreamStore {
  const { schema, answerMs } = database;
  const [streams, events] = [`${schema}.fleet_streams`, `${schema}.fleet_events`];
  const query = <R extends object>(text: string, ...values: unknown[]): Promise<R[]> =>
    retrying(answerMs, async () => (await ask<R>(database, text, values)).rows);

  /** Deletes the oldest events until the rest fits; the last one stays. */
  const shorten = (session: string, stream: string): Promise<object[]> => query(`
    WITH sized AS (
      SELECT number, sum(octet_length(text)) OVER (ORDER BY number DESC) AS total, max(number) OVER () AS newest
      FROM ${events} WHERE session = $1 AND stream = $2
    ), cut AS (SELECT max(number) AS number FROM sized WHERE total > $3 AND number < newest),
    gone AS (DELETE FROM ${events} e USING cut WHERE e.session = $1 AND e.stream = $2 AND e.number <= cut.number)
    UPDATE ${streams} SET first = greatest(first, coalesce(cut.number + 1, 0)),
      bytes = (SELECT max(total) FROM sized WHERE number > coalesce(cut.number, 0))
    FROM cut WHERE session = $1 AND stream = $2`, session, stream, maxBytesPerStream);

  return {
    async append({ session, stream, head, first, texts, over, ttlMs }) {
      const written = texts.map((text) => JSON.stringify(text));
      const bytes = written.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      const [row] = await query<{ bytes: string }>(`
        WITH written AS (
          INSERT INTO ${streams} AS s (session, stream, head, first, bytes, over, expires_at)
          VALUES ($1, $2, $3, $4, $5, $6, ${now} + $7::bigint)
          ON CONFLICT (session, stream) DO UPDATE
          SET bytes = s.bytes + excluded.bytes, over = excluded.over, expires_at = excluded.expires_at
          WHERE NOT s.over RETURNING session, stream, bytes, first
        ), added AS (
          INSERT INTO ${events} (session, stream, number, text)
          SELECT session, stream, $4::bigint + place - 1, text
          FROM written, unnest($8::text[]) WITH ORDINALITY AS given(text, place)
          WHERE $4::bigint + place - 1 >= written.first ON CONFLICT DO NOTHING
        ) SELECT bytes FROM written`,
      session, stream, JSON.stringify(head), first, bytes, over, Math.ceil(ttlMs), written);
      if (row && Number(row.bytes) > maxBytesPerStream) await shorten(session, stream);
    },
    async after(session, stream, number) {
      const rows = await query<Row>(`
        SELECT s.head, s.first, s.over, e.text FROM ${streams} s
        LEFT JOIN ${events} e ON e.session = s.session AND e.stream = s.stream AND e.number > $3
        WHERE s.session = $1 AND s.stream = $2 AND s.expires_at > ${now} ORDER BY e.number`, session, stream, number);
      const [found] = rows;
      if (found === undefined || number + 1 < Number(found.first)) return undefined;
      const texts = rows.flatMap(({ text }) => (text === null ? [] : [JSON.parse(text) as string]));
      return { head: JSON.parse(found.head) as string, texts, over: found.over };
    },
    drop: async (session) => void await query(`DELETE FROM ${streams} WHERE session = $1`, session),
  };
}
