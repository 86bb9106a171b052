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
  /** What the names of all keys and channels begin with. `barewire:fleet:`. */
  readonly prefix?: string;
  /** Milliseconds after which a process that gives no sign is taken for gone. 10 seconds. */
  readonly leaseMs?: number;
  /** Milliseconds in which Redis has to answer. 5 seconds. */
  readonly answerMs?: number;
  /** Bytes of events that are kept of one stream: the oldest go first. 2 MiB. */
  readonly maxBytesPerStream?: number;
  /** Told what went wrong and has no caller to tell, such as a read of the inbox. Default: nobody hears of it. */
  readonly onError?: (error: Error) => void;
}

/** All that the processes of a fleet share, in Redis or Valkey. */
export interface RedisEngine {
  /** Joins the bus, over one more connection. */
  join(process: string): Promise<Bus>;
  readonly sessions: SessionStore;
  readonly streams: StreamStore;
  readonly spent: SpentStore;
}

/** Gives the token of whoever used it. Keys: what is used. Arguments: token, milliseconds. */
const spend = script(`
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('GET', KEYS[1])
`);

/**
 * What the processes of a fleet share, in Redis or Valkey. Throws a TypeError for an unknown or malformed option.
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
