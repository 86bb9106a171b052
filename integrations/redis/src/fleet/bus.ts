import { randomUUID } from 'node:crypto';
import { Inbox, Outbox, retrying, Undeliverable, within } from 'barewire/fleet';
import type { Bus, BusHandler } from 'barewire/fleet';
import { script } from './redis.ts';
import type { RedisConnection, RunScript } from './redis.ts';

// Each process has a lease, a string with a token that expires unless renewed, and an inbox, a stream. Both are in one slot of a
// cluster.

/** Keys: lease, inbox. Arguments: token, milliseconds. */
const take = script(`
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0
end
redis.call('DEL', KEYS[2])
return 1
`);

/** 1: renewed; 2: taken again after it had expired; 0: another process has the name. */
const renew = script(`
local has = redis.call('GET', KEYS[1])
if has and has ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2] * 10)
return has and 1 or 2
`);

/** Keys: lease, inbox. Arguments: milliseconds, the channel that wakes the reader, messages. */
const put = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for i = 3, #ARGV do redis.call('XADD', KEYS[2], '*', 'm', ARGV[i]) end
redis.call('PEXPIRE', KEYS[2], ARGV[1] * 10)
redis.call('PUBLISH', ARGV[2], '')
return 1
`);

/** Keys: inbox. Arguments: the first unread id, the maximum number. Deletes the messages before it. */
const read = script(`
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1])
return redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
`);

const exists = script("return redis.call('EXISTS', KEYS[1])");

/** Keys: lease, inbox. Arguments: token. */
const leave = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1], KEYS[2]) end
`);

const tell = script("redis.call('PUBLISH', KEYS[1], ARGV[1])");

type Entry = readonly [id: string, fields: readonly [name: string, message: string]];

/** Maximum messages per read. */
const most = 100;

export interface BusSettings {
  readonly client: RedisConnection;
  readonly run: RunScript;
  readonly prefix: string;
  readonly leaseMs: number;
  readonly answerMs: number;
  readonly onError: (error: Error) => void;
}

/** Joins the bus as `process`. Rejects if the name is taken. */
export async function joinBus(settings: BusSettings, process: string): Promise<Bus> {
  const { client, run, prefix, leaseMs, answerMs, onError } = settings;
  const keysOf = (name: string): [lease: string, inbox: string] =>
    [`${prefix}{${name}}:lease`, `${prefix}{${name}}:inbox`];
  const bellOf = (name: string): string => `${prefix}${name}:bell`;
  const [lease, inbox] = keysOf(process);
  const everybody = `${prefix}told`;
  const token = randomUUID();
  const outbox = new Outbox(async (to, messages) => {
    if (await run(put, keysOf(to), leaseMs, bellOf(to), ...messages) !== 1) throw new Undeliverable(to);
  }, answerMs);
  let handler: BusHandler | undefined;
  let entries: Inbox | undefined;
  let next = '0-0';
  let reading = false;
  let again = false;
  let left = false;

  const report = (thrown: unknown): void => {
    if (!left) onError(thrown instanceof Error ? thrown : new Error(String(thrown)));
  };

  /** Delivers the messages of the inbox. After a failure, the next bell or renewal continues. */
  async function readInbox(): Promise<void> {
    again = true;
    if (entries === undefined || reading || left) return;
    reading = true;
    try {
      while (again && !left) {
        again = false;
        const found = await retrying(answerMs, () => run(read, [inbox], next, most)) as Entry[];
        for (const [id, [, message]] of found) {
          next = following(id);
          if (!left) entries.take(message);
        }
        again ||= found.length === most;
      }
    } catch (thrown) {
      report(thrown);
    } finally {
      reading = false;
    }
  }

  /** The request time of the last confirmed renewal: milliseconds of `performance.now()`. */
  let renewedAt = performance.now();
  let renewing: Promise<void> | undefined;

  /** One renewal at a time, since the client queues commands while Redis is stalled. A late confirmation counts too. */
  function renewLease(): Promise<void> {
    renewing ??= renewOnce().finally(() => (renewing = undefined));
    renewing.catch(() => {});
    return within(leaseMs / 3, renewing);
  }

  async function renewOnce(): Promise<void> {
    const asked = performance.now();
    const found = await run(renew, [lease, inbox], token, leaseMs);
    if (left) return;
    if (found === 0) throw new Error(`the name ${process} is another process's by now`);
    // An earlier renewal may have succeeded without a confirmation: then Redis does not know of the gap.
    const late = performance.now() - renewedAt > leaseMs;
    renewedAt = asked;
    if (found === 2 || late) handler?.lost();
    await readInbox();
  }

  const listening = client.duplicate();
  listening.on('error', report);
  await listening.connect();
  let renewal: ReturnType<typeof setInterval> | undefined;
  try {
    await listening.subscribe([bellOf(process), everybody], (message, channel) => {
      if (channel !== everybody) return void readInbox();
      const [topic, text] = JSON.parse(message) as [string, string];
      handler?.told(topic, text);
    });
    if (await retrying(answerMs, () => run(take, [lease, inbox], token, leaseMs)) !== 1) throw new Error(`the name ${process} is taken`);
    renewedAt = performance.now();
  } catch (thrown) {
    listening.destroy();
    throw thrown;
  }
  renewal = setInterval(() => void renewLease().catch(report), leaseMs / 3);
  renewal.unref();
  // The connection was restored: the server may have restarted, and bells may have been missed.
  listening.on('ready', () => {
    handler?.gap();
    renewLease().catch(report);
  });

  return {
    leaseMs,
    send: (to, message) => outbox.send(to, message),
    async tell(topic, message) {
      await within(answerMs, run(tell, [everybody], JSON.stringify([topic, message])));
    },
    async gone(processes) {
      const found = await Promise.all(processes.map((name) =>
        retrying(answerMs, () => run(exists, keysOf(name).slice(0, 1)))));
      return processes.filter((_, i) => found[i] === 0);
    },
    receive(receiver) {
      handler = receiver;
      entries = new Inbox((message) => receiver.message(message));
      void readInbox();
    },
    async leave() {
      left = true;
      clearInterval(renewal);
      listening.destroy();
      await within(answerMs, run(leave, [lease, inbox], token));
    },
  };
}

/** The next stream id after this one. */
function following(id: string): string {
  const [ms, n] = id.split('-');
  return `${ms}-${BigInt(n ?? 0) + 1n}`;
}
