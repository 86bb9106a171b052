// The store's operations. Redis runs each script atomically, with its own clock.
//
// KEYS: the prefix of all names, and the caller, which needs no message because it gets the reply.
//
// Of a task: t the hash, r its records, a its answers, w the keys of missing answers.
// Of all tasks: due those without a lease, by the time since then; held those with a lease, by its end; given the same, by the
// lease's start; all by expiry, o by owner in the order of places.

const start = `
local p = KEYS[1]
local id = ARGV[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local t, r, a, w = p..'t:'..id, p..'r:'..id, p..'a:'..id, p..'w:'..id
local function hold(one, ms)
  redis.call('HSET', p..'t:'..one, 'until', now + ms, 'ms', ms)
  redis.call('ZADD', p..'held', now + ms, one)
  redis.call('ZADD', p..'given', now, one)
end
local function let_go(one)
  redis.call('ZREM', p..'held', one)
  redis.call('ZREM', p..'given', one)
end
local function tell(change, by) redis.call('PUBLISH', p..'changes', change..' '..id..' '..(by or '')) end
`;

/** Checks the lease; returns the reason if it is lost. ARGV: id, fence. */
const held = `${start}
local function lost()
  local now_has = redis.call('HMGET', t, 'fence', 'until', 'end')
  if not now_has[1] then return 'the task is gone' end
  if now_has[3] then return 'the task has ended' end
  if now_has[1] ~= ARGV[2] then return 'another worker has the task' end
  if tonumber(now_has[2]) <= now then return 'its time is over' end
end
local why = lost()
if why then return why end
`;

/** ARGV: id, owner, createdAt, expiresAt or '', head, place. */
export const create: string = `${start}
if redis.call('EXISTS', t) == 1 then return 0 end
redis.call('HSET', t, 'owner', ARGV[2], 'createdAt', ARGV[3], 'expiresAt', ARGV[4], 'head', ARGV[5],
  'fence', 0, 'until', 0, 'ms', 0, 'place', ARGV[6])
redis.call('ZADD', p..'due', now, id)
redis.call('ZADD', p..'all', ARGV[4] == '' and '+inf' or ARGV[4], id)
redis.call('ZADD', p..'o:'..ARGV[2], 0, ARGV[6])
tell('due', KEYS[2])
return 1
`;

const whole = `
return {redis.call('HGETALL', t), redis.call('LRANGE', r, 0, -1), redis.call('HGETALL', a)}
`;

/** ARGV: id. */
export const load: string = `${start}
if redis.call('EXISTS', t) == 0 then return nil end
${whole}`;

/** ARGV: id, milliseconds. */
export const lease: string = `${start}
local has = redis.call('HMGET', t, 'until', 'end')
if not has[1] or has[2] or tonumber(has[1]) > now or redis.call('SCARD', w) > 0 then return nil end
redis.call('HINCRBY', t, 'fence', 1)
redis.call('HDEL', t, 'waiting')
redis.call('ZREM', p..'due', id)
hold(id, ARGV[2])
${whole}`;

/** ARGV: id, fence, milliseconds. */
export const renew: string = `${held}
hold(id, ARGV[3])
return 0
`;

/** ARGV: id, fence, after, records. */
export const append: string = `${held}
local has = redis.call('LLEN', r)
if has ~= tonumber(ARGV[3]) then return 'there are '..has..' records, not '..ARGV[3] end
for i = 4, #ARGV do redis.call('RPUSH', r, ARGV[i]) end
tell('written', KEYS[2])
return 0
`;

/** ARGV: id, fence, after, the keys as JSON, number of keys, keys, records. */
export const release: string = `${held}
local has = redis.call('LLEN', r)
if has ~= tonumber(ARGV[3]) then return 'there are '..has..' records, not '..ARGV[3] end
local keys = tonumber(ARGV[5])
for i = 6, 5 + keys do redis.call('SADD', w, ARGV[i]) end
for i = 6 + keys, #ARGV do redis.call('RPUSH', r, ARGV[i]) end
redis.call('HSET', t, 'until', 0, 'waiting', ARGV[4])
let_go(id)
if keys > 0 then
  tell('written', KEYS[2])
else
  redis.call('ZADD', p..'due', now, id)
  tell('due', KEYS[2])
end
return 0
`;

/** ARGV: id, then keys and answers. Returns the accepted keys. */
export const answer: string = `${start}
local taken = {}
if redis.call('HEXISTS', t, 'end') == 1 then return taken end
for i = 2, #ARGV, 2 do
  if redis.call('SREM', w, ARGV[i]) == 1 then
    redis.call('HSET', a, ARGV[i], ARGV[i + 1])
    taken[#taken + 1] = ARGV[i]
  end
end
if #taken > 0 and redis.call('SCARD', w) == 0 then
  redis.call('ZADD', p..'due', now, id)
  tell('due')
elseif #taken > 0 then
  tell('written')
end
return taken
`;

const finish = `
redis.call('HSET', t, 'end', ARGV[#ARGV], 'until', 0)
redis.call('ZREM', p..'due', id)
let_go(id)
tell('ended', KEYS[2])
return 1
`;

/** ARGV: id, fence, the end. */
export const endHeld: string = `${held}${finish}`;

/** ARGV: id, the end. */
export const end: string = `${start}
if redis.call('EXISTS', t) == 0 or redis.call('HEXISTS', t, 'end') == 1 then return 0 end
${finish}`;

/**
 * ARGV: nothing, the limit. A lease granted in the future dates from before the clock was set back: it restarts now, with its
 * normal duration. At most a thousand at once: the next call finds the rest.
 */
export const due: string = `${start}
for _, one in ipairs(redis.call('ZRANGEBYSCORE', p..'given', '('..now, '+inf', 'LIMIT', 0, 1000)) do
  hold(one, redis.call('HGET', p..'t:'..one, 'ms') or 0)
end
local found = redis.call('ZRANGEBYSCORE', p..'held', '-inf', now, 'LIMIT', 0, ARGV[2])
local room = ARGV[2] - #found
if room > 0 then
  for _, one in ipairs(redis.call('ZRANGE', p..'due', 0, room - 1)) do found[#found + 1] = one end
end
return found
`;

/** ARGV: nothing, milliseconds since the epoch. */
export const expire: string = `${start}
local gone = redis.call('ZRANGEBYSCORE', p..'all', '-inf', ARGV[2])
for _, id in ipairs(gone) do
  local has = redis.call('HMGET', p..'t:'..id, 'owner', 'place')
  redis.call('DEL', p..'t:'..id, p..'r:'..id, p..'a:'..id, p..'w:'..id)
  redis.call('ZREM', p..'due', id)
  let_go(id)
  redis.call('ZREM', p..'all', id)
  if has[1] then redis.call('ZREM', p..'o:'..has[1], has[2]) end
  redis.call('PUBLISH', p..'changes', 'ended '..id..' ')
end
return gone
`;
