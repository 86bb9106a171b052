import { AckPolicy, DeliverPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { retrying } from 'barewire/fleet';
import type { KeptStream, StreamPart, StreamStore } from 'barewire/fleet';
import { Assembly, piecesOf } from './pieces.ts';
import { partOf, payloadOf } from './place.ts';
import type { Place } from './place.ts';

/** A part in the stream, as JSON. */
type Kept = Pick<StreamPart, 'head' | 'first' | 'texts' | 'over' | 'ttlMs'>;

/**
 * Stores events in one JetStream stream, each part as a message under the subject of its stream. Parts are written without
 * reading: readers rely on their order, which is the same for all.
 */
export async function natsStreams(place: Place, keepMs: number, replicas: number): Promise<StreamStore> {
  const { manager, js, name, answerMs } = place;
  const stream = `${name}_events`;
  await manager.streams.add({
    name: stream,
    subjects: [`${name}.events.*.*`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_age: nanos(keepMs),
    num_replicas: replicas,
  });
  const allOf = (session: string): string => `${name}.events.${partOf(session)}`;
  const subjectOf = (session: string, id: string): string => `${allOf(session)}.${partOf(id)}`;

  /** All messages under a subject. Rejects if some are missing. */
  async function messagesOf(subject: string): Promise<JsMsg[]> {
    const { name: reader, num_pending: count } = await manager.consumers.add(stream, {
      ack_policy: AckPolicy.None,
      deliver_policy: DeliverPolicy.All,
      filter_subject: subject,
      inactive_threshold: nanos(30_000),
      mem_storage: true,
      num_replicas: 1,
    });
    try {
      const messages: JsMsg[] = [];
      if (count === 0) return messages;
      const consumer = await js.consumers.get(stream, reader);
      const found = await consumer.fetch({ max_messages: count, expires: Math.max(1000, answerMs / 2) });
      for await (const message of found) messages.push(message);
      if (messages.length < count) throw new Error(`NATS has given ${messages.length} of ${count} parts of a stream`);
      return messages;
    } finally {
      manager.consumers.delete(stream, reader).catch(() => {});
    }
  }

  return {
    async append({ session, stream: id, head, first, texts, over, ttlMs }) {
      const kept: Kept = { head, first, texts, over, ttlMs };
      const pieces = piecesOf(JSON.stringify(kept), payloadOf(place));
      await retrying(answerMs, async () => {
        for (const piece of pieces) await js.publish(subjectOf(session, id), piece);
      });
    },
    async after(session, id, number) {
      const assembly = new Assembly();
      let found: { head: string; first: number; texts: string[]; over: boolean; until: number } | undefined;
      for (const { data, time } of await retrying(answerMs, () => messagesOf(subjectOf(session, id)))) {
        const text = assembly.take(data);
        if (text === undefined || found?.over) continue;
        const { head, first, texts, over, ttlMs } = JSON.parse(text) as Kept;
        found ??= { head, first, texts: [], over, until: 0 };
        found.texts.push(...texts.slice(found.first + found.texts.length - first));
        found.over = over;
        found.until = time.getTime() + ttlMs;
      }
      if (found === undefined || found.until <= Date.now() || number + 1 < found.first) return undefined;
      const { head, texts, first, over } = found;
      return { head, texts: texts.slice(number + 1 - first), over } satisfies KeptStream;
    },
    async drop(session) {
      await retrying(answerMs, () => manager.streams.purge(stream, { filter: `${allOf(session)}.*` }));
    },
  };
}
