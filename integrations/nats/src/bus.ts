import { Outbox, Undeliverable, within } from 'barewire/fleet';
import type { Bus, BusHandler } from 'barewire/fleet';
import type { Inboxes, Reader } from './inbox.ts';
import type { Leases } from './leases.ts';
import { Assembly, piecesOf } from './pieces.ts';
import { payloadOf } from './place.ts';
import type { Place } from './place.ts';

export interface BusSettings {
  readonly place: Place;
  readonly leases: Leases;
  readonly inboxes: Inboxes;
  readonly leaseMs: number;
  readonly onError: (error: Error) => void;
}

/** Joins the bus as `process`. Rejects if the name is taken. */
export async function joinBus(settings: BusSettings, process: string): Promise<Bus> {
  const { place, leases, inboxes, leaseMs, onError } = settings;
  const { connection, answerMs } = place;
  const everybody = `${place.name}.told`;
  const lease = leases.of(process);
  if (!await lease.take()) throw new Error(`the name ${process} is taken`);
  await inboxes.clear(process);

  const outbox = new Outbox(async (to, texts) => {
    if (!await leases.exists(to)) throw new Undeliverable(to);
    await inboxes.put(to, texts);
  }, answerMs);
  const assembly = new Assembly();
  let handler: BusHandler | undefined;
  let reader: Reader | undefined;
  let left = false;

  const report = (thrown: unknown): void => {
    if (!left) onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  };
  const read = (): void => void reader?.read().catch(report);

  const bell = connection.subscribe(inboxes.bellOf(process), { callback: read });
  const told = connection.subscribe(everybody, {
    callback(error, message) {
      const text = error ? undefined : assembly.take(message.data);
      if (text === undefined) return;
      const [topic, told] = JSON.parse(text) as [string, string];
      handler?.told(topic, told);
    },
  });
  await connection.flush();

  /** The request time of the last confirmed renewal: milliseconds of `performance.now()`. */
  let renewedAt = performance.now();

  async function renew(): Promise<void> {
    if (connection.isClosed()) return clearInterval(renewal);
    const asked = performance.now();
    const found = await lease.renew();
    if (left) return;
    if (found === 'taken') throw new Error(`the name ${process} is another process's by now`);
    // An earlier renewal may have succeeded without a confirmation: then the bucket does not know of the gap.
    const late = performance.now() - renewedAt > leaseMs;
    renewedAt = Math.max(renewedAt, asked);
    if (found === 'lost' || late) handler?.lost();
    read();
    if (reader && reader.next > 1) await inboxes.clear(process, reader.next);
  }
  const renewal = setInterval(() => void renew().catch(report), leaseMs / 3);
  renewal.unref();

  const status = connection.status();
  void (async () => {
    for await (const { type } of status) {
      if (left) return;
      if (type !== 'reconnect') continue;
      handler?.gap();
      renew().catch(report);
    }
  })();

  return {
    leaseMs,
    send: (to, message) => outbox.send(to, message),
    async tell(topic, message) {
      for (const piece of piecesOf(JSON.stringify([topic, message]), payloadOf(place))) {
        connection.publish(everybody, piece);
      }
      // Messages published before this flush has been answered have arrived.
      await within(answerMs, connection.flush());
    },
    async gone(processes) {
      const found = await Promise.all(processes.map((name) => leases.exists(name)));
      return processes.filter((_, i) => !found[i]);
    },
    receive(receiver) {
      handler = receiver;
      reader = inboxes.reader(process, (message) => receiver.message(message));
      read();
    },
    async leave() {
      left = true;
      clearInterval(renewal);
      reader?.stop();
      if (!connection.isClosed()) {
        bell.unsubscribe();
        told.unsubscribe();
      }
      await within(answerMs, Promise.all([lease.giveBack(), inboxes.clear(process)]));
    },
  };
}
