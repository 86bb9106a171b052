import assert from 'node:assert/strict';
import test from 'node:test';
import { systemClock } from '../src/bounds/clock.ts';
import { resultCache } from '../src/client/cache.ts';
import { answering } from '../src/client/answering.ts';
import { Inbox } from '../src/fleet/outbox.ts';
import { memoryEngine } from '../src/fleet/memory-engine.ts';
import { recordCache } from '../src/fleet/session-records.ts';
import { Approvals } from '../src/host/approvals.ts';
import { OrderOfUse } from '../src/bounds/order-of-use.ts';
import { RpcError } from '../src/jsonrpc/errors.ts';
import { introspection } from '../src/oauth/resource/introspection.ts';
import { proofReplays } from '../src/oauth/resource/proof-replays.ts';
import { verifiedTokens } from '../src/oauth/resource/verified-tokens.ts';
import { everyNth } from './every-nth.ts';

// In a process of its own: it counts calls of Map and Set.

/**
 * A full memory drops its oldest entry for a new one. A Map keeps a hole for each deleted entry, and every new iterator passes
 * the holes at its beginning, which no count shows. So this counts the iterators, and the steps through orders of use.
 */
async function countSteps(work: () => unknown): Promise<{ searches: number; steps: number }> {
  const counted = { searches: 0, steps: 0 };
  const undo: (() => void)[] = [];
  const replace = (of: object, name: PropertyKey, other: (before: (...args: unknown[]) => unknown) => unknown): void => {
    const before = Object.getOwnPropertyDescriptor(of, name) as PropertyDescriptor;
    Object.defineProperty(of, name, { ...before, value: other(before.value as () => unknown) });
    undo.push(() => Object.defineProperty(of, name, before));
  };
  for (const of of [Map.prototype, Set.prototype]) {
    for (const name of ['keys', 'values', 'entries', 'forEach', Symbol.iterator]) {
      replace(of, name, (before) => function searched(this: unknown, ...args: unknown[]) {
        counted.searches++;
        return before.apply(this, args);
      });
    }
  }
  replace(OrderOfUse.prototype, Symbol.iterator, (before) => function* stepped(this: unknown) {
    for (const one of before.call(this) as Iterable<unknown>) {
      counted.steps++;
      yield one;
    }
  });
  try {
    await work();
  } finally {
    for (const back of undo) back();
  }
  return counted;
}

const wholeClock = Date.now();
const most = 1000 / everyNth(4);
const more = 3 * most;

/** Each memory that keeps the newest `most`: the function adds an entry. */
const memories: Readonly<Record<string, () => (at: number) => unknown>> = {
  'verified tokens': () => {
    const tokens = verifiedTokens(most);
    const verified = { claims: {}, keys: [], current: async () => [] };
    return (at) => tokens.keep(`token ${at}`, verified);
  },
  'introspection': () => {
    const fetch = async (): Promise<Response> => Response.json({ active: true });
    const limits = { introspectionCacheMs: 60_000, maxIntrospections: most };
    const verify = introspection({ endpoint: 'https://as.example/introspect', issuer: 'https://as.example', fetch, limits });
    return (at) => verify(`token ${at}`, { issuers: [], now: () => wholeClock });
  },
  'DPoP proofs of one principal': () => {
    const replays = proofReplays({ maxProofs: most }, () => more);
    return (at) => replays.add({ principal: 'one', key: 'key', jti: `${at}`, created: at, expires: 1e9 });
  },
  'DPoP proofs of many principals': () => {
    const replays = proofReplays({ maxProofs: most }, () => more);
    return (at) => replays.add({ principal: `${at}`, key: 'key', jti: 'proof', created: at, expires: 1e9 });
  },
  'results of a client': () => {
    const cache = resultCache(most);
    return (at) => cache.keep('tools/list', { cursor: `${at}` }, { tools: [], ttlMs: 60_000 }, cache.epoch);
  },
  'elicitations by URL': () => {
    const part = answering({ onElicitUrl: () => ({ action: 'accept' }) });
    return (at) => part.required(new RpcError(-32042, 'sign in', { elicitations: [{ elicitationId: `${at}` }] }));
  },
  'approvals': () => {
    const approvals = new Approvals(systemClock, 60_000);
    return () => approvals.approve({ server: 's', tool: 't', digest: 'd', args: {}, principal: 'p' });
  },
  'sessions in memory': () => {
    const sessions = memoryEngine({ maxSessions: most }).sessions;
    return (at) => sessions.create(`${at}`, undefined, 'text', 1e9);
  },
  'records of sessions': () => {
    const records = recordCache({ sessions: memoryEngine({ maxSessions: 1 }).sessions, max: most, wanted: () => true, tell: async () => {} });
    const agreed = { version: '2025-06-18', client: { name: 'c', version: '1' }, capabilities: {} };
    const text = JSON.stringify({ agreed, watched: [], opened: 0 });
    return (at) => {
      records.hear(`${at}`, 1, text);
      records.get(`${at - 5}`);
    };
  },
  'senders of a bus': () => {
    const inbox = new Inbox(() => {});
    return (at) => inbox.take(`sender${at} 1 message`);
  },
};

for (const [name, make] of Object.entries(memories)) {
  test(`full memories: ${name}: the oldest is found without a search`, async () => {
    const put = make();
    for (let at = 0; at < most; at++) await put(at);
    const counted = await countSteps(async () => {
      for (let at = most; at < more; at++) await put(at);
    });
    assert.ok(counted.searches <= 1, `${counted.searches} searches in a Map`);
    assert.ok(counted.steps <= 8 * (more - most), `${counted.steps} steps for ${more - most} entries`);
  });
}
