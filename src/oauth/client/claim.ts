import { OAuthError, shown } from '../errors.ts';
import { randomText } from './pkce.ts';
import { parseStored } from './store.ts';
import type { AuthorizationStore } from './store.ts';

/** Who may renew the tokens of one server now, written into the store for all who share it. */
interface ClaimRecord {
  readonly owner: string;
  /** Milliseconds since the epoch; after that the owner is taken for dead. */
  readonly until: number;
  /** How the owner's work ended, for those who waited for it. */
  readonly failed?: { readonly code: string; readonly message: string };
}

/** Where the claim stands, and how long it lasts. */
export interface ClaimOptions {
  readonly store: AuthorizationStore;
  readonly key: string;
  /** Milliseconds after which a claim that nobody renews runs out. */
  readonly claimMs: number;
}

/** Milliseconds between two looks at a claim that another holds: half of it is jitter. */
const pollMs = 100;

/**
 * Runs `work` while this process alone holds the claim. Where another holds it, waits until it is done, gone or dead.
 * The claim is renewed as long as `work` runs, and runs out by itself where its owner dies.
 *
 * `work` must look first whether there is still something to do. Where the owner that was waited for failed, this
 * rejects with its error and does not try again: a person who said no is not asked once for each process.
 */
export async function withClaim<T>({ store, key, claimMs }: ClaimOptions, work: () => Promise<T>): Promise<T> {
  const owner = randomText();
  const write = (failed?: ClaimRecord['failed']): string =>
    JSON.stringify({ owner, until: Date.now() + claimMs, ...failed && { failed } } satisfies ClaimRecord);
  let waitedFor: string | undefined;
  let mine: string | undefined;
  while (mine === undefined) {
    const text = await store.get(key);
    const held = readClaim(text);
    if (held?.failed && held.owner === waitedFor) {
      throw new OAuthError(held.failed.code, `another process tried it at the same time: ${held.failed.message}`);
    }
    if (held && !held.failed && held.until > Date.now()) {
      waitedFor = held.owner;
      await pause(pollMs * (0.5 + Math.random() / 2));
    } else {
      const next = write();
      if (await store.update(key, text, next)) mine = next;
    }
  }
  const end = async (next: string | undefined): Promise<void> => {
    clearInterval(timer);
    await renewing;
    await store.update(key, mine, next);
  };
  let renewing: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(async () => {
      const next = write();
      if (await store.update(key, mine, next)) mine = next;
    }).catch(() => {});
  }, claimMs / 3);
  let result: T;
  try {
    result = await work();
  } catch (thrown) {
    // A login that needs a person is not shared: each process gets a URL of its own to show.
    const failed = thrown instanceof OAuthError && thrown.code !== 'authorization_required'
      ? { code: thrown.code, message: thrown.message } : undefined;
    await end(failed && write(failed)).catch(() => {});
    throw thrown;
  }
  await end(undefined);
  return result;
}

function readClaim(text: string | undefined): ClaimRecord | undefined {
  const { owner, until, failed } = parseStored(text) ?? {};
  if (typeof owner !== 'string' || typeof until !== 'number') return undefined;
  const { code, message } = (failed ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code !== 'string' || typeof message !== 'string') return { owner, until };
  return { owner, until, failed: { code, message: shown(message) } };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
