import { retrying } from 'barewire/fleet';
import type { StreamStore } from 'barewire/fleet';
import { script } from './redis.ts';
import type { RunScript } from './redis.ts';

// A stream is a hash (head, number of the first stored event, bytes of the events, whether it has ended) and a list of texts. The
// names of a session's streams are a set. All keys of a session are in one slot of a cluster.

/** Keys: hash, list, set. Arguments: name, head, first, over, milliseconds, maximum bytes, texts. */
const append = script(`
local has = redis.call('HMGET', KEYS[1], 'first', 'bytes', 'over')
if has[3] == '1' then return end
local first, bytes = tonumber(has[1] or ARGV[3]), tonumber(has[2] or 0)
local count = redis.call('LLEN', KEYS[2])
for i = 7 + math.max(0, first + count - ARGV[3]), #ARGV do
  redis.call('RPUSH', KEYS[2], ARGV[i])
  count = count + 1
  bytes = bytes + #ARGV[i]
end
while bytes > tonumber(ARGV[6]) and count > 1 do
  bytes = bytes - #redis.call('LPOP', KEYS[2])
  count = count - 1
  first = first + 1
end
redis.call('HSET', KEYS[1], 'head', ARGV[2], 'first', first, 'bytes', bytes, 'over', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
redis.call('SADD', KEYS[3], ARGV[1])
if redis.call('PTTL', KEYS[3]) < tonumber(ARGV[5]) then redis.call('PEXPIRE', KEYS[3], ARGV[5]) end
`);

/** Keys: hash, list. Arguments: number. */
const after = script(`
local has = redis.call('HMGET', KEYS[1], 'head', 'first', 'over')
if not has[1] then return nil end
local from = ARGV[1] + 1 - has[2]
if from < 0 then return nil end
return {has[1], has[3], redis.call('LRANGE', KEYS[2], from, -1)}
`);

/** Keys: set, and then the hash and the list of each of its streams. */
const drop = script("return redis.call('DEL', unpack(KEYS))");

const names = script("return redis.call('SMEMBERS', KEYS[1])");

/** Stores the events of streams in Redis, up to a maximum of bytes per stream. */
export function redisStreams(run: RunScript, prefix: string, answerMs: number, maxBytesPerStream: number): StreamStore {
  const setOf = (session: string): string => `${prefix}streams:{${session}}`;
  const keysOf = (session: string, stream: string): string[] =>
    [`${prefix}stream:{${session}}${stream}`, `${prefix}events:{${session}}${stream}`];
  const call: RunScript = (...args) => retrying(answerMs, () => run(...args));

  return {
    async append({ session, stream, head, first, texts, over, ttlMs }) {
      const keys = [...keysOf(session, stream), setOf(session)];
      await call(append, keys, stream, head, first, over ? 1 : 0, ttlMs, maxBytesPerStream, ...texts);
    },
    async after(session, stream, number) {
      const found = await call(after, keysOf(session, stream), number) as [string, string, string[]] | null;
      return found === null ? undefined : { head: found[0], over: found[1] === '1', texts: found[2] };
    },
    async drop(session) {
      const streams = await call(names, [setOf(session)]) as string[];
      await call(drop, [setOf(session), ...streams.flatMap((stream) => keysOf(session, stream))]);
    },
  };
}
