import { createHash } from 'node:crypto';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** Where the parts of an engine keep what they keep. */
export interface Place {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly manager: JetStreamManager;
  /** What the names of streams, buckets and subjects begin with. */
  readonly name: string;
  /** Milliseconds in which NATS has to answer. */
  readonly answerMs: number;
}

/** Bytes that a message may have. */
export const payloadOf = ({ connection }: Place): number => connection.info?.max_payload ?? 1024 * 1024;

/** Any text as a part of a subject, which may hold few characters. */
export const partOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** True: somebody else has written in between, or first. */
export const isConflict = (thrown: unknown): boolean =>
  thrown instanceof JetStreamApiError && (thrown.code === JetStreamApiCodes.StreamWrongLastSequence
    || thrown.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown);
