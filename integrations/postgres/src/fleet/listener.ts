import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { within } from 'barewire/fleet';
import { ask, askOver } from './database.ts';
import type { Database } from './database.ts';

type Reach = Pick<Database, 'pool' | 'answerMs'>;

/** Milliseconds of silence after which a connection is tested. */
const silentMs = 15_000;

/** The listener's callbacks. None of them throws. */
export interface Hearing {
  notified(channel: string, payload: string): void;
  /** The connection was lost and is restored. */
  back(): void;
  failed(error: unknown): void;
}

/**
 * One connection of the pool that listens on channels. It is replaced when it breaks, and when a query over it gets no answer in
 * time: after a silent network failure there are neither errors nor notifications.
 */
export class Listener {
  readonly #database: Reach;
  readonly #channels: readonly string[];
  readonly #hearing: Hearing;
  #client: PoolClient | undefined;
  /** True if `#client` listens already. Until then `#connect` rejects when the connection breaks. */
  #listens = false;
  #stopped = false;
  #watch: ReturnType<typeof setInterval> | undefined;
  /** The previous query, over any connection. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(database: Reach, channels: readonly string[], hearing: Hearing) {
    this.#database = database;
    this.#channels = channels;
    this.#hearing = hearing;
  }

  /** Rejects if the database is unreachable. */
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
      // The connection may still arrive.
      connecting.then((late) => late.release(true), () => {});
      throw thrown;
    });
    if (this.#stopped) return client.release(true);
    client.on('notification', ({ channel, payload = '' }) => {
      // An abandoned connection may repeat notifications of its replacement.
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

  /** Returns whether it was the listening connection. */
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
    // If a connection breaks before it listens, #connect rejects, and its caller tries again. A second attempt here would keep a
    // second connection.
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

  /** Queries over this connection, which is replaced if it does not answer; over another one while it is lost. */
  async query<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>> {
    const client = this.#client;
    if (client === undefined) return ask<R>(this.#database, text, values);
    // Sequentially: a pg client runs one query at a time.
    const go = (): Promise<QueryResult<R>> => askOver<R>(client, text, values);
    const asked = this.#last.then(go, go);
    this.#last = asked;
    let answered = false;
    // A rejection by PostgreSQL is an answer too, and a broken connection has already reported that.
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
