import { randomUUID } from 'node:crypto';
import { retrying } from 'barewire/fleet';
import type { Bus, SessionStore, SpentStore, StreamStore } from 'barewire/fleet';
import { checkOptions } from 'barewire/jsonrpc';
import { joinBus } from './bus.ts';
import { runner, script } from './redis.ts';
import type { RedisConnection } from './redis.ts';
import { redisSessions } from './sessions.ts';
import { redisStreams } from './streams.ts';

/** The options of `redisEngine`. */
export interface RedisEngineOptions {
  /** Prefix of the names of all keys and channels. `barewire:fleet:`. */
  readonly prefix?: string;
  /** Milliseconds after which a silent process is considered gone. 10 seconds. */
  readonly leaseMs?: number;
  /** Milliseconds in which Redis must answer. 5 seconds. */
  readonly answerMs?: number;
  /** Maximum bytes of events stored for one stream: the oldest are dropped first. 2 MiB. */
  readonly maxBytesPerStream?: number;
  /** Called with errors that no caller gets, such as those of reading the inbox. Default: they are ignored. */
  readonly onError?: (error: Error) => void;
}

/** Everything that the processes of a fleet share, in Redis or Valkey. */
export interface RedisEngine {
  /** Joins the bus, over an additional connection. */
  join(process: string): Promise<Bus>;
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly spent: SpentStore;
}

/** Returns the token of its first user. Keys: the single-use mark. Arguments: token, milliseconds. */
const spend = script(`
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('GET', KEYS[1])
`);

/**
 * Creates the shared state of a fleet in Redis or Valkey. Throws a TypeError for an unknown or malformed option.
 *
 * @param client connected; the engine does not close it.
 */
export function redisEngine(client: RedisConnection, options: RedisEngineOptions = {}): RedisEngine {
  checkOptions('redisEngine: options', options, { prefix: 'string', leaseMs: 0, answerMs: 0, maxBytesPerStream: 'number', onError: 'function' });
  const {
    prefix = 'barewire:fleet:', leaseMs = 10_000, answerMs = 5000, maxBytesPerStream = 2 * 1024 * 1024,
    onError = () => {},
  } = options;
  const run = runner(client);
  return {
    join: (process) => joinBus({ client, run, prefix, leaseMs, answerMs, onError }, process),
    sessions: redisSessions(run, prefix, answerMs),
    streams: redisStreams(run, prefix, answerMs, maxBytesPerStream),
    spent: {
      async spend(kind, name, expiresAt) {
        const [token, ms] = [randomUUID(), Math.max(1, Math.ceil(expiresAt - Date.now()))];
        return await retrying(answerMs, () => run(spend, [`${prefix}spent:${kind}:${name}`], token, ms)) === token;
      },
    },
  };
}
