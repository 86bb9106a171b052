import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { ask } from './database.ts';

/** What the listener is told. None of these functions throws. */
export interface Hearing {
  notified(channel: string, payload: string): void;
  /** The connection was lost, and is back. */
  back(): void;
  failed(error: unknown): void;
}

/** One connection of the pool that listens on channels, and is replaced when it breaks. */
export class Listener {
  readonly #pool: Pool;
  readonly #channels: readonly string[];
  readonly #hearing: Hearing;
  #client: PoolClient | undefined;
  #stopped = false;

  private constructor(pool: Pool, channels: readonly string[], hearing: Hearing) {
    this.#pool = pool;
    this.#channels = channels;
    this.#hearing = hearing;
  }

  /** Rejects where the database cannot be reached. */
  static async start(pool: Pool, channels: readonly string[], hearing: Hearing): Promise<Listener> {
    const listener = new Listener(pool, channels, hearing);
    await listener.#connect();
    return listener;
  }

  async #connect(): Promise<void> {
    const client = await this.#pool.connect();
    if (this.#stopped) return client.release(true);
    this.#client = client;
    client.on('notification', ({ channel, payload = '' }) => this.#hearing.notified(channel, payload));
    client.on('error', (error) => {
      if (this.#client !== client) return;
      this.#hearing.failed(error);
      this.#client = undefined;
      client.release(true);
      void this.#reconnect();
    });
    try {
      for (const channel of this.#channels) await client.query(`LISTEN ${channel}`);
    } catch (thrown) {
      if (this.#client === client) {
        this.#client = undefined;
        client.release(true);
      }
      throw thrown;
    }
  }

  async #reconnect(): Promise<void> {
    for (let tries = 1; !this.#stopped && !this.#pool.ending; tries++) {
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

  /** Asks over this connection; over another one while this is lost. */
  query<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>> {
    return ask<R>(this.#client ?? this.#pool, text, values);
  }

  stop(): void {
    this.#stopped = true;
    const client = this.#client;
    this.#client = undefined;
    client?.release(true);
  }
}
