import { randomUUID } from 'node:crypto';
import { retrying } from 'barewire/fleet';
import type { SessionStore } from 'barewire/fleet';
import { script } from './redis.ts';
import type { RunScript } from './redis.ts';

// A record is a hash: text, version, owner, and the token of its last write. The sessions of an owner are a sorted set, by the
// time of their last use.

/** Keys: record. Arguments: token, text, owner, milliseconds. */
const create = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('HGET', KEYS[1], 'by') == ARGV[1] and 1 or 0 end
redis.call('HSET', KEYS[1], 'by', ARGV[1], 'text', ARGV[2], 'owner', ARGV[3], 'version', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`);

const load = script("return redis.call('HMGET', KEYS[1], 'text', 'version')");

/** Returns the owner. Arguments: milliseconds. */
const touch = script(`
if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 0 then return nil end
return redis.call('HGET', KEYS[1], 'owner')
`);

/** Arguments: token, version, text. */
const replace = script(`
local has = redis.call('HMGET', KEYS[1], 'version', 'by')
if has[2] == ARGV[1] then return 1 end
if has[1] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'by', ARGV[1], 'text', ARGV[3], 'version', has[1] + 1)
return 1
`);

/** Returns the owner. */
const remove = script(`
local owner = redis.call('HGET', KEYS[1], 'owner')
redis.call('DEL', KEYS[1])
return owner
`);

/** Keys: the sessions of an owner. Arguments: id, milliseconds. */
const used = script(`
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], time[1] * 1000000 + time[2], ARGV[1])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
`);

const list = script("return redis.call('ZRANGE', KEYS[1], 0, -1)");
const exists = script("return redis.call('EXISTS', KEYS[1])");
const unlist = script("return redis.call('ZREM', KEYS[1], unpack(ARGV))");

/** Stores the records of sessions in Redis. The keys of each script are in one slot of a cluster. */
export function redisSessions(run: RunScript, prefix: string, answerMs: number): SessionStore {
  const keyOf = (id: string): string[] => [`${prefix}session:{${id}}`];
  const ownedBy = (owner: string): string[] => [`${prefix}owner:${owner}`];
  const call: RunScript = (...args) => retrying(answerMs, () => run(...args));

  return {
    async create(id, owner, text, ttlMs) {
      if (await call(create, keyOf(id), randomUUID(), text, owner ?? '', ttlMs) !== 1) {
        throw new Error(`the session ${id.slice(0, 40)} exists already`);
      }
      if (owner !== undefined) await call(used, ownedBy(owner), id, ttlMs);
    },
    async load(id) {
      const [text, version] = await call(load, keyOf(id)) as [string | null, string | null];
      return text === null ? undefined : { text, version: Number(version) };
    },
    async touch(id, ttlMs) {
      const owner = await call(touch, keyOf(id), ttlMs) as string | null;
      if (owner) await call(used, ownedBy(owner), id, ttlMs);
      return owner !== null;
    },
    replace: async (id, version, text) => await call(replace, keyOf(id), randomUUID(), version, text) === 1,
    async delete(id) {
      const owner = await call(remove, keyOf(id)) as string | null;
      if (owner) await call(unlist, ownedBy(owner), id);
      return owner !== null;
    },
    async of(owner) {
      const ids = await call(list, ownedBy(owner)) as string[];
      const alive = await Promise.all(ids.map(async (id) => await call(exists, keyOf(id)) === 1));
      const ended = ids.filter((_, i) => !alive[i]).slice(0, 1000);
      if (ended.length > 0) await call(unlist, ownedBy(owner), ...ended);
      return ids.filter((_, i) => alive[i]);
    },
  };
}
