import { randomUUID } from 'node:crypto';
import { Kvm } from '@nats-io/kv';
import type { KV } from '@nats-io/kv';
import { retrying } from 'barewire/fleet';
import { isConflict } from './place.ts';
import type { Place } from './place.ts';

/**
 * Leases in a bucket whose entries all have the same lifetime. (A separate lifetime for each key needs NATS 2.11; older versions
 * accept and ignore it.)
 */
export class Leases {
  readonly #bucket: KV;
  readonly #answerMs: number;

  private constructor(bucket: KV, answerMs: number) {
    this.#bucket = bucket;
    this.#answerMs = answerMs;
  }

  static async open({ js, name, answerMs }: Place, leaseMs: number, replicas: number): Promise<Leases> {
    const bucket = await new Kvm(js).create(`${name}_leases`, { ttl: leaseMs, history: 1, replicas });
    return new Leases(bucket, answerMs);
  }

  of(process: string): Lease {
    return new Lease(this.#bucket, this.#answerMs, process);
  }

  async exists(process: string): Promise<boolean> {
    const entry = await retrying(this.#answerMs, () => this.#bucket.get(process));
    return entry?.operation === 'PUT';
  }
}

/** The lease of one process. */
export class Lease {
  readonly #bucket: KV;
  readonly #answerMs: number;
  readonly #process: string;
  readonly #token = randomUUID();

  constructor(bucket: KV, answerMs: number, process: string) {
    this.#bucket = bucket;
    this.#answerMs = answerMs;
    this.#process = process;
  }

  async #isOurs(): Promise<boolean> {
    const entry = await retrying(this.#answerMs, () => this.#bucket.get(this.#process));
    return entry?.operation === 'PUT' && entry.string() === this.#token;
  }

  /** False: another process has the name. */
  take(): Promise<boolean> {
    return retrying(this.#answerMs, async () => {
      try {
        await this.#bucket.create(this.#process, this.#token);
        return true;
      } catch (thrown) {
        if (!isConflict(thrown)) throw thrown;
        // An earlier attempt may have succeeded.
        return this.#isOurs();
      }
    });
  }

  /** Restarts the lease's full time. `lost`: it had expired, and was taken again. */
  async renew(): Promise<'renewed' | 'lost' | 'taken'> {
    if (await this.#isOurs()) {
      await retrying(this.#answerMs, () => this.#bucket.put(this.#process, this.#token));
      return 'renewed';
    }
    return await this.take() ? 'lost' : 'taken';
  }

  async giveBack(): Promise<void> {
    if (await this.#isOurs()) await retrying(this.#answerMs, () => this.#bucket.delete(this.#process));
  }
}
