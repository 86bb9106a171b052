import { checkOptions } from 'barewire/jsonrpc';
import { LeaseLost, placeOf, Watchers } from 'barewire/tasks';
import type { Lease, StoredTask, TaskChange, TaskStore } from 'barewire/tasks';
import { within } from 'barewire/fleet';
import type { Pool, QueryResult, QueryResultRow } from 'pg';
import { ask, guardConnections } from './fleet/database.ts';
import { Listener } from './fleet/listener.ts';

export { postgresEngine } from './fleet/engine.ts';
export type { PostgresEngine, PostgresEngineOptions } from './fleet/engine.ts';

export interface PostgresStoreOptions {
  /** The schema of the tables, created if missing. `barewire`. */
  readonly schema?: string;
  /**
   * Milliseconds in which the database must answer. A slower operation rejects, and its connection is closed; it may have
   * succeeded. 5,000.
   */
  readonly answerMs?: number;
  /** Called with errors that no caller gets, such as those of the listening connection. Default: they are ignored. */
  readonly onError?: (error: Error) => void;
}

/** Milliseconds since the epoch, by the clock of the database, which is the same for all workers. */
const now = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Sets a lease of these milliseconds, reading the clock once: `now` changes within a statement. */
const holding = (ms: string): string =>
  `(held_from, held_until) = (SELECT at, at + ${ms}::bigint FROM (SELECT ${now} AS at) AS given)`;

/** No answer that a task waits for is missing. */
const unblocked = (tasks: string, answers: string): string => `(${tasks}.waiting IS NULL OR NOT EXISTS (
  SELECT 1 FROM unnest(${tasks}.waiting) AS wanted(key)
  WHERE NOT EXISTS (SELECT 1 FROM ${answers} a WHERE a.id = ${tasks}.id AND a.key = wanted.key)))`;

/** The columns of a task, by name: a prepared statement must stay valid when a later version adds a column. */
const columns = 'id, owner, created_at, expires_at, head, fence, waiting, ended';

interface TaskRow {
  readonly id: string;
  readonly owner: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly head: string;
  readonly fence: number;
  readonly waiting: string[] | null;
  readonly ended: string | null;
}

/**
 * Stores tasks in PostgreSQL, for any number of machines. Each write is one statement, which is refused if the lease is lost.
 * Rejects with a TypeError for an unknown or malformed option.
 *
 * @param pool the store does not end it. One of its connections is kept, for notifications of changes.
 */
export async function postgresStore(pool: Pool, options: PostgresStoreOptions = {}): Promise<TaskStore> {
  checkOptions('postgresStore: options', options, { schema: 'string', answerMs: 0, onError: 'function' });
  const { schema = 'barewire', answerMs = 5000, onError = () => {} } = options;
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema)) throw new RangeError(`${JSON.stringify(schema)} is no name of a schema`);
  const [tasks, records, answers] = [`${schema}.tasks`, `${schema}.task_records`, `${schema}.task_answers`];
  const channel = `${schema}_tasks`;
  guardConnections(pool);
  await pool.query(`
    SELECT pg_advisory_xact_lock(7146317, hashtext('${schema}'));
    CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS ${tasks} (
      id text PRIMARY KEY, owner text NOT NULL, place text NOT NULL, created_at bigint NOT NULL, expires_at bigint,
      head text NOT NULL, fence int NOT NULL DEFAULT 0, held_until bigint NOT NULL DEFAULT 0,
      records int NOT NULL DEFAULT 0, waiting text[], ended text, held_from bigint NOT NULL DEFAULT 0);
    CREATE TABLE IF NOT EXISTS ${records} (
      id text NOT NULL REFERENCES ${tasks} ON DELETE CASCADE, n int NOT NULL, record text NOT NULL, PRIMARY KEY (id, n));
    CREATE TABLE IF NOT EXISTS ${answers} (
      id text NOT NULL REFERENCES ${tasks} ON DELETE CASCADE, key text NOT NULL, answer text NOT NULL,
      PRIMARY KEY (id, key));
    CREATE INDEX IF NOT EXISTS tasks_open ON ${tasks} (held_until) WHERE ended IS NULL;
    CREATE INDEX IF NOT EXISTS tasks_owner ON ${tasks} (owner, place COLLATE "C");
    CREATE INDEX IF NOT EXISTS tasks_expiry ON ${tasks} (expires_at);
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM information_schema.columns
        WHERE table_schema = '${schema}' AND table_name = 'tasks' AND column_name = 'held_from')
      THEN ALTER TABLE ${tasks} ADD COLUMN held_from bigint NOT NULL DEFAULT 0; END IF;
    END $$;
    CREATE INDEX IF NOT EXISTS tasks_held_from ON ${tasks} (held_from) WHERE ended IS NULL AND held_from > 0;
  `);

  const database = { pool, answerMs };
  const query = <R extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<QueryResult<R>> =>
    within(answerMs, ask<R>(database, text, values));

  const watchers = new Watchers();
  const listener = await Listener.start(database, [channel], {
    notified(_channel, payload) {
      const [change, id] = payload.split(' ');
      if (id !== undefined) watchers.tell(id, change as TaskChange);
    },
    // Missed changes are found by polling, which workers and waiting callers do anyway.
    back() {},
    failed: (error) => onError(error instanceof Error ? error : new Error(String(error))),
  });

  /** Ends a statement whose work is named `done`: notifies the others if a row changed. */
  const tell = (change: TaskChange): string =>
    `SELECT id, pg_notify('${channel}', '${change} ' || id) FROM done`;
  const held = `id = $1 AND fence = $2 AND ended IS NULL AND held_until > ${now}`;

  /** Throws if a statement has found no row. */
  async function write(lease: Lease, text: string, values: readonly unknown[]): Promise<void> {
    const { rowCount } = await query(text, [lease.id, lease.fence, ...values]);
    if (rowCount !== 1) throw new LeaseLost(lease, 'its time is over, another worker has the task, or it has ended');
  }

  async function whole(row: TaskRow): Promise<StoredTask> {
    const { id, owner, created_at, expires_at, head, waiting, ended } = row;
    const [written, given] = await Promise.all([
      query<{ record: string }>(`SELECT record FROM ${records} WHERE id = $1 ORDER BY n`, [id]),
      query<{ key: string; answer: string }>(`SELECT key, answer FROM ${answers} WHERE id = $1`, [id]),
    ]);
    return {
      id, owner, head,
      createdAt: Number(created_at),
      expiresAt: expires_at === null ? null : Number(expires_at),
      records: written.rows.map(({ record }) => record),
      answers: new Map(given.rows.map(({ key, answer }) => [key, answer])),
      waiting: waiting ?? undefined,
      end: ended ?? undefined,
    };
  }

  /** Adds records and changes the task in one statement. */
  const adding = (change: TaskChange, more: string): string => `
    WITH done AS (
      UPDATE ${tasks} SET records = records + cardinality($4::text[]) ${more}
      WHERE ${held} AND records = $3 RETURNING id
    ), added AS (
      INSERT INTO ${records} (id, n, record)
      SELECT done.id, $3 + place - 1, record FROM done, unnest($4::text[]) WITH ORDINALITY AS given(record, place)
    ) ${tell(change)}`;

  return {
    durable: true,
    async create(task) {
      const { id, owner, createdAt, expiresAt, head } = task;
      await query(`
        WITH done AS (
          INSERT INTO ${tasks} (id, owner, place, created_at, expires_at, head) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
        ) ${tell('due')}`, [id, owner, placeOf(task), createdAt, expiresAt, head]);
    },
    async load(id) {
      const { rows: [row] } = await query<TaskRow>(`SELECT ${columns} FROM ${tasks} WHERE id = $1`, [id]);
      return row && whole(row);
    },
    async lease(id, ms) {
      const { rows: [row] } = await query<TaskRow>(`
        UPDATE ${tasks} SET fence = fence + 1, ${holding('$2')}, waiting = NULL
        WHERE id = $1 AND ended IS NULL AND held_until <= ${now} AND ${unblocked(tasks, answers)} RETURNING ${columns}`, [id, ms]);
      return row && { lease: { id, fence: row.fence }, task: await whole(row) };
    },
    renew: (lease, ms) => write(lease, `UPDATE ${tasks} SET ${holding('$3')} WHERE ${held}`, [ms]),
    append: (lease, after, added) => write(lease, adding('written', ''), [after, added]),
    release: (lease, after, added, waiting) => write(
      lease, adding(waiting.length > 0 ? 'written' : 'due', ', held_until = 0, held_from = 0, waiting = $5'), [after, added, waiting],
    ),
    async answer(id, given) {
      const { rows } = await query<{ key: string }>(`
        WITH task AS (
          SELECT id, waiting FROM ${tasks} WHERE id = $1 AND ended IS NULL AND waiting IS NOT NULL FOR UPDATE
        ), done AS (
          INSERT INTO ${answers} (id, key, answer)
          SELECT task.id, given.key, given.answer FROM task, unnest($2::text[], $3::text[]) AS given(key, answer)
          WHERE given.key = ANY (task.waiting)
          ON CONFLICT DO NOTHING RETURNING id, key
        ) SELECT key, pg_notify('${channel}', 'due ' || id) FROM done`, [id, [...given.keys()], [...given.values()]]);
      return rows.map(({ key }) => key);
    },
    async end(id, end, lease) {
      const change = `UPDATE ${tasks} SET held_until = 0, held_from = 0, ended =`;
      if (lease) {
        await write(lease, `WITH done AS (${change} $3 WHERE ${held} RETURNING id) ${tell('ended')}`, [end]);
        return true;
      }
      const { rowCount } = await query(
        `WITH done AS (${change} $2 WHERE id = $1 AND ended IS NULL RETURNING id) ${tell('ended')}`, [id, end],
      );
      return rowCount === 1;
    },
    async due(limit) {
      // Rows locked by another worker are skipped.
      // A lease granted in the future dates from before the clock was set back: it restarts now, with its normal duration.
      const { rows } = await query<{ id: string }>(`
        WITH set_back AS (
          UPDATE ${tasks} SET ${holding('held_until - held_from')} WHERE ended IS NULL AND held_from > 0 AND held_from > ${now}
        ) SELECT id FROM ${tasks} WHERE ended IS NULL AND held_until <= ${now} AND ${unblocked(tasks, answers)}
        ORDER BY held_until, created_at LIMIT $1 FOR UPDATE SKIP LOCKED`, [limit]);
      return rows.map(({ id }) => id);
    },
    async list(owner, after, limit) {
      const { rows } = await query<{ id: string; place: string }>(`
        SELECT id, place FROM ${tasks} WHERE owner = $1 AND place COLLATE "C" > $2
        ORDER BY place COLLATE "C" LIMIT $3`, [owner, after ?? '', limit]);
      return rows;
    },
    async count(owner) {
      const { rows: [row] } = await (owner === undefined
        ? query<{ n: number }>(`SELECT count(*)::int AS n FROM ${tasks}`, [])
        : query<{ n: number }>(`SELECT count(*)::int AS n FROM ${tasks} WHERE owner = $1`, [owner]));
      return row?.n ?? 0;
    },
    async expire(until) {
      const { rows } = await query<{ id: string }>(
        `WITH done AS (DELETE FROM ${tasks} WHERE expires_at <= $1 RETURNING id) ${tell('ended')}`, [until],
      );
      return rows.map(({ id }) => id);
    },
    watch: watchers.watch,
    async close() {
      watchers.clear();
      listener.stop();
    },
  };
}
