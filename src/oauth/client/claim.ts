import { every, pause, systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { OAuthError, shown } from '../errors.ts';
import { randomText } from './pkce.ts';
import { parseStored } from './store.ts';
import type { AuthorizationStore } from './store.ts';

/** A process's claim to renew the tokens of one server, in the store that several processes share. */
interface ClaimRecord {
  readonly owner: string;
  /** Milliseconds since the epoch, by the owner's clock. After this time the owner counts as dead. */
  readonly until: number;
  /** The most milliseconds that other processes respect the claim without a renewal. */
  readonly ms?: number | undefined;
  /** The error of the owner's work, for the processes that waited for it. */
  readonly failed?: { readonly code: string; readonly message: string };
}

/** The claim's key in the store, and its duration. */
export interface ClaimOptions {
  readonly store: AuthorizationStore;
  readonly key: string;
  /** Milliseconds after which a claim expires if its owner does not renew it. */
  readonly claimMs: number;
  readonly clock?: Clock | undefined;
}

/** Milliseconds between two checks of another process's claim; half of it is jitter. */
const pollMs = 100;

/**
 * Runs `work` while only this process holds the claim. If another process holds it, waits until that process has finished
 * or died. The claim is renewed while `work` runs. If its owner dies, it expires at `until`, or when it has not changed
 * for `ms` milliseconds: the clock that wrote `until` may have been set back.
 *
 * `work` must first check whether there is still something to do. If the owner that this call waited for failed, this
 * call rejects with the owner's error and does not try again: a person who refused is not asked once more by each
 * process.
 */
export async function withClaim<T>({ store, key, claimMs, clock = systemClock }: ClaimOptions, work: () => Promise<T>): Promise<T> {
  const owner = randomText();
  const write = (failed?: ClaimRecord['failed']): string =>
    JSON.stringify({ owner, until: clock.now() + claimMs, ms: claimMs, ...failed && { failed } } satisfies ClaimRecord);
  let waitedFor: string | undefined;
  let seen: { readonly text: string | undefined; readonly at: number } = { text: undefined, at: 0 };
  let mine: string | undefined;
  while (mine === undefined) {
    const text = await store.get(key);
    if (seen.text !== text) seen = { text, at: clock.monotonic() };
    const held = readClaim(text);
    if (held?.failed && held.owner === waitedFor) {
      throw new OAuthError(held.failed.code, `another process tried it at the same time: ${held.failed.message}`);
    }
    if (held && !held.failed && held.until > clock.now() && clock.monotonic() - seen.at < (held.ms ?? claimMs)) {
      waitedFor = held.owner;
      await pause(clock, pollMs * (0.5 + Math.random() / 2));
    } else {
      const next = write();
      if (await store.update(key, text, next)) mine = next;
    }
  }
  const end = async (next: string | undefined): Promise<void> => {
    timer?.stop();
    await renewing;
    await store.update(key, mine, next);
  };
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = every(clock, claimMs / 3, () => {
    renewing = renewing.then(async () => {
      const next = write();
      if (await store.update(key, mine, next)) mine = next;
    }).catch(() => {});
  });
  let result: T;
  try {
    result = await work();
  } catch (thrown) {
    // A login that needs a person is not shared: each process needs its own URL to show.
    const failed = thrown instanceof OAuthError && thrown.code !== 'authorization_required'
      ? { code: thrown.code, message: thrown.message } : undefined;
    await end(failed && write(failed)).catch(() => {});
    throw thrown;
  }
  await end(undefined);
  return result;
}

function readClaim(text: string | undefined): ClaimRecord | undefined {
  const { owner, until, ms: length, failed } = parseStored(text) ?? {};
  if (typeof owner !== 'string' || typeof until !== 'number') return undefined;
  const ms = typeof length === 'number' ? length : undefined;
  const { code, message } = (failed ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code !== 'string' || typeof message !== 'string') return { owner, until, ms };
  return { owner, until, ms, failed: { code, message: shown(message) } };
}
