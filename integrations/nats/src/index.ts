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
  /** What the names of streams, buckets and subjects begin with: letters, digits, `-` and `_`. `barewire`. */
  readonly name?: string;
  /** Milliseconds after which a process that gives no sign is taken for gone. 10 seconds. */
  readonly leaseMs?: number;
  /** Milliseconds in which NATS has to answer. 5 seconds. */
  readonly answerMs?: number;
  /** Milliseconds for which records of sessions, and what was used once, are kept at most. 7 days. */
  readonly keepSessionsMs?: number;
  /** Milliseconds for which events are kept at most. 1 hour. */
  readonly keepEventsMs?: number;
  /** Servers of a cluster that keep each stream. 1. */
  readonly replicas?: number;
  /** Told what went wrong and has no caller to tell, such as a read of the inbox. Default: nobody hears of it. */
  readonly onError?: (error: Error) => void;
}

/** All that the processes of a fleet share, in NATS. */
export interface NatsEngine {
  /** Joins the bus. */
  join(process: string): Promise<Bus>;
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly spent: SpentStore;
}

/**
 * What the processes of a fleet share, in NATS 2.9 or later with JetStream. Makes its streams and buckets where there are
 * none; rejects where NATS cannot be reached or has no JetStream, and with a TypeError for an unknown or malformed option.
 *
 * @param connection the engine does not close it. It has to reconnect for ever: `maxReconnectAttempts: -1`.
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
  // What is asked while NATS is away is asked again.
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
