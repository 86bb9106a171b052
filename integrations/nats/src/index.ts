import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Bus, SessionStore, SpentStore, StreamStore } from 'barewire/fleet';
import { checkOptions } from 'barewire/jsonrpc';
import { joinBus } from './bus.ts';
import { Inboxes } from './inbox.ts';
import { Leases } from './leases.ts';
import type { Place } from './place.ts';
import { natsSessions } from './sessions.ts';
import { natsSpent } from './spent.ts';
import { natsStreams } from './streams.ts';

/** The options of `natsEngine`. */
export interface NatsEngineOptions {
  /** Prefix of the names of streams, buckets and subjects: letters, digits, `-` and `_`. `barewire`. */
  readonly name?: string;
  /** Milliseconds after which a silent process is considered gone. 10 seconds. */
  readonly leaseMs?: number;
  /** Milliseconds in which NATS must answer. 5 seconds. */
  readonly answerMs?: number;
  /** Maximum milliseconds for which records of sessions and single-use marks are kept. 7 days. */
  readonly keepSessionsMs?: number;
  /** Maximum milliseconds for which events are kept. 1 hour. */
  readonly keepEventsMs?: number;
  /** Number of cluster servers that store each stream. 1. */
  readonly replicas?: number;
  /** Called with errors that no caller gets, such as those of reading the inbox. Default: they are ignored. */
  readonly onError?: (error: Error) => void;
}

/** Everything that the processes of a fleet share, in NATS. */
export interface NatsEngine {
  /** Joins the bus. */
  join(process: string): Promise<Bus>;
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly spent: SpentStore;
}

/**
 * Creates the shared state of a fleet in NATS 2.9 or later with JetStream. Creates missing streams and buckets; rejects if NATS
 * is unreachable or has no JetStream, and with a TypeError for an unknown or malformed option.
 *
 * @param connection the engine does not close it. It must reconnect for ever: `maxReconnectAttempts: -1`.
 */
export async function natsEngine(connection: NatsConnection, options: NatsEngineOptions = {}): Promise<NatsEngine> {
  checkOptions('natsEngine: options', options, {
    name: 'string', leaseMs: 0, answerMs: 0, keepSessionsMs: 'number', keepEventsMs: 'number', replicas: 'number', onError: 'function',
  });
  const {
    name = 'barewire', leaseMs = 10_000, answerMs = 5000, keepSessionsMs = 7 * 86_400_000, keepEventsMs = 3_600_000,
    replicas = 1, onError = () => {},
  } = options;
  if (!/^[a-zA-Z0-9_-]{1,50}$/.test(name)) throw new RangeError(`${JSON.stringify(name)} is no name for streams of NATS`);
  // Requests are retried while NATS is away.
  const timeout = Math.max(200, Math.min(1000, answerMs / 4));
  const manager = await jetstreamManager(connection, { timeout });
  const place: Place = { connection, js: jetstream(connection, { timeout }), manager, name, answerMs };
  const inboxes = new Inboxes(place);
  await inboxes.prepare(Math.max(60_000, 10 * leaseMs), replicas);
  const leases = await Leases.open(place, leaseMs, replicas);
  return {
    join: (process) => joinBus({ place, leases, inboxes, leaseMs, onError }, process),
    sessions: await natsSessions(place, keepSessionsMs, replicas),
    streams: await natsStreams(place, keepEventsMs, replicas),
    spent: await natsSpent(place, keepSessionsMs, replicas),
  };
}
