import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { within } from 'barewire/fleet';
import { ask, askOver } from './database.ts';
import type { Database } from './database.ts';

type Reach = Pick<Database, 'pool' | 'answerMs'>;

/** Milliseconds after which a connection is asked for a sign of life. */
const silentMs = 15_000;

/** What the listener is told. None of these functions throws. */
export interface Hearing {
  notified(channel: string, payload: string): void;
  /** The connection was lost, and is back. */
  back(): void;
  failed(error: unknown): void;
}

/**
 * One connection of the pool that listens on channels. It is replaced when it breaks, and when a query over it is not
 * answered in time: a way that is cut without a word brings no error, and no notification either.
 */
export class Listener {
  readonly #database: Reach;
  readonly #channels: readonly string[];
  readonly #hearing: Hearing;
  #client: PoolClient | undefined;
  /** Whether `#client` listens already. Until then `#connect` rejects when the connection breaks. */
  #listens = false;
  #stopped = false;
  #watch: ReturnType<typeof setInterval> | undefined;
  /** The query before, over whatever connection. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(database: Reach, channels: readonly string[], hearing: Hearing) {
    this.#database = database;
    this.#channels = channels;
    this.#hearing = hearing;
  }

  /** Rejects where the database cannot be reached. */
  static async start(database: Reach, channels: readonly string[], hearing: Hearing): Promise<Listener> {
    const listener = new Listener(database, channels, hearing);
    await listener.#connect();
    const watch = listener.#watch = setInterval(() => void listener.query('SELECT 1', []).catch(() => {}), silentMs);
    watch.unref();
    return listener;
  }

  async #connect(): Promise<void> {
    const { pool, answerMs } = this.#database;
    const connecting = pool.connect();
    const client = await within(answerMs, connecting).catch((thrown: unknown) => {
      // It may still come.
      connecting.then((late) => late.release(true), () => {});
      throw thrown;
    });
    if (this.#stopped) return client.release(true);
    client.on('notification', ({ channel, payload = '' }) => {
      // One that was given up may still bring what another has brought.
      if (this.#client === client) this.#hearing.notified(channel, payload);
    });
    client.on('error', (error) => this.#lost(client, error));
    this.#client = client;
    this.#last = Promise.resolve();
    try {
      const listening = this.#last = client.query(this.#channels.map((channel) => `LISTEN ${channel}`).join('; '));
      await within(answerMs, listening);
      if (this.#stopped) return;
      if (this.#client !== client) throw new Error('the connection broke when it began to listen');
      this.#listens = true;
    } catch (thrown) {
      this.#drop(client);
      throw thrown;
    }
  }

  /** Whether it was the connection that listens. */
  #drop(client: PoolClient): boolean {
    if (this.#client !== client) return false;
    this.#client = undefined;
    this.#listens = false;
    client.release(true);
    return true;
  }

  #lost(client: PoolClient, error: unknown): void {
    const listened = this.#listens;
    if (!this.#drop(client)) return;
    this.#hearing.failed(error);
    // A connection that breaks before it listens makes #connect reject, and its caller tries again. A second attempt
    // here would keep a second connection.
    if (listened) void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let tries = 1; !this.#stopped && !this.#database.pool.ending; tries++) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(20 * tries, 500)));
      try {
        await this.#connect();
        if (!this.#stopped) this.#hearing.back();
        return;
      } catch (thrown) {
        this.#hearing.failed(thrown);
      }
    }
  }

  /** Asks over this connection, which is replaced where it does not answer; over another one while it is lost. */
  async query<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>> {
    const client = this.#client;
    if (client === undefined) return ask<R>(this.#database, text, values);
    // One after the other: a client of pg asks one thing at a time.
    const go = (): Promise<QueryResult<R>> => askOver<R>(client, text, values);
    const asked = this.#last.then(go, go);
    this.#last = asked;
    let answered = false;
    // What PostgreSQL says no to is an answer, and a connection that has broken has said so.
    asked.then(() => (answered = true), () => (answered = true));
    try {
      return await within(this.#database.answerMs, asked);
    } catch (thrown) {
      if (!answered) this.#lost(client, new Error('the connection that listens has not answered in time'));
      throw thrown;
    }
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#watch);
    const client = this.#client;
    this.#client = undefined;
    client?.release(true);
  }
}
