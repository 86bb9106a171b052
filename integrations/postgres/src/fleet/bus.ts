import { randomUUID } from 'node:crypto';
import { Inbox, Outbox, retrying, Undeliverable, within } from 'barewire/fleet';
import type { Bus, BusHandler } from 'barewire/fleet';
import { ask, channelOf, now, sweep } from './database.ts';
import type { Database } from './database.ts';
import { Listener } from './listener.ts';

/** Maximum batches per read. */
const most = 100;
/** NOTIFY carries less than 8,000 bytes; longer texts are kept in a table for this many milliseconds. */
const notifyBytes = 7900;
const toldMs = 60_000;
const sweepMs = 60_000;

export interface BusSettings {
  readonly leaseMs: number;
  readonly onError: (error: Error) => void;
}

/** Joins the bus as `process`. Rejects if the name is taken. */
export async function joinBus(database: Database, { leaseMs, onError }: BusSettings, process: string): Promise<Bus> {
  const { pool, schema, answerMs } = database;
  const [processes, inboxes, told] = [`${schema}.fleet_processes`, `${schema}.fleet_inbox`, `${schema}.fleet_told`];
  const [bell, everybody] = [channelOf(database, `bell ${process}`), channelOf(database, 'told')];
  const token = randomUUID();
  const query = <R extends object>(text: string, values: unknown[]): Promise<R[]> =>
    retrying(answerMs, async () => (await ask<R>(database, text, values)).rows);

  /** Takes the name unless another process has it. False: it is taken. */
  const take = async (): Promise<boolean> => (await query(`
    INSERT INTO ${processes} AS p (name, token, held_until) VALUES ($1, $2, ${now} + $3::bigint)
    ON CONFLICT (name) DO UPDATE SET token = excluded.token, held_until = excluded.held_until
    WHERE p.held_until <= ${now} OR p.token = excluded.token RETURNING name`, [process, token, leaseMs])).length === 1;

  const outbox = new Outbox(async (to, texts) => {
    const { rowCount } = await ask(database, `
      WITH alive AS (SELECT name FROM ${processes} WHERE name = $1 AND held_until > ${now} FOR KEY SHARE),
      put AS (INSERT INTO ${inboxes} (process, texts) SELECT name, $2 FROM alive RETURNING process)
      SELECT pg_notify($3, '') FROM put`, [to, JSON.stringify(texts), channelOf(database, `bell ${to}`)]);
    if (rowCount !== 1) throw new Undeliverable(to);
  }, answerMs);

  let handler: BusHandler | undefined;
  let inbox: Inbox | undefined;
  let taken: string[] = [];
  let reading = false;
  let again = false;
  let left = false;
  let sweptAt = performance.now();

  const report = (thrown: unknown): void => {
    if (!left) onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  };

  /** Delivers the batches of the inbox, and deletes those delivered by the previous read. */
  async function readInbox(): Promise<void> {
    again = true;
    if (inbox === undefined || reading || left) return;
    reading = true;
    try {
      while (again && !left) {
        again = false;
        const rows = await query<{ n: string; texts: string }>(`
          WITH read AS (DELETE FROM ${inboxes} WHERE process = $1 AND n = ANY ($2::bigint[]))
          SELECT n, texts FROM ${inboxes} WHERE process = $1 AND NOT n = ANY ($2::bigint[]) ORDER BY n LIMIT ${most}`,
        [process, taken]);
        taken = rows.map(({ n }) => n);
        for (const { texts } of rows) for (const text of JSON.parse(texts) as string[]) if (!left) inbox.take(text);
        // Once more, to delete the delivered batches.
        again ||= rows.length > 0;
      }
    } catch (thrown) {
      report(thrown);
    } finally {
      reading = false;
    }
  }

  /** The request time of the last confirmed renewal: milliseconds of `performance.now()`. */
  let renewedAt = performance.now();

  async function renew(): Promise<void> {
    if (pool.ending) return clearInterval(renewal);
    const asked = performance.now();
    // Over the listening connection: the pool may be busy for longer than the lease.
    const { rows: [found] } = await retrying(answerMs, () => listener.query<{ out: boolean }>(`
      WITH old AS (SELECT name, held_until <= ${now} AS out FROM ${processes} WHERE name = $1 AND token = $2 FOR NO KEY UPDATE)
      UPDATE ${processes} p SET held_until = ${now} + $3::bigint FROM old WHERE p.name = old.name RETURNING old.out`,
    [process, token, leaseMs]));
    if (left) return;
    if (found === undefined && !await take()) throw new Error(`the name ${process} is another process's by now`);
    // An earlier renewal may have succeeded without a confirmation: then the table does not know of the gap.
    const late = performance.now() - renewedAt > leaseMs;
    renewedAt = Math.max(renewedAt, asked);
    if (found === undefined || found.out || late) handler?.lost();
    await readInbox();
    if (performance.now() - sweptAt < sweepMs) return;
    sweptAt = performance.now();
    await sweep(database, 10 * leaseMs);
  }

  function hear(text: string): void {
    const [topic, message] = JSON.parse(text) as [string, string];
    handler?.told(topic, message);
  }

  if (!await take()) throw new Error(`the name ${process} is taken`);
  await query(`DELETE FROM ${inboxes} WHERE process = $1`, [process]);
  const listener = await Listener.start(database, [bell, everybody], {
    notified(channel, payload) {
      if (channel === bell) return void readInbox();
      if (payload.startsWith('[')) return hear(payload);
      query<{ text: string }>(`SELECT text FROM ${told} WHERE n = $1`, [payload])
        .then(([row]) => row && !left && hear(row.text)).catch(report);
    },
    back() {
      handler?.gap();
      renew().catch(report);
    },
    failed: report,
  });
  const renewal = setInterval(() => void renew().catch(report), leaseMs / 3);
  renewal.unref();

  return {
    leaseMs,
    send: (to, message) => outbox.send(to, message),
    async tell(topic, message) {
      const text = JSON.stringify([topic, message]);
      await within(answerMs, Buffer.byteLength(text) <= notifyBytes
        ? ask(database, 'SELECT pg_notify($1, $2)', [everybody, text])
        : pool.query(`
          WITH kept AS (INSERT INTO ${told} (text, expires_at) VALUES ($2, ${now} + $3::bigint) RETURNING n)
          SELECT pg_notify($1, n::text) FROM kept`, [everybody, text, toldMs]));
    },
    async gone(names) {
      const { rows: alive } = await retrying(answerMs, () => listener.query<{ name: string }>(
        `SELECT name FROM ${processes} WHERE name = ANY ($1::text[]) AND held_until > ${now}`, [names],
      ));
      return names.filter((name) => !alive.some((row) => row.name === name));
    },
    receive(receiver) {
      handler = receiver;
      inbox = new Inbox((message) => receiver.message(message));
      void readInbox();
    },
    async leave() {
      left = true;
      clearInterval(renewal);
      listener.stop();
      await within(answerMs, pool.query(`DELETE FROM ${processes} WHERE name = $1 AND token = $2`, [process, token]));
    },
  };
}
