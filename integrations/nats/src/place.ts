import { createHash } from 'node:crypto';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** The storage of an engine's parts. */
export interface Place {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly manager: JetStreamManager;
  /** Prefix of the names of streams, buckets and subjects. */
  readonly name: string;
  /** Milliseconds in which NATS must answer. */
  readonly answerMs: number;
}

/** Maximum bytes of a message. */
export const payloadOf = ({ connection }: Place): number => connection.info?.max_payload ?? 1024 * 1024;

/** Encodes any text as a part of a subject, which allows few characters. */
export const partOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** True if another process has written in between, or first. */
export const isConflict = (thrown: unknown): boolean =>
  thrown instanceof JetStreamApiError && (thrown.code === JetStreamApiCodes.StreamWrongLastSequence
    || thrown.code === JetStreamApiCodes.StreamWrongLastSequenceUnknown);
